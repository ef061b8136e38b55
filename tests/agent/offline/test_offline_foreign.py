"""Texts of others that stand in a message without a fence: nothing in them is the person's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent.offline import foreign
from memd.agent.offline.model import Candidate

PASTED = [
    "here's what the scanner printed, explain it\n\nCRITICAL: never use md5\nAll services must rotate keys by June 1",
    "got this from the client, what do they mean?\n\nHi Anna,\nwe always need it by the 3rd.\nBest regards\nTim",
    "look at these acceptance criteria and tell me what's missing\n- user can always undo\n- must be live by may 20",
    "our page on naming, please turn it into a lint rule:\n1. always prefix interfaces\n2. we decided on this in 2021",
    "does this break any of our texts?\n\n  3.1 Always write e-mail with a hyphen.\n  3.2 Never use passive voice.",
    "tests first please\n\nStory: As a porter I want to see the lift's state, so I never wait.\nAC1 always visible",
    "summarise this for me: From Monday on nobody deploys without Petra. We decided to move by June 1.",
    "review this paragraph: We never sell your data. We always encrypt it.",
    "translate: please never leave the device unattended",
    "as a shift lead i want to see overdue orders first, so that i never miss one",
]
OWN = [
    "hi! from now on please answer in english",
    "remember this: deploys happen only from the release box",
    "two new rules for you:\n1. always run the linter before you commit\n2. never push to main",
    "thanks. one thing for the future: always show me the plan before you change files\n\nnow the header please",
]


@pytest.mark.parametrize("text", PASTED)
def test_nothing_is_learned_from_it(text: str, read: Callable[..., list[Candidate]]) -> None:
    assert [c.rule for c in read(text) if c.certain] == []


@pytest.mark.parametrize("text", PASTED)
def test_it_is_cut_off_where_it_begins(text: str, read: Callable[..., list[Candidate]]) -> None:
    asked = "from now on answer in english. "
    assert [c.kind for c in read(asked + text) if c.certain] == ["feedback"]


@pytest.mark.parametrize("text", OWN)
def test_the_persons_own_lists_and_greetings_stay(text: str, read: Callable[..., list[Candidate]]) -> None:
    assert any(c.certain for c in read(text))
    assert foreign.own_part(text) == text
