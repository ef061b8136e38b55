"""A format that moves on: the real worker reads real lines, the daemon says it, `memd status` shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.config import find_paths
from memd.daemon.failures import FRUITLESS, failures
from memd.ledger import DRIFT, Ledger, Outcome, Run, Spent, open_ledger
from memd.memory import location
from tests.fakes import claude_lines as lines
from tests.fakes.claude_lines import Line


def memd(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run memd with nothing to wait for."""
    return subprocess.run(
        [sys.executable, "-m", "memd.cli.main", *arguments], capture_output=True, text=True, check=False, timeout=50
    )


def converse(home: Path, number: int, kind: str) -> None:
    """A conversation of one turn, its prompt written as a record of that kind."""
    project = home / "shop"
    project.mkdir(exist_ok=True)
    session = f"{number:08}-0000-4000-8000-000000000000"
    asked: Line = lines.prompt(f"h{number}", "what does this do?") | {"type": kind}
    records = (asked, lines.answer(f"a{number}", f"m{number}", lines.text("It adds.")))
    path = home / ".claude" / "projects" / location.slug(str(project)) / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines.packed(*({**one, "cwd": str(project), "sessionId": session} for one in records)))
    os.utime(path, (time.time() - 1000 + number,) * 2)


def health() -> list[str]:
    with open_ledger(find_paths(os.environ).ledger, SystemClock()) as ledger:
        return [one.code for one in failures(ledger)]


def test_five_conversations_in_which_nobody_is_heard_are_an_alarm_and_one_in_which_somebody_is_ends_it(
    home: Path,
) -> None:
    for number in range(DRIFT):
        converse(home, number, "person")
    said = memd("run", "--once")
    events = [json.loads(line) for line in said.stderr.splitlines()]
    assert [(one["level"], one["failure"]) for one in events if one["event"] == "health_failed"] == [
        ("error", "format_drift")
    ]
    assert "FAIL: the last 5 conversations hold answers, but nobody was heard" in memd("status").stdout
    converse(home, DRIFT + 1, "user")
    assert '"health_restored"' in memd("run", "--once").stderr
    assert health() == []


def test_what_tells_nothing_neither_counts_nor_ends_it_and_each_conversation_counts_once(home: Path) -> None:
    del home
    with open_ledger(find_paths(os.environ).ledger, SystemClock()) as ledger:
        for number in range(30):
            ledger.heard(f"a{number // 10}", nobody=True)
            ledger.heard("b", nobody=None)
        assert ledger.unheard() == ("a0", "a1", "a2")
        assert failures(ledger) == ()
        for number in range(3, DRIFT):
            assert failures(ledger) == ()
            ledger.heard(f"a{number}", nobody=True)
        assert [one.code for one in failures(ledger)] == ["format_drift"]
        for number in range(100):
            ledger.heard(f"c{number}", nobody=True)
        assert len(ledger.unheard()) == 20
        assert [one.code for one in failures(ledger)] == ["format_drift"]
        ledger.heard("d", nobody=False)
        assert ledger.unheard() == ()


def passes(ledger: Ledger, *outcomes: Outcome, days_ago: float = 1.0) -> None:
    for outcome in outcomes:
        number = ledger.start_run(session_key="claude-code:a")
        ended = ledger.now() - days_ago * 86400
        ledger.end_run(Run(id=number, session_key="claude-code:a", ended=ended, outcome=outcome))


def asked(ledger: Ledger, count: int) -> None:
    day = f"{datetime.now().astimezone():%Y-%m-%d}"
    ledger.spend(Spent(day=day, project="/p", kind="extract", model="m", passes=count, requests=count))


def test_a_model_that_saves_nothing_for_a_week_although_people_spoke_is_a_warning_until_it_saves(home: Path) -> None:
    """Nothing written in sixty nights, and "ok" each time (OC#80076, OC#96118)."""
    del home
    with open_ledger(find_paths(os.environ).ledger, SystemClock()) as ledger:
        passes(ledger, *[Outcome.NOTHING] * FRUITLESS)
        assert failures(ledger) == ()  # the rules find only what is unmistakable: no alarm
        asked(ledger, FRUITLESS)
        (found,) = failures(ledger)
        assert (found.code, found.is_grave) == ("saves_nothing", False)
        assert "memd extract --last --again --dry-run" in found.text
        passes(ledger, Outcome.HELD)
        assert "memd review list" in failures(ledger)[0].text
        passes(ledger, Outcome.SAVED)
        assert failures(ledger) == ()


@pytest.mark.parametrize(
    ("outcome", "count", "days_ago"),
    [(Outcome.NOTHING, FRUITLESS - 1, 1.0), (Outcome.SKIPPED, 99, 1.0), (Outcome.NOTHING, 99, 8.0)],
    ids=["too few", "nobody spoke", "long ago"],
)
def test_what_is_no_reason_to_warn(home: Path, outcome: Outcome, count: int, days_ago: float) -> None:
    del home
    with open_ledger(find_paths(os.environ).ledger, SystemClock()) as ledger:
        asked(ledger, 99)
        passes(ledger, *[outcome] * count, days_ago=days_ago)
        assert failures(ledger) == ()


def test_it_stands_in_status_as_a_warning(home: Path) -> None:
    (home / "shop").mkdir()
    with open_ledger(find_paths(os.environ).ledger, SystemClock()) as ledger:
        passes(ledger, *[Outcome.NOTHING] * FRUITLESS)
        asked(ledger, FRUITLESS)
    assert "WARN: the model looked at 20 conversations within a week and saved nothing" in memd("status").stdout
