"""One daemon at a time; only the kernel's lock counts."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.daemon.lock import running, single_instance
from memd.errors import LockedError
from tests.fakes.clock import FakeClock


def test_the_second_is_told_who_is_first(tmp_path: Path) -> None:
    path = tmp_path / "state" / "daemon.lock"
    with single_instance(path, FakeClock()):
        assert running(path) == f"pid {os.getpid()} since 2026-04-01T12:00:00+00:00"
        with pytest.raises(LockedError, match=f"pid {os.getpid()} since") as raised, single_instance(path, FakeClock()):
            pass
    assert raised.value.exit_code == 4
    assert running(path) is None
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"pid 1 since yesterday", b"pid 4194399 since 2020", b"\xff\0rubbish", b""])
def test_a_file_left_behind_does_not_matter(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "daemon.lock"
    path.write_bytes(content)
    assert running(path) is None
    with single_instance(path, FakeClock()):
        assert (running(path) or "").startswith(f"pid {os.getpid()} ")


def test_a_killed_daemon_s_lock_is_free(tmp_path: Path) -> None:
    path = tmp_path / "daemon.lock"
    hold = (
        "import sys; from pathlib import Path; from memd.clock import SystemClock\n"
        "from memd.daemon.lock import single_instance\n"
        "with single_instance(Path(sys.argv[1]), SystemClock()): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen([sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    assert running(path) is not None
    holder.kill()
    holder.communicate()
    assert running(path) is None


def test_those_who_ask_at_the_same_time_are_no_daemon_and_only_hold_its_start_up(tmp_path: Path) -> None:
    path = tmp_path / "daemon.lock"
    path.touch()
    with path.open("rb") as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        assert running(path) is None
        timer = threading.Timer(0.2, fcntl.flock, (asking, fcntl.LOCK_UN))
        timer.start()
        with single_instance(path, FakeClock()):
            assert (running(path) or "").startswith(f"pid {os.getpid()} ")
        timer.join()


def test_no_file_no_daemon(tmp_path: Path) -> None:
    assert running(tmp_path / "daemon.lock") is None


def test_a_lock_whose_file_is_gone_stands_no_more(tmp_path: Path) -> None:
    path = tmp_path / "daemon.lock"
    with single_instance(path, SystemClock()) as stands:
        assert stands()
        path.unlink()
        assert not stands()
        path.touch()
        assert not stands()
