"""What can be told of a file without reading it: size and date; and whether it is another one's copy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from memd.ledger import Session
from memd.transcripts.model import TranscriptFile


class Growth(NamedTuple):
    """A file that has grown since somebody read its tail."""

    size: int
    mtime_ns: int
    at: float  # monotonic seconds


def shape_of(status: os.stat_result) -> tuple[int, int]:
    """Size in bytes, and date in nanoseconds."""
    return status.st_size, status.st_mtime_ns


def shape_at(path: str) -> tuple[int, int] | None:
    """The same of what stands there; None: nothing does."""
    try:
        return shape_of(os.lstat(path))
    except OSError:
        return None


def is_copy(file: TranscriptFile, status: os.stat_result, known: Session) -> bool:
    """Whether a session's file is known at another place that is still there, and no older than this one."""
    if known.path == str(file.path):
        return False
    try:
        return Path(known.path).stat().st_mtime_ns >= status.st_mtime_ns
    except OSError:
        return False
