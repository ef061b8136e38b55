"""`memd off`: nothing is learnt from a conversation that is off the record."""

from __future__ import annotations

import sqlite3

import pytest

from tests.cli.conftest import Memd, Near
from tests.fakes import claude_lines as lines
from tests.fakes.claude_lines import SESSION
from tests.fakes.talk import RULE, converse


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def test_nothing_becomes_a_memory_neither_by_hand_nor_by_the_daemon(memd: Memd) -> None:
    converse(memd.memory, memd.project)
    assert memd.inside("off", SESSION).code == 0
    answer = memd.inside("extract", "--last", "--json")
    assert (answer.json["outcome"], answer.json["reason"]) == ("skipped", "off_the_record")
    assert "off the record" in memd.inside("history").out
    assert memd("run", "--once", environ={"MEMD_EXTRACT_QUIET": "0s"}).code == 0
    assert not memd.memory.exists()


def test_the_daemon_leaves_it_alone(memd: Memd) -> None:
    converse(memd.memory, memd.project)
    memd.inside("off", SESSION[:6])
    assert memd("run", "--once", environ={"MEMD_EXTRACT_QUIET": "0s"}).code == 0
    assert not memd.memory.exists()


def test_the_way_back_is_from_there_on(memd: Memd) -> None:
    transcript = converse(memd.memory, memd.project)
    memd.inside("off", SESSION)
    said = memd.inside("off", SESSION, "--undo").out
    assert "on the record again" in said
    assert "stays out" in said
    for again in ((), ("--again",)):
        answer = memd.inside("extract", "--last", "--json", *again)
        assert (answer.json["outcome"], answer.json["reason"]) == ("skipped", "nothing_new")
    more = (lines.prompt("h2", f"ok. {RULE}"), lines.answer("a2", "m2", lines.text("Will do.")))
    lines.add(transcript, lines.packed(*({**one, "cwd": str(memd.project), "sessionId": SESSION} for one in more)))
    assert memd.inside("extract", "--last", "--json").json["outcome"] == "saved"


def test_undoing_what_was_never_done_changes_nothing(memd: Memd) -> None:
    converse(memd.memory, memd.project)
    assert "on the record" in memd.inside("off", SESSION, "--undo").out
    assert memd.inside("extract", "--last", "--json").json["outcome"] == "saved"


def test_what_can_be_kept_out_nowhere_stays_off_the_record(memd: Memd) -> None:
    transcript = converse(memd.memory, memd.project)
    memd.inside("off", SESSION)
    data = lines.packed(lines.prompt("h2", "and so on", cwd="elsewhere", sessionId=SESSION))
    transcript.write_bytes(data)
    with sqlite3.connect(memd.state / "ledger.sqlite3") as db:
        db.execute("UPDATE sessions SET cwd = NULL, root = NULL")
    assert memd.inside("off", SESSION, "--undo").code != 0
    with sqlite3.connect(memd.state / "ledger.sqlite3") as db:
        assert db.execute("SELECT state FROM sessions").fetchall() == [("off",)]


def test_an_unknown_conversation_is_said(memd: Memd) -> None:
    assert memd.inside("off", "nobody").code == 2
