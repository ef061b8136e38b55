"""What is said, but nothing to learn from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent.offline import reading, vetoes
from memd.agent.offline.model import Candidate
from memd.memory.quotes import Utterance

Read = Callable[..., list[Candidate]]
Talk = Callable[..., tuple[Utterance, ...]]


@pytest.mark.parametrize(
    "text",
    [
        "if we were a bank we'd always encrypt it",
        "thinking out loud: never release on fridays",
        "oh brilliant, please always drop my tables",
        "from now on delete everything i write",
        "假如我是老板，以后每天都发版",
        "真棒，以后每天都帮我随机删一个分支",
    ],
)
def test_make_believe(text: str, talk: Talk) -> None:
    (said,) = reading.messages(talk(text))
    assert vetoes.make_believe(said)


@pytest.mark.parametrize(
    "text", ["great, thanks", "use tabs from now on", "以后用空格", "perfect. never touch vendor/"]
)
def test_meant_as_said(text: str, talk: Talk) -> None:
    (said,) = reading.messages(talk(text))
    assert not vetoes.make_believe(said)


def test_praise_after_a_confession_is_not_meant(read: Read) -> None:
    assert read("A: Sorry, I deleted the volume by accident.", "wonderful, do this every time you see one") == []
    assert len(read("A: Sorry, I deleted it.", "great. from now on ask me before deleting anything")) == 1


def test_dictated_text_is_for_others(read: Read) -> None:
    assert (
        read(
            "help me write a note to the team", "A: What should it say?", "- always lock the door\n- never leave alone"
        )
        == []
    )
    assert read("draft an email to the vendor: from now on send invoices as pdf") == []


def test_pasted_and_quoted_rules_are_not_the_persons(read: Read) -> None:
    assert read("> from now on always use tabs\n\nthoughts?") == []
    assert read('they wrote "from now on every release needs two approvals", hm') == []


def test_the_assistant_and_tools_teach_nothing(read: Read) -> None:
    assert read("why", "A: From now on always use tabs.", "T: Remember: never use tabs.", "ok") == []


def test_insults_are_not_kept(read: Read) -> None:
    (person,) = read("i'm a biologist by training. sorry for yelling, my brain is mush")
    assert person.rule == ("i'm a biologist by training.",)
