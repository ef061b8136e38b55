"""A ledger that is damaged, cut, deleted or replaced while the daemon runs: set aside once, said loudly, gone on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from memd.clock import SystemClock
from memd.config import find_paths
from memd.daemon.control import ask
from memd.daemon.requests import Request, Verb
from memd.errors import LedgerError, MemdError
from memd.ledger import open_ledger
from tests.daemon.conftest import DaemonProcess, talk, until

Start = Callable[..., DaemonProcess]


def ledger() -> Path:
    return find_paths(os.environ).ledger


def rubbish(path: Path) -> None:
    path.write_bytes(b"rubbish, " * 4000)


def damaged(path: Path) -> None:
    """All pages but the first are overwritten in place."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))


def damage_head(path: Path) -> None:
    """The first page, which an open connection does not read again."""
    with path.open("r+b") as file:
        file.write(b"rubbish, " * 400)


def cut(path: Path) -> None:
    os.truncate(path, 4096 * 2 + 100)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def deleted(path: Path) -> None:
    path.unlink()


def checkpointed(path: Path) -> None:
    """All that is known stands in the file itself."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def at_rest(daemon: DaemonProcess) -> Iterator[None]:
    """Stop a daemon when all that it knows stands in the file itself."""
    log = ledger().with_name(f"{ledger().name}-wal")

    def rests() -> bool:
        checkpointed(ledger())
        daemon.process.send_signal(signal.SIGSTOP)
        until(lambda: psutil.Process(daemon.process.pid).status() == psutil.STATUS_STOPPED)
        if log.exists() and log.stat().st_size:
            daemon.process.send_signal(signal.SIGCONT)
            return False
        return True

    until(rests)
    try:
        yield
    finally:
        daemon.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("harm", [rubbish, damaged, cut, emptied, deleted], ids=lambda harm: harm.__name__)
def test_a_ledger_harmed_under_the_daemon_is_noticed_once_said_and_done_without(
    start: Start, root: Path, harm: Callable[[Path], None]
) -> None:
    daemon = start(MEMD_EXTRACT_MIN_INTERVAL="0s").ready()
    talk(root, "before", "human", "done")
    until(lambda: daemon.noted("claimed"))
    until(lambda: daemon.logged("worker_ended"))
    checkpointed(ledger())
    harm(ledger())
    talk(root, "after", "human", "done", project="q")
    until(lambda: any(note[1] == "lines:after" for note in daemon.noted("claimed")))
    lost = [one for one in daemon.log() if one["event"] in {"ledger_lost", "ledger_set_aside"}]
    assert {one["level"] for one in lost} == {"error"}
    assert len([one for one in lost if one["event"] == "ledger_lost"]) == 1
    assert len(list(ledger().parent.glob("*.corrupt-*[0-9Z]"))) == (harm not in {deleted, emptied})
    assert daemon.process.poll() is None
    assert daemon.stop() == 0


def test_what_a_worker_finds_broken_the_daemon_believes_only_if_it_is(start: Start, root: Path) -> None:
    daemon = start("crash").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.logged("worker_ended"))
    assert daemon.logged("ledger_lost") == []
    assert daemon.process.poll() is None


def test_nobody_takes_a_broken_ledger_away_from_a_running_daemon(start: Start) -> None:
    daemon = start().ready()
    inode = ledger().stat().st_ino
    checkpointed(ledger())
    damage_head(ledger())
    with pytest.raises(LedgerError, match="cannot be used"), open_ledger(ledger(), SystemClock()):
        pass
    assert ledger().stat().st_ino == inode
    assert daemon.process.poll() is None


def test_with_no_daemon_whoever_writes_sets_it_aside(start: Start) -> None:
    start().ready().stop()
    rubbish(ledger())
    with open_ledger(ledger(), SystemClock()) as opened:
        assert opened.set_aside is not None


def test_a_command_says_once_what_is_wrong_with_the_ledger(start: Start) -> None:
    daemon = start().ready()
    with at_rest(daemon):  # or what it writes meanwhile is read in place of the damage
        damage_head(ledger())
        said = subprocess.run(
            [sys.executable, "-m", "memd.cli.main", "status"], capture_output=True, text=True, check=False, timeout=50
        )
    assert said.returncode == 1, "a daemon that does not answer"
    assert said.stderr.count("cannot be read") == 1
    assert "FAIL: the ledger cannot be read" in said.stdout
    assert daemon.process.poll() is None


def test_a_ledger_that_breaks_again_and_again_ends_the_daemon(start: Start, root: Path) -> None:
    daemon = start().ready()
    for number in range(2):
        until(lambda count=number: len(daemon.logged("daemon_ready")) > count)  # type: ignore[misc]
        deleted(ledger())
        talk(root, f"s{number}", "human", project=f"p{number}")
        until(lambda count=number: len(daemon.logged("ledger_lost")) > count)  # type: ignore[misc]
    assert daemon.process.wait(timeout=20) == 1


def test_the_socket_answers_again_after_a_new_beginning(start: Start, root: Path) -> None:
    daemon = start().ready()
    deleted(ledger())
    talk(root, "a", "human", "done")
    until(lambda: len(daemon.logged("daemon_ready")) == 2)

    def answered() -> bool:
        try:
            return bool(ask(find_paths(os.environ).control, Request(verb=Verb.STATUS))["ok"])
        except MemdError:
            return False

    until(answered)
