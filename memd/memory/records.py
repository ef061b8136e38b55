"""The records of finished runs, and a memory of them for whoever asks again and again.

A history grows for as long as it is kept. A worker that reads all of it for each of its passes would take the longer
for each the more it had done.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec

from memd import files
from memd.errors import UnsafePathError
from memd.memory import journal
from memd.memory.journal import RECORD, Record

# What tells that a record is as it was: another one comes with another inode, as it is put in its place by renaming.
_Stamp: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A record as it was read, None where it was damaged, and the state of its file just before."""

    stamp: _Stamp
    record: Record | None


# By run id, of one history.
Memory: TypeAlias = MutableMapping[int, Known]


def newest_first(history: Path, memory: Memory | None = None) -> Iterator[Record]:
    """The finished runs; damaged records are passed over. What is in `memory` and still so is not read again."""
    with suppress(FileNotFoundError), files.open_directory(history) as root:
        there = journal.ids(history)
        if memory is not None:
            _forget(memory, there)
        for run_id in reversed(there):
            record = read(root, run_id) if memory is None else _remembered(root, run_id, memory)
            if record is not None:
                yield record


def read(root: int, run_id: int) -> Record | None:
    """One finished run of the history that is open as `root`; None where there is none, or its record is damaged."""
    try:
        data = files.read_regular(root, f"{run_id}/{RECORD}", limit=journal.LIMIT)
        return None if data is None else msgspec.json.decode(data, type=Record)
    except (FileNotFoundError, msgspec.DecodeError, UnsafePathError):
        return None


def _remembered(root: int, run_id: int, memory: Memory) -> Record | None:
    try:
        found = os.stat(f"{run_id}/{RECORD}", dir_fd=root, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        memory.pop(run_id, None)
        return None
    stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    known = memory.get(run_id)
    if known is None or known.stamp != stamp:
        known = memory[run_id] = Known(stamp=stamp, record=read(root, run_id))
    return known.record


def _forget(memory: Memory, there: tuple[int, ...]) -> None:
    for run_id in memory.keys() - set(there):
        del memory[run_id]
