"""Several team memories on one machine: a few are synced at once, and none waits for another's remote."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.daemon import members
from memd.daemon.members import SETTLE
from memd.daemon.teams import ANYBODY, AT_ONCE, PULLS
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import last
from memd.team.nouns import Outcome, SyncReport
from tests.daemon.team_world import World, machine

PULL = 300.0


@pytest.fixture
def world(home: Path) -> Iterator[World]:
    """Nobody shares anything yet."""
    with machine(home) as made:
        yield made


def joined(world: World, *hosts: str) -> list[Membership]:
    """Projects that share their memories, each through a remote of that host."""
    return [world.join(f"{host}{number}", f"git@{host}:{number}.git") for number, host in enumerate(hosts)]


def settled(world: World, *hosts: str) -> list[Membership]:
    """Those, in step with their remotes."""
    members = joined(world, *hosts)
    world.teams.gather()
    left = {one.key: one for one in members}
    while left:
        world.turn()
        for key in world.syncers.started:
            world.ends(left.pop(key))
        world.syncers.started.clear()
    return members


def edits(world: World, one: Membership) -> None:
    """Somebody saves a memory, and two seconds pass."""
    world.teams.heed(frozenset({world.write(one, "project_a.md")}))
    world.clock.advance(SETTLE)


def test_a_few_are_synced_at_once_and_the_others_as_soon_as_there_is_room(world: World) -> None:
    members = {one.key: one for one in joined(world, "a", "b", "c", "d", "e")}
    world.teams.gather()
    assert math.isinf(world.turn())
    assert len(world.syncers.started) == PULLS
    world.ends(members[world.syncers.started[1]])
    world.turn()
    assert len(world.syncers.started) == PULLS + 1
    for key in world.syncers.started[2:]:
        world.ends(members[key])
    world.turn()
    assert sorted(world.syncers.started) == sorted(members)


def test_one_that_hangs_delays_no_other_s_edit(world: World) -> None:
    hanging, other = settled(world, "a", "b")
    edits(world, hanging)
    world.turn()
    edits(world, other)
    world.turn()
    assert world.syncers.started == [hanging.key, other.key]


def test_one_of_them_is_never_synced_twice_at_once(world: World) -> None:
    (one,) = settled(world, "a")
    edits(world, one)
    world.turn()
    edits(world, one)
    world.teams.gather(hurry=True)
    assert math.isinf(world.turn())
    assert world.syncers.started == [one.key]


def test_those_that_failed_last_leave_room_for_the_others(world: World) -> None:
    good = settled(world, "g")[0]
    bad = {one.key: one for one in failed(world, "a", "b", "c")}
    world.teams.gather()
    assert world.turn() == PULL  # when the good one is due, whatever becomes of them
    assert len(world.syncers.started) == ANYBODY
    world.clock.advance(PULL)
    world.turn()
    assert world.syncers.started[ANYBODY:] == [good.key]
    world.ends(bad[world.syncers.started[0]], Outcome.OFFLINE)
    world.turn()
    assert len(world.syncers.started) == ANYBODY + 1  # a good one and one of them
    world.ends(good)
    world.turn()
    assert set(world.syncers.started) == {good.key, *bad}


def failed(world: World, *hosts: str) -> list[Membership]:
    """Those that did not get through before this daemon was there."""
    bad = joined(world, *hosts)
    for one in bad:
        last.save(one, last.after(None, SyncReport(outcome=Outcome.OFFLINE), at=0.0, shape={}))
    return bad


def test_an_edit_finds_a_place_while_all_the_others_hang(world: World) -> None:
    good = settled(world, "g")[0]
    failed(world, "a", "b")
    joined(world, "c", "d", "e")
    world.teams.gather()
    world.turn()
    assert len(world.syncers.started) == PULLS
    edits(world, good)
    world.turn()
    assert world.syncers.started[PULLS:] == [good.key]
    assert len(world.syncers.started) == AT_ONCE


def test_a_pull_that_is_late_is_no_edit(world: World) -> None:
    good = settled(world, "g")[0]
    path = world.write(good, "project_a.md")
    last.save(good, last.after(None, SyncReport(outcome=Outcome.NOTHING), at=0.0, shape=last.shape(good)))
    world.clock.advance(PULL - SETTLE)
    joined(world, "a", "b", "c")
    world.teams.gather()
    world.turn()
    world.teams.heed(frozenset({path}))  # an event of what a sync wrote
    world.clock.advance(SETTLE)
    assert math.isinf(world.turn())
    assert good.key not in world.syncers.started


def test_one_host_never_takes_more_places_than_are_anybody_s(world: World) -> None:
    *those, other = settled(world, "a", "a", "a", "b")
    for one in those:
        edits(world, one)
    world.turn()
    assert len(world.syncers.started) == ANYBODY
    edits(world, other)
    world.turn()
    assert world.syncers.started[ANYBODY:] == [other.key]


def test_who_fares_well_with_a_host_waits_for_none_who_does_not(world: World) -> None:
    good = settled(world, "a")[0]
    failed(world, "b", "a")
    world.teams.gather()
    world.turn()
    assert len(world.syncers.started) == ANYBODY
    edits(world, good)
    world.turn()
    assert world.syncers.started[ANYBODY:] == [good.key]


@pytest.mark.parametrize(
    ("remote", "host"),
    [
        ("git@git.example.org:shop/memory.git", "git.example.org"),
        ("git.example.org:memory.git", "git.example.org"),
        ("ssh://git@git.example.org/memory.git", "git.example.org"),
        ("https://git.example.org:8443/memory.git", "git.example.org:8443"),
        ("/srv/git:x/memory.git", "/srv/git:x/memory.git"),
        ("file:///srv/memory.git", "file:///srv/memory.git"),
    ],
)
def test_who_has_to_answer(world: World, remote: str, host: str) -> None:
    assert members.new(world.join(remote=remote), 0.0).host == host


def test_a_machine_in_no_state_for_the_network_syncs_with_a_path_all_the_same(world: World) -> None:
    far, near = world.join("far", "git@a:x.git"), world.join("near", "/srv/git")
    reasons = {far.remote: "metered", near.remote: None}
    world.teams.adopt(replace(world.setup, sync_held_up=lambda remote: lambda: reasons[remote]))
    world.teams.gather()
    assert world.turn() == 60
    assert world.syncers.started == [near.key]


def test_another_interval_counts_at_once(world: World) -> None:
    (one,) = settled(world, "a")
    world.clock.advance(30)
    world.with_settings('[team]\npull = "20s"\n')
    world.turn()
    assert world.syncers.started == [one.key]
    world.ends(one)
    world.with_settings('[team]\npull = "1h"\n')
    assert world.turn() == 3600


def test_another_interval_changes_no_wait_that_has_nothing_to_do_with_it(world: World) -> None:
    (one,) = settled(world, "a")
    world.clock.advance(PULL)
    world.turn()
    world.dies(one, -9)
    world.with_settings('[team]\npull = "1h"\n')
    assert world.turn() == 10


def test_one_that_is_left_while_it_is_synced_is_ended(world: World) -> None:
    one, other = joined(world, "a", "b")
    world.teams.gather()
    world.turn()
    membership.forget(one)
    world.teams.gather()
    assert world.syncers.ended == [world.syncers.pids[one.key]]
    world.teams.gather()
    assert len(world.syncers.ended) == 1
    assert world.teams.working
    world.dies(one, -9)
    world.ends(other)
    assert not world.teams.working
    assert not one.directory.exists()


def test_whoever_joins_again_at_once_has_not_failed(world: World) -> None:
    one = world.join()
    world.teams.gather()
    world.turn()
    first = world.syncers.pids[one.key]
    membership.forget(one)
    world.teams.gather()
    membership.note(one, world.setup.clock.now())
    world.teams.gather()
    world.turn()
    assert world.syncers.started == [one.key, one.key]
    world.syncers.pids[one.key], second = first, world.syncers.pids[one.key]
    world.dies(one, -9)
    assert last.load(one) is None
    world.syncers.pids[one.key] = second
    world.ends(one)
    assert world.turn() == PULL


def test_several_join_and_leave_at_once(world: World) -> None:
    one, other = settled(world, "a", "b")
    fresh = joined(world, "c", "d")
    membership.forget(one)
    world.teams.gather()
    assert set(world.teams.places()) == {each.team for each in (other, *fresh)}
    world.turn()
    assert sorted(world.syncers.started) == sorted(each.key for each in fresh)
