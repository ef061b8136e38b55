"""What the daemon makes of files that grow, vanish and come back; all on real files with a clock turned by hand."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.due import Rules
from memd.daemon.reconcile import Found, Steps, rescan, split
from memd.daemon.tracker import Tracker
from memd.ledger import Job, Ledger, Outcome, Run, open_ledger
from memd.transcripts import cursor as cursors
from memd.transcripts.ending import Timings
from memd.transcripts.model import ProcessState
from tests.fakes.clock import FakeClock
from tests.fakes.rescans import at_once
from tests.fakes.transcripts import LineTranscripts

RULES = Rules(timings=Timings(quiet=120, stalled=600), min_interval=600)


class World:
    """A root with conversations, the ledger and a tracker."""

    def __init__(self, directory: Path, ledger: Ledger, clock: FakeClock) -> None:
        self.root = directory / "root"
        self.ledger = ledger
        self.clock = clock
        self.transcripts = LineTranscripts(self.root)
        self.began = clock.now().timestamp()
        self.restart()

    def restart(self, *, once: bool = False) -> None:
        """A new daemon over the same files."""
        rules = Rules(timings=RULES.timings, min_interval=RULES.min_interval, once=once)
        self.tracker = Tracker(self.ledger, self.transcripts, self.clock, rules, lambda cwd: cwd)

    def write(self, name: str, *lines: str, age: float = 0.0, project: str = "p") -> Path:
        """Append lines to a conversation, dated so many seconds ago."""
        path = self.root / project / f"{name}.talk"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        when = self.clock.now().timestamp() - age
        os.utime(path, (when, when))
        return path

    def append(self, name: str, *lines: str) -> None:
        """Append, with the event that tells of it."""
        self.tracker.hint(str(self.write(name, *lines)))

    def steps(self) -> Steps:
        """A rescan that has not begun yet."""
        now = self.clock.now().timestamp()
        return rescan(self.ledger, self.transcripts, self.tracker, now=now, began=self.began)

    def rescan(self) -> tuple[int, int]:
        """Rescan; (looked at, noted)."""
        seen = at_once(self.steps())
        return seen.looked, seen.noted

    def due(self) -> list[str]:
        """Put what is due into the queue: the sessions' keys."""
        return [key for key, _ in self.tracker.enqueue_due()[1]]

    def work(self, *, settled: int | None = None) -> Job:
        """A worker's pass over the next job."""
        job = self.ledger.claim(lease=60)
        assert job is not None
        run = Run(id=self.ledger.start_run(session_key=job.session_key), session_key=job.session_key,
                  outcome=Outcome.NOTHING)  # fmt: skip
        self.ledger.commit_pass(job, cursor="c", uuids=(), run=run, settled=settled)
        self.tracker.refresh()
        return job


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    clock = FakeClock()
    with open_ledger(tmp_path / "state" / "ledger.sqlite3", clock) as ledger:
        yield World(tmp_path, ledger, clock)


def test_twenty_appends_half_a_minute_apart_are_one_pass(world: World) -> None:
    asked = []
    for turn in range(20):
        world.append("a", f"human {turn}", "done")
        asked += world.due()
        world.clock.advance(30)
    world.clock.advance(90)
    asked += world.due()
    world.clock.advance(10_000)
    asked += world.due()
    assert asked == ["lines:a"]


