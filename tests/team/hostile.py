"""A machine that agrees with its remote until that turns hostile, and what has to hold afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path

from memd.team.nouns import Outcome, SyncReport
from tests.fakes.git_objects import Bare
from tests.fakes.hostile_trees import KEY
from tests.fakes.team_machine import Machine, left_running, memory

MINE = memory("Mine: the release train leaves on Tuesdays.")
SHARED = memory("Shared by all.\n\nThe first line.\n\nThe middle.\n\nThe last line.")
EDITED = SHARED.replace(b"The last line.", b"The last line, edited here.")
BYTES = 100 * 1024 * 1024  # of memd's own


def agreed(root: Path) -> Path:
    """A remote and a machine that agree, and on which something was edited since: to be copied."""
    bare = Bare.made(root / "remote" / "memory.git")
    bare.point("memd", bare.commit({"project_good.md": memory("Good."), "project_shared.md": SHARED}))
    machine = Machine.made(root, str(bare.path))
    assert machine.sync().outcome is Outcome.SYNCED
    machine.write("project_mine.md", MINE)
    machine.write("project_shared.md", EDITED)
    return root


def copied(template: Path, root: Path) -> tuple[Bare, Machine]:
    """A copy of both."""
    shutil.copytree(template, root, symlinks=True)
    return Bare(path=root / "remote" / "memory.git"), Machine.at(root, str(root / "remote" / "memory.git"))


def contained(machine: Machine, before: dict[str, str], patience: float = 20.0) -> SyncReport:
    """Sync, and see that nothing happened that may not.

    `patience` (seconds) is a remote's. That memd keeps to a bound is seen by the end of the sync: what goes on for ever
    is otherwise ended by pytest alone, and the test with it.
    """
    report = machine.sync(patience)
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
