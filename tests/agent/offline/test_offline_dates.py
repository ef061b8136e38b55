"""Dates in both languages, against the day on which they were said."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent.offline import dates, dates_chinese

TUESDAY = date(2026, 5, 12)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("by tomorrow", "2026-05-13"),
        ("the day after tomorrow", "2026-05-14"),
        ("this Friday", "2026-05-15"),
        ("by friday", "2026-05-15"),
        ("next Friday", "2026-05-22"),
        ("on Tuesday", "2026-05-19"),
        ("next monday", "2026-05-18"),
        ("last Monday", "2026-05-11"),
        ("in two weeks", "2026-05-26"),
        ("in 10 days", "2026-05-22"),
        ("a week from Friday", "2026-05-22"),
        ("within a month", "2026-06-12"),
        ("end of week", "2026-05-15"),
        ("by end of month", "2026-05-31"),
        ("eom", "2026-05-31"),
        ("end of next month", "2026-06-30"),
        ("end of quarter", "2026-06-30"),
        ("end of Q3", "2026-09-30"),
        ("end of Q1", "2027-03-31"),
        ("end of the year", "2026-12-31"),
        ("year end", "2026-12-31"),
        ("end of February", "2027-02-28"),
        ("June 3", "2026-06-03"),
        ("3rd of June", "2026-06-03"),
        ("on Sept 9th", "2026-09-09"),
        ("March 3", "2027-03-03"),
        ("March 3, 2028", "2028-03-03"),
        ("the 15th", "2026-05-15"),
        ("the 3rd of this month", None),
        ("the 5th", "2026-06-05"),
        ("2026-08-01", "2026-08-01"),
    ],
)
def test_english(text: str, day: str | None) -> None:
    found = [span.day.isoformat() for span in dates.find(text, TUESDAY)]
    assert found == ([day] if day else ["2026-06-03"])


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("明天", "2026-05-13"),
        ("后天之前", "2026-05-14"),
        ("大后天", "2026-05-15"),
        ("周五", "2026-05-15"),
        ("本周五", "2026-05-15"),
        ("这周二", "2026-05-12"),
        ("周二", "2026-05-19"),
        ("下周五", "2026-05-22"),
        ("下下周一", "2026-05-25"),
        ("上周五", "2026-05-08"),
        ("星期天", "2026-05-17"),
        ("月底", "2026-05-31"),
        ("下个月底", "2026-06-30"),
        ("六月底", "2026-06-30"),
        ("季度末", "2026-06-30"),
        ("年底", "2026-12-31"),
        ("三天后", "2026-05-15"),
        ("两周之内", "2026-05-26"),
        ("半个月后", "2026-05-27"),
        ("一个月后", "2026-06-12"),
        ("6 月 3 号", "2026-06-03"),
        ("十月一号", "2026-10-01"),
        ("十二月二十三日", "2026-12-23"),
        ("2027年1月5日", "2027-01-05"),
        ("1月5号", "2027-01-05"),
        ("20号", "2026-05-20"),
        ("5号", "2026-06-05"),
        ("下个月5号", "2026-06-05"),
    ],
)
def test_chinese(text: str, day: str) -> None:
    assert [span.day.isoformat() for span in dates.find(text, TUESDAY)] == [day]


@pytest.mark.parametrize(
    "text",
    [
        "every friday",
        "mondays",
        "each Tuesday",
        "we march on",
        "may be",
        "每周五",
        "脚本周期",
        "2 号机房",
        "10.1.2.3",
        "v1.2",
        "sat there",
    ],
)
def test_no_dates_where_there_are_none(text: str) -> None:
    assert dates.find(text, TUESDAY) == ()


def test_the_absolute_date_stands_before_the_words() -> None:
    assert dates.insert("frozen from next Thursday on", TUESDAY) == "frozen from 2026-05-21 (next Thursday) on"
    assert dates.insert("下周五封版", TUESDAY) == "2026-05-22 (下周五)封版"


def test_a_moved_date_takes_the_old_ones_place() -> None:
    assert dates.moved("demo is this Friday", TUESDAY, date(2026, 5, 20)) == "demo is 2026-05-20"


@given(st.text(max_size=80), st.dates(date(2020, 1, 1), date(2100, 1, 1)))
def test_any_text_can_be_searched(text: str, today: date) -> None:
    spans = dates.find(text, today)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(text[span.start : span.end] for span in spans)


@given(st.dates(date(2020, 1, 1), date(2100, 1, 1)), st.sampled_from(["Monday", "Wednesday", "Friday"]))
def test_next_is_in_next_week_and_bare_is_within_seven_days(today: date, name: str) -> None:
    (bare,) = dates.find(f"by {name}", today)
    (following,) = dates.find(f"next {name}", today)
    assert timedelta(0) < bare.day - today <= timedelta(days=7)
    assert following.day.isocalendar()[:2] == (today + timedelta(days=7)).isocalendar()[:2]
    assert bare.day.strftime("%A") == following.day.strftime("%A") == name


@given(st.integers(1, 99))
def test_chinese_numerals(value: int) -> None:
    digits = "零一二三四五六七八九"
    tens, ones = divmod(value, 10)
    text = digits[ones] if not tens else ("" if tens == 1 else digits[tens]) + "十" + (digits[ones] if ones else "")
    assert dates_chinese.number(text) == dates_chinese.number(str(value)) == value


@pytest.mark.parametrize(
    "text", ["以后日志一律用英文写", "以后天气接口都要加缓存", "最后日期和今后日期", "之后天数不限", "事后日志"]
)
def test_a_word_that_ends_in_hou_makes_no_day_of_the_next_one(text: str) -> None:
    assert dates.insert(text, TUESDAY) == text
