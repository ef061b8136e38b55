"""A short answer, and the question before the cursor that it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.ledger import Outcome
from tests.fakes.anthropic_server import Script, in_turn, serving, text, tool_use
from tests.fakes.long_talk import looks
from tests.fakes.model_pass import Passes, conversation, furnished

ASKED = "Shall I always put the renames of one module into a single pull request?"
SHOWN = "What the agent said right before"
NOTHING: Script = in_turn(otherwise=[text("nothing")])


@pytest.fixture
def passes(home: Path) -> Iterator[Passes]:
    """A project whose passes ask a model."""
    with serving(NOTHING) as server, furnished(home, server) as made:
        yield replace(made, house=replace(made.house, account="somebody"))


def writes(*evidence: str) -> Script:
    rule = "Put the renames of one module into a single pull request."
    quotes = "".join(f"  - {one!r}\n" for one in evidence)
    topic = f"---\nname: renames\ndescription: {rule}\ntype: feedback\nevidence:\n{quotes}---\n{rule}\n"
    call = tool_use("Write", {"file_path": "memory/feedback_renames.md", "content": topic})
    return in_turn([call], otherwise=[text("done")])


def told(passes: Passes) -> str:
    return str(looks(passes.server)[-1]["messages"][0]["content"][-1]["text"])


def test_a_choice_that_was_proposed_before_the_cursor_can_be_confirmed_behind_it(passes: Passes) -> None:
    passes.run(conversation(("human", "rename them all"), ("assistant", f"Done so far. {ASKED}")), NOTHING)
    done = passes.run(conversation(("human", "yes, do that"), start=10), writes(ASKED, "yes, do that"))
    assert ASKED in told(passes).partition("What is new")[0].partition(SHOWN)[2]
    assert (done.outcome, "feedback_renames.md" in passes.live()) == (Outcome.SAVED, True)
    note = passes.note(done)
    assert note is not None
    assert [quote.text for quote in note.quotes["feedback_renames.md"]] == [ASKED, "yes, do that"]


def test_what_nobody_confirmed_is_held_still(passes: Passes) -> None:
    passes.run(conversation(("human", "rename them all"), ("assistant", ASKED)), NOTHING)
    done = passes.run(conversation(("human", "no, one each"), start=10), writes(ASKED, "no, one each"))
    assert done.outcome == Outcome.HELD


def test_where_nothing_is_answered_nothing_from_before_is_told(passes: Passes) -> None:
    passes.run(conversation(("human", "rename them all"), ("assistant", ASKED)), NOTHING)
    long = "now look at the other module, which has the same names in it, and tell me what you think of its tests"
    passes.run(conversation(("human", long), start=10), NOTHING)
    assert SHOWN not in told(passes)


@pytest.mark.parametrize("words", ["<private>my salary</private>", "AKIA" + "Q3EGRIDHI7XBZ5QA"], ids=["private", "key"])
def test_a_question_is_as_clean_as_the_rest_and_has_an_end(passes: Passes, words: str) -> None:
    long = f"{words} " + "word " * 3_000 + ASKED
    passes.run(conversation(("human", "rename them all"), ("assistant", long)), NOTHING)
    passes.run(conversation(("human", "yes"), start=10), NOTHING)
    asked = told(passes).partition(SHOWN)[2].partition("What is new")[0]
    assert ASKED in asked
    assert len(asked) < 2_500
    assert not any(secret in told(passes) for secret in ("salary", "AKIA"))


def test_a_question_is_found_behind_much_else(passes: Passes) -> None:
    filler = [("tool", "x" * 60_000)] * 8
    passes.run(conversation(("human", "go"), *filler, ("assistant", ASKED)), NOTHING)
    passes.run(conversation(("human", "ok"), start=100), NOTHING)
    assert ASKED in told(passes).partition(SHOWN)[2]
