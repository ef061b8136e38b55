"""What stands in `team/` now, and what was edited there since live files and repository last had it in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory.layout import LEVELS, TEAM, TEAM_LIMIT, may_be_shared
from memd.team import guard
from memd.team.base import Base
from memd.team.nouns import HeldBack
from memd.team.objects import blob_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """The files of `team/`: memories by their blob's name, and what stands in a memory's place without being one."""

    is_there: bool  # whether there is such a directory at all
    blobs: Mapping[str, str] = field(default_factory=dict)  # by path below team/
    contents: Mapping[str, bytes] = field(default_factory=dict)  # of those that differ from the base
    odd: Mapping[str, str] = field(default_factory=dict)  # what it is, by path; of directories, too
    is_whole: bool = True  # False: there are more files than are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What differs from the base: to be taken into the repository, or held back."""

    put: Mapping[str, bytes] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    held: tuple[HeldBack, ...] = ()

    @property
    def changes(self) -> dict[str, bytes | None]:
        """All that goes into the next commit."""
        return {**self.put, **dict.fromkeys(self.gone)}


def look(memory_dir: Path, base: Base) -> Live:
    """Read `team/`. OSError where it cannot be read at all."""
    try:
        with files.open_directory(memory_dir) as memory, files.open_below(memory, TEAM) as team:
            return _read(team, base)
    except FileNotFoundError:
        return Live(is_there=False)


def _read(team: int, base: Base) -> Live:
    entries = [entry for entry in files.walk(team, levels=LEVELS) if may_be_shared(entry.path)]
    odd = {entry.path: entry.what for entry in entries if not entry.regular}
    blobs: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    for path in (entry.path for entry in entries if entry.regular and entry.path.endswith(".md")):
        found = _content(team, path)
        if isinstance(found, str):
            odd[path] = found
        elif found is not None:
            blobs[path] = blob_name(found)
            if blobs[path] != base.files.get(path):
                contents[path] = found
    return Live(is_there=True, blobs=blobs, contents=contents, odd=odd, is_whole=len(entries) < files.MAX_ENTRIES)


def _content(team: int, path: str) -> bytes | str | None:
    """A file's bytes, or why they cannot be had; None where it has just gone."""
    try:
        return files.read_regular(team, path, limit=TEAM_LIMIT)
    except UnsafePathError:
        return "too large, or no regular file"
    except PermissionError:
        return "not readable"


def edits(live: Live, base: Base) -> Edits:
    """Sort what differs from the base. A directory that is gone altogether tells nothing of its files."""
    if not live.is_there:
        return Edits()
    put: dict[str, bytes] = {}
    held: list[HeldBack] = list(_odd(live))
    for path, data in sorted(live.contents.items()):
        found = guard.finding(path, data)
        if found is None:
            put[path] = data
        else:
            held.append(found)
    return Edits(put=put, gone=tuple(_gone(live, base)), held=tuple(held))


def _odd(live: Live) -> Iterator[HeldBack]:
    for path, what in sorted(live.odd.items()):
        if path.endswith(".md"):
            yield HeldBack(path=files.printable(path), rule="odd-file", reason=what)


def _gone(live: Live, base: Base) -> Iterator[str]:
    """What was there and is no more; not what merely cannot be seen."""
    if not live.is_whole:
        return
    for path in base.files:
        if path not in live.blobs and not any(path == odd or path.startswith(f"{odd}/") for odd in live.odd):
            yield path
