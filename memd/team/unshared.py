"""What stands in `team/` and is shared with nobody because of its name, its place, or what it is.

What editors and systems leave beside files is no such thing: nobody means to share that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import secrets
from memd.memory.layout import INDEX, LEVELS, TEAM, may_be_shared

MOST = 100  # that are named

_SUFFIX = ".md"
_DEEP = "directory too deep"
_DROPPINGS = re.compile(
    r""" .*~ | ~.* | \#.*\# | \.[_\#].* | .*\.(?:sw[a-z]|tmp|temp|part|partial|crdownload|bak|orig|rej|lock)
       | thumbs\.db | desktop\.ini | 4913 """,
    re.IGNORECASE | re.VERBOSE,
)
_IN_WORDS = {
    "hard link": "one of several links to a file",
    "symbolic link": "a link",
    "special file": "something special",
    "unreadable": "something unreadable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unshared:
    """Something that never goes out as it is."""

    path: str  # below team/, printable
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """All of it: the first hundred by name, and how many there are beside."""

    named: tuple[Unshared, ...] = ()
    others: int = 0


def look(memory_dir: Path) -> Left:
    """What is not shared, told without reading a file; nothing where `team/` cannot be read."""
    try:
        with files.open_directory(memory_dir) as memory, files.open_below(memory, TEAM) as team:
            found = sorted(_found(team), key=lambda one: one.path)
    except (OSError, UnsafePathError):
        return Left()
    return Left(named=tuple(found[:MOST]), others=max(0, len(found) - MOST))


def _found(team: int) -> Iterator[Unshared]:
    for entry in files.walk(team, levels=LEVELS):
        why = _reason(entry.path, entry.what)
        if why is not None:
            yield Unshared(path=secrets.redact(files.printable(entry.path)), reason=why)


def _reason(path: str, what: str) -> str | None:
    """Why nobody looks into it; None: it is looked into, and held back if need be, or nobody means to share it."""
    *directories, name = path.split("/")
    if _DROPPINGS.fullmatch(name) or any(part.startswith(".") for part in directories) or path == INDEX:
        return None
    is_memory = name.casefold().endswith(_SUFFIX)
    if name.startswith("."):
        return "hidden files are not shared" if is_memory else None
    if what == _DEEP:
        return "too deep: a memory stands in team/, or in a directory of it"
    if not may_be_shared(path):
        return "many disks take this name for the index"
    if name.endswith(_SUFFIX):
        return None
    if what != "file":
        return f"no file, but {_IN_WORDS.get(what, what)}"
    return "a memory's name is in lower case" if is_memory else "only files called *.md are memories"
