"""Time, as an argument, so that tests can turn it."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for what is written down, monotonic time for how long something took."""

    def now(self) -> datetime:
        """The local time, with its zone."""

    def monotonic(self) -> float:
        """Seconds that never go backwards; the zero point means nothing."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The local time. `astimezone()` and not tzlocal, which raises on `TZ=UTC-8`."""
        return datetime.now().astimezone()

    def monotonic(self) -> float:
        """Seconds since some fixed point; not advanced by clock steps."""
        return time.monotonic()
