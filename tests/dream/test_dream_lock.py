"""The lock that keeps dreams apart, memd's and other programs'."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.dream import holder, lock
from memd.errors import LockedError, UnsafePathError


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    directory = tmp_path / "memory"
    directory.mkdir()
    return directory


def write(memory: Path, body: str, age: float = 0.0) -> float:
    """Leave a lock as another program would; its mtime."""
    path = memory / lock.NAME
    path.write_text(body, "ascii")
    mtime = time.time() - age
    os.utime(path, (mtime, mtime))
    return mtime


@contextmanager
def another() -> Iterator[int]:
    """Another process that lives."""
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        yield process.pid
    finally:
        process.communicate()


def test_it_says_who_works_and_afterwards_when_that_began(memory: Path) -> None:
    began = time.time() - 5
    with lock.held(memory, began) as mine:
        assert (memory / lock.NAME).read_text() == str(os.getpid()) == str(mine.pid)
    state = lock.read(memory)
    assert state.body == b""
    assert state.done_at == pytest.approx(began)


def test_a_failure_puts_the_time_back(memory: Path) -> None:
    before = write(memory, "", age=86400)
    with pytest.raises(RuntimeError), lock.held(memory, time.time()):
        raise RuntimeError
    assert lock.read(memory) == lock.State(mtime=pytest.approx(before), body=b"")  # type: ignore[arg-type]


def test_a_failure_of_the_first_one_leaves_no_lock(memory: Path) -> None:
    with pytest.raises(RuntimeError), lock.held(memory, time.time()):
        raise RuntimeError
    assert lock.read(memory).mtime is None


def test_a_living_holder_keeps_everybody_out(memory: Path) -> None:
    with another() as pid:
        mtime = write(memory, f"{pid}\n")
        with pytest.raises(LockedError, match=str(pid)), lock.held(memory, time.time()):
            pass
        assert lock.read(memory) == lock.State(mtime=pytest.approx(mtime), body=f"{pid}\n".encode())  # type: ignore[arg-type]


def test_a_dead_holder_s_is_taken_over(memory: Path) -> None:
    with another() as pid:
        pass
    write(memory, str(pid), age=60)
    with lock.held(memory, time.time()):
        assert lock.read(memory).pid == os.getpid()


def test_a_process_that_began_after_the_lock_is_not_its_holder(memory: Path) -> None:
    with another() as pid:
        write(memory, str(pid), age=600)
        with lock.held(memory, time.time()):
            assert lock.read(memory).pid == os.getpid()


def test_after_an_hour_it_is_nobody_s(memory: Path) -> None:
    write(memory, str(os.getppid()), age=lock.OLDEST + 5)
    with lock.held(memory, time.time()):
        assert lock.read(memory).pid == os.getpid()


@pytest.mark.parametrize("body", ["", " \n"])
def test_an_empty_one_is_free(memory: Path, body: str) -> None:
    write(memory, body)
    lock.require_free(memory, time.time())


def test_a_body_of_another_form_is_somebody_s_until_it_is_old(memory: Path) -> None:
    write(memory, "host-7:claude")
    with pytest.raises(LockedError):
        lock.require_free(memory, time.time())
    lock.require_free(memory, time.time() + lock.OLDEST + 5)


def test_on_a_network_s_disk_only_age_counts() -> None:
    state = lock.State(mtime=1000.0, body=b"999999999")
    assert lock.is_taken(state, 1010.0, None)
    assert not lock.is_taken(state, 1010.0)
    assert not lock.is_taken(state, 1000.0 + lock.OLDEST + 1, None)


def test_whoever_lost_it_notices(memory: Path) -> None:
    from memd import files  # noqa: PLC0415

    with lock.held(memory, time.time()) as mine:
        write(memory, "1")
        with files.open_directory(memory) as descriptor, pytest.raises(LockedError):
            mine.require(descriptor)
    assert (memory / lock.NAME).read_text() == "1"  # it is theirs now


def test_a_link_in_its_place_is_not_followed(memory: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("mine")
    (memory / lock.NAME).symlink_to(tmp_path / "other")
    with pytest.raises(UnsafePathError), lock.held(memory, time.time()):
        pass
    assert (tmp_path / "other").read_text() == "mine"


def test_of_many_at_once_one_gets_it(memory: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from memd.dream import lock\n"
        "try:\n    with lock.held(Path(sys.argv[1]), time.time()): print('held', flush=True); sys.stdin.read()\n"
        "except lock.LockedError: print('locked', flush=True)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script, str(memory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    said = [process.stdout.readline() for process in started if process.stdout]
    for process in started:
        process.communicate()
    assert sorted(said) == [b"held\n", b"locked\n", b"locked\n", b"locked\n"]


def test_when_a_process_began() -> None:
    with another() as pid:
        began = holder.started_at(pid)
        assert began is not None
        assert abs(began - time.time()) < 5
    assert holder.started_at(pid) is None


def test_what_lies_on_a_network(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("dev / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\nx /home/me/my\\040disk ext4 rw 0 0\n")
    assert holder.on_network(Path("/home/me/.claude"), mounts)
    assert not holder.on_network(Path("/home/me/my disk/.claude"), mounts)
    assert not holder.on_network(Path("/var/lib"), mounts)
    assert not holder.on_network(Path("/home/me"), tmp_path / "missing")
