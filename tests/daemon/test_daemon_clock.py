"""The alarm clock, with its real scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from memd.daemon.clock import Alarm, alarms
from memd.daemon.events import Beat, Event, Sweep
from tests.fakes.clock import FakeClock


def ringing(
    clock: FakeClock, every: dict[Event, float], story: Callable[[Alarm, asyncio.Queue[Event]], Awaitable[None]]
) -> None:
    async def told() -> None:
        events: asyncio.Queue[Event] = asyncio.Queue()
        with alarms(clock, events.put_nowait, every) as alarm:
            await asyncio.wait_for(story(alarm, events), 20)

    asyncio.run(told())


@pytest.mark.parametrize("zone", ["UTC", "UTC-8", "America/New_York", "Nowhere/Else"])
def test_it_rings_in_every_zone(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(_: Alarm, events: asyncio.Queue[Event]) -> None:
        assert [await events.get(), await events.get()] == [Beat(), Beat()]

    monkeypatch.setenv("TZ", zone)
    ringing(FakeClock(), {Beat(): 0.02, Sweep(): 3600}, story)


def test_an_interval_can_be_changed(caplog: pytest.LogCaptureFixture) -> None:
    async def story(alarm: Alarm, events: asyncio.Queue[Event]) -> None:
        assert events.empty()
        alarm.every(Sweep(), 0.02)
        assert await events.get() == Sweep()

    ringing(FakeClock(), {Sweep(): 3600}, story)
    assert caplog.records == []


def test_what_should_have_rung_long_ago_rings_at_once() -> None:
    clock = FakeClock()

    async def story(alarm: Alarm, events: asyncio.Queue[Event]) -> None:
        clock.advance(3600 * 3)
        alarm.check()
        assert events.empty()
        clock.advance(1)  # the wall clock of the scheduler says that nothing is due: it was set back
        alarm.check()
        assert events.get_nowait() == Sweep()
        alarm.check()
        assert events.empty()

    ringing(clock, {Sweep(): 3600}, story)
