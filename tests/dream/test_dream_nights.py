"""The daemon's side: which directories are due, and a real night."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.daemon.nights import Nights
from memd.dream import lock
from memd.ledger import Ledger, Run, open_ledger
from memd.memory import location, store
from memd.memory.log import Bullet
from memd.memory.store import RunNote
from tests.fakes.clock import FakeClock

NIGHTLY = "0 3 * * *"
SOURCE = "session s, human, memory"


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


@pytest.fixture
def project(home: Path) -> Path:
    """A project with a note of the day before yesterday, and no night since."""
    (home / "shop").mkdir()
    memory_of(home).mkdir(parents=True)
    remembered(home, [Bullet(type="feedback", text="Keep at most 5 retries for uploads", source=SOURCE)])
    return home / "shop"


def memory_of(home: Path) -> Path:
    return home / ".claude" / "projects" / location.slug(str(home / "shop")) / "memory"


def remembered(home: Path, bullets: Sequence[Bullet], **environ: str) -> None:
    """What a memd that keeps its state where `environ` says knows of the project."""
    memory, paths = memory_of(home), config.load({"HOME": str(home), **environ}).paths
    before = datetime.now(UTC) - timedelta(days=2)
    with open_ledger(paths.ledger, FakeClock(before)) as ledger:
        number = ledger.start_run("log", memory_dir=str(memory))
        note = RunNote(id=number, kind="log", started=before, project=str(home / "shop"))
        store.apply(memory, (), run=note, history=paths.history, bullets=bullets)
        ledger.end_run(Run(id=number, root=str(home / "shop"), memory_dir=str(memory), outcome="saved"))


def dreams(home: Path, **environ: str) -> list[str | None]:
    """How the dreams ended of which a ledger knows."""
    with open_ledger(config.load({"HOME": str(home), **environ}).paths.ledger, SystemClock()) as ledger:
        return [run.outcome for run in ledger.runs() if run.kind == "dream"]


def test_the_real_daemon_makes_a_missed_night_up_once(home: Path, project: Path) -> None:
    events = [run_once(project) for _ in range(2)]
    assert events[0].count("dream_queued") == events[0].count("pass_ended") == 1
    assert events[1].count("dream_queued") == 0
    assert len(list(memory_of(home).glob("feedback_*.md"))) == 1
    assert dreams(home) == ["saved"]


def test_two_daemons_with_states_of_their_own_dream_once_in_one_directory(home: Path, project: Path) -> None:
    other = {"XDG_STATE_HOME": str(home / "other")}
    remembered(home, [], **other)
    started = [start(project), start(project, **other)]
    for daemon in started:
        assert daemon.communicate()[1] is not None
        assert daemon.returncode == 0
    mine, theirs = dreams(home), dreams(home, **other)
    assert len([*mine, *theirs]) == 1
    assert mine in (["saved"], [])  # the other one has not written the note, so it trusts no "human" in it
    assert len(list(memory_of(home).glob("feedback_*.md"))) == len(mine)
    assert lock.read(memory_of(home)).body == b""


def test_two_daemons_of_one_state_are_one(home: Path, project: Path) -> None:
    started = [start(project) for _ in range(2)]
    for daemon in started:
        daemon.communicate()
    assert 0 in {daemon.returncode for daemon in started} <= {0, 4}
    assert dreams(home) == ["saved"]


def test_while_another_program_dreams_there_the_night_waits(home: Path, project: Path) -> None:
    held = memory_of(home) / lock.NAME
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as holder:
        held.write_text(str(holder.pid))
        run_once(project)
        assert held.read_text() == str(holder.pid)
        assert list(memory_of(home).glob("*.md")) == []
        assert dreams(home) == []
        with open_ledger(config.load({"HOME": str(home)}).paths.ledger, SystemClock()) as ledger:
            [job] = ledger.jobs()
            assert (job.kind, job.attempts) == ("dream", 0)
            assert job.not_before > ledger.now() + 200
    held.write_text("")
    os.utime(held, (0, 0))
    command = [sys.executable, "-m", "memd.cli.main", "dream"]
    assert subprocess.run(command, cwd=project, env=os.environ, capture_output=True, check=False).returncode == 0
    assert dreams(home) == ["saved"]


def start(project: Path, **environ: str) -> subprocess.Popen[str]:
    """The real daemon, for what is due now."""
    command = [sys.executable, "-m", "memd.cli.main", "run", "--once"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=project, env={**os.environ, **environ}, stdout=pipe, stderr=pipe, text=True)


def run_once(project: Path) -> list[str]:
    """The names of what the daemon and its workers logged."""
    daemon = start(project)
    said = daemon.communicate()[1]
    assert daemon.returncode == 0
    return [json.loads(line)["event"] for line in said.splitlines() if line.startswith("{")]
