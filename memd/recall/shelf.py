"""What recall keeps at hand of the directories it was asked about last: which topics there are, and their indexes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self, TypeVar

from memd.memory import scan
from memd.memory.topic_header import TopicHeader
from memd.recall.lexical import Index, Match

_MOST = 4  # directories
_UNSURE = 0.1  # seconds: within one tick of its clock a directory can change twice

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
Stamp = tuple[tuple[int, int], ...]  # inode and mtime (ns) of a directory and those below it


@dataclass(frozen=True, slots=True)
class _Listing:
    headers: tuple[TopicHeader, ...]
    stamp: Stamp | None  # None: not to be relied on
    directories: tuple[Path, ...]
    until: float  # monotonic seconds


class Shelf:
    """Listings and open indexes. One thread's, and to be closed."""

    def __init__(
        self,
        indexes: Path | None = None,
        headers: Path | None = None,
        *,
        patience: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`indexes` and `headers` are directories to keep these in, None: only in memory.

        For `patience` seconds a listing is believed while its directories are as they were: that a file was changed in
        place is then noticed so much later, and only by the ranking, since what is shown is read anew.
        """
        self._where = indexes
        self._kept_headers = headers
        self._patience = patience
        self._monotonic = monotonic
        self._listings: dict[tuple[Path, bool], _Listing] = {}
        self._indexes: dict[Path, Index] = {}

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of everything."""
        self._listings.clear()
        while self._indexes:
            self._indexes.popitem()[1].close()

    def topics(self, memory_dir: Path, *, team: bool) -> tuple[TopicHeader, ...]:
        """The topics of a directory, newest first; the same object while they are believed to be the same."""
        key = memory_dir, team
        kept = self._listings.get(key)
        now = self._monotonic()
        if kept is not None and now < kept.until and kept.stamp == _stamp(kept.directories):
            return kept.headers
        before, began = _stamp((memory_dir,)), time.time()
        headers = scan.scan(memory_dir, team=team, cache=self._kept_headers)
        directories = tuple(dict.fromkeys((memory_dir, *(_above(memory_dir, header) for header in headers))))
        stamp = _stamp(directories) if before is not None else None
        sure = stamp is not None and max(mtime for _, mtime in stamp) / 1e9 < began - _UNSURE
        if kept is not None and kept.headers == headers:
            headers = kept.headers
        _put(self._listings, key, _Listing(headers, stamp if sure else None, directories, now + self._patience))
        while len(self._listings) > _MOST:
            del self._listings[next(iter(self._listings))]
        return headers

    def rank(
        self,
        query: str,
        memory_dir: Path,
        headers: Sequence[TopicHeader],
        *,
        most: int,
        left_out: Collection[str] = (),
        until: float = float("inf"),
    ) -> tuple[Match, ...]:
        """As `Index.rank`. A damaged or busy index costs time and nothing else."""
        try:
            return self._index(memory_dir).rank(query, headers, most=most, left_out=left_out, until=until)
        except TimeoutError:
            raise
        except (sqlite3.DatabaseError, OSError):  # a directory of indexes that cannot be written, too
            self._drop(memory_dir)
        with closing(Index(None, memory_dir)) as index:
            return index.rank(query, headers, most=most, left_out=left_out, until=until)

    def prepare(self, memory_dir: Path, *, team: bool, seconds: float) -> bool:
        """Work so long on the index of a directory; whether it is complete, as far as it ever will be."""
        try:
            self._index(memory_dir).follow(self.topics(memory_dir, team=team), until=self._monotonic() + seconds)
        except TimeoutError:
            return False
        except (sqlite3.DatabaseError, OSError):
            self._drop(memory_dir)
        return True

    def _index(self, memory_dir: Path) -> Index:
        index = self._indexes.pop(memory_dir, None) or Index(self._where, memory_dir)
        _put(self._indexes, memory_dir, index)
        while len(self._indexes) > _MOST:
            self._drop(next(iter(self._indexes)))
        return index

    def _drop(self, memory_dir: Path) -> None:
        index = self._indexes.pop(memory_dir, None)
        if index is not None:
            index.close()


def _put(kept: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """As the newest of them."""
    kept.pop(key, None)
    kept[key] = value


def _above(memory_dir: Path, header: TopicHeader) -> Path:
    return memory_dir / PurePosixPath(header.path).parent if "/" in header.path else memory_dir


def _stamp(directories: Sequence[Path]) -> Stamp | None:
    try:
        return tuple((found.st_ino, found.st_mtime_ns) for found in (one.stat() for one in directories))
    except OSError:
        return None
