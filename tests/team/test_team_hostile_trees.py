"""A hostile repository, through the real sync, looked at from outside."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from memd.team.nouns import Outcome, SyncReport
from tests.fakes.git_objects import Bare
from tests.fakes.hostile_trees import GOOD, KEY, NEW, TRICKS, Ground
from tests.fakes.team_machine import Machine, left_running, memory

MINE = memory("Mine: the release train leaves on Tuesdays.")
SHARED = memory("Shared by all.\n\nThe first line.\n\nThe middle.\n\nThe last line.")
EDITED = SHARED.replace(b"The last line.", b"The last line, edited here.")
SECONDS = 30.0
BYTES = 100 * 1024 * 1024  # of memd's own


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A remote and a machine that agree, to be copied."""
    root = tmp_path_factory.mktemp("agreed") / "root"
    bare = Bare.made(root / "remote" / "memory.git")
    bare.point("memd", bare.commit({"project_good.md": memory("Good."), "project_shared.md": SHARED}))
    machine = Machine.made(root, str(bare.path))
    assert machine.sync().outcome is Outcome.SYNCED
    machine.write("project_mine.md", MINE)
    machine.write("project_shared.md", EDITED)
    return root


@pytest.fixture
def pair(agreed: Path, tmp_path: Path) -> tuple[Bare, Machine]:
    """A remote, and a machine on which something was edited since."""
    root = tmp_path / "root"
    shutil.copytree(agreed, root, symlinks=True)
    return Bare(path=root / "remote" / "memory.git"), Machine.at(root, str(root / "remote" / "memory.git"))


def contained(machine: Machine, before: dict[str, str], patience: float = 20.0) -> SyncReport:
    """Sync, and see that nothing happened that may not."""
    began = time.monotonic()
    report = machine.sync(patience)
    assert time.monotonic() - began < SECONDS
    assert not machine.canary.exists()
    assert machine.outside() == before
    assert machine.odd() == []
    assert left_running() == []
    assert machine.size() < BYTES
    live = machine.live()
    assert live["project_mine.md"] == MINE
    assert b"edited here" in live["project_shared.md"]
    said = repr(report)
    assert KEY not in said
    assert said.isprintable()
    return report


TAKEN = {"project_good.md", "project_shared.md", "project_mine.md", GOOD}
HARMLESS = {"project_run.md", "project_setuid.md", "project_z.md", "project_a.md"}  # as plain files they may be there


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_of_a_hostile_repository_is_contained(pair: tuple[Bare, Machine], name: str) -> None:
    bare, machine = pair
    before = machine.outside()
    base = bare.git("rev-parse", "refs/heads/memd")
    bare.point("memd", TRICKS[name](Ground(bare=bare, base=base, canary=machine.canary)))
    report = contained(machine, before)
    live = machine.live()
    assert live.keys() <= TAKEN | HARMLESS
    if report.in_order:
        assert live.get(GOOD) == NEW or name == "out of order"
    else:  # git itself would not take it
        assert report.outcome in {Outcome.REFUSED, Outcome.OFFLINE, Outcome.FAILED}
        assert report.reason


def test_there_are_enough_tricks() -> None:
    assert len(TRICKS) >= 50
