"""What is said off the record reaches no model: not in its conversation, not in a fork of it, and not later on.

What is proven here is proven on the bytes that a service on loopback got.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.extract import off_record
from memd.extract import run as extract
from memd.ledger import JobRequest, Outcome, Session
from memd.ledger.nouns import OFF
from memd.transcripts import cursor as cursors
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import in_turn, serving, text
from tests.fakes.model_pass import Passes, conversation, furnished

PRIVATE = "The merger with Zanzibar Shipping is planned for the ninth of May, tell nobody"
ASKED = "Shall I also tell the Madagascar office about it?"
BEFORE = conversation(("human", "please build the crates for me today, all of them"), ("assistant", "Built."))
SAID = conversation(("human", PRIVATE), ("assistant", ASKED), start=10)
LATER = conversation(("human", "and now the second thing, about tide tables in metres"), start=20)
YES = conversation(("human", "yes"), start=30)
NOTHING = in_turn(otherwise=[text("nothing")])


@pytest.fixture
def passes(home: Path) -> Iterator[Passes]:
    """A project whose passes ask a model; none of them ever tells it what was said off the record."""
    with serving(NOTHING) as server, furnished(home, server) as made:
        yield replace(made, house=replace(made.house, account="somebody"))
        told = json.dumps([one.body for one in server.requests])
        assert "Zanzibar" not in told
        assert "Madagascar" not in told


def session(passes: Passes, name: str = lines.SESSION) -> Session:
    found = passes.ledger.session(f"claude-code:{name}")
    assert found is not None
    return found


def off(passes: Passes) -> None:
    passes.ledger.set_state(session(passes).key, OFF)


def on_again(passes: Passes) -> None:
    off_record.keep_out(session(passes), passes.house)
    passes.ledger.set_state(session(passes).key, "tracked")


def shown(passes: Passes) -> str:
    """What the last request holds."""
    return json.dumps(passes.server.requests[-1].body)


def test_what_was_said_meanwhile_stays_out_without_a_pass_in_between(passes: Passes) -> None:
    passes.run(BEFORE, NOTHING)
    off(passes)
    passes.add(SAID)
    on_again(passes)
    passes.run(LATER, NOTHING)
    assert "tide tables" in shown(passes)
    assert "the crates" in shown(passes)  # how it began, from before


def test_and_with_one(passes: Passes) -> None:
    passes.add(SAID)
    off(passes)
    assert passes.run([], NOTHING).reason == "off_the_record"
    on_again(passes)
    passes.run(YES, NOTHING)
    passes.run(LATER, NOTHING)
    assert "tide tables" in shown(passes)


def test_the_rest_of_an_answer_is_off_the_record_too(passes: Passes) -> None:
    passes.run(BEFORE, NOTHING)
    off(passes)
    passes.add(SAID[:1])
    on_again(passes)
    passes.run([*SAID[1:], *LATER], NOTHING)
    passes.run(YES, NOTHING)
    job = JobRequest(session_key=session(passes).key, again=True, by_hand=True, watermark=10**9)
    claimed = passes.ledger.claim(lease=60.0, only=passes.ledger.enqueue(job))
    assert claimed is not None
    extract.run(claimed, passes.house)
    assert "tide tables" in shown(passes)


def test_again_leaves_it_out(passes: Passes) -> None:
    passes.add([*BEFORE, *SAID])
    off(passes)
    on_again(passes)
    passes.add(LATER)
    job = JobRequest(session_key=session(passes).key, again=True, by_hand=True, watermark=10**9)
    claimed = passes.ledger.claim(lease=60.0, only=passes.ledger.enqueue(job))
    assert claimed is not None
    extract.run(claimed, passes.house)
    assert "tide tables" in shown(passes)
    assert "the crates" not in shown(passes)  # nothing had looked at it when the conversation was taken off the record


def test_a_conversation_that_was_noted_where_it_ended_is_kept_out_from_its_start(passes: Passes) -> None:
    passes.add(SAID)
    at_end = passes.house.transcripts.read(passes.transcript(), cursors.loads(None)).end
    passes.ledger.keep_out(session(passes).key, str(passes.project), (), cursor=cursors.dumps(at_end))
    off(passes)
    on_again(passes)
    passes.ledger.rewind(session(passes).key)
    assert passes.run(LATER, NOTHING).outcome == Outcome.NOTHING
    assert "tide tables" in shown(passes)


@pytest.mark.parametrize("seen", [True, False], ids=["after a pass", "before any"])
def test_a_fork_has_it_neither_in_what_is_new_nor_before_it(passes: Passes, seen: bool) -> None:  # noqa: FBT001 - a case
    passes.add(SAID)
    off(passes)
    if seen:
        passes.run([], NOTHING)
    passes.run([*SAID, *LATER], NOTHING, session="fork")
    passes.run(conversation(("human", "the third thing: harbour fees are in euros"), start=40), NOTHING, session="fork")
    assert "tide tables" in shown(passes)  # how the rest of it began
    assert "harbour fees" in shown(passes)


def test_a_short_answer_in_a_fork_does_not_bring_the_question(passes: Passes) -> None:
    passes.add(SAID)
    off(passes)
    passes.run([], NOTHING)
    passes.run(SAID, NOTHING, session="fork")
    passes.run(YES, NOTHING, session="fork")
    assert "yes" in shown(passes)


def test_marks_of_it_never_grow_old(passes: Passes) -> None:
    passes.add(SAID)
    off(passes)
    on_again(passes)
    passes.ledger.forget_before(passes.clock.now().timestamp() + 10**9)
    passes.run([*SAID, *LATER], NOTHING, session="fork")
    assert "tide tables" in shown(passes)
