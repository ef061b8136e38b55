"""What the parts of the ledger share: one connection, the clock, and the one way to write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memd.clock import Clock


class Part:
    """One part of the ledger over a connection. One thread each: another thread opens its own."""

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def now(self) -> float:
        """The wall clock, in seconds since the epoch."""
        return self._clock.now().timestamp()

    @contextmanager
    def _write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """One IMMEDIATE transaction: all of it or nothing. `durable`: on the disk before it is believed."""
        self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
