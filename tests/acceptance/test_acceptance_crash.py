"""The whole path killed at every named place: nothing torn, lost or doubled, no process left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from memd.clock import SystemClock
from memd.failpoints import FAILPOINTS
from memd.ledger import Outcome, open_ledger
from memd.memory import location
from memd.memory.topic import parse
from tests.fakes import claude_lines as lines
from tests.fakes.inside import called

RULE = "from now on always run `make lint` before you commit, the build server takes 40 minutes to tell me"
QUICK = {"MEMD_EXTRACT_QUIET": "0s", "MEMD_EXTRACT_MIN_INTERVAL": "0s"}


@pytest.fixture
def project(home: Path) -> Path:
    """A project with one conversation that is over."""
    project = home / "shop"
    project.mkdir()
    transcript = home / ".claude" / "projects" / location.slug(str(project)) / f"{lines.SESSION}.jsonl"
    transcript.parent.mkdir(parents=True)
    records = (lines.prompt("h1", RULE), lines.answer("a1", "m1", lines.text("Will do.")))
    transcript.write_bytes(lines.packed(*({**record, "cwd": str(project)} for record in records)))
    return project


def memd(*arguments: str, failpoint: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memd.cli.main", *arguments]
    environ = {**os.environ, **QUICK, **({"MEMD_FAILPOINT": failpoint} if failpoint else {})}
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=50, check=False)


def here(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, for what is not to be killed."""
    return called(*arguments, cwd=Path(os.environ["HOME"]), environ=QUICK)


def memory_of(home: Path, project: Path) -> Path:
    return home / ".claude" / "projects" / location.slug(str(project)) / "memory"


@pytest.fixture(autouse=True)
def no_process_is_left(home: Path) -> Iterator[None]:
    """Fail where a process with this test's home still runs afterwards."""
    yield
    left = [process for process in psutil.process_iter() if _home_of(process) == str(home)]
    ours = [
        process for process in left if process.pid not in {os.getpid(), *(p.pid for p in psutil.Process().parents())}
    ]
    for process in ours:
        process.kill()
    assert ours == []


def _home_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get("HOME")
    except psutil.Error:
        return None


# A daemon and its workers each, some three seconds: a few of each kind by default, the rest by hand. What the door
# itself does at each of them is tested without processes.
BY_DEFAULT = {
    *("daemon.queued", "extract.proposed", "files.synced_temporary", "files.appended"),
    *("store.before_one", "store.done"),
}
OF_A_PASS = [place for place in FAILPOINTS if not place.startswith("dream.")]
PLACES = [pytest.param(place, marks=[pytest.mark.deep] * (place not in BY_DEFAULT)) for place in OF_A_PASS]


@pytest.mark.parametrize("place", PLACES)
def test_a_pass_killed_anywhere_is_made_up_for_exactly_once(home: Path, project: Path, place: str) -> None:
    memd("run", "--once", failpoint=f"{place}:kill")
    done = here("extract", lines.SESSION)  # by hand, as that does not wait until a dead worker's job has rested
    assert done.returncode == 0, done.stderr
    check_all_is_well(home, project)


@pytest.mark.deep
@pytest.mark.parametrize("again", [place for place in FAILPOINTS if place.startswith("store.")])
@pytest.mark.parametrize("first", ["store.journalled", "store.applied_one", "store.appended_bullets"])
def test_and_killed_again_while_it_is_made_up_for(home: Path, project: Path, first: str, again: str) -> None:
    memd("run", "--once", failpoint=f"{first}:kill")
    memd("run", "--once", failpoint=f"{again}:kill")
    done = memd("run", "--once")
    assert done.returncode == 0, done.stderr
    check_all_is_well(home, project)


def check_all_is_well(home: Path, project: Path) -> None:
    memory = memory_of(home, project)
    [topic] = [path for path in memory.glob("*.md") if path.name != "MEMORY.md"]
    assert parse(topic.read_bytes()).problems == ()
    assert "make lint" in topic.read_text("utf-8")
    index = (memory / "MEMORY.md").read_text("utf-8")
    assert index.count(f"({topic.name})") == 1
    [log] = memory.rglob("logs/*/*/*.md")
    assert log.read_text("utf-8").count(f"→ {topic.name}") == 1
    assert [path for path in memory.rglob("*") if path.name.startswith(".memd")] == []
    history = json.loads(here("history", "--all", "--json").stdout)["runs"]
    assert [run["outcome"] for run in history if run["outcome"] == Outcome.SAVED] == [Outcome.SAVED]
    state = home / ".local" / "state" / "memd"
    assert list((state / "history").glob("*/entry.json")) == []
    with open_ledger(state / "ledger.sqlite3", SystemClock()) as ledger:
        [session] = ledger.sessions()
        assert session.settled == Path(session.path).stat().st_size
        assert ledger.jobs() == ()


def test_a_daemon_killed_takes_its_workers_along(home: Path, project: Path) -> None:
    command = [sys.executable, "-m", "memd.cli.main", "run"]
    environ = {**os.environ, **QUICK, "MEMD_FAILPOINT": "store.journalled:stop"}
    daemon = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    worker = wait_for_a_stopped_child(daemon.pid)
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    os.kill(worker.pid, signal.SIGCONT)
    worker.wait(timeout=10)
    assert memd("run", "--once").returncode == 0
    check_all_is_well(home, project)


def wait_for_a_stopped_child(pid: int) -> psutil.Process:
    """Poll for the worker that stopped itself at its failpoint."""
    while True:
        for child in psutil.Process(pid).children():
            if child.status() == psutil.STATUS_STOPPED:
                return child
        time.sleep(0.05)
