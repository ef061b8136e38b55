"""Which memories bear on a question: the one entry for commands, hooks and tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import scan
from memd.memory.topic import TopicType
from memd.memory.topic_header import TopicHeader
from memd.recall import analysis, lexical, tool_rule
from memd.recall.shelf import Shelf

MOST = 5  # memories
_CANDIDATES = 20  # that are looked at for the tool rule
_BODY_LIMIT = 64 * 1024  # bytes
_MILLI = 1_000

# Chooses among topics for a question, by a model: the chosen ones' paths, best first; None: it cannot tell just now.
Choose = Callable[[str, Sequence[TopicHeader], float], Sequence[str] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantMemory:
    """A memory worth reading now."""

    path: str  # absolute
    mtime_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How to choose, and what with."""

    shelf: Shelf | None = None  # None: one for this question alone
    choose: Choose | None = None  # None: by words alone
    team: bool = True
    unasked: bool = False  # nobody asked for memories: a few words bring up those that they name, or none


def find_relevant_memories(
    query: str,
    memory_dir: Path,
    *,
    recent_tools: Collection[str] = (),
    already_surfaced: Collection[str] = (),
    deadline: float = float("inf"),
    how: How | None = None,
) -> list[RelevantMemory]:
    """At most 5 memories, best first, and none rather than doubtful ones. Never the index or a log.

    `already_surfaced` holds absolute paths; `deadline` is on the monotonic clock, and TimeoutError is raised behind it.
    """
    way = how or How()
    if way.shelf is None:
        with Shelf() as shelf:
            return _found(query, memory_dir, recent_tools, already_surfaced, deadline, (way, shelf))
    return _found(query, memory_dir, recent_tools, already_surfaced, deadline, (way, way.shelf))


def _found(
    query: str,
    memory_dir: Path,
    recent_tools: Collection[str],
    already_surfaced: Collection[str],
    deadline: float,
    means: tuple[How, Shelf],
) -> list[RelevantMemory]:
    way, shelf = means
    prefix = f"{memory_dir}/"
    left_out = {path.removeprefix(prefix) for path in already_surfaced if path.startswith(prefix)}
    headers = shelf.topics(memory_dir, team=way.team)
    chosen = _chosen(query, headers, left_out, way, deadline)
    if chosen is None:
        matches = shelf.rank(query, memory_dir, headers, most=_CANDIDATES, left_out=left_out, until=deadline)
        chosen = [match.header for match in lexical.worth_showing(matches)]
        if way.unasked and analysis.is_short(tuple(analysis.terms(query))) and lexical.alike(matches) > MOST:
            chosen = []
    kept = _without_usage(chosen, memory_dir, recent_tools)
    return [_relevant(header, memory_dir) for _, header in zip(range(MOST), kept, strict=False)]


def _chosen(
    query: str, headers: Sequence[TopicHeader], left_out: Collection[str], way: How, deadline: float
) -> list[TopicHeader] | None:
    """What a model takes, invented names left out; None: words have to do."""
    if way.choose is None:
        return None
    told = {one.path: one for one in islice((one for one in headers if one.path not in left_out), scan.MANIFEST_LIMIT)}
    named = way.choose(query, tuple(told.values()), deadline) if told else ()
    return None if named is None else [told[path] for path in dict.fromkeys(named) if path in told]


def _without_usage(
    ranked: Sequence[TopicHeader], memory_dir: Path, recent_tools: Collection[str]
) -> Iterator[TopicHeader]:
    if not recent_tools or not any(header.type is TopicType.REFERENCE for header in ranked):
        yield from ranked
        return
    with files.open_directory(memory_dir) as directory:
        for header in ranked:
            if header.type is not TopicType.REFERENCE or not _is_usage(directory, header, recent_tools):
                yield header


def _is_usage(directory: int, header: TopicHeader, recent_tools: Collection[str]) -> bool:
    text = f"{header.name}\n{header.description}\n{_text(directory, header.path)}"
    return tool_rule.is_usage_of(header, text, recent_tools)


def _text(directory: int, path: str) -> str:
    with suppress(OSError, UnsafePathError):
        return (files.read_regular(directory, path, limit=_BODY_LIMIT) or b"").decode("utf-8", "replace")
    return ""


def _relevant(header: TopicHeader, memory_dir: Path) -> RelevantMemory:
    return RelevantMemory(path=str(memory_dir / header.path), mtime_ms=int(header.mtime * _MILLI))


def within(seconds: float) -> float:
    """The deadline so many seconds from now."""
    return time.monotonic() + seconds
