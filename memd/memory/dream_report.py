"""What a dream did, for the run's record: counts, file names and reasons, never what a note said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

NAMED = 100  # dropped notes that a report names; it counts all


class Did(StrEnum):
    """What became of a topic."""

    ADDED = "added"
    UPDATED = "updated"
    MERGED = "merged"  # into another, which holds what it said
    REMOVED = "removed"  # to the history: it no longer holds


class Ended(StrEnum):
    """How a note of the daily log ended."""

    DISTILLED = "distilled"  # a memory holds it now
    MERGED = "merged"  # a memory held it already
    DROPPED = "dropped"  # deliberately, with a reason
    HELD = "held"  # what was made of it waits for a review
    CARRIED = "carried"  # left open for the next dream


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One topic's fate."""

    did: Did
    path: str
    into: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A memory directory in figures; bytes of the topics alone."""

    topics: int = 0
    bytes: int = 0
    index_lines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedNote:
    """Where a note stands of which nothing came; its words are in the log alone, so that they go when it goes."""

    path: str  # the log's, relative to the memory directory
    id: str  # of its line
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamReport:
    """A dream in a minute's reading."""

    before: Size = Size()
    after: Size = Size()
    steps: tuple[Step, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)  # how many ended in which way
    reasons: Mapping[str, int] = field(default_factory=dict)  # why notes were dropped
    dropped: tuple[DroppedNote, ...] = ()  # the first of them that may be shown
    part: int = 1  # of a backlog that took several
    of: int = 1


def merged(parts: Sequence[DreamReport]) -> DreamReport:
    """One report of a backlog's parts, which are given in their order: what holds now against what held before."""
    if not parts:
        return DreamReport()
    return DreamReport(
        before=parts[0].before,
        after=parts[-1].after,
        steps=_overall(step for part in parts for step in part.steps),
        notes=_summed(part.notes for part in parts),
        reasons=_summed(part.reasons for part in parts),
        dropped=tuple(note for part in parts for note in part.dropped)[:NAMED],
        part=parts[-1].part,
        of=parts[-1].of,
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))


def _overall(steps: Iterable[Step]) -> tuple[Step, ...]:
    """One step a topic, by what became of it in the end; one that came and went again is not told of."""
    found: dict[str, Step | None] = {}
    moved: dict[str, str | None] = {}
    for step in steps:
        found[step.path] = _after(found[step.path], step) if step.path in found else step
        moved.pop(step.path, None)
        if step.did in _GOING:
            moved[step.path] = step.into
    told = (_followed(step, moved) for step in found.values() if step is not None)
    return tuple(sorted(told, key=lambda step: (_ORDER.index(step.did), step.path)))


def _after(earlier: Step | None, later: Step) -> Step | None:
    was_there = earlier is not None and earlier.did is not Did.ADDED
    if later.did in _GOING:
        return later if was_there else None
    return replace(later, did=Did.UPDATED if was_there else Did.ADDED)


def _followed(step: Step, moved: Mapping[str, str | None]) -> Step:
    """With the topic in which it ended, where the first one went on into another."""
    into, seen = step.into, {step.path}
    while into is not None and into in moved and into not in seen:
        seen.add(into)
        into = moved[into]
    return replace(step, into=into, did=Did.REMOVED if step.did is Did.MERGED and into is None else step.did)


_GOING = (Did.MERGED, Did.REMOVED)
_ORDER = (Did.MERGED, Did.UPDATED, Did.ADDED, Did.REMOVED)
