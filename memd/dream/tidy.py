"""The index after a dream: in line with the topics, within its limits, no line too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import index, index_lines, scan, topic
from memd.memory.index_lines import ENTRY_LIMIT, Line
from memd.memory.layout import INDEX
from memd.memory.scan import TopicHeader
from memd.memory.workspace import Change


def index_change(memory: int, memory_dir: Path, changes: Sequence[Change], ages: Mapping[str, float]) -> Change | None:
    """What is to be done about MEMORY.md when these changes have been made; None: nothing, or it cannot be read.

    `memory` is the directory's descriptor, `ages` are the mtimes that the changed topics get.
    """
    try:
        before = files.read_regular(memory, INDEX)
    except (UnsafePathError, PermissionError):
        return None
    gone = {change.path for change in changes}
    headers = [header for header in scan.scan(memory_dir) if header.path not in gone]
    headers += [_header(change, ages) for change in changes if change.after is not None]
    after = tidied(before or b"", headers, gone)
    return None if after == (before or b"") else Change(path=INDEX, before=before, after=after)


def tidied(data: bytes, headers: Sequence[TopicHeader], changed: set[str]) -> bytes:
    """An index with every topic once, dead links out, long entries shortened. Done twice it changes nothing more."""
    ordered = sorted(headers, key=lambda header: (-header.mtime, header.path))
    lines = index_lines.read(data)
    short = lines.joined([Line(text=_short(row.text), end=row.end) for row in lines.rows])
    return index.rebuild(short, ordered, changed)


def _short(text: str) -> str:
    entry = index_lines.parse_line(text)
    return text if entry is None or len(text) <= ENTRY_LIMIT else index_lines.refreshed(text, entry.hook)


def _header(change: Change, ages: Mapping[str, float]) -> TopicHeader:
    said = topic.parse(change.after or b"")
    return TopicHeader(
        path=change.path,
        name=said.name,
        description=said.description,
        type=said.type,
        mtime=ages.get(change.path, 0.0),
        pinned=said.pinned,
    )
