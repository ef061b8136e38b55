"""What a scan remembers of topic headers, so that the next one reads only files that changed.

One file a memory directory, in memd's own state directory. It is a convenience and no more: whatever is wrong with it
(another version, another directory's, damage, a full disk) it is passed over and made anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

import msgspec

from memd import files
from memd.errors import UnsafePathError
from memd.memory.topic_header import TopicHeader
from memd.opener import is_text

VERSION = 2  # of the file's shape and of what a header says

_LIMIT = 32 * files.MEGABYTE
_SUM = 4  # bytes of checksum at the start
_UNSURE = 100_000_000  # nanoseconds: within one tick of a file system's clock a file can change twice


# What tells that a file is as it was: mtime and ctime in nanoseconds, size in bytes. The change time catches an edit
# that puts the mtime back.
Stamp: TypeAlias = tuple[int, int, int]


class _Stored(msgspec.Struct, array_like=True, frozen=True):
    version: int
    memory_dir: str
    team: bool
    newest: int
    stamps: bytes  # packed by themselves: most often they need not be unpacked
    headers: tuple[TopicHeader, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the last scan yielded, in its order, and the change time (ns) from which on it is not to be believed."""

    packed: bytes = b""  # the stamps
    headers: tuple[TopicHeader, ...] = ()
    sure_before: int = 0
    newest: int = 0  # the latest change time (ns) among the stamps

    def is_current(self, stamps: Mapping[str, Stamp]) -> bool:
        """Whether every file is as it was, and no other has come."""
        if self.newest >= self.sure_before:
            return False
        # Byte by byte first, as a directory that nobody touched is mostly read in the same order.
        try:
            return self.packed == msgspec.msgpack.encode(stamps) or self._stamps() == stamps
        except UnicodeEncodeError:
            return False  # a name that is not text is never kept

    def still_right(self, stamps: Mapping[str, Stamp]) -> list[TopicHeader]:
        """The headers of files that are as they were."""
        before = self._stamps()
        return [
            header
            for header in self.headers
            if (stamp := stamps.get(header.path)) is not None
            and stamp[1] < self.sure_before
            and before.get(header.path) == stamp
        ]

    def _stamps(self) -> Mapping[str, Stamp]:
        return _stamps_decoder.decode(self.packed) if self.packed else {}


_decoder = msgspec.msgpack.Decoder(_Stored)
_stamps_decoder = msgspec.msgpack.Decoder(dict[str, Stamp])


def load(directory: Path, memory_dir: Path, *, team: bool) -> Kept:
    """What was kept below `directory` for a memory directory; nothing where that cannot be used."""
    try:
        with files.open_directory(directory) as cache, files.open_regular(cache, _name(memory_dir, team=team)) as found:
            state = os.fstat(found)
            stored = _unpacked(os.read(found, min(state.st_size, _LIMIT)))
    except (OSError, UnsafePathError, ValueError):
        return Kept()
    if (stored.version, stored.memory_dir, stored.team) != (VERSION, _written(memory_dir), team):
        return Kept()
    return Kept(
        packed=stored.stamps,
        headers=stored.headers,
        sure_before=state.st_mtime_ns - _UNSURE,
        newest=stored.newest,
    )


def save(
    directory: Path, memory_dir: Path, stamps: Mapping[str, Stamp], headers: Sequence[TopicHeader], *, team: bool
) -> None:
    """Keep this for the next scan. That it cannot be kept is no failure."""
    # What could not be read this time is tried again; a name that is not text cannot be written down.
    plain = tuple(header for header in headers if is_text(header.path) and "unreadable" not in header.problems)
    known = {header.path for header in plain}
    stored = _Stored(
        version=VERSION,
        memory_dir=_written(memory_dir),
        team=team,
        newest=max((stamps[header.path][1] for header in plain), default=0),
        stamps=msgspec.msgpack.encode({path: stamps[path] for path in stamps if path in known}),
        headers=plain,
    )
    name = _name(memory_dir, team=team)
    with suppress(OSError, UnsafePathError), files.open_directory(directory, create=True) as cache:
        if not files.write_atomic(cache, name, _packed(stored)):
            os.utime(name, dir_fd=cache, follow_symlinks=False)  # the same as before, and by now certain


def _packed(stored: _Stored) -> bytes:
    data = msgspec.msgpack.encode(stored)
    return crc32(data).to_bytes(_SUM, "big") + data


def _unpacked(data: bytes) -> _Stored:
    """Raises ValueError where the file is damaged, or somebody else's."""
    if crc32(memoryview(data)[_SUM:]) != int.from_bytes(data[:_SUM], "big"):
        raise ValueError("damaged")
    return _decoder.decode(memoryview(data)[_SUM:])


def _name(memory_dir: Path, *, team: bool) -> str:
    return hashlib.sha256(os.fsencode(memory_dir)).hexdigest()[:32] + ("-team" if team else "")


def _written(memory_dir: Path) -> str:
    return os.fsencode(memory_dir).hex()
