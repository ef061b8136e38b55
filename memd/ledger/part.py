"""What the parts of the ledger share: one connection, the clock, single values, and the one way to write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from memd.clock import Clock

_SET = "INSERT INTO meta VALUES(:name, :value) ON CONFLICT(name) DO UPDATE SET value = excluded.value"


class Part:
    """One part of the ledger over a connection. One thread each: another thread opens its own."""

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._durable = False  # what `synchronous` says now

    def now(self) -> float:
        """The wall clock, in seconds since the epoch."""
        return self._clock.now().timestamp()

    def meta(self, name: str) -> str | None:
        """A single value by its name."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, name: str, value: str) -> None:
        """Keep a single value under a name."""
        self._put(_SET, {"name": name, "value": value})

    @contextmanager
    def _write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """One IMMEDIATE transaction: all of it or nothing. `durable`: on the disk before it is believed."""
        self._sync(durable=durable)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _put(self, statement: str, values: Mapping[str, object]) -> int:
        """One statement that is a transaction by itself, at half the price; how many rows it changed."""
        self._sync(durable=False)
        return self._db.execute(statement, values).rowcount

    def _sync(self, *, durable: bool) -> None:
        if durable != self._durable:
            self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
