"""Which memory directories are due for a dream: each once for every local date, whatever clocks do."""

from __future__ import annotations

from datetime import date, datetime

from memd.clock import Clock
from memd.dream import schedule
from memd.ledger import DreamPlace, JobRequest, Ledger
from memd.ledger.nouns import DREAM


class Nights:
    """Asked every minute, at the start and after a sleep; says only once a day which directories are due."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._looked: tuple[str, date | None] | None = None  # for which schedule and date all of them were looked at

    def enqueue_due(self, rule: str) -> tuple[str, ...]:
        """Queue a dream wherever one is due; where that is.

        The date counts as done from then on: whether there is anything to dream about is for the dream to say.
        """
        now = self._clock.now()
        wanted = schedule.latest(rule, now)
        if wanted is None or self._looked == (rule, wanted):
            return ()
        queued = tuple(one.memory_dir for one in self._ledger.dream_places() if self._queue(one, rule, wanted, now))
        self._looked = (rule, wanted)
        return queued

    def _queue(self, place: DreamPlace, rule: str, day: date, now: datetime) -> bool:
        known = tuple(date.fromisoformat(text) for text in self._ledger.dreamt(place.memory_dir).dates)
        if schedule.due(rule, now, known) is None:
            return False
        if not _is_older(place, rule, day, now):
            return False
        self._ledger.enqueue(JobRequest(kind=DREAM, memory_dir=place.memory_dir))
        dates = schedule.marked(known, day)
        self._ledger.mark_dates(place.memory_dir, [one.isoformat() for one in dates])
        return True


def _is_older(place: DreamPlace, rule: str, day: date, now: datetime) -> bool:
    """Whether there was anything to dream about when that night came: a project of today waits for its first night."""
    time = schedule.time_on(rule, day)
    since = datetime.fromtimestamp(place.since, now.tzinfo).replace(tzinfo=None)
    return time is not None and since < datetime.combine(day, time)
