"""Long messages in pieces."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memd.agent import cutting

SENTENCES = st.sampled_from(
    [
        "Use tabs. ",
        "why?",
        "\n",
        "a.b.c.",
        "先跑测试。",
        "x" * 50,
        "eyJhbGciOiJIUzI1NiJ9.",
        "<b> ",
        "!",
        " ",
        "\u200b",
        "é",
    ]
)
TEXTS = st.lists(SENTENCES | st.text(max_size=6), max_size=60).map("".join)


def measured_anew(text: str, most: int) -> list[str]:
    """The same pieces, each of them measured as a whole for every sentence."""
    pieces = [""]
    for sentence in re.findall(r"(?:[^.!?。！？\n]|[.!?](?=[^\s.!?]))*[.!?。！？\n]*", text):
        for part in halves(sentence, most):
            if pieces[-1] and cutting.size(pieces[-1] + part) > most:
                pieces.append("")
            pieces[-1] += part
    return [piece for piece in pieces if piece]


def halves(text: str, most: int) -> list[str]:
    if len(text) < 2 or cutting.size(text) <= most:
        return [text]
    middle = len(text) // 2
    return [*halves(text[:middle], most), *halves(text[middle:], most)]


@settings(max_examples=150)
@given(TEXTS, st.integers(4, 60))
@example("a" * 30 + "." + "b" * 30 + ".", 10)
@example("", 4)
def test_a_text_in_pieces_is_the_text_and_no_piece_is_fuller_than_it_may_be(text: str, most: int) -> None:
    pieces = list(cutting.split(text, most))
    assert "".join(pieces) == text
    assert all(cutting.size(piece) <= most or len(piece) == 1 for piece in pieces)
    if len(pieces) > 1:
        assert pieces == measured_anew(text, most)
