"""The daemon's alarm clock: timers put events into its queue, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memd.clock import Clock
from memd.daemon.events import Event

_LATE = 3  # intervals without a ring after which the wall clock must have been set back


class Alarm:
    """Rings at intervals. They are wall-clock times, so `check` sets them anew after the clock went back."""

    def __init__(self, scheduler: AsyncIOScheduler, clock: Clock) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._every: dict[str, float] = {}
        self._rings: dict[str, Callable[[], None]] = {}
        self._rang: dict[str, float] = {}

    def every(self, seconds: float, name: str, ring: Callable[[], None]) -> None:
        """Call `ring` every so many seconds; a ring that was missed comes once, late. Replaces one of that name."""
        self._every[name] = seconds
        self._rings[name] = ring
        self._rang[name] = self._clock.monotonic()
        self._scheduler.add_job(
            self._ring, "interval", (name,), seconds=seconds, id=name, coalesce=True, misfire_grace_time=None,
            max_instances=1, replace_existing=True,
        )  # fmt: skip

    def ring_of(self, name: str) -> Callable[[], None]:
        """What the alarm of that name calls."""
        return self._rings[name]

    def check(self) -> None:
        """Set anew what should have rung long ago by the monotonic clock."""
        now = self._clock.monotonic()
        for name in [name for name, rang in self._rang.items() if now - rang > _LATE * self._every[name]]:
            self.every(self._every[name], name, self._rings[name])
            self._rings[name]()

    async def _ring(self, name: str) -> None:
        """In the loop: the scheduler runs what is not a coroutine in a thread, from which no queue may be touched."""
        self._rang[name] = self._clock.monotonic()
        self._rings[name]()


@contextmanager
def alarms(clock: Clock, post: Callable[[Event], None], every: Mapping[Event, float]) -> Iterator[Alarm]:
    """An alarm clock that posts each event at its interval in seconds. Needs a running loop.

    The zone is given, since finding the machine's own raises on zones such as `TZ=UTC-8`; intervals need none.
    """
    scheduler = AsyncIOScheduler(timezone=UTC)
    alarm = Alarm(scheduler, clock)
    scheduler.start()
    try:
        for event, seconds in every.items():
            alarm.every(seconds, type(event).__name__, partial(post, event))
        yield alarm
    finally:
        scheduler.shutdown(wait=False)
