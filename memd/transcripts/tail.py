"""Where reading left off, and whether the bytes before that place are still the ones that were read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from memd.transcripts.model import Cursor, Fingerprint

SPAN = 4096  # bytes hashed at each end; hashing everything costs more than reading it
FIRST_WINDOW = 8 * 1024  # bytes


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor of the regular file at `path`; raises OSError for anything else."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no path at all", ascii(str(path)))
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        yield fd
    finally:
        os.close(fd)


def fingerprint(fd: int, offset: int) -> Fingerprint:
    """What identifies the first `offset` bytes of the file."""
    status = os.fstat(fd)
    span = min(SPAN, offset)
    return Fingerprint(
        device=status.st_dev,
        inode=status.st_ino,
        head=_digest(os.pread(fd, span, 0)),
        tail=_digest(os.pread(fd, span, offset - span)),
    )


def cursor_at(fd: int, offset: int, last_uuid: str | None) -> Cursor:
    """A cursor that knows the bytes before it."""
    return Cursor(offset=offset, last_uuid=last_uuid, fingerprint=fingerprint(fd, offset))


def still_valid(fd: int, cursor: Cursor) -> bool:
    """Whether reading can go on at `cursor`: the file has only grown since."""
    if cursor.offset == 0:
        return True
    if cursor.offset < 0 or os.fstat(fd).st_size < cursor.offset:
        return False
    if os.pread(fd, 1, cursor.offset - 1) != b"\n":
        return False
    return cursor.fingerprint is None or cursor.fingerprint == fingerprint(fd, cursor.offset)


def windows(end: int, first: int = FIRST_WINDOW) -> Iterator[int]:
    """Where to start reading backwards from `end`, each window twice the one before; the last starts at 0."""
    span = first
    while span < end:
        yield end - span
        span *= 2
    yield 0


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
