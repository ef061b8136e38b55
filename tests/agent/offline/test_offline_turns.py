"""What later words do to earlier ones: taking back, correcting, repeating."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent.offline import fold, words
from memd.agent.offline.model import Candidate
from memd.memory.topic import TopicType

Read = Callable[..., list[Candidate]]

RULE = "from now on put the ticket number into the branch name"


@pytest.mark.parametrize(
    "taken_back",
    [
        "forget that",
        "scratch that, bad idea",
        "never mind that",
        "forget the branch name thing",
        "just kidding",
        "hmm, drop that name from whatever you keep",
        "当我没说",
    ],
)
def test_taken_back(taken_back: str, read: Read) -> None:
    assert len(read(RULE)) == 1
    assert read(RULE, "A: ok", taken_back) == []


def test_only_what_is_named_is_taken_back(read: Read) -> None:
    (left,) = read(RULE, "remember the spare laptop is called hedwig please", "A: ok", "forget the laptop i mentioned")
    assert left.rule == (RULE,)


def test_taken_back_in_the_same_message(read: Read) -> None:
    assert read(f"{RULE}. no wait, forget that") == []


def test_the_rest_of_a_retracting_sentence_counts(read: Read) -> None:
    (plan,) = read("freeze is on Friday", "A: ok", "scratch that, the freeze got moved to next Monday")
    assert plan.kind is TopicType.PROJECT
    assert "next Monday" in plan.rule[0]


def test_do_not_forget_is_no_retraction(read: Read) -> None:
    assert len(read(RULE, "A: ok", "don't forget the tests")) == 1


def test_a_rule_said_three_times_is_one(read: Read) -> None:
    (rule,) = read(
        "commit messages in english please",
        "A: ok",
        "again german. commit messages in english",
        "A: sorry",
        "english commit messages, always",
    )
    assert rule.certain


def test_a_moved_plan_keeps_its_subject_and_the_new_date_only(read: Read) -> None:
    (plan,) = read("the demo for Globex is on Thursday", "A: ok", "they moved the demo to May 28")
    assert plan.subject is not None
    assert plan.subject.rule == ("the demo for Globex is on Thursday",)


def test_an_overriding_rule_takes_the_last_ones_place(read: Read) -> None:
    (rule,) = read("from now on use tabs", "A: ok", "no wait, from now on use spaces")
    assert rule.rule == ("no wait, from now on use spaces",)


@pytest.mark.parametrize(
    ("left", "right"),
    [("retry 3 times", "retry 5 times"), ("run it first", "do not run it first"), ("先跑测试", "不要跑测试")],
)
def test_numbers_and_negations_set_texts_apart(left: str, right: str) -> None:
    assert fold.signs(left) != fold.signs(right)


@given(st.text(max_size=60), st.text(max_size=60))
def test_overlap_is_a_share_and_symmetric(left: str, right: str) -> None:
    a, b = words.content(left), words.content(right)
    assert 0 <= words.overlap(a, b) == words.overlap(b, a) <= 1
    assert words.overlap(a, a) == (1.0 if a else 0.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tests, tested and testing", {"test"}),
        ("run `make_docs`", {"run", "make_doc", "doc"}),
        ("发版公告", {"发版", "版公", "公告"}),
        ("the a of", set()),
    ],
)
def test_content_words(text: str, expected: set[str]) -> None:
    assert expected <= words.content(text)
    assert not words.content(text) - expected - {"and", "make"}
