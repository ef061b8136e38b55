"""The topic files of a memory directory, by their headers alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from memd import files
from memd.errors import UnsafePathError
from memd.memory import topic
from memd.memory.age import memory_age
from memd.memory.index_lines import NAME
from memd.memory.topic import TopicType

HEADER_LINES = 30  # of a topic file, that are read
MANIFEST_LIMIT = 200  # topic files

_HEADER_BYTES = 32 * 1024
_DESCRIPTION_LIMIT = 300  # characters in a manifest
_ABOUT_THE_REST = frozenset({"header-not-closed", "no-body"})  # not to be judged from the first lines


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicHeader:
    """What the first lines of a topic file say, and what the file system does."""

    path: str  # relative to the memory directory
    name: str  # the file's stem where the header has none
    description: str
    type: TopicType | None
    mtime: float  # seconds since the epoch
    size: int = 0  # bytes
    pinned: bool = False
    problems: tuple[str, ...] = ()  # as in Topic, plus "unreadable"


def scan(memory_dir: Path, *, team: bool = False) -> tuple[TopicHeader, ...]:
    """The private topics, with `team` the shared ones too, newest first. A missing directory has none.

    Two levels deep; never the index, logs, dot-files, or what is reached through a link.
    """
    try:
        with files.open_directory(memory_dir) as directory:
            found = [entry for entry in files.walk(directory, levels=3 if team else 2) if _is_topic(entry, team=team)]
            headers = [_header(directory, entry) for entry in found]
    except FileNotFoundError:
        return ()
    return tuple(sorted(headers, key=lambda header: (-header.mtime, header.path)))


def _is_topic(entry: files.Entry, *, team: bool) -> bool:
    parts = PurePosixPath(entry.path).parts
    inner = parts[1:] if parts[0] == "team" else parts
    if not entry.regular or not entry.path.endswith(".md") or any(part.startswith(".") for part in parts):
        return False
    return parts[0] != "logs" and (team or inner == parts) and inner != (NAME,) and len(inner) in {1, 2}


def _header(directory: int, entry: files.Entry) -> TopicHeader:
    data = None
    with suppress(OSError, UnsafePathError):
        data = _first_lines(directory, entry.path)
    said = topic.parse(data or b"")
    is_whole = data is not None and len(data) == entry.size
    problems = [code for code in said.problems if is_whole or code not in _ABOUT_THE_REST]
    return TopicHeader(
        path=entry.path,
        name=said.name or PurePosixPath(entry.path).stem,
        description=said.description,
        type=said.type,
        mtime=entry.mtime,
        size=entry.size,
        pinned=said.pinned,
        problems=("unreadable",) if data is None else tuple(problems),
    )


def _first_lines(directory: int, path: str) -> bytes:
    """At most 30 lines and 32 KiB of a file; a character cut in two at the end is left out."""
    with files.open_regular(directory, path) as descriptor:
        data = os.read(descriptor, _HEADER_BYTES)
    head = b"".join(data.splitlines(keepends=True)[:HEADER_LINES])
    return head if len(data) < _HEADER_BYTES else head.decode("utf-8", errors="ignore").encode()


def manifest(headers: Sequence[TopicHeader], now: float, *, limit: int = MANIFEST_LIMIT) -> str:
    """`[type] file (age): description`, a line a topic, newest first; at most `limit` of them."""
    newest = sorted(headers, key=lambda header: -header.mtime)[:limit]
    return "\n".join(_manifest_line(header, now) for header in newest)


def _manifest_line(header: TopicHeader, now: float) -> str:
    kind = header.type.value if header.type else "unknown"
    description = " ".join(header.description.split())[:_DESCRIPTION_LIMIT] or "(no description)"
    return f"[{kind}] {header.path} ({memory_age(header.mtime, now)}): {description}"
