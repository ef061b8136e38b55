"""Arithmetic with days; Monday is 0."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

DAYS = {name[:3].lower(): number for number, name in enumerate(calendar.day_name)}
FRIDAY = 4


def weekday_after(today: date, wanted: int) -> date:
    """The first such weekday after `today`."""
    return today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)


def weekday_in_week(today: date, wanted: int, *, weeks: int) -> date:
    """That weekday of the week that lies `weeks` after the one `today` is in."""
    return today + timedelta(days=wanted - today.weekday(), weeks=weeks)


def month_later(day: date, months: int) -> date:
    """The same day `months` later, or the last of that month where it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def last_of_month(day: date) -> date:
    """The last day of the month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def quarter_end(day: date) -> date:
    """The last day of the quarter."""
    return last_of_month(date(day.year, (day.month - 1) // 3 * 3 + 3, 1))
