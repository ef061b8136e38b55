"""Whether the code that runs is still the code that is installed: an update must not wait for the next login."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import memd
from memd.clock import Clock
from memd.errors import MemdError

RESTART = 75  # the exit code that asks a service manager to start the daemon anew (EX_TEMPFAIL)
_SETTLED = 10.0  # seconds that an installation stays as it is, until it is taken as complete
_GONE = 120.0  # seconds without any code, after which nobody is putting it back


def replaced(clock: Clock, mark: Path = Path(memd.__file__)) -> Callable[[], bool]:
    """Tells whether another installation of memd stands where this one was; `mark` is a file that each writes anew.

    The answer is no while files are still coming. Raises MemdError once memd has been gone for minutes.
    """
    mine = seen = _identity(mark)
    since = clock.monotonic()

    def ask() -> bool:
        nonlocal seen, since
        now = _identity(mark)
        if now != seen:
            seen, since = now, clock.monotonic()
        rested = clock.monotonic() - since
        if now is None and rested > _GONE:
            raise MemdError(
                f"{mark.parent} is gone", hint="memd was uninstalled; `memd uninstall` ends the daemon first"
            )
        return now is not None and now != mine and rested > _SETTLED

    return ask


def _identity(mark: Path) -> tuple[int, int, int] | None:
    try:
        status = mark.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns
