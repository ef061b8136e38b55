"""Words that are recognised again though nobody kept them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory import marks

RULE = "Always run make lint before you commit."


def hits(quote: str, text: str) -> bool:
    return any(marks.found(text, marks.by_hint(marks.marks([quote]))))


@pytest.mark.parametrize(
    "text",
    [
        RULE,
        "ok. always  run\nmake lint before you COMMIT, please",
        "先说一句：Always run make lint before you commit。",
        f"x {RULE} y",
    ],
)
def test_the_same_words_are_found(text: str) -> None:
    assert hits(RULE, text)


@pytest.mark.parametrize(
    "text",
    ["", "Always run make lint before you committed", "Run make lint before you commit.", "xAlways run make lint"],
)
def test_other_words_are_not(text: str) -> None:
    assert not hits(RULE, text)


def test_chinese_is_found_inside_a_sentence() -> None:
    assert hits("提交之前先跑一遍测试", "以后提交之前先跑一遍测试吧")
    assert not hits("提交之前先跑一遍测试", "以后提交之前不要跑一遍测试吧")


@pytest.mark.parametrize("text", ["", "yes", "sounds good", "do that then", "好的", "是的，没问题"])
def test_words_that_are_said_about_anything_have_no_mark(text: str) -> None:
    assert marks.mark(text) is None


def test_a_mark_does_not_tell_the_words() -> None:
    assert "lint" not in repr(marks.mark(RULE))


@given(st.text(max_size=40), st.text(max_size=40), st.text(min_size=1, max_size=60))
def test_whatever_has_a_mark_is_found_in_its_own_sentence(before: str, after: str, quote: str) -> None:
    if marks.mark(quote) is not None:
        assert hits(quote, f"{before}\n{quote}\n{after}")
