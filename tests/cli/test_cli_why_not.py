"""`memd why SESSION`: why a conversation left what it left, or nothing."""

from __future__ import annotations

import pytest

from memd.clock import SystemClock
from memd.ledger import JobRequest, Session, open_ledger
from tests.cli.conftest import Memd
from tests.fakes.claude_lines import SESSION
from tests.fakes.talk import RULE, converse

DAY = 86400.0


def test_every_pass_has_its_reason_newest_first(memd: Memd) -> None:
    transcript = converse(memd.memory, memd.project)
    memd.inside("extract", SESSION)
    memd.inside("extract", SESSION)
    for name in (SESSION, SESSION[:8], str(transcript), transcript.name):
        lines = memd.inside("why", name).out.splitlines()
        assert lines[0] == f"conversation {SESSION}"
        assert [line.partition(":")[0].split()[1] for line in lines[1:]] == ["2", "1"]
        assert lines[1].endswith(": skipped: nothing new in it")
        assert "saved: created feedback_" in lines[2]
    said = memd.inside("why", SESSION, "--json").json
    assert [(run["outcome"], run["reason"]) for run in said["runs"]] == [("skipped", "nothing_new"), ("saved", None)]


@pytest.mark.parametrize(("switch", "said"), [("MEMD_DISABLE", "memory is off there"), ("", "is off the record")])
def test_every_skip_has_a_reason(memd: Memd, switch: str, said: str) -> None:
    converse(memd.memory, memd.project)
    if not switch:
        memd.inside("off", SESSION)
    memd.inside("extract", SESSION, environ={switch: "1"} if switch else None)
    assert said in memd.inside("why", SESSION).out


def test_what_waits_says_for_what(memd: Memd) -> None:
    transcript = converse(memd.memory, memd.project, RULE, mtime=SystemClock().now().timestamp() - 9 * DAY)
    seen = Session(key=f"claude-code:{SESSION}", agent="claude-code", session_id=SESSION, path=str(transcript))
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.note_session(seen)
        assert "no pass has looked at it yet" in memd.inside("why", SESSION).out
        ledger.enqueue(JobRequest(session_key=seen.key))
    assert "in the queue" in memd.inside("why", SESSION).out
    memd.inside("pause")
    assert "memd is paused" in memd.inside("why", SESSION).out
    assert memd.inside("why", SESSION, "--json").json["unfinished"][0]["reason"] == "queued"


def test_what_was_there_before_memd_says_so(memd: Memd) -> None:
    converse(memd.memory, memd.project, RULE, mtime=SystemClock().now().timestamp() - 9 * DAY)
    memd.inside("run", "--once")
    assert "`memd backfill`" in memd.inside("why", SESSION).out


def test_a_memory_comes_first_and_what_is_neither_is_said(memd: Memd) -> None:
    for session in ("cafe1111-1", "cafe2222-2"):
        converse(memd.memory, memd.project, session=session)
        memd.inside("extract", session)
    memd.remember("tabs", "Never use tabs").rename(memd.memory / "cafe.md")
    assert "origin of cafe.md" in memd.inside("why", "cafe").out
    several = memd.inside("why", "cafe.jsonl")
    assert (several.code, "2 conversations" in several.err) == (2, True)
    unknown = memd.inside("why", "beef1234")
    assert (unknown.code, "no beef1234.md" in unknown.err) == (2, True)
