"""Relative dates in both languages, resolved against the day on which they were said.

Weeks start on Monday. "next X" is next week's X; a bare or "this" X is the coming one; the end of a month, quarter or
year is its last day. `dateparser` gets single calendar spans only: it finds dates in "we", and years in 10月1日.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from memd.agent.offline import dates_chinese, weekly
from memd.agent.offline.calendars import DAYS, last_of_month, month_later, quarter_end, weekday_after, weekday_in_week

_WEEKDAYS = r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|mon|tues?|wed|thurs?|thu|fri"
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(_WORDS.split())}
_NUMBERS |= {"a": 1, "an": 1, "a couple of": 2, "fourteen": 14, "fifteen": 15, "thirty": 30}
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_BEFORE_DAY = ("on", "by", "before", "until", "till", "from", "due", "since", "started", "joined")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A date in a text."""

    start: int
    end: int
    day: date


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]]


def _relative_day(found: re.Match[str], today: date) -> date:
    word = " ".join(found[0].lower().split())
    if "day after" in word:
        return today + timedelta(days=2)
    return today + timedelta(days={"yesterday": -1}.get(word, 1 if word.startswith(("tom", "tmr")) else 0))


def _weekday(found: re.Match[str], today: date) -> date:
    wanted = DAYS[found["day"][:3].lower()]
    which = (found["which"] or "").strip().lower()
    if which == "next":
        return weekday_in_week(today, wanted, weeks=1)
    if which in {"last", "since", "started", "joined"}:
        return weekday_after(today, wanted) - timedelta(days=7 if wanted != today.weekday() else 14)
    coming = weekday_after(today, wanted)
    return coming - timedelta(days=7) if which == "on" and _narrates(found) else coming


def _in_next_week(found: re.Match[str], today: date) -> date:
    return weekday_in_week(today, DAYS[found["day"][:3].lower()], weeks=1)


_PAST = re.compile(
    r"\b(?:was|were|had|did|went|sent|made|fell|broke|lost|took|got|came|ran"
    r"|(?<!the )(?<!a )(?<!an )(?<!is )(?<!are )(?<!be )(?<!get )(?<!gets )(?<!been )"
    r"(?!need|agreed|decided|announced|promised|booked|signed"
    r"|expected|planned|moved|pushed|shifted|delayed|postponed|extended|changed|scheduled|supposed"
    r"|rescheduled)[a-z]{3,}ed)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|must|has to|have to|needs? to|due|until|by|is|are|gets?|starts?|ends?|expects?|wants?|goes)\b",
    re.IGNORECASE,
)


def _narrates(found: re.Match[str]) -> bool:
    """Whether the clause around a date tells of the past: "on the 3rd the depot sent 900 labels"."""
    start = max(found.string.rfind(mark, 0, found.start()) for mark in ",.;:") + 1
    ends = [found.string.find(mark, found.end()) for mark in ",.;:"]
    clause = found.string[start : min((end for end in ends if end >= 0), default=len(found.string))]
    return _PAST.search(clause) is not None and not _AHEAD.search(clause)


def _last_day_of_month(day: int, today: date) -> date | None:
    start = today.replace(day=1) if day <= today.day else month_later(today.replace(day=1), -1)
    try:
        return start.replace(day=day)
    except ValueError:
        return None


def _week_from(found: re.Match[str], today: date) -> date:
    weeks = _number(found["count"])
    if found["day"] in {"today", "now"}:
        return today + timedelta(weeks=weeks)
    if found["day"] == "tomorrow":
        return today + timedelta(weeks=weeks, days=1)
    return weekday_after(today, DAYS[found["day"][:3].lower()]) + timedelta(weeks=weeks)


def _count_later(found: re.Match[str], today: date) -> date:
    count, unit = _number(found["count"]), found["unit"].lower()
    if unit == "month":
        return month_later(today, count)
    return today + timedelta(days=count * (7 if unit == "week" else 1))


