"""Killed at any of its steps, a dream is finished or never was; two at once are one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.dream import backlog, lock
from memd.ledger import open_ledger
from memd.memory import history, location, store
from memd.memory.log import Bullet
from memd.memory.store import RunNote

POINTS = (
    "dream.locked",
    "dream.proposed",
    "dream.judged",
    "store.made_run",
    "store.wrote_images",
    "store.journalled",
    "store.before_one",
    "store.applied_one",
    "store.before_bullets",
    "dream.before_commit",
    "dream.committed",
    "store.committed",
    "store.recorded",
)
USUAL = ("store.journalled", "dream.before_commit")  # the others in long runs
NOTES = ("Keep at most 5 retries for uploads", "Write log messages in English", "Put Lena on review for billing")


@pytest.fixture
def project(home: Path) -> Path:
    """A project with three notes that are to become memories."""
    root = home / "shop"
    root.mkdir()
    paths = config.load({"HOME": str(home)}).paths
    memory = memory_of(home)
    memory.mkdir(parents=True)
    note = RunNote(kind="log", started=SystemClock().now(), project=str(root))
    bullets = [Bullet(type="feedback", text=text, source="session s, human, memory") for text in NOTES]
    store.apply(memory, (), run=note, history=paths.history, bullets=bullets)
    return root


def memory_of(home: Path) -> Path:
    return home / ".claude" / "projects" / location.slug(str(home / "shop")) / "memory"


def dream(project: Path, **environ: str) -> int:
    command = [sys.executable, "-m", "memd.cli.main", "dream"]
    done = subprocess.run(command, cwd=project, env={**os.environ, **environ}, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    return done.returncode


def require_done(home: Path) -> None:
    """All three notes are memories, once; the lock is free; nothing is left to do."""
    memory = memory_of(home)
    texts = [path.read_text("utf-8") for path in sorted(memory.glob("*.md")) if path.name != "MEMORY.md"]
    assert len(texts) == 3
    assert all(sum(note in text for text in texts) == 1 for note in NOTES)
    assert len((memory / "MEMORY.md").read_text("utf-8").splitlines()) == 3
    assert lock.read(memory).body == b""
    paths = config.load({"HOME": str(home)}).paths
    with open_ledger(paths.ledger, SystemClock()) as ledger:
        cursor = backlog.loads(ledger.dreamt(str(memory)).cursor)
        assert not backlog.has_new(memory, cursor)
        assert ledger.jobs() == ()
    assert not list(paths.history.glob("*/entry.json"))
    assert not list(memory.glob(".memd-*"))


@pytest.mark.parametrize(
    "point", [point if point in USUAL else pytest.param(point, marks=pytest.mark.deep) for point in POINTS]
)
def test_killed_at_a_step_the_next_one_makes_it_whole(home: Path, project: Path, point: str) -> None:
    assert dream(project, MEMD_FAILPOINT=f"{point}:kill") == -signal.SIGKILL
    assert dream(project) == 0
    require_done(home)


def test_two_at_once_are_one(home: Path, project: Path) -> None:
    command = [sys.executable, "-m", "memd.cli.main", "dream"]
    started = [
        subprocess.Popen(command, cwd=project, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    for one in started:
        one.communicate()
    assert {one.returncode for one in started} <= {0, 4}
    assert 0 in {one.returncode for one in started}
    assert dream(project) == 0  # whoever found another at work left a job behind: it finds nothing to do
    require_done(home)


def test_with_two_states_one_memory_directory_still_has_one_dream_at_a_time(home: Path, project: Path) -> None:
    command = [sys.executable, "-m", "memd.cli.main", "dream"]
    other = {**os.environ, "XDG_STATE_HOME": str(home / "other"), "MEMD_FAILPOINT": "dream.judged:stop"}
    first = subprocess.Popen(command, cwd=project, env=other, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.waitpid(first.pid, os.WUNTRACED)
    assert lock.read(memory_of(home)).pid == first.pid
    assert dream(project) == 4
    os.kill(first.pid, signal.SIGCONT)
    first.communicate()
    assert first.returncode == 0
    assert dream(project) == 0


def test_a_dream_that_is_undone_and_dreamt_again_does_not_lose_its_place(home: Path, project: Path) -> None:
    assert dream(project) == 0
    paths = config.load({"HOME": str(home)}).paths
    run = next(record for record in history.runs(paths.history) if record.run.kind == "dream")
    history.undo(run.id, history=paths.history, now=SystemClock().now())
    assert [path.name for path in memory_of(home).glob("*.md")] == []
    assert dream(project) == 0
    assert [path.name for path in memory_of(home).glob("*.md")] == []  # a person took it back: it stays so
