"""By which date things grow old: a wall clock that is set wrong for a while must not make memd forget."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memd.ledger.nouns import OFF
from memd.ledger.part import Part

_DATE = "date"
_DROP_GONE = f"""
DELETE FROM sessions WHERE key IN (SELECT key FROM gone WHERE since < ?) AND state <> '{OFF}'
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE session_key = key)
"""  # noqa: S608 - our own word
_PAGE = 2 * 86400.0  # seconds that the date may go forward at once; asked daily, it catches up with a clock that leapt


class Aging(Part):
    """A date that goes forward alone, and in small steps."""

    def today(self) -> float:
        """By which date, in seconds since the epoch, something is old. To be asked about once a day.

        It follows the wall clock, but never back, and at most two days at once: after a leap by years, or a machine
        that was off for long, things are kept longer than they have to be, and none is dropped because of a wrong date.
        """
        now, before = self.now(), date(self._db)
        said = now if before is None else max(before, min(now, before + _PAGE))
        self.set_meta(_DATE, repr(said))
        return said

    def transcripts(self) -> tuple[tuple[str, str], ...]:
        """Key and path of every known conversation."""
        return tuple((key, path) for key, path in self._db.execute("SELECT key, path FROM sessions"))

    def drop_gone(self, gone: Iterable[str], *, today: float, before: float) -> None:
        """Forget the conversations whose transcripts have been gone since `before`, in seconds since the epoch.

        `gone` are the keys of those that are gone `today`; one that is back has never been. What is off the record
        stays: nothing else would keep it out if its file came back.
        """
        now = set(gone)
        known = {str(key) for (key,) in self._db.execute("SELECT key FROM gone")}
        with self._write() as db:
            db.executemany("DELETE FROM gone WHERE key = ?", ((key,) for key in known - now))
            db.executemany("INSERT OR IGNORE INTO gone VALUES(?, ?)", ((key, today) for key in now - known))
            db.execute(_DROP_GONE, (before,))
            db.execute("DELETE FROM gone WHERE key NOT IN (SELECT key FROM sessions)")

    def drop_spend(self, before: float) -> None:
        """Forget what was spent on the days before a moment."""
        with self._write() as db:
            db.execute("DELETE FROM spend WHERE day < ?", (_day(before),))

    def drop_dreams(self, memory_dirs: Iterable[str], before: float) -> None:
        """Forget the dreams of directories that are no more, where the last one was asked for before a moment.

        Of one that is there the row says how far its logs were dealt with, however long ago.
        """
        with self._write() as db:
            db.executemany(
                "DELETE FROM dreams WHERE memory_dir = ?1 AND max(coalesce(said_at, 0), coalesce(dreamt_at, 0)) < ?2"
                " AND NOT EXISTS (SELECT 1 FROM json_each(dates) WHERE value >= ?3)",
                ((one, before, _day(before)) for one in memory_dirs),
            )


def _day(when: float) -> str:
    return datetime.fromtimestamp(when).astimezone().date().isoformat()


def date(db: sqlite3.Connection) -> float | None:
    """The last answer; None: nobody has asked yet."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (_DATE,)).fetchone()
    return None if row is None else float(row[0])
