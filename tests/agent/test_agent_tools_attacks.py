"""Commands meant to do harm: asked of the tool, run behind its back, and tried from inside. Looked at from outside."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from memd.agent import sandbox
from tests.agent.attacks.ground import Ground, attacker, made, snapshot, told
from tests.agent.attacks.run import BROKEN, attacks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks are on Linux's guard")


@pytest.fixture
def ground() -> Iterator[Ground]:
    found = attacker()
    if found is None:
        pytest.skip("no interpreter of this version that a user without rights can start")
    with made(*found) as place:
        yield place


def test_there_are_many_attacks_with_ids_of_their_own() -> None:
    commands, kernel = dict(attacks("commands")), dict(attacks("kernel"))

    assert len(commands) >= 250
    assert len(kernel) >= 80
    assert len(set(commands.values())) == len(commands)


@pytest.mark.parametrize("way", ["tool", pytest.param("behind", marks=pytest.mark.deep)])
def test_no_command_has_an_effect_or_tells_a_secret(ground: Ground, way: str) -> None:
    if reason := sandbox.available():
        pytest.skip(reason)
    before = snapshot(ground.root)

    answers = ground.attack(way)

    assert answers.keys() == dict(attacks("commands")).keys()
    assert ground.effects() == []
    assert snapshot(ground.root) == before
    assert told(answers) == []


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.deep)])  # two interpreters each
def test_nothing_that_runs_inside_gets_out(ground: Ground, every: int) -> None:
    if reason := sandbox.available():
        pytest.skip(reason)
    before = snapshot(ground.root)

    answers = ground.attack("kernel", every=every)

    assert answers.keys() == dict(attacks("kernel", every)).keys()
    assert ground.effects() == []
    assert snapshot(ground.root) == before
    assert [key for key, text in answers.items() if BROKEN in text] == []
    assert [key for key, text in answers.items() if "Traceback" in text or "not started" in text] == []
    assert told(answers) == []


@pytest.mark.deep
def test_the_same_commands_do_harm_where_nothing_holds_them(ground: Ground) -> None:
    answers = ground.attack("plain")

    assert len([key for key, names in answers.items() if names]) >= 100
