"""Whole lines of a growing file, with bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator

CHUNK = 256 * 1024  # bytes a read; larger ones fall out of the processor's cache
MAX_LINE = 32 * 1024 * 1024  # bytes; a longer line is passed over

Line = tuple[bytes | None, int]
"""A line without its break (None: longer than the limit), and where it ends, in bytes from the start of the file.

It starts where the one before it ended. A bare tuple, as there are very many.
"""


def lines(fd: int, start: int, end: int, *, limit: int = MAX_LINE) -> Iterator[Line]:
    """The lines between two offsets; what follows the last line break is left for later.

    Ends early, without an error, where the file was cut meanwhile.
    """
    while start < end and (chunk := os.pread(fd, min(CHUNK, end - start), start)):
        position = 0
        while (stop := chunk.find(b"\n", position)) >= 0:
            data = chunk[position:stop]
            position = stop + 1
            yield data if len(data) <= limit else None, start + position
        if not position:
            line, position = _long_line(fd, start, end, limit)
            if not position:
                return
            yield line, start + position
        start += position


def _long_line(fd: int, start: int, end: int, limit: int) -> tuple[bytes | None, int]:
    """A line that is longer than a read, and its length with its break: 0 where it has none yet."""
    parts, length = [], 0
    while start + length < end and (chunk := os.pread(fd, min(CHUNK, end - start - length), start + length)):
        stop = chunk.find(b"\n")
        length += len(chunk) if stop < 0 else stop + 1
        parts.append(chunk if stop < 0 else chunk[:stop])
        if length > limit + 1:
            parts.clear()
        if stop >= 0:
            return b"".join(parts) if length <= limit + 1 else None, length
    return None, 0
