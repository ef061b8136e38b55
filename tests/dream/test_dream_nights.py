"""The daemon's side: which directories are due, and a real night."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.daemon.nights import Nights
from memd.ledger import Ledger, Run, open_ledger
from memd.memory import location, store
from memd.memory.log import Bullet
from memd.memory.store import RunNote
from tests.fakes.clock import FakeClock

NIGHTLY = "0 3 * * *"


def worked(ledger: Ledger, memory_dir: str, at: datetime) -> None:
    """A pass was there."""
    number = ledger.start_run(memory_dir=memory_dir)
    ledger.end_run(Run(id=number, root=f"{memory_dir}-root", memory_dir=memory_dir, started=at.timestamp()))


@pytest.fixture
def clock() -> FakeClock:
    """Noon on 2026-04-01."""
    return FakeClock()


def test_each_directory_is_queued_once_a_date(tmp_path: Path, clock: FakeClock) -> None:
    with open_ledger(tmp_path / "ledger", clock) as ledger:
        worked(ledger, "/m/a", clock.now())
        worked(ledger, "/m/b", clock.now())
        nights = Nights(ledger, clock)
        assert nights.enqueue_due(NIGHTLY) == ()  # both are younger than last night
        clock.advance(15 * 3600)
        assert nights.enqueue_due(NIGHTLY) == ("/m/a", "/m/b")
        assert [(job.kind, job.memory_dir) for job in ledger.jobs()] == [("dream", "/m/a"), ("dream", "/m/b")]
        for _ in range(24 * 3):
            clock.advance(1200)
            queued = nights.enqueue_due(NIGHTLY)
            assert queued == (("/m/a", "/m/b") if clock.now().hour == 3 and clock.now().minute == 0 else ())


def test_a_new_daemon_knows_what_is_done(tmp_path: Path, clock: FakeClock) -> None:
    with open_ledger(tmp_path / "ledger", clock) as ledger:
        worked(ledger, "/m/a", clock.now())
        clock.advance(15 * 3600)
        assert Nights(ledger, clock).enqueue_due(NIGHTLY) == ("/m/a",)
        assert Nights(ledger, clock).enqueue_due(NIGHTLY) == ()
        clock.advance(9 * 86400)
        assert Nights(ledger, clock).enqueue_due(NIGHTLY) == ("/m/a",)
        assert Nights(ledger, clock).enqueue_due(NIGHTLY) == ()
        clock.step(-3600 * 24 * 365)
        clock.step(3600 * 24 * 365)
        assert Nights(ledger, clock).enqueue_due(NIGHTLY) == ()


def test_the_real_daemon_makes_a_missed_night_up_once(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    memory = home / ".claude" / "projects" / location.slug(str(project)) / "memory"
    memory.mkdir(parents=True)
    paths = config.load({"HOME": str(home)}).paths
    before = datetime.now(UTC) - timedelta(days=2)
    bullet = Bullet(type="feedback", text="Keep at most 5 retries for uploads", source="session s, human, memory")
    with open_ledger(paths.ledger, FakeClock(before)) as ledger:
        number = ledger.start_run("log", memory_dir=str(memory))
        note = RunNote(id=number, kind="log", started=before, project=str(project))
        store.apply(memory, (), run=note, history=paths.history, bullets=[bullet])
        ledger.end_run(Run(id=number, root=str(project), memory_dir=str(memory), outcome="saved"))
    events = [run_once(project) for _ in range(2)]
    assert events[0].count("dream_queued") == events[0].count("pass_ended") == 1
    assert events[1].count("dream_queued") == 0
    assert len(list(memory.glob("feedback_*.md"))) == 1
    with open_ledger(paths.ledger, SystemClock()) as ledger:
        assert [run.kind for run in ledger.runs()].count("dream") == 1


def run_once(project: Path) -> list[str]:
    """The names of what the daemon and its workers logged."""
    command = [sys.executable, "-m", "memd.cli.main", "run", "--once"]
    done = subprocess.run(command, cwd=project, env=os.environ, capture_output=True, text=True, check=True)
    return [json.loads(line)["event"] for line in done.stderr.splitlines() if line.startswith("{")]
