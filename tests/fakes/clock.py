"""A clock that a test turns by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Wall and monotonic time stand still until told otherwise; `step` moves the wall alone, as an admin would."""

    def __init__(self, start: datetime = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)) -> None:
        self._wall = start
        self._monotonic = 1000.0

    def now(self) -> datetime:
        """Wall time."""
        return self._wall

    def monotonic(self) -> float:
        """Seconds that `advance` moves and `step` does not."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._wall += timedelta(seconds=seconds)
        self._monotonic += seconds

    def step(self, seconds: float) -> None:
        """Set the wall clock forward, or back where negative."""
        self._wall += timedelta(seconds=seconds)
