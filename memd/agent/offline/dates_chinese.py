"""Relative dates in Chinese: 后天, 下周五, 月底, 三天后, 十月一号."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from memd.agent.offline.calendars import (
    last_of_month,
    month_later,
    quarter_end,
    weekday_after,
    weekday_in_week,
)
from memd.agent.offline.cues.chinese_variants import simplified

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "日": 7, "天": 7}
_NUM = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
_NEAR = {
    "大后天": 3,
    "后天": 2,
    "后日": 2,
    "明天": 1,
    "明儿": 1,
    "听日": 1,
    "明早": 1,
    "明晚": 1,
    "今天": 0,
    "今晚": 0,
    "昨天": -1,
    "昨晚": -1,
    "前天": -2,
}

# 以后日志, 最后日期, 今后天气: there 后 belongs to the word before, 日 or 天 to the one behind.
_NOT_AFTER = r"(?<![以今之此往最随先背落滞事然](?=后))"
_NOT_BEFORE = r"(?<!后日(?=[志期程报历语文]))(?<!后天(?=[气线数天]))"

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]]


def number(text: str) -> int:
    """The value of digits or of Chinese numerals below one hundred."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _DIGITS[text[-1]]
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _near(found: re.Match[str], today: date) -> date:
    return today + timedelta(days=_NEAR[found[0]])


def _weekday(found: re.Match[str], today: date) -> date:
    wanted, which = _DIGITS[found["day"]] - 1, found["which"] or ""
    if which.startswith("下"):
        return weekday_in_week(today, wanted, weeks=len(which.rstrip("个")))
    if which.startswith("上"):
        return weekday_in_week(today, wanted, weeks=-len(which.rstrip("个")))
    this_week = weekday_in_week(today, wanted, weeks=0)
    if which and this_week >= today:
        return this_week
    return weekday_after(today, wanted)


def _later(found: re.Match[str], today: date) -> date:
    unit = found["unit"]
    if found["count"] == "半":
        return today + timedelta(days=15)
    count = number(found["count"])
    if unit == "个月":
        return month_later(today, count)
    return today + timedelta(days=count * (1 if unit == "天" else 7))


def _month_end(found: re.Match[str], today: date) -> date:
    which = found["which"] or ""
    return last_of_month(month_later(today.replace(day=1), 1 if which.startswith("下") else 0))


def _named_month_end(found: re.Match[str], today: date) -> date | None:
    month = number(found["month"])
    return last_of_month(date(today.year + (month < today.month), month, 1)) if 1 <= month <= 12 else None  # noqa: PLR2004 - months


def _quarter_end(_found: re.Match[str], today: date) -> date:
    return quarter_end(today)


def _year_end(found: re.Match[str], today: date) -> date:
    return date(today.year + ((found["which"] or "") == "明"), 12, 31)


def _month_day(found: re.Match[str], today: date) -> date | None:
    year = int(found["year"]) if found["year"] else today.year
    try:
        day = date(year, number(found["month"]), number(found["number"]))
    except ValueError:
        return None
    if not found["year"] and day < today - timedelta(days=60):
        return _month_day_of(day, year + 1)
    return day


def _month_day_of(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:
        return None


def _day_only(found: re.Match[str], today: date) -> date | None:
    day, which = number(found["number"]), found["which"] or ""
    first = today.replace(day=1)
    if which.startswith("下") or (not which and day < today.day):
        first = month_later(first, 1)
    try:
        return first.replace(day=day)
    except ValueError:
        return None


def _slashed(found: re.Match[str], _today: date) -> date | None:
    try:
        return date(int(found["year"]), int(found["month"]), int(found["number"]))
    except ValueError:
        return None


_SHORT = (  # 5/25, where a word beside it says that it is a day
    r"(?<![\d/.])(?P<year>)(?P<month>1[0-2]|0?[1-9])/(?P<number>[12]\d|3[01]|0?[1-9])"
    r"(?![\d/.])(?=\s*(?:之?前|以前|起|开始|号|日|上线|交|发|到))"
)
_RULES: tuple[_Rule, ...] = tuple(
    (re.compile(pattern), resolve)
    for pattern, resolve in (
        (r"(?P<year>20\d\d)[/.](?P<month>\d{1,2})[/.](?P<number>\d{1,2})(?!\d)", _slashed),
        (
            _SHORT,
            _month_day,
        ),
        (rf"(?:(?P<year>20\d\d)\s*年\s*)?(?P<month>{_NUM})\s*月\s*(?P<number>{_NUM})\s*[日号]?(?!个|份)", _month_day),
        (rf"(?P<month>{_NUM})\s*月(?:底|末)", _named_month_end),
        (r"(?P<which>下个?|这个?|本)?月(?:底|末)", _month_end),
        (r"季度?(?:底|末)", _quarter_end),
        (r"(?P<which>今|明|本)?年(?:底|末)", _year_end),
        (
            (
                rf"(?P<which>下个?月|本月|这个?月|(?<![\d一二三四五六七八九十第月]))(?P<number>{_NUM})\s*[号](?!楼|线"
                rf"|机|店|桌|表|库|节点|位|门|模型|版|车|院|房|令|称)"
            ),
            _day_only,
        ),
        (
            (
                rf"(?:再过)?(?P<count>{_NUM}|半)(?P<unit>天|周|个?星期|个?礼拜|个月)(?:之后|以后|后|(?:以内|之内"
                rf"|内)(?=[,，。]|$|必须|得|要|给|交|上|完|把|弄|做|搞|出|改|我|你))"
            ),
            _later,
        ),
        (
            (
                r"(?<!每)(?P<which>下下个?|下个?|这个?|(?<![脚版样文])本|上个?)?(?:周|星期"
                r"|礼拜)(?P<day>[一二三四五六日天])(?![\u4e00-\u9fff]?个)"
            ),
            _weekday,
        ),
        (rf"{_NOT_AFTER}(?:{'|'.join(_NEAR)}){_NOT_BEFORE}", _near),
    )
)


def find(text: str, today: date) -> Iterator[tuple[int, int, date]]:
    """(start, end, day) for each date, the rules in order of how much they explain; they may overlap."""
    text = simplified(text)
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            if text[: match.start()].endswith("每"):
                continue
            day = resolve(match, today)
            if day is not None:
                yield match.start(), match.end(), day
