"""`memd pause` and `memd resume`, without a daemon; with one, see the tests of its socket."""

from __future__ import annotations

from memd.clock import SystemClock
from memd.ledger import open_ledger
from tests.cli.conftest import Memd


def paused(memd: Memd) -> bool:
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        return ledger.paused_at() is not None


def test_a_pause_is_kept_shown_and_taken_back(memd: Memd) -> None:
    assert memd("pause").code == 0
    assert paused(memd)
    since = memd.inside("status", "--json").json["daemon"]["paused"]
    assert since is not None
    assert "PAUSED" in memd.inside("status").out
    assert memd.inside("pause").code == 0
    assert memd.inside("status", "--json").json["daemon"]["paused"] == since  # since the first time
    assert memd("resume").code == 0
    assert not paused(memd)
    assert "PAUSED" not in memd.inside("status").out


def test_nothing_is_extracted_by_hand_either_while_paused(memd: Memd) -> None:
    memd.inside("pause")
    answer = memd.inside("extract", "--last")
    assert answer.code == 7
    assert "paused" in answer.err


def test_a_session_is_told_nothing_while_paused(memd: Memd) -> None:
    assert memd.inside("prompt").out
    memd.inside("pause")
    answer = memd.inside("prompt")
    assert (answer.code, answer.out, memd.inside("prompt", "--json").json["reason"]) == (0, "", "paused")
    shown = memd.inside("project", "show")
    assert "memory      off: memd is paused" in shown.out
    memd.inside("resume")
    assert memd.inside("prompt").out
