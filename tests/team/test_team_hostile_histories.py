"""What a hostile remote does to its branch, through the real sync, looked at from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.team import incoming
from tests.fakes.git_objects import Bare
from tests.fakes.hostile_histories import EDITS, HISTORIES, played
from tests.fakes.hostile_trees import Ground
from tests.fakes.team_machine import Machine
from tests.team import hostile

SLOW = {
    "a hundred and twenty megabytes of nothing",
    "more files than a branch may have",
    "more memories than may be",
    "twenty thousand commits",
}


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every test begins with a copy of."""
    return hostile.agreed(tmp_path_factory.mktemp("agreed") / "root")


@pytest.fixture
def pair(agreed: Path, tmp_path: Path) -> tuple[Bare, Machine]:
    """A remote, and a machine on which something was edited since."""
    return hostile.copied(agreed, tmp_path / "root")


def _on(bare: Bare, machine: Machine) -> Ground:
    return Ground(bare=bare, base=bare.git("rev-parse", "refs/heads/memd"), canary=machine.canary)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_made_here_outlives_what_a_remote_does_to_its_file(pair: tuple[Bare, Machine], name: str) -> None:
    bare, machine = pair
    before = machine.outside()
    played(EDITS[name], _on(bare, machine))
    hostile.contained(machine, before)
    hostile.contained(machine, before)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name in SLOW else name for name in HISTORIES]
)
def test_a_trick_with_a_history_is_contained(pair: tuple[Bare, Machine], name: str) -> None:
    bare, machine = pair
    before = machine.outside()
    played(HISTORIES[name], _on(bare, machine))
    report = hostile.contained(machine, before)
    assert len(machine.live()) <= incoming.MOST_FILES + 1
    assert report.in_order or report.reason
