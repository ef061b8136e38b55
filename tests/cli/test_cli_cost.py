"""`memd cost`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memd.agent import backends
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.ledger.spend import Circuit, Spent
from memd.settings import Settings
from tests.cli.conftest import Memd


def spend(memd: Memd, days_ago: int, dollars: float, *, unpriced: int = 0) -> None:
    clock = SystemClock()
    day = (clock.now().date() - timedelta(days=days_ago)).isoformat()
    with open_ledger(memd.state / "ledger.sqlite3", clock) as ledger:
        ledger.spend(
            Spent(
                day=day,
                project="/home/me/shop",
                kind="extract",
                model="m",
                passes=1,
                requests=2,
                input=1_000,
                cache_read=500,
                output=7,
                dollars=dollars,
                unpriced=unpriced,
            )
        )


def test_nothing_was_spent_and_nothing_is_made_for_looking(memd: Memd) -> None:
    answer = memd("cost")
    assert (answer.code, answer.err) == (0, "the offline backend costs nothing\n")
    assert answer.out.startswith("nothing was spent since ")
    assert "today $0.00 of $2.00, 0 of 60 passes, 0 of 500 requests" in answer.out
    assert not memd.state.exists()


def test_sums_by_day_with_a_total(memd: Memd) -> None:
    spend(memd, 0, 0.25)
    spend(memd, 0, 0.05)
    spend(memd, 3, 0.1)
    spend(memd, 90, 5.0)
    rows = [line.split("\t") for line in memd.inside("cost").out.splitlines()]
    assert [row[4:] for row in rows[1:4]] == [
        ["1", "2", "1,500", "500", "7", "0.1000"],
        ["2", "4", "3,000", "1,000", "14", "0.3000"],
        ["3", "6", "4,500", "1,500", "21", "0.4000"],
    ]
    assert "today $0.30 of $2.00, 2 of 60 passes, 4 of 500 requests" in rows[4][0]


def test_as_json_since_a_date(memd: Memd) -> None:
    spend(memd, 0, 0.25)
    spend(memd, 3, 0.1)
    said = memd.inside("cost", "--since", "1d", "--json").json
    assert (said["schema_version"], [row["dollars"] for row in said["spent"]]) == (1, [0.25])
    assert said["today"] == {"dollars": 0.25, "passes": 1, "requests": 2}
    assert said["circuit"]["reason"] is None


def test_requests_without_a_price_are_no_dollars_and_said(memd: Memd) -> None:
    spend(memd, 0, 0.0, unpriced=2)
    assert "and more" in memd.inside("cost").out


def test_an_open_circuit_is_said_while_it_is_the_same_account(memd: Memd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert "not asked" not in memd.inside("cost").err
    account = backends.choose(Settings(), {"ANTHROPIC_API_KEY": "k"}, "claude-sonnet-5-5").account or ""
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.set_circuit(Circuit(reason="the model's service refused (401)", mark=account))
    assert "refused (401)" in memd.inside("cost").err
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
    assert "refused" not in memd.inside("cost").err


@pytest.mark.parametrize("since", ["soon", "-3d", "2026-13-01", ""])
def test_a_date_that_is_none_is_a_usage_error(memd: Memd, since: str) -> None:
    assert memd.inside("cost", "--since", since).code == 2
