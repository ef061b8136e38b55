"""The ledger as a whole, and the one way to open it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memd.clock import Clock
from memd.errors import LedgerError
from memd.ledger.aging import Aging
from memd.ledger.dreams import Dreams
from memd.ledger.drift import Drift
from memd.ledger.jobs import Jobs
from memd.ledger.nouns import Counts, Outcome
from memd.ledger.opening import JournalMode, Opened, broken, open_file, open_to_read, unreadable
from memd.ledger.pauses import Pauses
from memd.ledger.places import Places
from memd.ledger.runs import Runs
from memd.ledger.sessions import Sessions
from memd.ledger.slots import Slots
from memd.ledger.spend import Spend
from memd.ledger.told import ToldSessions


class Ledger(Sessions, Jobs, Pauses, Runs, Places, Slots, Spend, Drift, ToldSessions, Dreams, Aging):
    """All parts over one connection; use it from the thread that opened it."""

    def __init__(self, db: sqlite3.Connection, clock: Clock, set_aside: Path | None = None) -> None:
        super().__init__(db, clock)
        self.set_aside = set_aside  # where a broken ledger was moved, if this one had to start anew

    def sound(self) -> bool:
        """Read all of it: whether nothing is broken."""
        try:
            return bool(self._db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.Error as error:
            return not broken(error)

    def counts(self) -> Counts:
        """Figures for a status line."""
        return Counts(
            sessions=self._number("SELECT count(*) FROM sessions"),
            noted=self._number("SELECT count(*) FROM sessions WHERE noted_reason IS NOT NULL"),
            queued=self._number("SELECT count(*) FROM jobs WHERE state = 'queued'"),
            leased=self._number("SELECT count(*) FROM jobs WHERE state = 'leased'"),
            runs=self._number("SELECT count(*) FROM runs"),
            last_saved_at=self._db.execute(
                "SELECT max(ended) FROM runs WHERE outcome = ?", (Outcome.SAVED,)
            ).fetchone()[0],
        )

    def _number(self, question: str) -> int:
        return int(self._db.execute(question).fetchone()[0])


@contextmanager
def open_ledger(
    path: Path, clock: Clock, *, journal_mode: JournalMode = "WAL", daemon: bool = False, busy: float = 10.0
) -> Iterator[Ledger]:
    """The ledger at `path`, made where there is none; a broken one is set aside (`Ledger.set_aside` says where).

    `journal_mode="DELETE"` is for homes on a network; the `daemon` reads the whole file first, and while it runs
    nobody else sets anything aside; `busy` is how many seconds to wait for another writer. Raises LedgerError where
    it cannot be read or written: a newer memd's, a full disk, another writer that does not let go.
    """
    try:
        opened = _opened(path, clock, journal_mode, daemon=daemon)
        with closing(opened.db):
            opened.db.execute(f"PRAGMA busy_timeout = {int(busy * 1000)}")
            yield Ledger(opened.db, clock, opened.set_aside)
    except sqlite3.Error as error:
        raise LedgerError(f"the ledger {path} cannot be used: {error}", hint=_hint(error)) from error


@contextmanager
def read_ledger(path: Path, clock: Clock) -> Iterator[Ledger]:
    """The ledger that is at `path`, for reading only. A broken one is left where it is: a daemon may be using it.

    Raises LedgerError where it cannot be read, or was written by another version of memd.
    """
    try:
        with closing(open_to_read(path)) as db:
            yield Ledger(db, clock)
    except sqlite3.Error as error:
        raise LedgerError(f"the ledger {path} cannot be read: {error}", hint=_hint(error)) from error
    except FileNotFoundError as error:
        raise LedgerError(f"there is no ledger {path}") from error


def _opened(path: Path, clock: Clock, journal_mode: JournalMode, *, daemon: bool) -> Opened:
    try:
        return open_file(path, clock, journal_mode=journal_mode, check=daemon, mend=daemon)
    except OSError as error:
        raise LedgerError(f"the ledger {path} cannot be opened: {error.strerror}") from error


def _hint(error: sqlite3.Error) -> str:
    if unreadable(error):
        return "the daemon sets a broken ledger aside and makes a new one: in a moment where it runs, else at its start"
    return "is the disk full, or the directory not writable?"
