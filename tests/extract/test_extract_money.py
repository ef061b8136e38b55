"""Passes that spend: nothing is lost where the day ends in their middle, nothing is asked that could not be saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memd import files, worker
from memd.agent import money
from memd.errors import BudgetError
from memd.extract import run as extract
from memd.ledger import Outcome
from memd.ledger.spend import Spent
from memd.settings import Spending
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import Json, in_turn, serving, text, tool_use
from tests.fakes.model_pass import Passes, conversation, furnished

RULE = "from now on never mock the database in integration tests, a mocked one hid a broken migration"
LOOK = tool_use("Glob", {"pattern": "memory/*.md"})
SAVE = tool_use(
    "Write",
    {
        "file_path": "memory/feedback_no_db_mocks.md",
        "content": "---\nname: no-db-mocks\ndescription: Integration tests never mock the database\ntype: feedback\n"
        f'evidence:\n  - "{RULE}"\n---\nNever mock the database.\n',
    },
    call_id="toolu_02scripted",
)


def looks_first(request: Json) -> list[Json]:
    return {1: [LOOK], 3: [SAVE]}.get(len(request["messages"]), [text("all of it is saved now, that is it")])


@contextmanager
def spending(home: Path, caps: Spending) -> Iterator[Passes]:
    """A project whose passes spend money, by these caps."""
    with serving(in_turn()) as server, furnished(home, server) as passes:
        yield capped(passes, caps)


def capped(passes: Passes, caps: Spending) -> Passes:
    house = replace(passes.house, account="somebody", settings=replace(passes.house.settings, caps=caps))
    return replace(passes, house=house)


def test_a_pass_that_could_go_beyond_the_day_waits_for_tomorrow_or_for_a_higher_cap(home: Path) -> None:
    with spending(home, Spending()) as passes:
        passes.server.script = looks_first
        spent(passes, 1.96)
        number = passes.add(conversation(("human", RULE)))
        other = passes.add(conversation(("human", RULE)), session=lines.SESSION.replace("1", "2"))
        job = worker.next_job(passes.house)
        assert job is not None
        assert job.id == number
        worker.work(job, passes.house)
        assert passes.server.requests == ()
        behind = worker.next_job(passes.house)
        assert behind is not None
        assert behind.id == other  # it may have room
        passes.ledger.release(behind)
        left = next(one for one in passes.ledger.jobs() if one.id == number)
        assert left.put_off
        assert left.not_before - passes.ledger.now() == money.seconds_to_tomorrow(passes.clock)
        richer = capped(passes, Spending(day_dollars=9.0)).house
        for expected in (other, number):  # what was put off is behind the others
            again = worker.next_job(richer)
            assert again is not None
            assert again.id == expected
            worker.work(again, richer)
        assert "feedback_no_db_mocks.md" in passes.live()


def spent(passes: Passes, dollars: float) -> None:
    """So many were paid today already."""
    day = passes.clock.now().date().isoformat()
    passes.ledger.spend(Spent(day=day, project="/other", kind="extract", model="m", requests=1, dollars=dollars))


def test_a_day_with_little_room_ends_a_pass_with_what_it_wrote_and_pays_for_nothing_twice(home: Path) -> None:
    with spending(home, Spending(day_dollars=0.06)) as passes:
        done = passes.run(conversation(("human", RULE)), in_turn([text("I think. " * 600), SAVE], [LOOK], [LOOK]))
        assert done.outcome == Outcome.SAVED
        assert passes.ledger.jobs() == ()
        assert passes.ledger.spent_on(passes.clock.now().date().isoformat()).dollars <= 0.06


@pytest.mark.parametrize("most", [1, 2])
def test_a_day_that_ends_in_the_middle_of_a_pass_leaves_all_of_it_for_tomorrow(home: Path, most: int) -> None:
    with spending(home, Spending(day_requests=most)) as passes:
        with pytest.raises(BudgetError, match="requests were sent today"):
            passes.run(conversation(("human", RULE)), looks_first)
        assert len(passes.server.requests) == most
        known = passes.ledger.session(f"claude-code:{lines.SESSION}")
        assert known is not None
        assert (known.cursor, known.last_pass_at) == (None, None)
        assert passes.live() == {}
        (job,) = passes.ledger.jobs()
        passes.ledger.release(job)
        passes.clock.advance(86_400)
        again = passes.ledger.claim(lease=60.0)
        assert again is not None
        done = extract.run(again, capped(passes, Spending()).house)
        assert done.outcome == Outcome.SAVED
        assert "feedback_no_db_mocks.md" in passes.live()


def test_a_pass_that_reaches_its_own_cap_keeps_what_it_wrote(home: Path) -> None:
    with spending(home, Spending(pass_dollars=0.031)) as passes:
        done = passes.run(conversation(("human", RULE)), in_turn([text("I think. " * 600), SAVE], [LOOK]))
        assert done.outcome == Outcome.SAVED
        (request,) = passes.server.requests
        assert 1_024 <= request.body["max_tokens"] < 8_192
        assert passes.ledger.spent_on(passes.clock.now().date().isoformat()).dollars <= 0.031


def test_a_pass_whose_cap_has_no_room_for_a_request_waits_for_a_higher_one(home: Path) -> None:
    with spending(home, Spending(pass_dollars=0.01)) as passes:
        passes.server.script = looks_first
        passes.add(conversation(("human", RULE)))
        assert worker.next_job(passes.house) is None
        richer = capped(passes, Spending()).house
        job = worker.next_job(richer)
        assert job is not None
        worker.work(job, richer)
        assert "feedback_no_db_mocks.md" in passes.live()


def test_while_somebody_keeps_the_memory_nobody_is_asked_and_it_is_looked_at_ever_more_seldom(home: Path) -> None:
    with spending(home, Spending()) as passes:
        passes.memory.mkdir(parents=True)
        passes.server.script = looks_first
        passes.add(conversation(("human", RULE)))
        waits: list[float] = []
        with files.open_directory(passes.memory) as memory, files.locked(memory):
            for _ in range(3):
                job = passes.ledger.claim(lease=60.0)
                assert job is not None
                worker.work(job, passes.house)
                (left,) = passes.ledger.jobs()
                assert left.attempts == 0
                waits.append(left.not_before - passes.ledger.now())
                passes.clock.advance(waits[-1])
        assert waits == sorted(set(waits))
        assert passes.server.requests == ()
        assert passes.ledger.runs(5) == ()
        job = passes.ledger.claim(lease=60.0)
        assert job is not None
        assert extract.run(job, passes.house).outcome == Outcome.SAVED
