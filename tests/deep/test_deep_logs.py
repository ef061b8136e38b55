"""Daily logs: eight writers at once, over the ends of days and months and over changes of the clock."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.memory import log
from memd.memory.log import Bullet

pytestmark = [pytest.mark.deep, pytest.mark.timeout(300)]

WRITERS, BULLETS = 8, 150
MOMENTS = {
    "a day's end": ("UTC", datetime(2026, 4, 1, 23, 59, 30, tzinfo=UTC)),
    "a month's end": ("Europe/Helsinki", datetime(2026, 4, 30, 20, 59, 30, tzinfo=UTC)),
    "a year's end": ("Asia/Shanghai", datetime(2026, 12, 31, 15, 59, 30, tzinfo=UTC)),
    "a leap day": ("UTC", datetime(2028, 2, 28, 23, 59, 30, tzinfo=UTC)),
    "midnight that is skipped": ("America/Santiago", datetime(2026, 9, 6, 3, 59, 30, tzinfo=UTC)),
    "midnight that comes twice": ("America/Havana", datetime(2026, 11, 1, 3, 59, 30, tzinfo=UTC)),
    "an hour that comes twice": ("Europe/Berlin", datetime(2026, 10, 25, 0, 59, 30, tzinfo=UTC)),
    "a day that never was": ("Pacific/Apia", datetime(2011, 12, 30, 9, 59, 30, tzinfo=UTC)),
}


def write(memory: str, writer: int, zone: str, start: datetime, offsets: Sequence[float], gate: float) -> None:
    time.sleep(max(0.0, gate - time.monotonic()))  # all begin together
    for number, offset in enumerate(offsets):
        now = (start + timedelta(seconds=offset)).astimezone(ZoneInfo(zone))
        text = f"writer {writer} bullet {number} " + "x" * (number * 37 % 900)
        log.append(Path(memory), [Bullet(type="note", text=text), Bullet(type="user", text=f"{text} twin")], now)


@pytest.mark.parametrize("moment", MOMENTS)
def test_eight_writers_over_a_rollover_lose_mix_and_double_nothing(tmp_path: Path, moment: str) -> None:
    zone, start = MOMENTS[moment]
    offsets = [number * 60.0 / BULLETS for number in range(BULLETS)]
    context = multiprocessing.get_context("spawn")
    gate = time.monotonic() + 2.0
    jobs = [
        context.Process(target=write, args=(str(tmp_path), writer, zone, start, offsets, gate))
        for writer in range(WRITERS)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
        assert job.exitcode == 0
    written: Counter[str] = Counter()
    for path in tmp_path.rglob("*.md"):
        data = path.read_bytes()
        found = log.parse(data)
        assert len(found) == data.count(b"\n") == len(data.splitlines())
        written.update(bullet.text for bullet in found)
        day = datetime.strptime(path.stem, "%Y-%m-%d").replace(tzinfo=UTC).date()
        assert path.relative_to(tmp_path).as_posix() == log.path_for(day)
        check_the_day(found, day.isoformat(), zone, start, offsets)
        pairs = [(one.text, two.text) for one, two in zip(found[::2], found[1::2], strict=True)]
        assert all(two == f"{one} twin" for one, two in pairs)
    assert len(written) == 2 * WRITERS * BULLETS
    assert set(written.values()) == {1}
    assert len(list(tmp_path.rglob("*.md"))) == len(days(zone, start, offsets))


def days(zone: str, start: datetime, offsets: Sequence[float]) -> set[str]:
    """The local dates that these moments fall on."""
    return {f"{(start + timedelta(seconds=offset)).astimezone(ZoneInfo(zone)):%Y-%m-%d}" for offset in offsets}


def check_the_day(
    found: Sequence[log.LoggedBullet], day: str, zone: str, start: datetime, offsets: Sequence[float]
) -> None:
    """Every bullet stands in the log of its own local date, with its local time."""
    for bullet in found:
        local = (start + timedelta(seconds=offsets[int(bullet.text.split()[3])])).astimezone(ZoneInfo(zone))
        assert (f"{local:%Y-%m-%d}", f"{local:%H:%M}") == (day, bullet.time)
