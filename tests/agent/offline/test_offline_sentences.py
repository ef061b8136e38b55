"""How human text is cut, and what of it is the person's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent.offline import sentences
from memd.memory import quotes


def texts(message: str) -> list[str]:
    return [sentence.text for sentence in sentences.split(message)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("use tabs. they load faster", ["use tabs.", "they load faster"]),
        ("改好了。以后都用空格！", ["改好了。", "以后都用空格！"]),
        ("e.g. this one, i.e. that", ["e.g. this one, i.e. that"]),
        ("see app.example.com/x for it", ["see app.example.com/x for it"]),
        ("two things. 1) tabs 2) spaces", ["two things.", "1) tabs", "2) spaces"]),
        ("no emojis in titles. ever", ["no emojis in titles. ever"]),
        ("缩进用空格。以后都这样", ["缩进用空格。以后都这样"]),
        ("ok merged, btw the wiki moved", ["ok merged", "btw the wiki moved"]),
        ("好的，另外周五封版", ["好的", "另外周五封版"]),
        ("line one\nline two", ["line one", "line two"]),
        ("", []),
    ],
)
def test_sentences(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "> always use tabs",
        "```\nalways use tabs\n```",
        '"Always sign your work. Never squash. From now on we merge."',
        "x" * 700,
    ],
)
def test_what_was_not_said(message: str) -> None:
    assert texts(message) == []


def test_an_announced_text_is_somebody_elses() -> None:
    assert texts("the ticket says:\nalways use tabs\nnever push") == ["the ticket says:"]
    assert texts("here is their mail:\n\nfrom now on we use tabs") == ["here is their mail:"]


def test_quoted_words_are_no_cues() -> None:
    (sentence,) = sentences.split('call it "always on" please')
    assert "always" not in sentence.cue
    assert sentence.text == 'call it "always on" please'


def test_clauses_keep_urls_whole() -> None:
    (sentence,) = sentences.split("look at https://x.example/a, then go")
    assert sentence.clauses() == ("look at https://x.example/a", " then go")


@given(st.text(max_size=200))
def test_every_sentence_is_a_verbatim_piece(message: str) -> None:
    own = quotes.folded(message)
    assert all(quotes.folded(sentence.text) in own for sentence in sentences.split(message))
