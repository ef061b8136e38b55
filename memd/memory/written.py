"""Which lines of the daily logs memd itself wrote: of those alone the source can be believed."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from memd import files
from memd.errors import UnsafePathError
from memd.memory import journal, steps

_ARROW = re.compile(rb" \xe2\x86\x92 \S+\.md(?=$|  <!--)")  # goes where the save did not happen after all


def lines(memory_dir: Path, history: Path) -> frozenset[bytes]:
    """Every line that a run added to a log of this directory, as far back as images are kept; see `plain`."""
    found: set[bytes] = set()
    for run_id in journal.ids(history):
        found.update(map(plain, _lines_of(run_id, memory_dir, history)))
    return frozenset(found)


def plain(line: bytes) -> bytes:
    """A line as it is compared: without the arrow to a topic."""
    return _ARROW.sub(b"", line.rstrip())


def _lines_of(run_id: int, memory_dir: Path, history: Path) -> list[bytes]:
    try:
        with files.open_directory(history / str(run_id)) as run_fd:
            kept = journal.image(run_fd, journal.LOG, steps.BULLETS)
            record = journal.read_record(run_fd) if kept else None
    except (FileNotFoundError, UnsafePathError, msgspec.DecodeError):
        return []
    if kept is None or record is None or record.memory_dir != str(memory_dir):
        return []
    return kept.splitlines()