def _end_of(found: re.Match[str], today: date) -> date | None:
    following = 1 if (found["which"] or "").strip().lower() == "next" else 0
    unit = found["unit"].lower()
    if unit in {"week", "w"}:
        return weekday_in_week(today, 4, weeks=following)
    if unit in {"quarter", "q"}:
        return quarter_end(month_later(today.replace(day=1), 3 * following))
    if unit in {"year", "y"}:
        return date(today.year + following, 12, 31)
    return last_of_month(month_later(today.replace(day=1), following))


def _end_of_quarter(found: re.Match[str], today: date) -> date:
    end = quarter_end(date(today.year, int(found["quarter"]) * 3, 1))
    return end if end >= today else quarter_end(end.replace(year=today.year + 1, day=1))


def _end_of_named(found: re.Match[str], today: date) -> date:
    month = list(calendar.month_abbr).index(found["month"][:3].title())
    year = today.year + (month < today.month)
    return last_of_month(date(year, month, 1))


def _day_of_month(found: re.Match[str], today: date) -> date | None:
    day = int(found["number"])
    if _narrates(found):
        return _last_day_of_month(day, today)
    start = today.replace(day=1) if day >= today.day else month_later(today.replace(day=1), 1)
    try:
        return start.replace(day=day)
    except ValueError:
        return None


def _iso(found: re.Match[str], _today: date) -> date | None:
    try:
        return date(int(found["year"]), int(found["month"]), int(found["number"]))
    except ValueError:
        return None


def _calendar_span(found: re.Match[str], today: date) -> date | None:
    import dateparser  # noqa: PLC0415 - slow to import, and most texts name no month

    text = re.sub(r"\b(?:of|the)\b|(?<=\d)(?:st|nd|rd|th)\b|[.,]", " ", found[0])
    named = re.search(r"\d{4}", text)
    if not named:
        text = f"{text} {today.year}"
    settings = {"TIMEZONE": "UTC", "RELATIVE_BASE": datetime.combine(today, time()), "DATE_ORDER": "DMY"}
    parsed = dateparser.parse(" ".join(text.split()), languages=["en"], settings=settings)
    if parsed is None:
        return None
    day = parsed.date()
    return day if named or day >= today - timedelta(days=60) else _next_year(day)


def _next_year(day: date) -> date:
    return day.replace(year=day.year + 1, day=min(day.day, calendar.monthrange(day.year + 1, day.month)[1]))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[" ".join(text.lower().split())]


def _rule(pattern: str, resolve: Callable[[re.Match[str], date], date | None]) -> _Rule:
    return re.compile(rf"(?<![\w/.-])(?:{pattern})(?![\w/])", re.IGNORECASE), resolve


_RULES: tuple[_Rule, ...] = (
    _rule(r"(?P<year>20\d\d)-(?P<month>\d\d)-(?P<number>\d\d)", _iso),
    _rule(rf"(?P<count>{_COUNT}) weeks? from (?P<day>today|now|tomorrow|{_WEEKDAYS})", _week_from),
    _rule(
        rf"(?:with)?in (?:exactly |about |roughly |just |under )?"
        rf"(?P<count>{_COUNT}) (?P<unit>day|week|month)s?(?:'? time)?",
        _count_later,
    ),
    _rule(rf"(?P<count>{_COUNT}) (?P<unit>day|week|month)s? (?:from now|out)", _count_later),
    _rule(r"(?:the )?(?:end of|eo)[ -]?(?P<which>the |this |next )?(?P<unit>week|month|quarter|year|w|m|q|y)", _end_of),
    _rule(r"(?P<which>this |next )?(?P<unit>month|quarter|year)(?:'?s)?[ -]end", _end_of),
    _rule(r"(?:the )?(?:end of|eo)[ -]?q(?P<quarter>[1-4])", _end_of_quarter),
    _rule(rf"(?:the )?end of (?P<month>{_MONTHS})", _end_of_named),
    _rule(rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}\.?(?:,? 20\d\d)?", _calendar_span),
    _rule(rf"{_MONTHS}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? 20\d\d)?(?!:)", _calendar_span),
    _rule(rf"(?P<day>{_WEEKDAYS})(?:,? (?:of )?next week)", _in_next_week),
    _rule(rf"next week(?:'s|s)?,? (?:on )?(?P<day>{_WEEKDAYS})", _in_next_week),
    _rule(rf"(?:{_WEEKDAYS}),? (?:the )?(?P<number>[12]?\d|3[01])(?:st|nd|rd|th)", _day_of_month),
    _rule(r"the (?P<number>[12]?\d|3[01])(?:st|nd|rd|th)(?: of (?:this|the) month)?", _day_of_month),
    _rule(r"(?:the )?day after tomorrow|tomorrow|tmrw|tmr|yesterday|today", _relative_day),
    _rule(rf"(?P<which>(?:next|this coming|this|coming|last|{'|'.join(_BEFORE_DAY)}) )?(?P<day>{_WEEKDAYS})", _weekday),
)
_RECURRING = re.compile(r"(?:every|each|per|most|on alternate)\s+(?:other\s+)?$", re.IGNORECASE)


