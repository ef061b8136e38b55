"""A state directory on a disk that is really full, for a while."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.config import find_paths
from memd.daemon.control import ask
from memd.daemon.requests import Request, Verb
from memd.errors import MemdError
from tests.daemon.conftest import DaemonProcess, talk, until

_SIZE = 8 * 1024 * 1024  # bytes; the log beside the ledger takes half of that


@pytest.fixture
def prefix() -> tuple[str, ...]:
    """Runs a command in a namespace of its own, in which its state directory is a tiny disk."""
    state = find_paths(os.environ).state
    state.mkdir(mode=0o700, parents=True)
    mount = f'mount -t tmpfs -o size={_SIZE},mode=0700 tmpfs "{state}" && exec "$@"'
    command = ("unshare", "-Urm", "sh", "-c", mount, "sh")
    tried = shutil.which("unshare") and subprocess.run([*command, "true"], check=False, capture_output=True)
    if not tried or tried.returncode:
        pytest.skip("needs Linux user namespaces that may mount")
    return command


@pytest.fixture
def daemon(home: Path, root: Path, prefix: tuple[str, ...]) -> Iterator[DaemonProcess]:
    """A daemon on the tiny disk."""
    running = DaemonProcess(home, (root,), "drain", prefix=prefix, MEMD_WATCH_SWEEP="1s")
    try:
        until(lambda: running.logged("daemon_ready"))
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def fill(daemon: DaemonProcess) -> Path:
    """A file that takes all there is left, seen through the daemon's eyes."""
    state = Path(f"/proc/{daemon.process.pid}/root{find_paths(os.environ).state}")
    filler = state / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            return filler
    raise AssertionError("the disk is never full")


def answers(control: Path) -> bool:
    """Whether the daemon does as it is asked: go on at once."""
    try:
        return bool(ask(control, Request(verb=Verb.RUN_NOW))["ok"])
    except MemdError:
        return False


def test_a_full_disk_is_waited_out_and_nothing_is_lost(daemon: DaemonProcess, root: Path) -> None:
    talk(root, "before", "human", "done")
    until(lambda: daemon.noted("claimed"))
    filler = fill(daemon)
    for number in range(30):  # more than fits into what the ledger holds in reserve
        talk(root, f"s{number}", "human", "done", project=f"p{number}")
    until(lambda: daemon.logged("turn_failed"))
    assert daemon.process.poll() is None
    filler.unlink()
    until(lambda: answers(filler.with_name("control.sock")))  # it rests longer after each worker that failed
    until(lambda: len({note[1] for note in daemon.noted("claimed")}) == 31)
    assert daemon.logged("ledger_lost") == []
    assert daemon.stop() == 0
