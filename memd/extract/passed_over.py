"""Files that a pass leaves out: their owner may take them for memories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memd.extract.house import House
from memd.memory import oddities
from memd.memory.workspace import Problem, Workspace


def told(memory_dir: Path, work: Workspace, proposed: Sequence[Problem], house: House) -> tuple[Problem, ...]:
    """What is odd in the memory directory and in a proposal, for the run's record; each is logged, by name and kind."""
    found = (*oddities.find(memory_dir), *oddities.not_text(work.base), *proposed)[: oddities.MOST]
    for one in found:
        house.log.warning("file_passed_over", path=one.path, what=one.what)
    return found