_WEEKDAY = re.compile(rf"(?:{_WEEKDAYS})|(?:[周週]|星期|[礼禮]拜)[一二三四五六日天]", re.IGNORECASE)


def find(text: str, today: date, *, recurring: Collection[str] | None = None) -> tuple[Span, ...]:
    """The dates in `text`, in order, none overlapping; recurring days ("every friday", "never on friday") are none.

    `recurring`: the weekdays, as typed, that are known to be such; None: the text itself tells.
    """
    if recurring is not None:
        return tuple(span for span in _all(text, today) if text[span.start : span.end] not in recurring)
    return tuple(span for span in _all(text, today) if not _recurs(text, span))


def weekdays(text: str, today: date) -> frozenset[str]:
    """The weekdays, as they were typed, that stand in `text` for every such day."""
    return frozenset(text[span.start : span.end] for span in _all(text, today) if _recurs(text, span))


def _all(text: str, today: date) -> Iterator[Span]:
    found = [*_english(text, today), *(Span(start=a, end=b, day=d) for a, b, d in dates_chinese.find(text, today))]
    return _disjoint(found)


def _recurs(text: str, span: Span) -> bool:
    is_bare = _WEEKDAY.fullmatch(text[span.start : span.end]) is not None
    return is_bare and weekly.recurs(text, span.start, span.end)


def _english(text: str, today: date) -> Iterator[Span]:
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            day = None if _RECURRING.search(text[: match.start()]) else resolve(match, today)
            if day is not None:
                yield Span(start=_word_start(match), end=match.end(), day=day)


def _word_start(match: re.Match[str]) -> int:
    """A preposition before a weekday is not part of the date."""
    which = (match.groupdict().get("which") or "").strip().lower()
    if which in _BEFORE_DAY:
        return match.start("day")
    return match.start()


def _disjoint(spans: list[Span]) -> Iterator[Span]:
    taken: list[Span] = []
    for span in spans:  # the rules stand in order of how much they explain
        if all(span.end <= other.start or span.start >= other.end for other in taken):
            taken.append(span)
    yield from sorted(taken, key=lambda span: span.start)


def moved(text: str, today: date, to: date) -> str:
    """`text` with `to` in the place of each date that it names."""
    for span in reversed(find(text, today)):
        text = f"{text[: span.start]}{to.isoformat()}{text[span.end :]}"
    return text


def insert(text: str, today: date) -> str:
    """`text` with each relative date's absolute one before it, and the words kept in parentheses."""
    done, last = [], 0
    for span in find(text, today):
        said = text[span.start : span.end]
        done += [text[last : span.start], span.day.isoformat(), "" if said == span.day.isoformat() else f" ({said})"]
        last = span.end
    return "".join([*done, text[last:]])
