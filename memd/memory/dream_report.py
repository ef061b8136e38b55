"""What a dream did, for the run's record: counts, file names and reasons, never what a note said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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
class DreamReport:
    """A dream in a minute's reading."""

    before: Size = Size()
    after: Size = Size()
    steps: tuple[Step, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)  # how many ended in which way
    reasons: Mapping[str, int] = field(default_factory=dict)  # why notes were dropped
    part: int = 1  # of a backlog that took several
    of: int = 1
