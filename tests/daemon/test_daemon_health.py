"""When file events are relied on."""

from __future__ import annotations

from memd.daemon.health import Events

WELL = Events(300.0)


def test_all_is_well_until_something_is_found() -> None:
    assert WELL.judge(None, 0, 0, 10.0) == WELL
    assert WELL.interval(cost=1.0) == 300.0
    assert not WELL.wants_retry(10.0)


def test_each_kind_of_trouble_is_named_and_means_polling() -> None:
    found = [WELL.judge("no file events: refused", 3, 2, 0.0), WELL.judge(None, 3, 2, 0.0), WELL.judge(None, 0, 2, 0.0)]
    assert [one.trouble for one in found] == [
        "no file events: refused",
        "polling: 3 directories are past the limit of inotify watches",
        "polling: 2 changes came without an event",
    ]
    assert {one.interval(cost=0.01) for one in found} == {5.0}


def test_a_slow_rescan_is_made_less_often_but_never_less_than_when_all_is_well() -> None:
    poor = WELL.judge(None, 1, 0, 0.0)
    assert (poor.interval(cost=0.2), poor.interval(cost=60.0)) == (20.0, 300.0)


def test_trust_comes_back_after_ten_minutes_without_a_miss() -> None:
    poor = WELL.judge(None, 0, 1, 100.0)
    assert poor.judge(None, 0, 0, 699.0).trouble == poor.trouble
    assert poor.judge(None, 0, 0, 700.0).trouble is None
    assert poor.wants_retry(700.0)
    again = poor.retried(700.0)
    assert not again.wants_retry(700.0)
    assert again.judge(None, 0, 1, 700.0).retry_at == 1300.0
