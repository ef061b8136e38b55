"""When a night's work is due."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import cron
from memd.dream import schedule

NIGHTLY = "0 3 * * *"
ZONES = ("Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai", "America/Santiago")


def dreams(moments: list[datetime], rule: str = NIGHTLY) -> list[date]:
    """The dreams of somebody who looks at the clock in these moments."""
    done: tuple[date, ...] = ()
    found = []
    for now in moments:
        if (day := schedule.due(rule, now, done)) is not None:
            done = schedule.marked(done, day)
            found.append(day)
    return found


def through(zone: str, days: int, minutes: int = 20) -> list[datetime]:
    """Moments of real time, every few minutes, from 2026-01-01 12:00 UTC on."""
    start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    steps = days * 24 * 60 // minutes
    return [(start + timedelta(minutes=minutes * step)).astimezone(ZoneInfo(zone)) for step in range(steps)]


RULES = (NIGHTLY, "30 2 * * *", "0 1 * * *", "59 23 * * *", "*/20 2-3 * * *")


@pytest.mark.parametrize(
    ("zone", "rule"), [*((zone, NIGHTLY) for zone in ZONES), *zip(ZONES[:4], RULES[1:], strict=True)]
)
def test_in_366_days_each_local_date_has_exactly_one_dream(zone: str, rule: str) -> None:
    moments = through(zone, 366)
    found = dreams(moments, rule)
    assert max(Counter(found).values()) == 1
    every = {now.date() for now in moments[72:-72]}
    assert every <= set(found)


@pytest.mark.parametrize("zone", ZONES)
def test_no_dream_comes_before_its_hour_or_a_whole_clock_change_late(zone: str) -> None:
    first, *moments = through(zone, 366)
    done = tuple(day for day in (schedule.latest(NIGHTLY, first),) if day is not None)
    for now in moments:
        if (day := schedule.due(NIGHTLY, now, done)) is not None:
            done = schedule.marked(done, day)
            assert now.date() != day or time(3) <= now.time() <= time(4, 20)


def test_nights_asleep_are_made_up_for_once() -> None:
    zone = ZoneInfo("Europe/Helsinki")
    awake = [datetime(2026, 4, 1, 12, tzinfo=zone), datetime(2026, 4, 9, 9, tzinfo=zone)]
    awake += [datetime(2026, 4, 9, 9, minute, tzinfo=zone) for minute in range(1, 60)]
    assert dreams(awake) == [date(2026, 4, 1), date(2026, 4, 9)]


@pytest.mark.parametrize("step", [timedelta(hours=1), timedelta(days=7 * 365)], ids=["an hour", "seven years"])
def test_a_clock_that_is_set_and_set_back_brings_no_date_twice(step: timedelta) -> None:
    at = [datetime(2026, 4, day, hour, 30, tzinfo=UTC) for day in range(1, 12) for hour in range(24)]
    moments = [*at[:100], *(now + step for now in at[100:103]), *at[103:150], *(now - step for now in at[150:153])]
    moments += at[153:]
    found = dreams(moments)
    assert max(Counter(found).values()) == 1
    assert {date(2026, 4, day) for day in range(1, 12)} <= set(found)


def test_a_clock_an_hour_back_over_midnight_wakes_no_night_that_was_slept_through() -> None:
    done = schedule.marked((date(2026, 4, 1),), date(2026, 4, 3))
    assert schedule.due(NIGHTLY, datetime(2026, 4, 3, 2, 30, tzinfo=UTC), done) is None


@given(
    st.lists(st.integers(0, 86400 * 40), min_size=1, max_size=60).map(sorted),
    st.sampled_from(ZONES),
)
def test_however_seldom_one_looks_no_date_comes_twice(seconds: list[int], zone: str) -> None:
    start = datetime(2026, 3, 1, tzinfo=UTC)
    found = dreams([(start + timedelta(seconds=one)).astimezone(ZoneInfo(zone)) for one in seconds])
    assert len(found) == len(set(found))
    assert found == sorted(found)


def test_weekdays_are_counted_as_in_a_crontab() -> None:
    sunday, monday = date(2026, 3, 29), date(2026, 3, 30)
    assert [schedule.time_on("0 3 * * 0", day) for day in (sunday, monday)] == [time(3), None]
    assert [schedule.time_on("0 3 * * 7", day) for day in (sunday, monday)] == [time(3), None]
    assert [schedule.time_on("0 3 * * 1-5", day) for day in (sunday, monday)] == [None, time(3)]
    assert [schedule.time_on("0 3 * * fri-sun", day) for day in (sunday, monday)] == [time(3), None]
    assert cron.parse("0 3 * * */2").weekday == "sun,tue,thu,sat"


def test_a_day_of_the_month_and_a_weekday_mean_either() -> None:
    found = [day for day in range(1, 31) if schedule.time_on("0 3 13 * fri", date(2026, 4, day))]
    assert found == [3, 10, 13, 17, 24]


def test_a_schedule_without_a_date_so_far_is_never_due() -> None:
    assert schedule.due("0 3 30 2 *", datetime(2026, 4, 1, 12, tzinfo=UTC), ()) is None
    assert schedule.latest("0 3 29 2 *", datetime(2026, 4, 1, 12, tzinfo=UTC)) == date(2024, 2, 29)


@pytest.mark.parametrize("wrong", ["", "0 3 * *", "0 24 * * *", "60 3 * * *", "0 3 * * 8", "x 3 * * *", "0 3 0 * *",
                                   "0 3 * 13 *", "5-1 3 * * *", "*/0 3 * * *", "@daily", 3, None])  # fmt: skip
def test_what_is_no_schedule_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="five fields"):
        cron.checked(wrong)


@given(st.text("0123456789*/-, monsu", max_size=20))
def test_a_schedule_is_read_or_refused(text: str) -> None:
    try:
        said = cron.checked(text)
    except ValueError:
        return
    assert cron.checked(said) == said
    schedule.latest(said, datetime(2026, 4, 1, 12, tzinfo=UTC))
