"""What went wrong with money elsewhere, and what was not done while all seemed well; one test a kind.

The reports stand in the docstrings. CC is anthropics/claude-code, CM thedotmack/claude-mem, CX openai/codex, GC
google-gemini/gemini-cli, OC openclaw/openclaw, QC QwenLM/qwen-code. "ok" every night with nothing written (OC#80076,
OC#96118) is in tests/daemon/test_daemon_failures.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from memd import worker
from memd.agent.backend import Task
from memd.agent.loop import request_tokens
from memd.cli.checkup import machine
from memd.cli.checkup.examined import examine
from memd.cli.checkup.finding import Level
from memd.daemon.failures import IDLE, failures
from memd.errors import MemdError
from memd.extract.gate import MORE, Skip
from memd.ledger import JobRequest, Outcome
from memd.settings import Spending
from tests.cli.conftest import Memd
from tests.dream.conftest import Bed
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import Answer, Failure, Json, in_turn, serving, text, tool_use
from tests.fakes.long_talk import looks, sentences, times_shown
from tests.fakes.model_pass import Passes, conversation, furnished
from tests.fakes.shop import Scripted, pass_house

RULE = "from now on never mock the database in integration tests, a mocked one hid a broken migration"
HOUR = 3600.0


@contextmanager
def spending(home: Path, caps: Spending) -> Iterator[Passes]:
    """A project whose passes spend money, by these caps."""
    with serving(in_turn()) as server, furnished(home, server) as passes:
        house = replace(passes.house, account="somebody", settings=replace(passes.house.settings, caps=caps))
        yield replace(passes, house=house)


def works(passes: Passes) -> None:
    """What a worker does: one job after the other while there is any."""
    while (job := worker.next_job(passes.house)) is not None:
        worker.work(job, passes.house)


def queued(passes: Passes, count: int) -> None:
    """So many conversations that are over."""
    for number in range(count):
        said = [record | {"uuid": f"{record['uuid']}-{number}"} for record in conversation(("human", RULE))]
        passes.add(said, session=f"{number:08}-0000-4000-8000-000000000000")


def goes_on(request: Json) -> Answer:
    """A model that always wants to look once more."""
    return [tool_use("Glob", {"pattern": "memory/*.md"}, call_id=f"toolu_{len(request['messages'])}")]


# Money


def test_money_24_idle_hours_with_a_full_queue_and_a_model_that_never_ends_spend_no_more_than_a_day_may(
    home: Path,
) -> None:
    """CM#2336, CM#2469, CX#19105, CX#40110: the quota gone in hours, 1,911 requests in five of them, while idle."""
    with spending(home, Spending(day_requests=12)) as passes:
        passes.server.script = goes_on
        queued(passes, 40)
        asked: list[int] = []
        for _ in range(24):
            works(passes)
            asked.append(len(passes.server.requests))
            passes.clock.advance(HOUR)
        assert max(asked[:12]) <= 12  # noon to midnight
        assert max(asked) <= 24  # and the next morning
        assert asked[0] == asked[11]
        turns = [body for body in passes.server.conversation() if len(body["messages"]) == 1]
        assert len(passes.server.requests) <= 5 * len(turns)
        assert all(passes.ledger.spent_on(day).requests <= 12 for day in ("2026-04-01", "2026-04-02"))
        assert len(passes.ledger.jobs()) + len(passes.ledger.runs(99)) >= 40  # and nothing is lost


def test_money_a_pass_has_its_tokens(home: Path) -> None:
    """CM#2336, CM#2469, CX#19105, CX#40110: the same within one pass."""
    with spending(home, Spending(pass_tokens=30_000)) as passes:
        passes.run(conversation(("human", RULE)), goes_on)
        assert sum(request_tokens(body) for body in passes.server.conversation()) <= 30_000


def test_money_a_refused_key_is_tried_once(home: Path) -> None:
    """CM#1481: a bad key tried 77,000 times in six days."""
    with spending(home, Spending()) as passes:
        passes.server.script = lambda _: Failure(status=401, kind="authentication_error")
        queued(passes, 5)
        for _ in range(6 * 4):
            works(passes)
            passes.clock.advance(6 * HOUR)
        assert len(passes.server.requests) == 1
        assert len(passes.ledger.jobs()) == 5


@pytest.mark.parametrize(("headers", "most"), [({"retry-after": "7200"}, 12), ({}, 60)], ids=["named", "unnamed"])
def test_money_a_busy_service_is_left_alone(home: Path, headers: dict[str, str], most: int) -> None:
    """CC#64328: a tight loop on 429. Looked at every ten minutes for a day; at most once in the time that it names."""
    with spending(home, Spending()) as passes:
        passes.server.script = lambda _: Failure(status=429, kind="rate_limit_error", headers=headers)
        queued(passes, 5)
        for _ in range(24 * 6):
            works(passes)
            passes.clock.advance(HOUR / 6)
        assert 5 <= len(passes.server.requests) <= most
        assert len(passes.ledger.jobs()) == 5


def test_money_what_tools_gave_back_is_cut_and_what_a_person_said_is_not(home: Path) -> None:
    """vectorize-io/hindsight#1573: three million tokens in half an hour, from blocks of tools."""
    with spending(home, Spending()) as passes:
        output = "".join(f"{number} files changed in build/{number}\n" for number in range(20_000))
        said = [part for number in range(10) for part in (("human", f"{RULE} ({number})"), ("tool", output))]
        passes.run(conversation(*said), in_turn())
        (first, *_) = passes.server.conversation()
        assert len(output) * 10 > 5_000_000
        assert request_tokens(first) < 50_000
        assert times_shown([f"{RULE} ({number})" for number in range(10)], [first]) == [1] * 10


