"""`team/MEMORY.md`: made on each machine from the files that stand in `team/`, never synced, so never in conflict."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from memd import files
from memd.errors import UnsafePathError
from memd.memory import index, scan
from memd.memory.layout import INDEX, INDEX_LIMIT, TEAM

PATH = f"{TEAM}/{INDEX}"

_TRIES = 3  # where somebody saves theirs in that very moment


def is_there(memory_dir: Path) -> bool:
    """Whether there is such an index at all."""
    return (memory_dir / TEAM / INDEX).is_file()


def refresh(memory_dir: Path, changed: Collection[str] = ()) -> None:
    """Bring the index in line with the files. The memory directory is locked meanwhile. OSError, LockedError."""
    with files.open_directory(memory_dir) as memory, files.locked(memory):
        rebuild(memory, memory_dir, changed)


def rebuild(memory: int, memory_dir: Path, changed: Collection[str] = ()) -> None:
    """Bring it in line, given the locked directory; entries of the `changed` files (below team/) are made anew.

    It is in no run's history: it can be made again at any time, and what people wrote there stays.
    """
    headers = [header for header in scan.scan(memory_dir, team=True) if header.path.startswith(f"{TEAM}/")]
    below = [msgspec.structs.replace(header, path=header.path.removeprefix(f"{TEAM}/")) for header in headers]
    for _ in range(_TRIES):
        try:
            before = files.read_regular(memory, PATH, limit=INDEX_LIMIT)
        except (UnsafePathError, PermissionError):
            return
        after = index.rebuild(before or b"", below, changed)
        if after == (before or b"") or _put(memory, before, after):
            return


def _put(memory: int, before: bytes | None, after: bytes) -> bool:
    return files.write_atomic(
        memory, PATH, after, still=lambda: files.read_regular(memory, PATH, limit=INDEX_LIMIT) == before
    )
