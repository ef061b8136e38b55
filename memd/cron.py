"""Times as a crontab writes them: five fields, checked and spelled out, without the library that reckons with them.

A weekday is a number in a crontab, 0 and 7 being Sunday, and libraries differ about it: here it becomes names.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from functools import lru_cache

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PART = re.compile(r"(?:(?P<all>\*)|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>\d{1,2}))?")
_HINT = 'must be five fields of a crontab, such as "0 3 * * *": minute, hour, day, month, weekday'


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """Five fields, each "*" or numbers between commas; weekdays by name. `text` is what somebody wrote."""

    text: str
    minute: str
    hour: str
    day: str
    month: str
    weekday: str

    def may_be_on(self, date: dt.date) -> bool:
        """Whether there is a time on a date. Where day and weekday are both restricted, either will do."""
        if not _holds(self.month, str(date.month)):
            return False
        day, weekday = _holds(self.day, str(date.day)), _holds(self.weekday, _DAYS[date.isoweekday()])
        return day and weekday if "*" in {self.day, self.weekday} else day or weekday


def _holds(field: str, value: str) -> bool:
    return field == "*" or value in field.split(",")


@lru_cache(maxsize=16)
def parse(text: str) -> Cron:
    """What a crontab's five fields mean. Raises ValueError."""
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(_HINT)
    said = {name: _field(field, name, low, high) for field, (name, low, high) in zip(fields, _FIELDS, strict=True)}
    return Cron(text=" ".join(fields), **said)


def checked(text: object) -> str:
    """The same fields as text, for a setting. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError(_HINT)  # noqa: TRY004 - what every parser of a setting raises
    return parse(text).text


def _field(field: str, name: str, low: int, high: int) -> str:
    if field == "*":
        return field
    numbers = sorted({number for part in field.split(",") for number in _numbers(part, name, low, high)})
    if name == "weekday":
        return ",".join(dict.fromkeys(_DAYS[number] for number in numbers))
    return ",".join(map(str, numbers))


def _numbers(part: str, name: str, low: int, high: int) -> range:
    found = _PART.fullmatch(part.lower())
    if found is None:
        raise ValueError(f"{_HINT}; {name} cannot be {part!r}")
    step = int(found["step"] or 1)
    first = low if found["all"] else _number(found["first"], name)
    if found["all"]:
        last = 6 if name == "weekday" else high
    else:
        last = _number(found["last"], name) if found["last"] else high if found["step"] else first
    if name == "weekday" and last < first and last == 0:
        last = 7  # "fri-sun"
    if not low <= first <= last <= high or not step:
        raise ValueError(f"{_HINT}; {name} cannot be {part!r}")
    return range(first, last + 1, step)


def _number(word: str, name: str) -> int:
    names: tuple[str, ...] = {"weekday": _DAYS, "month": ("", *_MONTHS)}.get(name, ())
    if word in names:
        return names.index(word)
    if not word.isdecimal() or not word.isascii():
        raise ValueError(f"{_HINT}; {name} cannot be {word!r}")
    return int(word)
