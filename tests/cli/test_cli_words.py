"""Words for people."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis.strategies import binary, characters, integers, text

from memd.cli import words
from memd.cli.runs import REASONS
from memd.extract.gate import Skip

NOW = 1_775_044_800.0  # 2026-04-01T12:00:00Z


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-500, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (3_599, "59 minutes ago"),
        (7_200, "2 hours ago"),
        (86_400, "1 day ago"),
        (90 * 86_400, "90 days ago"),
    ],
)
def test_how_long_ago(seconds: float, said: str) -> None:
    assert words.ago(NOW - seconds, NOW) == said


def test_moments() -> None:
    assert words.iso(NOW) == "2026-04-01T12:00:00+00:00"
    assert words.iso(None) is None


@given(integers(min_value=0, max_value=4_000_000_000))
def test_a_moment_comes_back(seconds: int) -> None:
    written = words.iso(seconds)
    assert written is not None
    assert datetime.fromisoformat(written).timestamp() == seconds


@given(text(characters(exclude_categories=())))
def test_what_is_shown_stays_on_its_line_and_sends_no_orders(said: str) -> None:
    assert words.shown(said).isprintable()
    assert len(words.shown(said)) == len(said)


@given(binary())
def test_any_file_name_can_be_printed(name: bytes) -> None:
    printed = words.valid(name.decode("utf-8", "surrogateescape"))
    assert not any("\ud800" <= char <= "\udfff" for char in printed)


@given(text())
def test_what_can_be_printed_stays_as_it_is(said: str) -> None:
    assert words.valid(said) == said


def test_every_skip_has_words() -> None:
    assert set(Skip) <= set(REASONS)


def test_a_code_without_words_is_read_as_it_is() -> None:
    assert words.switch_reason("off-the-record") == "off the record"
