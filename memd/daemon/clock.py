"""The daemon's alarm clock: timers put events into its queue, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memd.clock import Clock
from memd.daemon.events import Event

_LATE = 3  # intervals without a ring after which the wall clock must have been set back


class Alarm:
    """Posts events at intervals. They are wall-clock times, so `check` sets them anew after the clock went back."""

    def __init__(self, scheduler: AsyncIOScheduler, clock: Clock, post: Callable[[Event], None]) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._post = post
        self._every: dict[Event, float] = {}
        self._rang: dict[Event, float] = {}

    def every(self, event: Event, seconds: float) -> None:
        """Post `event` every so many seconds, from now on; one that was missed comes once, late."""
        self._every[event] = seconds
        self._rang[event] = self._clock.monotonic()
        self._scheduler.add_job(
            self._ring, "interval", (event,), seconds=seconds, id=repr(event), coalesce=True, misfire_grace_time=None,
            max_instances=1, replace_existing=True,
        )  # fmt: skip

    def now(self, event: Event) -> None:
        """Post `event` at once."""
        self._post(event)

    def check(self) -> None:
        """Set anew what should have rung long ago by the monotonic clock."""
        now = self._clock.monotonic()
        for event in [event for event, rang in self._rang.items() if now - rang > _LATE * self._every[event]]:
            self.every(event, self._every[event])
            self._post(event)

    async def _ring(self, event: Event) -> None:
        """In the loop: the scheduler runs what is not a coroutine in a thread, from which no queue may be touched."""
        self._rang[event] = self._clock.monotonic()
        self._post(event)


@contextmanager
def alarms(clock: Clock, post: Callable[[Event], None], every: Mapping[Event, float]) -> Iterator[Alarm]:
    """An alarm clock that posts each event at its interval in seconds. Needs a running loop.

    The zone is given, since finding the machine's own raises on zones such as `TZ=UTC-8`; intervals need none.
    """
    scheduler = AsyncIOScheduler(timezone=UTC)
    alarm = Alarm(scheduler, clock, post)
    scheduler.start()
    try:
        for event, seconds in every.items():
            alarm.every(event, seconds)
        yield alarm
    finally:
        scheduler.shutdown(wait=False)
