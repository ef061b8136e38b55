"""A day in which nothing happens: the loop's own turns over conversations that are all known."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from memd import config, logs
from memd.clock import Clock
from memd.daemon.clock import Alarm
from memd.daemon.events import Beat, Event, Reload, Sweep
from memd.daemon.keeper import Keeper
from memd.daemon.setup import Setup
from memd.daemon.watcher import Watcher
from memd.daemon.workers import Staff, Workers
from memd.ledger import JobRequest, Ledger, open_ledger
from memd.transcripts.claude_code import ClaudeCode
from tests.fakes import claude_lines as lines
from tests.fakes.clock import FakeClock
from tests.fakes.crew import FakeAlarm, FakeWatcher, FakeWorkers, breathe

BEAT, SWEEP, HOUR = 30.0, 300.0, 3600.0
OLD = 3 * 24 * HOUR  # seconds since those conversations ended


@dataclass
class Day:
    """A keeper and the turns of its loop."""

    keeper: Keeper
    ledger: Ledger
    workers: FakeWorkers
    clock: FakeClock
    state: Path
    log: io.StringIO
    loop: asyncio.AbstractEventLoop
    turns: int = 0

    def act(self, event: Event) -> None:
        """One event, and what is due then."""
        self.loop.run_until_complete(self.keeper.act(event))
        self.loop.run_until_complete(self.keeper.advance())
        self.turns += 1

    def hours(self, count: int) -> None:
        """All that the loop has to do when nothing happens is to beat and to sweep."""
        for beat in range(int(count * HOUR / BEAT)):
            self.clock.advance(BEAT)
            self.act(Beat())
            if beat % int(SWEEP / BEAT) == 0:
                self.act(Sweep())

    def sizes(self) -> dict[str, int]:
        """Every file that memd keeps, with its size."""
        found = (path for path in self.state.rglob("*") if path.is_file())
        return {str(path): path.stat().st_size for path in found} | {"log": len(self.log.getvalue())}


@contextmanager
def known(home: Path, count: int) -> Iterator[Day]:
    """So many conversations, all of them known, and a daemon that has begun its day."""
    clock = FakeClock()
    said = lines.packed(lines.prompt("h", "what is this?"), lines.answer("a", "m", lines.text("A function.")))
    when = clock.now().timestamp() - OLD
    for number in range(count):
        path = home / ".claude" / "projects" / f"-p-{number // 100}" / f"{number:08}-0000-4000-8000-000000000000.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(said)
        os.utime(path, (when, when))
    log, workers, loop = io.StringIO(), FakeWorkers(clock), asyncio.new_event_loop()
    paths = config.find_paths(os.environ)
    setup = Setup(
        settings=config.Settings(), paths=paths, transcripts=ClaudeCode(home / ".claude"), clock=cast("Clock", clock),
        log=logs.configure(log, json=True), staff=Staff(), environ={},
    )  # fmt: skip
    with open_ledger(paths.ledger, cast("Clock", clock)) as ledger:
        keeper = Keeper(
            setup, ledger, cast("Workers", workers), cast("Watcher", FakeWatcher()), cast("Alarm", FakeAlarm()), breathe
        )
        loop.run_until_complete(keeper.start())
        assert ledger.counts().noted == count
        yield Day(keeper, ledger, workers, clock, paths.state, log, loop)
    loop.close()


def spend(day: Day) -> None:
    """24 hours, of which the first nine are enough to bring every file to the size that it keeps."""
    day.hours(9)
    before = day.sizes()
    day.hours(15)
    assert day.sizes() == before
    assert day.turns >= 24 * (HOUR / BEAT + HOUR / SWEEP)
    assert len(day.workers) == 0
    assert day.ledger.runs() == ()


def test_a_day_without_a_word_costs_no_pass_and_no_byte(home: Path) -> None:
    with known(home, 100) as day:
        spend(day)
        assert day.ledger.jobs() == ()


def test_a_paused_day_with_a_full_queue_costs_no_more(home: Path) -> None:
    with known(home, 100) as day:
        day.ledger.pause()
        for session in list(day.ledger.sessions())[:50]:
            day.ledger.enqueue(JobRequest(session_key=session.key, watermark=session.size + 1))
        spend(day)
        assert len(day.ledger.jobs()) == 50


def test_what_was_put_off_is_taken_up_when_the_settings_are_read_anew(home: Path) -> None:
    with known(home, 1) as day:
        (session,) = day.ledger.sessions()
        day.ledger.enqueue(JobRequest(session_key=session.key, watermark=session.size + 1))
        day.ledger.postpone(day.ledger.now() + 9 * HOUR)
        day.act(Beat())
        assert len(day.workers) == 0
        day.act(Reload())
        assert len(day.workers) == 1


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_a_day_with_twenty_thousand_known_conversations(home: Path) -> None:
    with known(home, 20_000) as day:
        spend(day)
        assert day.ledger.jobs() == ()
