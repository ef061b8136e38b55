"""The whole daemon as a process: real files, real events, real children."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memd.daemon.loop import run
from memd.errors import LockedError
from memd.ledger import Ledger
from tests.daemon.conftest import DaemonProcess, talk, until
from tests.fakes import daemon as fake

Start = Callable[..., DaemonProcess]


def test_a_conversation_that_ends_is_worked_on_once(start: Start, root: Path) -> None:
    daemon = start().ready()
    path = talk(root, "a", "human", "done")
    until(lambda: daemon.noted("claimed"))
    assert daemon.stop() == 0
    assert daemon.noted("claimed") == [["claimed", "lines:a", str(path.stat().st_size)]]
    assert len(daemon.noted("started")) == 1
    assert daemon.survivors() == []


def test_what_stood_there_before_the_start_is_worked_on(start: Start, root: Path) -> None:
    talk(root, "a", "human", "done")
    daemon = start()
    until(lambda: daemon.noted("claimed"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_stop_takes_the_workers_along_and_frees_their_jobs(
    start: Start, root: Path, ledger: Callable[[], Ledger], number: int
) -> None:
    daemon = start("hold").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("holding"))
    assert daemon.stop(number) == 0
    assert daemon.survivors() == []
    assert ledger().meta("daemon") == ""
    assert ledger().queue().leased == 0


def test_a_worker_deaf_to_signals_does_not_hold_the_stop_up(start: Start, root: Path) -> None:
    daemon = start("deaf", limit=3600.0).ready()  # far longer than `stop` waits for the daemon
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("child"))
    assert daemon.stop() == 0
    until(lambda: daemon.survivors() == [])


def test_a_worker_that_never_exits_is_killed_at_its_limit_with_all_it_started(start: Start, root: Path) -> None:
    daemon = start("deaf", limit=1.0).ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.logged("worker_ended"))
    assert daemon.logged("worker_ended")[0]["timed_out"] is True
    assert daemon.logged("worker_ended")[0]["code"] == -signal.SIGKILL
    first = [int(note[1]) for note in daemon.journal() if note[0] in {"started", "child"}][:2]
    until(lambda: not set(first) & set(daemon.survivors()))


def test_a_killed_daemon_leaves_no_survivor(start: Start, root: Path) -> None:
    daemon = start("hold").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("holding"))
    daemon.stop(signal.SIGKILL)
    until(lambda: daemon.noted("stdin"))
    until(lambda: daemon.survivors() == [])
    again = start("drain")
    until(lambda: again.noted("claimed")[1:])
    assert [note[1] for note in again.noted("claimed")] == ["lines:a", "lines:a"]


def test_five_hundred_events_in_a_second_start_no_more_workers_than_allowed(start: Start, root: Path) -> None:
    daemon = start("hold").ready()
    for number in range(50):
        for _ in range(10):
            talk(root, f"s{number}", "human", "done", project=f"p{number}")
    until(lambda: len(daemon.noted("holding")) == 2)
    until(lambda: len(daemon.logged("extraction_queued")) == 50)
    assert len(daemon.survivors()) == 2
    assert (daemon.stop(), len(daemon.noted("started"))) == (0, 2)


def test_workers_that_crash_are_not_started_in_a_tight_loop(start: Start, root: Path) -> None:
    daemon = start("crash").ready()
    talk(root, "a", "human", "done")
    until(lambda: len(daemon.logged("worker_ended")) == 3)
    times = [float(one["timestamp"][17:26]) for one in daemon.logged("worker_started")[:3]]
    assert (times[1] - times[0]) % 60 >= 0.9
    assert (times[2] - times[1]) % 60 >= 1.9


def test_workers_that_do_nothing_are_not_either(start: Start, root: Path) -> None:
    daemon = start("idle").ready()
    talk(root, "a", "human", "done")
    until(lambda: len(daemon.logged("worker_ended")) == 2)
    times = [float(one["timestamp"][17:26]) for one in daemon.logged("worker_started")[:2]]
    assert (times[1] - times[0]) % 60 >= 0.9


def test_a_ledger_that_others_keep_busy_is_waited_out(
    start: Start, root: Path, home: Path, ledger: Callable[[], Ledger]
) -> None:
    daemon = start().ready()
    ledger()
    with closing(sqlite3.connect(home / ".local/state/memd/ledger.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        talk(root, "a", "human", "done")
        until(lambda: daemon.logged("turn_failed"))
        other.execute("ROLLBACK")
    until(lambda: daemon.noted("claimed"))
    assert daemon.stop() == 0


def test_a_second_daemon_is_refused(start: Start) -> None:
    first = start().ready()
    second = start()
    assert second.process.wait(timeout=20) == 4
    assert f"pid {first.process.pid} since" in second.log_path.read_text("utf-8")
    assert first.process.poll() is None


def test_a_root_that_appears_is_watched_from_then_on(start: Start, root: Path) -> None:
    daemon = start().ready()
    root.parent.mkdir()
    root.mkdir()
    until(lambda: daemon.logged("watch_armed"))
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("claimed"))


def test_several_roots_are_watched_at_once_those_that_are_there_and_those_that_come(
    start: Start, root: Path, home: Path
) -> None:
    there, late, later = home / "other" / "projects", home / "late" / "projects", home / "later" / "projects"
    there.mkdir(parents=True)
    daemon = start(more=(there, late, later)).ready()
    talk(there, "there", "human", "done")
    until(lambda: {note[1] for note in daemon.noted("claimed")} == {"lines:there"})
    for number, place in enumerate((late, root, later), start=1):
        place.mkdir(parents=True)
        talk(place, f"n{number}", "human", "done", project=f"p{number}")
        until(lambda count=number: len({note[1] for note in daemon.noted("claimed")}) == 1 + count)  # type: ignore[misc]
    talk(there, "again", "human", "done", project="again")
    until(lambda: ["claimed", "lines:again", "11"] in daemon.journal())
    assert daemon.stop() == 0


def test_being_asked_to_stop_ends_a_first_sight_of_very_many(
    start: Start, root: Path, ledger: Callable[[], Ledger]
) -> None:
    for number in range(3000):
        os.utime(talk(root, f"s{number}", "human", "done", project=f"p{number % 10}"), (1_000_000, 1_000_000))
    daemon = start()
    until(lambda: ledger().counts().noted)
    assert daemon.stop() == 0
    noted = ledger().counts().noted
    assert noted < 3000
    again = start().ready()
    assert again.logged("rescan_done")[0]["noted"] == 3000 - noted
    assert again.journal() == []


def test_a_root_that_is_removed_and_made_again_is_watched_again(start: Start, root: Path) -> None:
    talk(root, "a", "human", "done")
    daemon = start().ready()
    until(lambda: daemon.noted("claimed"))
    shutil.rmtree(root)
    until(lambda: daemon.logged("watch_armed"))
    talk(root, "b", "human", "done")
    until(lambda: ["claimed", "lines:b", "11"] in daemon.journal())


def test_files_moved_in_with_their_directory_are_seen(start: Start, root: Path) -> None:
    root.mkdir(parents=True)
    elsewhere = root.parent / "elsewhere"
    daemon = start().ready()
    talk(elsewhere, "file", "human", "done", project="one").rename(root.parent / "file.talk")
    (root / "two").mkdir()
    (root.parent / "file.talk").rename(root / "two" / "file.talk")
    talk(elsewhere, "dir", "human", "done", project="three")
    (elsewhere / "three").rename(root / "three")
    until(lambda: len(daemon.noted("claimed")) == 2)
    assert {note[1] for note in daemon.noted("claimed")} == {"lines:file", "lines:dir"}


def test_the_service_manager_hears_of_start_life_and_stop(start: Start, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path / "notify"))
        channel.settimeout(20)
        daemon = start(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="200000")
        heard = [channel.recv(100) for _ in range(3)]
        daemon.stop()
        while heard[-1] != b"STOPPING=1":
            heard.append(channel.recv(100))
    assert heard[0] == b"READY=1"
    assert set(heard[1:-1]) == {b"WATCHDOG=1"}


def test_a_broken_ledger_is_set_aside_and_said_aloud(start: Start, home: Path, root: Path) -> None:
    path = home / ".local" / "state" / "memd" / "ledger.sqlite3"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"rubbish" * 1000)
    talk(root, "a", "human", "done")
    daemon = start()
    until(lambda: daemon.noted("claimed"))
    assert [one["level"] for one in daemon.logged("ledger_set_aside")] == ["error"]


def test_a_strange_time_zone_is_no_reason_not_to_start(start: Start) -> None:
    start(TZ="UTC-8").ready()


def test_once_works_through_everything_and_ends(home: Path, root: Path) -> None:
    for number in range(3):
        talk(root, f"s{number}", "human", "done", project=f"p{number}")
    talk(root, "running", "human", "done", "human")
    talk(root, "empty", "system")
    setup = fake.setup(root, "drain", once=True)
    assert run(setup) == 0
    claimed = [line.split()[1] for line in (home / "journal").read_text("utf-8").splitlines() if "claimed" in line]
    assert sorted(claimed) == ["lines:running", "lines:s0", "lines:s1", "lines:s2"]
    assert run(setup) == 0
    assert (home / "journal").read_text("utf-8").count("started") <= 2


def test_once_with_nothing_to_do_starts_no_worker(home: Path, root: Path) -> None:
    assert run(fake.setup(root, "drain", once=True)) == 0
    assert not (home / "journal").exists()


def test_once_gives_up_on_workers_that_only_crash(home: Path, root: Path) -> None:
    talk(root, "a", "human", "done")
    assert run(fake.setup(root, "crash", once=True)) == 1
    assert (home / "journal").read_text("utf-8").count("started") == 3


def test_once_beside_a_daemon_is_refused(start: Start, root: Path) -> None:
    start().ready()
    with pytest.raises(LockedError):
        run(fake.setup(root, "drain", once=True))


def test_no_more_workers_than_the_host_allows(start: Start, root: Path, ledger: Callable[[], Ledger]) -> None:
    daemon = start("hold").ready()
    opened = ledger()
    others = [pid for pid in (os.getpid(), os.getppid(), daemon.process.pid) if opened.acquire_worker(pid, limit=6)]
    talk(root, "a", "human", "done", project="a")
    talk(root, "b", "human", "done", project="b")
    until(lambda: len(daemon.noted("holding")) == len(daemon.logged("worker_started")) == 2)
    assert len(others) == 3
    assert not opened.acquire_worker(1, limit=5)
