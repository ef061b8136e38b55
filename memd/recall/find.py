"""Which memories bear on a question: the one entry for commands, hooks and tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import scan
from memd.memory.topic_header import TopicHeader
from memd.recall import lexical, tool_rule

MOST = 5  # memories
_CANDIDATES = 20  # that are looked at for the tool rule
_BODY_LIMIT = 64 * 1024  # bytes
_MILLI = 1_000

# Chooses among topics for a question, by a model: the chosen ones' paths, best first.
Choose = Callable[[str, Sequence[TopicHeader], float], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantMemory:
    """A memory worth reading now."""

    path: str  # absolute
    mtime_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How to choose, and what with."""

    choose: Choose | None = None  # None: by words alone
    cache: Path | None = None  # the directory of indexes
    headers: Path | None = None  # the directory of kept headers
    team: bool = True


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
    headers = _candidates(memory_dir, already_surfaced, way)
    if way.choose is not None:
        known = {header.path: header for header in headers}
        told = headers[: scan.MANIFEST_LIMIT]
        named = dict.fromkeys(way.choose(query, told, deadline))
        ranked: Sequence[TopicHeader] = [known[path] for path in named if path in known]
    else:
        ranked = _by_words(query, memory_dir, headers, way, deadline)
    kept = _without_usage(ranked, memory_dir, recent_tools)
    return [_relevant(header, memory_dir) for _, header in zip(range(MOST), kept, strict=False)]


def _candidates(memory_dir: Path, already_surfaced: Collection[str], way: How) -> tuple[TopicHeader, ...]:
    surfaced = frozenset(already_surfaced)
    found = scan.scan(memory_dir, team=way.team, cache=way.headers)
    return tuple(header for header in found if str(memory_dir / header.path) not in surfaced)


def _by_words(
    query: str, memory_dir: Path, headers: Sequence[TopicHeader], way: How, deadline: float
) -> list[TopicHeader]:
    matches = lexical.rank(query, memory_dir, headers, cache=way.cache, until=deadline)
    known = {header.path: header for header in headers}
    return [known[match.path] for match in lexical.worth_showing(matches[:_CANDIDATES])]


def _without_usage(
    ranked: Sequence[TopicHeader], memory_dir: Path, recent_tools: Collection[str]
) -> Iterator[TopicHeader]:
    if not recent_tools:
        yield from ranked
        return
    with files.open_directory(memory_dir) as directory:
        for header in ranked:
            text = f"{header.name}\n{header.description}\n{_text(directory, header.path)}"
            if not tool_rule.is_usage_of(header, text, recent_tools):
                yield header


def _text(directory: int, path: str) -> str:
    with suppress(OSError, UnsafePathError):
        return (files.read_regular(directory, path, limit=_BODY_LIMIT) or b"").decode("utf-8", "replace")
    return ""


def _relevant(header: TopicHeader, memory_dir: Path) -> RelevantMemory:
    return RelevantMemory(path=str(memory_dir / header.path), mtime_ms=int(header.mtime * _MILLI))


def within(seconds: float) -> float:
    """The deadline so many seconds from now."""
    return time.monotonic() + seconds
