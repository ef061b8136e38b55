"""One daemon at a time, held by the kernel: a file left behind never matters."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memd import opener
from memd.clock import Clock
from memd.errors import LockedError

_FLAGS = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_PATIENCE = (0.02,) * 50  # seconds between two tries: whoever only asks who is `running` holds it for a moment


@contextmanager
def single_instance(path: Path, clock: Clock) -> Iterator[Callable[[], bool]]:
    """Hold the lock at `path`; who holds it stands inside, for people. Raises LockedError.

    Yields whether the lock still stands there: without it, in a state directory that was deleted or moved away, a
    daemon works for nobody, and a second one may run beside it.
    """
    opener.private_directory(path.parent)
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        if not _locked_in_time(descriptor):
            raise LockedError(
                f"another memd daemon is running ({_holder(descriptor)})", hint="`memd status` shows what it does"
            )
        _sign(descriptor, f"pid {os.getpid()} since {clock.now().isoformat(timespec='seconds')}\n")
        yield lambda: _stands(path, descriptor)
    finally:
        os.close(descriptor)


def _stands(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def still_there(*paths: Path) -> Callable[[], bool]:
    """Tells whether the same files still stand at these places."""
    known = [identity(path) for path in paths]
    return lambda: None not in known and [identity(path) for path in paths] == known


def identity(path: Path) -> tuple[int, int] | None:
    """What makes a file the same one; None: there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def running(path: Path) -> str | None:
    """What the daemon that holds the lock wrote there ("pid N since T"); None: no daemon runs."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        return None if _locked(descriptor, fcntl.LOCK_SH) else _holder(descriptor)
    finally:
        os.close(descriptor)


def _locked_in_time(descriptor: int) -> bool:
    for pause in _PATIENCE:
        if _locked(descriptor, fcntl.LOCK_EX):
            return True
        time.sleep(pause)
    return _locked(descriptor, fcntl.LOCK_EX)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip() or "it did not say which"