def test_a_conversation_is_due_once_and_again_only_with_more_in_it(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    assert world.due() == ["lines:a"]
    assert world.due() == []
    world.work()
    assert len(world.tracker) == 0
    assert world.due() == []
    world.append("a", "human", "done")
    world.clock.advance(120)
    assert world.due() == []  # its last pass was too short a time ago
    world.clock.advance(480)
    assert world.due() == ["lines:a"]


def test_what_comes_while_a_pass_runs_is_one_trailing_pass(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    world.due()
    job = world.ledger.claim(lease=3600)
    assert job is not None
    for _ in range(5):
        world.append("a", "human", "done")
        world.clock.advance(130)
        world.due()
    assert [one.state for one in world.ledger.jobs()] == ["leased", "queued"]


def test_an_event_that_changes_nothing_does_not_prolong_the_quiet(world: World) -> None:
    path = world.write("a", "human", "done")
    world.tracker.look(str(path), hinted=True)
    world.clock.advance(100)
    world.tracker.look(str(path), hinted=True)
    world.clock.advance(20)
    assert world.due() == ["lines:a"]


def test_a_conversation_whose_process_went_is_due_at_once(world: World) -> None:
    world.transcripts.states["a"] = ProcessState.ALIVE
    world.append("a", "human", "done")
    assert world.due() == []
    del world.transcripts.states["a"]  # a clean exit removes the entry
    world.clock.advance(3)
    assert world.due() == ["lines:a"]


def test_a_tool_that_runs_for_hours_is_waited_for_while_its_process_lives(world: World) -> None:
    world.transcripts.states["a"] = ProcessState.ALIVE
    world.append("a", "human", "tool")
    world.clock.advance(20_000)
    assert world.due() == []
    world.transcripts.states["a"] = ProcessState.GONE
    assert world.due() == ["lines:a"]


def test_deleted_between_event_and_look(world: World) -> None:
    path = world.write("a", "human", "done")
    world.tracker.look(str(path), hinted=True)
    path.unlink()
    assert not world.tracker.look(str(path), hinted=True)
    world.clock.advance(10_000)
    assert world.due() == []


def test_deleted_without_an_event(world: World) -> None:
    world.rescan()
    path = world.write("a", "human", "done")
    world.rescan()
    path.unlink()
    world.rescan()
    world.clock.advance(10_000)
    assert world.due() == []


def test_the_wall_clock_stepping_changes_nothing_for_files_seen_growing(world: World) -> None:
    world.append("a", "human", "done")
    for step in (-86400, 7 * 86400, -5):
        world.clock.step(step)
        assert world.due() == []
    world.clock.advance(120)
    assert world.due() == ["lines:a"]


def test_quiet_time_from_before_the_start_counts(world: World) -> None:
    world.root.mkdir()
    world.rescan()
    world.write("old", "human", "done", age=500)
    world.write("young", "human", "done", age=50)
    world.write("future", "human", "done", age=-5000)
    world.rescan()
    assert world.due() == ["lines:old"]
    world.clock.advance(70)
    assert world.due() == ["lines:young"]
    world.clock.advance(50)
    assert world.due() == ["lines:future"]


def test_first_sight_takes_the_five_newest_of_a_day_and_notes_the_rest_at_their_end(world: World) -> None:
    for number in range(8):
        world.write(f"new{number}", "human", "done", age=1000 + number)
    old = world.write("old", "human", "done", "human unfinis", age=90_000)
    assert world.rescan() == (5, 4)
    assert sorted(world.due()) == [f"lines:new{number}" for number in range(5)]
    noted = [one for one in world.ledger.sessions() if one.noted_reason]
    assert sorted(one.session_id for one in noted) == ["new5", "new6", "new7", "old"]
    assert {one.noted_reason for one in noted} == {"backfill"}
    assert cursors.loads(next(one.cursor for one in noted if one.session_id == "old")).offset == old.stat().st_size
    assert world.ledger.counts().noted == 4


def test_a_noted_conversation_that_goes_on_is_due_for_what_is_new(world: World) -> None:
    world.write("old", "human", "done", age=90_000)
    world.rescan()
    before = world.ledger.session("lines:old")
    world.clock.advance(10_000)
    assert world.due() == []
    world.append("old", "human", "done")
    world.clock.advance(120)
    assert world.due() == ["lines:old"]
    after = world.ledger.session("lines:old")
    assert before is not None
    assert after is not None
    assert after.cursor == before.cursor


def test_in_a_known_root_everything_new_is_new(world: World) -> None:
    world.root.mkdir()
    assert world.rescan() == (0, 0)
    for number in range(8):
        world.write(f"moved{number}", "human", "done", age=90_000)
    assert world.rescan() == (8, 0)
    assert len(world.due()) == 8


def test_a_rescan_of_what_is_known_looks_at_nothing(world: World) -> None:
    world.write("old", "human", "done", age=90_000)
    world.write("new", "human", "done", age=1000)
    world.rescan()
    world.due()
    world.work()
    world.transcripts.tails = 0
    assert world.rescan() == (0, 0)
    world.restart()
    assert world.rescan() == (0, 0)
    assert world.transcripts.tails == 0


def test_what_was_waiting_is_found_again_after_a_restart_and_not_asked_for_twice(world: World) -> None:
    world.root.mkdir()
    world.rescan()
    world.append("a", "human", "done")
    world.append("b", "human", "done")
    world.clock.advance(120)
    world.tracker.enqueue_due()
    first = world.ledger.claim(lease=60)
    assert first is not None
    world.restart()
    world.rescan()
    assert world.due() == []
    assert len(world.ledger.jobs()) == 2


def test_a_pass_that_left_the_last_turn_for_later_is_followed_by_another(world: World) -> None:
    world.append("a", "human", "done", "human")
    world.restart(once=True)
    world.rescan()
    assert world.due() == ["lines:a"]
    assert world.work(settled=11).complete_only
    world.restart()
    world.rescan()
    world.clock.advance(1800)
    assert world.due() == ["lines:a"]
    assert not world.work().complete_only


def test_a_given_up_conversation_is_not_due_again_until_it_grows(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    world.due()
    job = world.ledger.claim(lease=60)
    assert job is not None
    world.ledger.finish(job, Run(id=1, session_key="lines:a", outcome=Outcome.FAILED, reason="bad_request"))
    world.tracker.refresh()
    world.clock.advance(100_000)
    world.rescan()
    assert world.due() == []
    world.append("a", "human", "done")
    world.clock.advance(120)
    assert world.due() == ["lines:a"]


def test_the_older_copy_of_a_conversation_is_left_alone(world: World) -> None:
    world.root.mkdir()
    world.rescan()
    world.write("a", "human", "done", age=10, project="one")
    world.write("a", "human", "done", "human", "done", age=5, project="two")
    world.rescan()
    world.rescan()
    known = world.ledger.session("lines:a")
    assert known is not None
    assert known.path == str(world.root / "two" / "a.talk")
    assert world.rescan() == (0, 0)


def test_others_have_dealt_with_it_meanwhile(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(60)
    size = (world.root / "p" / "a.talk").stat().st_size
    run = Run(id=world.ledger.start_run(), session_key="lines:a", outcome=Outcome.NOTHING)
    world.ledger.recover_pass(cursor="c", uuids=(), run=run)
    world.clock.advance(60)
    assert world.due() == []  # its last pass was a minute ago
    world.clock.advance(600)
    assert world.due() == ["lines:a"]
    assert world.work().watermark == size


def test_the_project_is_kept_from_first_sight(world: World) -> None:
    world.append("a", "human", "done")
    world.tracker = Tracker(world.ledger, world.transcripts, world.clock, RULES, lambda _: "/elsewhere")
    world.append("a", "human", "done")
    seen = world.ledger.session("lines:a")
    assert seen is not None
    assert (seen.root, seen.cwd) == ("/p/p", "/p/p")


def test_what_comes_with_a_root_that_was_missing_is_new_when_written_since_the_start(world: World) -> None:
    world.clock.advance(1000)
    for number in range(8):
        world.write(f"new{number}", "human", "done", age=500)
        world.write(f"old{number}", "human", "done", age=5000)
    assert world.rescan() == (13, 3)


@given(st.lists(st.integers(0, 200)), st.integers(0, 200))
def test_split_is_by_date_and_count(hours: list[int], since_start: int) -> None:
    def found(age: int) -> Found:
        return Found(str(age), 1, (1_000_000 - age * 3600) * 10**9)

    due, old = split([found(age) for age in hours], now=1_000_000, began=1_000_000 - since_start * 3600)
    ages = [int(one.path) for one in (*due, *old)]
    assert ages == sorted(hours)
    fresh = [age for age in hours if age <= min(since_start, 24)]
    recent = [age for age in hours if age <= 24]
    assert len(due) == min(len(recent), len(fresh) + 5)


def test_a_file_that_grows_without_pause_is_read_once_it_rests(world: World) -> None:
    world.append("a", "human")
    world.transcripts.tails = 0
    for turn in range(50):
        world.append("a", f"human {turn}")
        world.clock.advance(0.1)
        assert world.due() == []
    assert world.transcripts.tails == 0
    world.append("a", "done")
    world.clock.advance(2.9)
    world.due()
    assert world.transcripts.tails == 0
    world.clock.advance(0.2)
    assert world.due() == []
    assert world.transcripts.tails == 1
    seen = world.ledger.session("lines:a")
    assert seen is not None
    assert seen.size == (world.root / "p" / "a.talk").stat().st_size
    world.clock.advance(117)  # quiet counts from the last byte, not from the look
    assert world.due() == ["lines:a"]


def test_a_hint_says_when_to_ask_again(world: World) -> None:
    path = str(world.write("a", "human", "done"))
    assert world.tracker.hint(path) < 0  # now: it was not known
    assert world.tracker.hint(path) == math.inf  # nothing but an attribute changed
    world.write("a", "human", age=-1)
    assert world.tracker.hint(path) == world.clock.monotonic() + 3


def test_growth_after_the_job_was_asked_for_is_a_second_job(world: World) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    assert world.due() == ["lines:a"]
    world.append("a", "human", "done")
    world.work()
    assert len(world.tracker) == 1
    world.clock.advance(599)
    assert world.due() == []
    world.clock.advance(2)
    assert world.due() == ["lines:a"]


def test_a_rescan_between_growth_and_rest_misses_nothing_and_finds_no_news(world: World) -> None:
    world.root.mkdir()
    world.rescan()
    world.append("a", "human", "done")
    world.append("a", "human", "done")
    world.clock.advance(2.5)
    assert world.rescan() == (0, 0)


@pytest.mark.parametrize("left", [0, 8])
def test_a_growing_file_that_is_deleted_or_cut_before_it_rests(world: World, left: int) -> None:
    world.append("a", "human", "done")
    world.append("a", "human", "done")
    path = world.root / "p" / "a.talk"
    os.truncate(path, left) if left else path.unlink()
    world.tracker.hint(str(path))
    world.clock.advance(10_000)
    again_at, asked = world.tracker.enqueue_due()
    assert again_at > world.clock.monotonic()
    assert [key for key, _ in asked] == (["lines:a"] if left else [])


def test_a_growing_file_that_turns_into_something_else_is_let_go(world: World) -> None:
    world.append("a", "human", "done")
    world.append("a", "human", "done")
    path = world.root / "p" / "a.talk"
    path.unlink()
    path.mkdir()
    world.clock.advance(10_000)
    assert world.tracker.enqueue_due() == (math.inf, ())
    assert len(world.tracker) == 0


def test_a_first_sight_that_breaks_off_goes_on_where_it_was_and_makes_nothing_due(world: World) -> None:
    for number in range(8):
        world.write(f"new{number}", "human", "done", age=1000 + number)
    for number in range(120):
        world.write(f"old{number}", "human", "done", age=90_000 + number)
    steps = world.steps()
    next(steps)
    next(steps)
    steps.close()
    assert 3 < world.ledger.counts().noted < 123
    world.restart()
    assert world.rescan() == (5, 123 - 53)
    assert sorted(world.due()) == [f"lines:new{number}" for number in range(5)]
    assert world.ledger.counts().noted == 123


@pytest.mark.parametrize("step", [-7 * 365 * 86400, -3600, -5, 3600, 7 * 365 * 86400])
def test_a_wall_clock_set_after_a_pass_neither_holds_the_next_one_up_nor_hurries_it(world: World, step: float) -> None:
    world.append("a", "human", "done")
    world.clock.advance(120)
    world.due()
    world.work()
    world.append("a", "human", "done")
    world.due()
    world.clock.step(step)
    world.clock.advance(599)
    assert world.due() == []
    world.clock.advance(2)
    assert world.due() == ["lines:a"]
