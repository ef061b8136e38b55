"""When team memories are synced: at the start, after a change, at intervals, and how failures are borne."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon import teams
from memd.daemon.members import SETTLE, rest
from memd.daemon.teams import Teams
from memd.daemon.workers import Workers
from memd.memory import membership
from memd.team import last
from memd.team.nouns import Outcome, SyncReport
from tests.daemon.team_world import World, machine

PULL = 300.0


@pytest.fixture
def world(home: Path) -> Iterator[World]:
    """Nobody shares anything yet."""
    with machine(home) as made:
        yield made


def test_where_nobody_shares_anything_nothing_is_ever_due(world: World) -> None:
    world.teams.gather()
    world.teams.look()
    assert world.teams.heed(frozenset({"/a/b.md"})) == {"/a/b.md"}
    assert math.isinf(world.turn())
    assert world.syncers.started == []


def test_without_a_process_for_it_nothing_is_gathered(world: World) -> None:
    world.join()
    none = Teams(world.setup, world.ledger, None)
    none.gather(hurry=True)
    assert math.isinf(asyncio.run(none.employ()))
    assert none.places() == ()


def test_it_is_pulled_again_after_five_minutes(world: World) -> None:
    one = world.join()
    world.settled(one)
    assert world.turn() == PULL
    world.clock.advance(PULL - 1)
    assert world.turn() == 1.0
    world.clock.advance(1)
    world.turn()
    assert world.syncers.started == [one.key]


def test_a_change_is_sent_two_seconds_after_the_last_one(world: World) -> None:
    one = world.join()
    world.settled(one)
    path = world.write(one, "project_a.md")
    assert world.teams.heed(frozenset({path, "/elsewhere"})) == {"/elsewhere"}
    assert world.turn() == SETTLE
    world.clock.advance(1.5)
    world.teams.heed(frozenset({world.write(one, "project_b.md")}))
    assert world.turn() == SETTLE
    world.clock.advance(SETTLE)
    world.turn()
    assert world.syncers.started == [one.key]


def test_what_a_sync_itself_wrote_is_no_change(world: World) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    path = world.write(one, "project_a.md")
    world.ends(one, Outcome.SYNCED, received=("project_a.md",))
    world.syncers.started.clear()
    world.teams.heed(frozenset({path, str(one.team / "MEMORY.md"), str(one.team / ".memd-0.tmp")}))
    world.clock.advance(SETTLE)
    assert world.turn() == PULL - SETTLE
    assert world.syncers.started == []


def test_an_edit_while_a_sync_goes_on_is_sent_after_it(world: World) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    known = last.after(None, SyncReport(outcome=Outcome.NOTHING), at=0.0, shape=last.shape(one))
    last.save(one, known)
    world.write(one, "project_a.md")
    world.dies(one)
    assert world.turn() == SETTLE


def test_an_edit_that_an_event_told_of_meanwhile_waits_no_longer_for_that(world: World) -> None:
    one = world.join()
    world.settled(one)
    world.clock.advance(PULL)
    world.turn()
    world.teams.heed(frozenset({str(one.team / "project_a.md")}))
    world.clock.advance(1.5)
    last.save(one, last.after(None, SyncReport(outcome=Outcome.NOTHING), at=0.0, shape=last.shape(one)))
    world.write(one, "project_a.md")
    world.dies(one)
    assert world.turn() == SETTLE - 1.5


def test_a_change_that_no_event_told_of_is_found_by_a_look(world: World) -> None:
    one = world.join()
    world.settled(one)
    world.write(one, "project_a.md")
    assert world.turn() == PULL
    world.teams.look()
    assert world.turn() == SETTLE


def test_the_index_alone_is_no_change(world: World) -> None:
    one = world.join()
    world.settled(one)
    world.teams.heed(frozenset({world.write(one, "MEMORY.md")}))
    world.teams.look()
    assert world.turn() == PULL


@pytest.mark.parametrize(
    ("outcome", "waits"),
    [
        (Outcome.OFFLINE, [15, 30, 60, 120, 240, 300, 300]),
        (Outcome.DENIED, [300, 600, 1200, 2400, 3600, 3600]),
        (Outcome.FAILED, [300, 600, 1200, 2400, 3600, 3600]),
        (Outcome.MISSING, [15, 30, 60, 120, 240, 300, 300]),  # it is a path, and may be mounted again
    ],
    ids=str,
)
def test_failures_are_tried_again_after_longer_and_longer(world: World, outcome: Outcome, waits: list[int]) -> None:
    one = world.join()
    world.teams.gather()
    for wait in waits:
        assert math.isinf(world.turn())
        world.ends(one, outcome)
        assert world.turn() == wait
        world.clock.advance(wait)
    world.turn()
    world.ends(one)
    assert world.turn() == PULL


@pytest.mark.parametrize("outcome", [Outcome.DENIED, Outcome.REFUSED], ids=str)
def test_a_change_hurries_nothing_while_a_person_must_act(world: World, outcome: Outcome) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    world.ends(one, outcome)
    world.teams.heed(frozenset({world.write(one, "project_a.md")}))
    assert world.turn() == PULL


@pytest.mark.parametrize("outcome", [Outcome.OFFLINE, Outcome.FAILED, Outcome.UNWRITABLE, Outcome.MISSING], ids=str)
def test_a_change_asks_for_a_try_after_any_other_failure(world: World, outcome: Outcome) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    world.ends(one, outcome)
    world.teams.heed(frozenset({world.write(one, "project_a.md")}))
    assert world.turn() == SETTLE


def test_a_sync_by_hand_mends_it(world: World) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    world.ends(one, Outcome.DENIED)
    known = last.load(one)
    last.save(one, last.after(known, SyncReport(outcome=Outcome.SYNCED), at=0.0, shape=last.shape(one)))
    world.teams.gather()
    world.teams.heed(frozenset({world.write(one, "project_a.md")}))
    assert world.turn() == SETTLE


@pytest.mark.parametrize("code", [1, -9, 70])
def test_a_process_that_dies_is_said_and_borne(world: World, code: int) -> None:
    one = world.join()
    world.settled(one)
    world.clock.advance(PULL)
    world.turn()
    world.ends(one, code=code)
    assert "team_sync_ended" in world.log.getvalue()
    known = last.load(one)
    assert known is not None
    assert (known.outcome, known.reason, known.failures) == (Outcome.FAILED, "the last sync ended unfinished", 1)
    assert known.hint == "next try 10 s after that"
    for wait in (10, 20, 40):
        assert world.turn() == wait
        world.clock.advance(wait)
        world.turn()
        world.ends(one, code=code)
    world.teams.heed(frozenset({world.write(one, "project_a.md")}))
    assert world.turn() == SETTLE


def test_one_that_was_not_to_be_synced_has_not_died(world: World) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    world.dies(one)
    assert last.load(one) is None
    assert world.turn() == PULL


def test_one_whose_memory_is_off_by_now_is_not_started_again_and_again(world: World) -> None:
    one = world.join()
    world.settled(one)
    world.teams.heed(frozenset({world.write(one, "feedback_x.md")}))
    world.clock.advance(SETTLE)
    world.turn()
    assert world.syncers.started == [one.key]
    world.dies(one)  # it did nothing, and so left no word
    assert world.turn() == PULL


def test_one_that_somebody_else_syncs_is_tried_soon_and_in_silence(world: World) -> None:
    one = world.join()
    world.settled(one)
    world.clock.advance(PULL)
    world.turn()
    world.ends(one, code=4)
    assert world.turn() == 5
    assert "team_sync" not in world.log.getvalue()


def test_a_process_that_cannot_be_started_is_borne(world: World) -> None:
    world.join()
    world.syncers.refuse = True
    world.teams.gather()
    world.turn()
    assert not world.teams.working
    assert "team_sync_not_started" in world.log.getvalue()
    assert world.turn() == 10


def test_while_work_is_paused_nothing_begins(world: World) -> None:
    world.join()
    world.teams.gather()
    world.ledger.pause()
    assert math.isinf(world.turn())
    world.ledger.resume()
    world.turn()
    assert len(world.syncers.started) == 1


def test_what_was_left_is_forgotten(world: World) -> None:
    one = world.join()
    world.settled(one)
    membership.forget(one)
    world.teams.gather()
    assert world.teams.places() == ()
    assert math.isinf(world.turn())


def test_one_that_is_left_while_it_is_synced(world: World) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    membership.forget(one)
    world.teams.gather()
    world.dies(one, 1)
    assert not world.teams.working


def test_in_a_hurry_all_are_due(world: World) -> None:
    one = world.join()
    world.settled(one)
    world.teams.gather(hurry=True)
    world.turn()
    assert world.syncers.started == [one.key]


def test_once_means_once(world: World) -> None:
    one = world.join()
    once = replace(world.setup, once=True)
    world.teams = Teams(once, world.ledger, cast("Workers", world.syncers))
    world.teams.gather()
    world.turn()
    world.ends(one, Outcome.OFFLINE)
    assert math.isinf(world.turn())
    assert world.syncers.started == [one.key]


def test_a_machine_in_no_state_for_it_waits(world: World) -> None:
    one = world.join()
    world.teams.adopt(replace(world.setup, sync_held_up=lambda remote: lambda: f"no way to {remote}"))
    world.teams.gather()
    assert world.turn() == 60
    reason = {one.remote: None}
    world.teams.adopt(replace(world.setup, sync_held_up=lambda remote: lambda: reason[remote]))
    world.turn()
    assert len(world.syncers.started) == 1


def test_projects_that_the_settings_name_are_joined_when_memd_comes_across_them(world: World) -> None:
    (world.home / "shop").mkdir()
    world.with_settings('[team]\nremote = "/srv/git"\nbranch = "memd/{name}"\n')
    world.teams.gather()
    assert world.teams.places() == ()
    assert world.ledger.owner("slug-of-shop", str(world.home / "shop"))
    world.teams.gather()
    (one,) = membership.known(world.setup.paths)
    assert (one.project, one.branch, one.by) == (world.home / "shop", "memd/shop", "team.remote")
    world.turn()
    assert world.syncers.started == [one.key]
    world.with_settings("")
    world.teams.gather()
    assert world.teams.places() == ()


def test_the_interval_is_a_setting(world: World) -> None:
    world.with_settings('[team]\npull = "20s"\n')
    one = world.join()
    world.settled(one)
    assert world.turn() == 20


def test_stopping_ends_what_works(world: World) -> None:
    asyncio.run(world.teams.stop())
    assert world.syncers.stopped


@given(st.sampled_from(Outcome), st.integers(0, 10_000), st.floats(1.0, 86_400.0))
def test_a_rest_is_never_without_end(outcome: Outcome, failures: int, usual: float) -> None:
    wait = rest(outcome, failures, usual)
    assert 0 < wait <= max(usual, 3600.0)


def test_the_process_gets_git_s_credentials_and_no_model_s(home: Path) -> None:
    environ = {"HOME": str(home), "SSH_AUTH_SOCK": "/run/agent", "ANTHROPIC_API_KEY": "k", "GIT_DIR": "/x"}
    staff = teams.syncer(environ)
    assert "ANTHROPIC_API_KEY" not in staff.environ
    assert "SSH_AUTH_SOCK" in staff.kept
    assert "GIT_DIR" not in staff.kept
