"""By which date things grow old: a wall clock that is set wrong for a while must not make memd forget."""

from __future__ import annotations

import sqlite3

from memd.ledger.part import Part

_DATE = "date"
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


def date(db: sqlite3.Connection) -> float | None:
    """The last answer; None: nobody has asked yet."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (_DATE,)).fetchone()
    return None if row is None else float(row[0])
