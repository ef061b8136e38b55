"""Age in words, and when to warn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.age import freshness_note, memory_age

DAY = 86_400.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "today"),
        (DAY - 1, "today"),
        (DAY, "yesterday"),
        (2 * DAY - 1, "yesterday"),
        (2 * DAY, "2 days ago"),
        (47 * DAY + 5, "47 days ago"),
        (-1, "today"),
        (-400 * DAY, "today"),
    ],
)
def test_ages_are_whole_days_of_24_hours(seconds: float, words: str) -> None:
    assert memory_age(1_000.0, 1_000.0 + seconds) == words


def test_from_two_days_on_a_memory_warns_about_itself() -> None:
    assert freshness_note(0.0, 2 * DAY - 1) is None
    note = freshness_note(0.0, 2 * DAY)
    assert note is not None
    assert note.startswith("This memory is 2 days old.")
    assert "Verify" in note


@given(mtime=st.floats(-1e11, 1e11), now=st.floats(-1e11, 1e11))
def test_an_age_is_never_negative(mtime: float, now: float) -> None:
    assert "-" not in memory_age(mtime, now)
    assert (freshness_note(mtime, now) is None) == (memory_age(mtime, now) in {"today", "yesterday"})
