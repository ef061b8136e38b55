"""What a dream stands on: the memories as they are, and what the history knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.dream import origins
from memd.dream.gates import Place
from memd.dream.house import House
from memd.memory import history, standing, whose, workspace
from memd.memory.journal import Record
from memd.memory.layout import INDEX
from memd.memory.quotes import Quote
from memd.memory.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Read once, when a dream begins."""

    place: Place
    records: tuple[Record, ...]  # the history, newest first
    quotes: Mapping[str, tuple[Quote, ...]]  # what each memory was made from
    foreign: frozenset[str]  # the files in which something is a person's
    topics: Mapping[str, bytes]  # as they were before the first part

    @property
    def memory_dir(self) -> Path:
        """Where the memories are."""
        return self.place.memory_dir


def ground(place: Place, house: House) -> Ground:
    """Read it."""
    records = tuple(history.runs(house.paths.history))
    with workspace.make(place.memory_dir, house.paths.scratch) as work:
        topics = topics_of(work)
    return Ground(
        place=place,
        records=records,
        quotes=origins.words_of(standing.in_force(records), str(place.memory_dir)),
        foreign=whose.foreign(place.memory_dir, history=house.paths.history, past=records),
        topics=topics,
    )


def topics_of(work: Workspace) -> dict[str, bytes]:
    """What a private copy began with, but for the index."""
    return {path: data for path, data in work.base.items() if path != INDEX}
