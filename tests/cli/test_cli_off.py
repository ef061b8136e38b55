"""`memd off`: nothing is learnt from a conversation that is off the record."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Memd, Near
from tests.fakes.claude_lines import SESSION
from tests.fakes.talk import converse


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


def test_there_is_a_way_back(memd: Memd) -> None:
    converse(memd.memory, memd.project)
    memd.inside("off", SESSION)
    assert "on the record" in memd.inside("off", SESSION, "--undo").out
    assert memd.inside("extract", "--last", "--json").json["outcome"] == "saved"


def test_an_unknown_conversation_is_said(memd: Memd) -> None:
    assert memd.inside("off", "nobody").code == 2
