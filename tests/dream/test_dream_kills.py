"""Killed at any of its steps, a dream is finished or never was; two at once are one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.dream import backlog, lock
from memd.failpoints import FAILPOINTS
from memd.ledger import open_ledger
from memd.memory import history, location, store, topic
from memd.memory.log import Bullet
from memd.memory.store import RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from tests.fakes.inside import called

# Every place of a dream's own by default; those of the door, which a pass goes through, too, in long runs.
POINTS = [
    pytest.param(name, marks=[pytest.mark.deep] * (not name.startswith("dream.")))
    for name in FAILPOINTS
    if name.startswith(("dream.", "store.", "files."))
]
NEVER = frozenset(  # passed by a dream: it recovers nothing here, and appends to no log
    {
        *("store.recovering", "store.recovered_files", "store.told_recovered"),
        *("store.appended_bullets", "files.before_append", "files.appended"),
    }
)
NOTES = ("Keep at most 5 retries for uploads", "Write log messages in English", "Put Lena on review for billing")
OLD = {  # what there is before: one that a note supersedes, two that say the same, and one that nothing is said of
    "feedback_retries.md": "Keep at most 3 retries for uploads",
    "feedback_lint.md": "Always run make lint before each commit",
    "feedback_lint_again.md": "Always run make lint before each commit",
    "feedback_csv.md": "Export reports as CSV files",
}


@pytest.fixture
def project(home: Path) -> Path:
    """A project with memories, and with three notes that are to change them."""
    return lay_out(home)


def lay_out(home: Path) -> Path:
    root = home / "shop"
    root.mkdir(parents=True)
    paths = config.load({"HOME": str(home)}).paths
    memory = memory_of(home)
    memory.mkdir(parents=True)
    topics = [
        Change(path=path, before=None, after=topic.render(path[:-3], text, TopicType.FEEDBACK, topic.body(text)))
        for path, text in OLD.items()
    ]
    at = datetime.now(UTC) - timedelta(days=1)
    note = RunNote(kind="log", started=at, project=str(root))
    bullets = [Bullet(type="feedback", text=text, source="session s, human, memory") for text in NOTES]
    store.apply(memory, topics, run=note, history=paths.history, bullets=bullets)
    for path in OLD:
        os.utime(memory / path, (at.timestamp() - 9e5, at.timestamp() - 9e5))
    return root


def memory_of(home: Path) -> Path:
    return home / ".claude" / "projects" / location.slug(str(home / "shop")) / "memory"


def dream(project: Path, **environ: str) -> int:
    """Dream to the end, in this process where nothing is to kill it; the exit code."""
    if "MEMD_FAILPOINT" not in environ:
        return called("dream", cwd=project, environ=environ).returncode
    command = [sys.executable, "-m", "memd.cli.main", "dream"]
    done = subprocess.run(command, cwd=project, env={**os.environ, **environ}, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    return done.returncode


def texts(home: Path) -> dict[str, str]:
    """The memories, but for the minute at which their note was written down."""
    found = {path.name: path.read_text("utf-8") for path in sorted(memory_of(home).glob("*.md"))}
    return {name: re.sub(r"modified: \S+Z", "", text) for name, text in found.items()}


def require_done(home: Path) -> None:
    """The notes are in the memories, once; the lock is free; nothing is left to do, and all can be taken back."""
    memory = memory_of(home)
    found = texts(home)
    assert len(found) == 6  # of four one went into another, two came; and the index
    assert all(sum(note in text for name, text in found.items() if name != "MEMORY.md") == 1 for note in NOTES)
    assert len(found["MEMORY.md"].splitlines()) == 5
    assert lock.read(memory).body == b""
    paths = config.load({"HOME": str(home)}).paths
    with open_ledger(paths.ledger, SystemClock()) as ledger:
        cursor = backlog.loads(ledger.dreamt(str(memory)).cursor)
        assert not backlog.has_new(memory, cursor)
        assert cursor.carried == {}
        assert ledger.jobs() == ()
        assert [run for run in ledger.runs() if run.outcome is None] == []
    assert not list(paths.history.glob("*/entry.json"))
    assert not [path for path in memory.rglob("*") if path.name.startswith(".memd-")]
    assert list(paths.scratch.glob("*")) == []
    [done] = [record for record in history.runs(paths.history) if record.run.kind == "dream"]
    assert done.outcome == "saved"
    assert done.run.dream is not None
    assert done.run.dream.notes == {"distilled": 3}


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The memories after a dream that nobody killed."""
    home = tmp_path_factory.mktemp("unharmed")
    assert dream(lay_out(home), HOME=str(home)) == 0
    require_done(home)
    return texts(home)


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_step_the_next_one_makes_it_whole(
    home: Path, project: Path, unharmed: dict[str, str], point: str
) -> None:
    code = dream(project, MEMD_FAILPOINT=f"{point}:kill")
    assert code == (0 if point in NEVER else -signal.SIGKILL)
    assert dream(project) == 0
    require_done(home)
    assert texts(home) == unharmed


def test_every_place_of_a_dream_is_listed() -> None:
    rooms = Path(lock.__file__).parent
    used = {name for path in rooms.glob("*.py") for name in re.findall(r'failpoint\("([\w.]+)"\)', path.read_text())}
    assert used == {name for name in FAILPOINTS if name.startswith("dream.")}


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
    assert sorted(texts(home)) == sorted([*OLD, "MEMORY.md"])
    assert dream(project) == 0
    assert not any(note in text for note in NOTES for text in texts(home).values())  # a person took it back
