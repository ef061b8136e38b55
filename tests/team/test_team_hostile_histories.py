"""What a hostile remote does to its branch, through the real sync, looked at from outside."""

from __future__ import annotations

import os
import time
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


@pytest.mark.deep
@pytest.mark.timeout(300)
@pytest.mark.parametrize("refused", [False, True])
def test_a_remote_that_is_rewritten_again_and_again_does_not_fill_the_disk(
    pair: tuple[Bare, Machine],
    refused: bool,  # noqa: FBT001 - a case
) -> None:
    bare, machine = pair
    on, sizes = _on(bare, machine), []
    bare.git("config", "core.compression", "0")
    note = on.blob(b"x")
    many = [("100644", b"n%05d" % n, note) for n in range(incoming.MOST_ENTRIES + 10)] if refused else []
    for _ in range(7):
        bare.point("memd", on.commit(("100644", b"blob.bin", on.blob(os.urandom(50 << 20))), *many, parent=False))
        assert machine.sync().in_order is not refused
        old = time.time() - 3600
        for path in (machine.membership.repository / "objects").rglob("*"):
            os.utime(path, (old, old))  # an hour goes by
        sizes.append(machine.size() >> 20)
    assert max(sizes) < 300 < 7 * 50
    assert machine.live()["project_mine.md"] == hostile.MINE
