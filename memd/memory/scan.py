"""The topic files of a memory directory, by their headers alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from memd import collector, files
from memd.errors import UnsafePathError
from memd.memory import header_cache, topic
from memd.memory.age import memory_age
from memd.memory.header_cache import Kept, Stamp
from memd.memory.layout import INDEX, NOT_TOPICS, TEAM
from memd.memory.topic_header import TopicHeader

__all__ = ["HEADER_LINES", "MANIFEST_LIMIT", "TopicHeader", "manifest", "scan"]

HEADER_LINES = 30  # of a topic file, that are read
MANIFEST_LIMIT = 200  # topic files

_HEADER_BYTES = 32 * 1024
_DESCRIPTION_LIMIT = 300  # characters in a manifest
_ABOUT_THE_REST = frozenset({"header-not-closed", "no-body"})  # not to be judged from the first lines
_NANO = 1_000_000_000


def scan(memory_dir: Path, *, team: bool = False, cache: Path | None = None) -> tuple[TopicHeader, ...]:
    """The private topics, with `team` the shared ones too, newest first. A missing directory has none.

    Two levels deep; never the index, logs, dot-files, or what is reached through a link. `cache` is a directory in
    which headers are kept between scans: for what is shown, never for what is written.
    """
    try:
        with files.open_directory(memory_dir) as directory:
            with collector.resting():
                kept = Kept() if cache is None else header_cache.load(cache, memory_dir, team=team)
                stamps = _stamps(directory, team=team)
            if kept.is_current(stamps):
                return kept.headers
            headers = _headers(directory, stamps, kept)
    except FileNotFoundError:
        return ()
    if cache is not None:
        header_cache.save(cache, memory_dir, stamps, headers, team=team)
    return headers


def _headers(directory: int, stamps: dict[str, Stamp], kept: Kept) -> tuple[TopicHeader, ...]:
    """Every topic's header, newest first; only files that changed are opened."""
    found = kept.still_right(stamps)
    known = {header.path for header in found}
    found += [_header(directory, path, stamp) for path, stamp in stamps.items() if path not in known]
    return tuple(sorted(found, key=lambda header: (-stamps[header.path][0], header.path)))


def _stamps(directory: int, *, team: bool) -> dict[str, Stamp]:
    """Every topic file's state, by path."""
    stamps: dict[str, Stamp] = {}
    _take_level(directory, "", stamps, skipped=NOT_TOPICS | {INDEX})
    if team:
        _take_below(directory, TEAM, "", stamps, skipped=frozenset({INDEX}))
    return stamps


def _take_level(directory: int, prefix: str, stamps: dict[str, Stamp], *, skipped: frozenset[str] | None) -> None:
    """Add what lies in a directory and, unless `skipped` is None, in those below it.

    One plain loop: with thousands of files it is all that a scan costs.
    """
    with os.scandir(directory) as entries:
        for entry in islice(entries, files.MAX_ENTRIES):
            name = entry.name
            if name[0] == "." or (skipped is not None and name in skipped):
                continue
            if name.endswith(".md"):
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if found.st_nlink == 1 and S_ISREG(found.st_mode):
                    stamps[prefix + name] = (found.st_mtime_ns, found.st_ctime_ns, found.st_size)
                    continue
            if skipped is not None and entry.is_dir(follow_symlinks=False):
                _take_below(directory, name, prefix, stamps, skipped=None)


def _take_below(
    directory: int, name: str, prefix: str, stamps: dict[str, Stamp], *, skipped: frozenset[str] | None
) -> None:
    """Add what lies in the directory `name`; one that cannot be entered, or that is a link, has nothing."""
    with suppress(FileNotFoundError, PermissionError, UnsafePathError), files.open_below(directory, name) as below:
        _take_level(below, f"{prefix}{name}/", stamps, skipped=skipped)


def _header(directory: int, path: str, stamp: Stamp) -> TopicHeader:
    data = None
    with suppress(OSError, UnsafePathError):
        data = _first_lines(directory, path)
    said = topic.parse(data or b"")
    is_whole = data is not None and len(data) == stamp[2]
    problems = [code for code in said.problems if is_whole or code not in _ABOUT_THE_REST]
    return TopicHeader(
        path=path,
        name=said.name or PurePosixPath(path).stem,
        description=said.description,
        type=said.type,
        mtime=stamp[0] / _NANO,
        size=stamp[2],
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
