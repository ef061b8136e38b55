"""Whole lines of a growing file, with bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

CHUNK = 256 * 1024  # bytes a read; larger ones fall out of the processor's cache
MAX_LINE = 32 * 1024 * 1024  # bytes; a longer line is passed over


class Line(NamedTuple):
    """One line and where it stands; `data` is without its line break."""

    start: int  # bytes from the start of the file
    end: int  # after the line break
    data: bytes | None  # None: longer than the limit


class _Pieces:
    """The pieces of a line that spans several reads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self.length = 0  # bytes seen, kept or not

    def add(self, part: bytes) -> None:
        """Keep `part`, or nothing at all once the line is over the limit."""
        self.length += len(part)
        if self.length > self._limit:
            self._parts.clear()
        else:
            self._parts.append(part)

    def take(self) -> bytes | None:
        """The whole line; None when it is too long. Starts the next one."""
        parts, length = self._parts, self.length
        self._parts, self.length = [], 0
        return b"".join(parts) if length <= self._limit else None


def lines(fd: int, start: int, end: int, *, limit: int = MAX_LINE) -> Iterator[Line]:
    """The lines between two offsets; what follows the last line break is left for later.

    Ends early, without an error, where the file was cut meanwhile.
    """
    pieces, begin, at = _Pieces(limit), start, start
    while at < end and (chunk := os.pread(fd, min(CHUNK, end - at), at)):
        position = 0
        while (stop := chunk.find(b"\n", position)) >= 0:
            data: bytes | None = chunk[position:stop]
            if pieces.length or stop - position > limit:  # rare: the usual line lies in one read
                pieces.add(chunk[position:stop])
                data = pieces.take()
            position = stop + 1
            yield Line(begin, at + position, data)
            begin = at + position
        pieces.add(chunk[position:])
        at += len(chunk)