def test_money_nothing_to_save_moves_the_cursor(home: Path) -> None:
    """QC#11471, GC#26522: a pass that found nothing left the cursor, and the same turn was forked for ever."""
    with spending(home, Spending()) as passes:
        done = passes.run(conversation(("human", "what does this function do?")), in_turn([text("nothing")]))
        assert done.outcome == Outcome.NOTHING
        asked = len(passes.server.requests)
        for _ in range(5):
            passes.ledger.enqueue(JobRequest(session_key=f"claude-code:{lines.SESSION}"))
            works(passes)
        assert len(passes.server.requests) == asked
        assert passes.ledger.runs(1)[0].reason == Skip.NOTHING_NEW


# Silent nothing


def breaks(_: Task) -> None:
    raise MemdError("no")


def test_nothing_a_dream_that_always_fails_is_told_and_holds_up_no_notes(bed: Bed) -> None:
    """QC PR#3087, CX#23129: extraction never ran because of an early return; consolidation stuck for ever."""
    bed.note("Always run make lint before a commit")
    for _ in range(IDLE):
        with pytest.raises(MemdError):
            bed.dream(Scripted(breaks), by_hand=False)
    assert [one.code for one in failures(bed.ledger)] == ["dreams_idle"]
    bed.note("Never push to main on a Friday")
    done = bed.dream(by_hand=False)
    assert done.outcome == Outcome.SAVED
    assert len([name for name in bed.files() if name != "MEMORY.md"]) == 2
    assert failures(bed.ledger) == ()


def test_nothing_a_dream_that_fails_before_it_begins_is_told_too(bed: Bed) -> None:
    """CX#23129: consolidation stuck, here by an unfinished run that cannot be finished."""
    bed.note("Always run make lint before a commit")
    for _ in range(IDLE):
        worker.give_up(bed.job(by_hand=False), pass_house(bed, Scripted()), "MemdError", MemdError("stuck"))
    assert [one.code for one in failures(bed.ledger)] == ["dreams_fail"]
    bed.clock.advance(1)
    assert bed.dream().outcome == Outcome.SAVED
    assert failures(bed.ledger) == ()


def test_nothing_is_believed_that_a_model_only_says(home: Path) -> None:
    """QC#6311: the cursor moved on, although what the model spoke of was never written."""
    with spending(home, Spending()) as passes:
        claims = in_turn([text("I saved it to memory/feedback_no_db_mocks.md and updated MEMORY.md.")])
        done = passes.run(conversation(("human", RULE)), claims)
        assert (done.outcome, done.files, passes.live()) == (Outcome.NOTHING, (), {})


def test_nothing_moves_the_cursor_where_a_write_failed(home: Path) -> None:
    """QC#6311: likewise, where the directory cannot be written to."""
    content = (
        "---\nname: no-db-mocks\ndescription: Integration tests never mock the database\ntype: feedback\n"
        f'evidence:\n  - "{RULE}"\n---\nNever mock the database in integration tests.\n'
    )
    save = tool_use("Write", {"file_path": "memory/feedback_no_db_mocks.md", "content": content})
    with spending(home, Spending()) as passes:
        passes.server.script = in_turn([save], [save], [save])
        passes.add(conversation(("human", RULE)))
        passes.memory.write_text("a file where the directory should be", "utf-8")
        works(passes)
        known = passes.ledger.session(f"claude-code:{lines.SESSION}")
        assert known is not None
        assert (known.cursor, len(passes.ledger.jobs())) == (None, 1)
        passes.memory.unlink()
        passes.clock.advance(2 * HOUR)
        works(passes)
        assert "feedback_no_db_mocks.md" in passes.live()


def test_nothing_is_too_long_to_be_looked_at(home: Path) -> None:
    """CX#38860: 31 % of the conversations failed for ever, since the model's window was too small for them."""
    said = sentences(38860, 400)
    with spending(home, Spending(pass_tokens=24_000)) as passes:
        passes.add(conversation(("human", "".join(said))))
        works(passes)
        outcomes = [(run.outcome, run.reason) for run in reversed(passes.ledger.runs(99))]
        assert outcomes == [(Outcome.NOTHING, MORE)] * (len(outcomes) - 1) + [(Outcome.NOTHING, None)]
        assert len(outcomes) > 1
        assert times_shown(said, looks(passes.server)) == [1] * len(said)
        assert all(request_tokens(body) < 24_000 for body in passes.server.conversation())


def test_nothing_a_full_disk_is_told(near: Memd, monkeypatch: pytest.MonkeyPatch) -> None:
    """NousResearch/hermes-agent#79472: the store was full, what should have been written dropped, and nobody told."""
    assert "disk" not in near.inside("status").out
    full = SimpleNamespace(f_bavail=100, f_bfree=100, f_blocks=10**6, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    assert "FAIL: the disk is full: 0 MB are left for " in near.inside("status").out
    assert [one["code"] for one in json.loads(near.inside("status", "--json").out)["health"]["failures"]] == [
        "disk_full"
    ]
    (found,) = machine.disk(examine(os.environ, str(near.project)))
    assert (found.level, found.text[:14]) == (Level.FAIL, "0 MB free for ")
