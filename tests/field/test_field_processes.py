"""What went wrong in other systems' processes; one test a kind, the reports in its docstring.

CM is thedotmack/claude-mem, EM obra/episodic-memory, MS zilliztech/memsearch.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

from memd import config
from memd.clock import SystemClock
from memd.ledger import HOST_LIMIT, open_ledger
from tests.daemon.conftest import DaemonProcess, lives, talk, until

Start = Callable[..., DaemonProcess]


@pytest.fixture
def root(home: Path) -> Path:
    """Where conversations appear; not there yet."""
    return home / "agent" / "projects"


@pytest.fixture
def start(home: Path, root: Path) -> Iterator[Start]:
    """Starts daemons, and ends those that a test left running, with all that their workers left."""
    with ExitStack() as stack:

        def started(mode: str = "drain", *, limit: float = 60.0, **variables: str) -> DaemonProcess:
            daemon = DaemonProcess(home, (root,), mode, limit=limit, **variables)
            stack.callback(lambda: _kill(daemon.survivors()))
            stack.callback(daemon.process.wait)
            stack.callback(daemon.process.kill)
            return daemon

        yield started


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def state() -> Path:
    return config.find_paths(os.environ).state


def test_fifty_conversations_and_workers_that_never_exit(start: Start, root: Path) -> None:
    """Hundreds of children that nobody reaped, and gigabytes with them (CM#603, CM#1007, CM#1068)."""
    daemon = start("deaf", limit=0.7).ready()
    for number in range(50):
        talk(root, f"s{number}", "human", "done", project=f"p{number}")
    most = 0
    while len(daemon.logged("worker_ended")) < 4:
        children = psutil.Process(daemon.process.pid).children()
        most = max(most, len(children))
        time.sleep(0.02)
    assert 1 <= most <= 2
    assert all(one["timed_out"] for one in daemon.logged("worker_ended"))
    assert daemon.stop() == 0
    until(lambda: daemon.survivors() == [])


def test_a_daemon_killed_in_the_middle_of_a_pass_leaves_no_survivor(start: Start, root: Path) -> None:
    """Orphans went on for ever, under a parent that is not 1 (CM#3602): the end of its input tells each worker."""
    daemon = start("hold").ready()
    for name in ("a", "b"):
        talk(root, name, "human", "done", project=name)
    until(lambda: len(daemon.noted("holding")) == 2)
    assert len(daemon.survivors()) == 2
    daemon.stop(signal.SIGKILL)
    until(lambda: daemon.survivors() == [])


def test_five_hundred_events_in_a_second(start: Start, root: Path) -> None:
    """A process an event, until there was no memory left (EM#89)."""
    daemon = start("hold").ready()
    for number in range(500):
        talk(root, f"s{number % 100}", "human", "done", project=f"p{number % 100}")
    until(lambda: len(daemon.logged("extraction_queued")) >= 100)
    until(lambda: len(daemon.noted("holding")) == 2)
    assert len(daemon.noted("started")) == 2
    assert len(psutil.Process(daemon.process.pid).children(recursive=True)) == 2


def test_a_child_that_holds_an_inherited_pipe_open_keeps_nobody_waiting(start: Start, root: Path) -> None:
    """A grandchild held a pipe open, and the caller waited for its end for ever (MS#201)."""
    daemon = start("leave", MEMD_EXTRACT_MIN_INTERVAL="0s").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.logged("worker_ended"))
    child = int(daemon.noted("child")[0][1])
    assert lives(child)
    talk(root, "b", "human", "done")
    until(lambda: len(daemon.logged("worker_ended")) == 2)
    assert daemon.stop() == 0
    assert lives(child)  # in a session of its own: whoever starts it has asked for that


@pytest.mark.parametrize("alive", [False, True], ids=["dead", "somebody-else"])
def test_a_pid_file_that_names_a_dead_process_and_one_that_names_another(start: Start, *, alive: bool) -> None:
    """A daemon that was killed seemed to run for ever, as its number was believed (CM#2659)."""
    other = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    try:
        if not alive:
            other.kill()
            other.wait()
        state().mkdir(mode=0o700, parents=True)
        (state() / "daemon.lock").write_text(f"pid {other.pid} since 2026-04-01T12:00:00+00:00\n", "utf-8")
        daemon = start().ready()
        assert f"pid {daemon.process.pid} " in (state() / "daemon.lock").read_text("utf-8")
    finally:
        other.kill()
        other.wait()


def test_what_is_removed_under_the_daemon_ends_it_and_the_pass_with_it(start: Start, root: Path) -> None:
    """The daemon outlived its own removal (CM#3073)."""
    daemon = start("hold").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("holding"))
    shutil.rmtree(state())
    talk(root, "b", "human", "done")
    assert daemon.process.wait(timeout=20) != 0
    until(lambda: daemon.survivors() == [])
    assert not (state() / "ledger.sqlite3").exists()


def test_a_thousand_files_at_rest(start: Start, root: Path) -> None:
    """A watcher took a quarter of a processor while nothing happened (basicmachines-co/basic-memory#448).

    Five thousand for a whole minute, at 0.1 %, are measured with `-m deep`; this much tells a poll from a rest.
    """
    for number in range(1000):
        path = talk(root, f"s{number}", "human", "done", project=f"p{number % 50}")
        os.utime(path, (1_000_000, 1_000_000))
    daemon = start().ready()
    process = psutil.Process(daemon.process.pid)
    before = process.cpu_times()
    threading.Event().wait(5)
    after = process.cpu_times()
    assert after.user + after.system - before.user - before.system <= 0.1
    assert daemon.noted("started") == []


def test_without_any_mark_in_the_environment_the_host_wide_count_holds(start: Start, root: Path) -> None:
    """2,731 sessions a day that the extractor itself had started (CM#2465): no mark may be all that stops it."""
    daemon = start("hold").ready()
    sleepers = [
        subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], env={}) for _ in range(HOST_LIMIT)
    ]
    try:
        with open_ledger(state() / "ledger.sqlite3", SystemClock()) as ledger:
            assert all(ledger.acquire_worker(one.pid, limit=HOST_LIMIT) for one in sleepers)
        talk(root, "a", "human", "done")
        until(lambda: daemon.logged("worker_dismissed"))
        assert daemon.noted("claimed") == []
    finally:
        for one in sleepers:
            one.kill()
            one.wait()
    until(lambda: daemon.noted("claimed"))  # once there is room again


ROWS = {
    "unreaped children": test_fifty_conversations_and_workers_that_never_exit,
    "orphans": test_a_daemon_killed_in_the_middle_of_a_pass_leaves_no_survivor,
    "unbounded spawning": test_five_hundred_events_in_a_second,
    "inherited pipe": test_a_child_that_holds_an_inherited_pipe_open_keeps_nobody_waiting,
    "stale PID file": test_a_pid_file_that_names_a_dead_process_and_one_that_names_another,
    "outlives uninstall": test_what_is_removed_under_the_daemon_ends_it_and_the_pass_with_it,
    "idle processor time": test_a_thousand_files_at_rest,
}


def test_every_kind_has_its_test_and_every_test_its_reports() -> None:
    assert all("#" in (test.__doc__ or "") for test in ROWS.values())
    assert len(set(ROWS.values())) == len(ROWS)
