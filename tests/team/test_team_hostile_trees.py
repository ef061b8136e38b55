"""A hostile repository, through the real sync, looked at from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.team.nouns import Outcome
from tests.fakes.git_objects import Bare
from tests.fakes.hostile_trees import GOOD, NEW, TRICKS, Ground
from tests.fakes.team_machine import Machine
from tests.team import hostile


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every test begins with a copy of."""
    return hostile.agreed(tmp_path_factory.mktemp("agreed") / "root")


@pytest.fixture
def pair(agreed: Path, tmp_path: Path) -> tuple[Bare, Machine]:
    """A remote, and a machine on which something was edited since."""
    return hostile.copied(agreed, tmp_path / "root")


TAKEN = {"project_good.md", "project_shared.md", "project_mine.md", GOOD}
HARMLESS = {"project_run.md", "project_setuid.md", "project_z.md", "project_a.md"}  # as plain files they may be there


# What git or memd refuses for the same reason as another trick.
ALIKE = {f"a repository within ({n})" for n in range(1, 7)} | {
    "a dot tree", "an absolute name", "no mode", "a mailmap and an ignore", "only an ending", "another index, small",
    "not UTF-8", "very long", "a hidden secret", "NUL", "python in yaml", "setuid",
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name in ALIKE else name for name in TRICKS]
)
def test_a_trick_of_a_hostile_repository_is_contained(pair: tuple[Bare, Machine], name: str) -> None:
    bare, machine = pair
    before = machine.outside()
    base = bare.git("rev-parse", "refs/heads/memd")
    bare.point("memd", TRICKS[name](Ground(bare=bare, base=base, canary=machine.canary)))
    report = hostile.contained(machine, before)
    live = machine.live()
    assert live.keys() <= TAKEN | HARMLESS
    if report.in_order:
        assert live.get(GOOD) == NEW or name == "out of order"
    else:  # git itself would not take it
        assert report.outcome in {Outcome.REFUSED, Outcome.OFFLINE, Outcome.FAILED}
        assert report.reason


def test_there_are_enough_tricks() -> None:
    assert len(TRICKS) >= 50
    assert TRICKS.keys() >= ALIKE
