"""Workers that outlived their daemon, such as one that somebody suspended: they would hold their project for long."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memd.daemon.workers import MARK
from memd.ledger import Ledger

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger

_DYING = (0.01,) * 100  # seconds between two looks whether it is gone


def end_orphans(ledger: Ledger, log: FilteringBoundLogger) -> None:
    """End them. Whoever calls this is the only daemon, and has no workers yet.

    The ledger's name for a worker is no later process's; what it names must lead a group, and carry a worker's mark.
    """
    for pid in ledger.living_workers():
        if _is_worker(pid):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            _wait(pid, ledger)
            log.warning("orphan_ended", pid=pid)


def _is_worker(pid: int) -> bool:
    try:
        return os.getpgid(pid) == pid and _mark() in _environ(pid)
    except OSError:
        return False


def _mark() -> bytes:
    name, value = MARK
    return f"{name}={value}".encode()


def _environ(pid: int) -> list[bytes]:
    """What the process was started with; where the system does not show it, nothing, and its lease has to run out."""
    return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")


def _wait(pid: int, ledger: Ledger) -> None:
    """Until it holds nothing any more."""
    for pause in _DYING:
        if pid not in ledger.living_workers():
            return
        time.sleep(pause)
