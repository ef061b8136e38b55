"""When a night's work is due: once for each local date on which the schedule has a time, whatever clocks do.

All of it is about wall-clock time: which date it is, and whether that date's time has come. So an hour that a clock
change leaves out makes nobody wait, and one that comes twice counts once. The cron rule is asked in UTC, where every
wall-clock time exists exactly once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from apscheduler.triggers.cron import CronTrigger

from memd import cron
from memd.cron import Cron

KEPT = 60  # dates that are remembered as done: clocks that are set back come to old ones again
_FARTHEST = 366 * 8  # days that are looked back for one with a time: 29 February
_MISSED = 2  # days between two dreams that count as slept through, not as a clock set wrong


def due(schedule: str, now: datetime, done: Collection[date]) -> date | None:
    """The date whose dream is due at the local time `now`; None: none is. Missed dates are made up for once."""
    wanted = latest(schedule, now)
    return None if wanted is None or wanted in done else wanted


def latest(schedule: str, now: datetime) -> date | None:
    """The last local date whose time has come."""
    today = now.date()
    at = time_on(schedule, today)
    if at is not None and now.replace(tzinfo=None, fold=0) >= datetime.combine(today, at):
        return today
    return _before(schedule, today)


def marked(done: Iterable[date], day: date) -> tuple[date, ...]:
    """The dates done, with `day`, and with the few before it that were slept through: a clock may come back to them."""
    kept = list(dict.fromkeys(done))
    last = max((one for one in kept if one < day), default=day)
    if (day - last).days <= _MISSED + 1:
        kept += [last + timedelta(days=step) for step in range(1, (day - last).days)]
    return tuple(one for one in dict.fromkeys((*kept, day)))[-KEPT:]


@lru_cache(maxsize=64)
def time_on(schedule: str, day: date) -> time | None:
    """The first time that a date has in the schedule, None where it has none."""
    if not cron.parse(schedule).may_be_on(day):
        return None  # the library would look for the next one through many years
    start = datetime.combine(day, time(), tzinfo=UTC)
    found = [rule.get_next_fire_time(None, start) for rule in _rules(schedule)]
    times = [at.time() for at in found if at is not None and at.date() == day]
    return min(times, default=None)


@lru_cache(maxsize=16)
def _before(schedule: str, day: date) -> date | None:
    days = (day - timedelta(days=back) for back in range(1, _FARTHEST) if (day - date.min).days > back)
    return next((one for one in days if time_on(schedule, one) is not None), None)


@lru_cache(maxsize=8)
def _rules(schedule: str) -> tuple[CronTrigger, ...]:
    """One rule; two where day and weekday are both restricted, since a crontab then means either."""
    said = cron.parse(schedule)
    pairs = [(said.day, said.weekday)]
    if "*" not in pairs[0]:
        pairs = [(said.day, "*"), ("*", said.weekday)]
    return tuple(_rule(said, day, weekday) for day, weekday in pairs)


def _rule(said: Cron, day: str, weekday: str) -> CronTrigger:
    return CronTrigger(
        minute=said.minute,
        hour=said.hour,
        day=day,
        month=said.month,
        day_of_week=weekday,
        timezone=UTC,
    )
