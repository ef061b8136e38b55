"""How long a hint holds, and what it does to what is tracked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.hints import Hints
from memd.ledger import open_ledger
from memd.transcripts.ending import EndHint
from tests.daemon.test_daemon_tracker import World
from tests.fakes.clock import FakeClock

DAY = 86400.0


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    clock = FakeClock()
    with open_ledger(tmp_path / "state" / "ledger.sqlite3", clock) as ledger:
        yield World(tmp_path, ledger, clock)


@given(st.sampled_from(EndHint), st.floats(0, 3 * DAY), st.floats(0, 3 * DAY))
def test_a_hint_holds_for_what_it_is_about_and_not_for_ever(hint: EndHint, changed_at: float, now: float) -> None:
    hints = Hints()
    hints.take("a", hint, DAY)
    said = hints.of("a", changed_at, now)
    found = None if said is None else said.hint
    assert found in {None, hint}
    if found is EndHint.SESSION_END:
        assert changed_at <= DAY + 10
    if found is EndHint.REMEMBER:
        assert changed_at > DAY
    if now > 2 * DAY:
        assert found is None


def test_the_last_word_counts_and_an_old_one_makes_room() -> None:
    hints = Hints()
    hints.take("a", EndHint.REMEMBER, 1)
    hints.take("a", EndHint.SESSION_END, 2)
    assert hints.of("a", 1, 3) == (EndHint.SESSION_END, 2)
    for number in range(1000):
        hints.take(f"n{number}", EndHint.SESSION_END, 2)
    assert hints.of("a", 1, 3) is None
    assert hints.of("n0", 1, 3) == (EndHint.SESSION_END, 2)


def test_a_session_that_ends_is_due_after_its_last_line_has_landed(world: World) -> None:
    world.append("a", "human", "done")
    world.tracker.heed("a", EndHint.SESSION_END)
    world.clock.advance(2)
    world.append("a", "human", "done")
    world.clock.advance(2.9)
    assert world.due() == []
    world.clock.advance(0.2)
    assert world.due() == ["lines:a"]


def test_a_session_that_ends_after_a_rest_may_still_write_its_last_line(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(60)
    world.write("a", "human", "done")  # and no event has told of it yet
    world.tracker.heed("a", EndHint.SESSION_END)
    assert world.due() == []
    world.clock.advance(2.9)
    assert world.due() == []
    world.clock.advance(0.2)
    assert world.due() == ["lines:a"]
    assert world.work().watermark == (world.root / "p" / "a.talk").stat().st_size


def test_a_session_that_goes_on_after_its_end_is_waited_for(world: World) -> None:
    world.append("a", "human", "done")
    world.tracker.heed("a", EndHint.SESSION_END)
    world.clock.advance(2)
    assert world.due() == []
    world.clock.advance(0.9)
    world.append("a", "human")
    world.clock.advance(2)
    world.append("a", "tool")
    world.clock.advance(2)
    world.append("a", "tool")
    for _ in range(5):
        world.clock.advance(2.5)
        world.append("a", "tool")
        assert world.due() == []
    world.append("a", "done")
    world.clock.advance(100)
    assert world.due() == []
    world.clock.advance(20)
    assert world.due() == ["lines:a"]


def test_an_end_is_due_however_short_ago_the_last_pass_was(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    world.due()
    world.work()
    world.append("a", "human", "done")
    world.tracker.heed("a", EndHint.SESSION_END)
    world.clock.advance(3)
    assert world.due() == ["lines:a"]


def test_a_wish_is_about_the_turn_that_it_begins_not_the_one_before(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(60)
    world.tracker.heed("a", EndHint.REMEMBER)  # before the prompt is in the transcript
    assert world.due() == []
    world.clock.advance(1)
    world.append("a", "human remember")
    world.clock.advance(400)
    assert world.due() == []
    world.append("a", "done")
    world.clock.advance(3)
    assert world.due() == ["lines:a"]
    world.work()
    world.append("a", "human", "done")
    world.clock.advance(130)
    assert world.due() == []  # the wish was fulfilled: this one waits as ever


def test_a_hint_about_a_session_not_seen_yet_holds_once_it_is(world: World) -> None:
    world.tracker.heed("a", EndHint.SESSION_END)
    world.clock.advance(1)
    world.append("a", "human", "done")
    world.clock.advance(3)
    assert world.due() == ["lines:a"]


def test_a_hint_that_finds_nothing_new_makes_nothing_due(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    world.due()
    world.work()
    world.tracker.heed("a", EndHint.SESSION_END)
    world.clock.advance(10_000)
    assert world.due() == []


def test_who_does_not_want_to_wait_gets_what_is_complete(world: World) -> None:
    world.append("a", "human", "done")
    world.append("b", "human", "tool")
    world.tracker.hurry()
    world.clock.advance(3)
    assert world.due() == ["lines:a"]
