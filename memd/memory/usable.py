"""Whether a memory directory can be used at all, and what to say where it cannot."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memd.errors import UnwritableError
from memd.memory.layout import DREAM_LOCK

_A_PERSONS_TO_MEND = frozenset({errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP})


def holds_memory(directory: Path) -> bool:
    """Whether there is anything in it that somebody could miss. OSError as from reading a directory."""
    try:
        return any(entry.name != DREAM_LOCK for entry in directory.iterdir())
    except FileNotFoundError:
        return False


def trouble(memory_dir: Path) -> str | None:
    """Why a memory directory cannot be read, None where it can or is not there yet."""
    try:
        with os.scandir(memory_dir):
            return None
    except FileNotFoundError:
        return None
    except OSError as error:
        return _said(memory_dir, error)


@contextmanager
def explained(memory_dir: Path) -> Iterator[None]:
    """Turn what the memory directory, or one on the way to it, refuses into an UnwritableError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in _A_PERSONS_TO_MEND or not _is_about(error, memory_dir):
            raise
        raise UnwritableError(
            _said(memory_dir, error), hint="nothing is lost: it is tried again once that is mended"
        ) from error


def _is_about(error: OSError, memory_dir: Path) -> bool:
    """Whether it happened at the directory, in it, or on the way to it."""
    if not isinstance(error.filename, str | bytes):
        return False
    place = Path(os.fsdecode(error.filename))
    return place.is_relative_to(memory_dir) or memory_dir.is_relative_to(place)


def _said(memory_dir: Path, error: OSError) -> str:
    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(memory_dir)
    if error.errno != errno.ENOTDIR:
        return f"{place}: {os.strerror(error.errno or 0)}"
    found = next((one for one in (memory_dir, *memory_dir.parents) if one.exists() and not one.is_dir()), memory_dir)
    return f"{found} is a file, where a directory should be"
