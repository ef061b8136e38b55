"""Opening the ledger's file: private, in the right mode, and set aside when it cannot be read."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memd.clock import Clock
from memd.errors import LedgerError
from memd.ledger.schema import migrate, must_be_current
from memd.opener import private_directory

JournalMode = Literal["WAL", "DELETE"]

_BUSY = 10.0  # seconds to wait for another writer
_UNREADABLE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_CUT = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_READONLY_DBMOVED})  # under an open connection
_DAEMON = "daemon.lock"  # beside the ledger; whoever holds it is the daemon


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A connection ready for use, and where an unreadable ledger was put, if there was one."""

    db: sqlite3.Connection
    set_aside: Path | None = None


def unreadable(error: sqlite3.Error) -> bool:
    """Whether the file itself is broken, rather than busy or the disk full."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _UNREADABLE


def broken(error: sqlite3.Error) -> bool:
    """Whether a ledger that was open has been damaged, cut or taken away since."""
    lost = str(error).startswith(("no such table", "no such column"))
    return unreadable(error) or lost or getattr(error, "sqlite_errorcode", None) in _CUT


def open_file(path: Path, clock: Clock, *, journal_mode: JournalMode, check: bool, mend: bool) -> Opened:
    """Open or make the ledger. `check` reads all of it, else only its heads.

    A broken one is moved aside first: by the daemon (`mend`), or by anybody while none runs. From under a running
    daemon nobody takes it away: that one notices by itself.
    """
    _make_private(path.parent)
    with _alone(path.parent):
        try:
            return Opened(db=_connect(path, journal_mode, check=check))
        except sqlite3.DatabaseError as error:
            if not unreadable(error) or not (mend or _nobody_runs(path.parent)):
                raise
        aside = _set_aside(path, clock)
        return Opened(db=_connect(path, journal_mode, check=False), set_aside=aside)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a ledger that is there, for reading only: whatever state it is in, it stays as it is."""
    with _alone(path.parent, fcntl.LOCK_SH):
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=_BUSY, isolation_level=None, uri=True)
    try:
        db.row_factory = sqlite3.Row
        must_be_current(db, path)
        _read_through(db, whole=False)
    except BaseException:
        db.close()
        raise
    return db


def _make_private(directory: Path) -> None:
    private_directory(directory)
    if directory.stat().st_mode & 0o077:
        directory.chmod(0o700)


@contextmanager
def _alone(directory: Path, kind: int = fcntl.LOCK_EX) -> Iterator[None]:
    """One process at a time opens, migrates or sets aside; those who only read wait for that (`LOCK_SH`)."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)


def _nobody_runs(directory: Path) -> bool:
    try:
        descriptor = os.open(directory / _DAEMON, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _connect(path: Path, journal_mode: JournalMode, *, check: bool) -> sqlite3.Connection:
    _make_file(path)
    db = sqlite3.connect(path, timeout=_BUSY, isolation_level=None)
    try:
        db.row_factory = sqlite3.Row
        _prepare(db, journal_mode)
        migrate(db, path)
        _read_through(db, whole=check)
    except BaseException:
        db.close()
        raise
    return db


def _make_file(path: Path) -> None:
    """Make the file, where there is none, before SQLite does: its companions get the same mode, which is private.

    One that is there is not opened: closing it would end this process's locks on it, which other connections hold
    (POSIX). Raises OSError where it is no regular file.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path)) from None


def _prepare(db: sqlite3.Connection, journal_mode: JournalMode) -> None:
    if db.execute("PRAGMA journal_mode").fetchone()[0].upper() != journal_mode:
        db.execute(f"PRAGMA journal_mode = {journal_mode}")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA cache_size = -256")  # KiB: the system keeps the file in memory anyway


def _read_through(db: sqlite3.Connection, *, whole: bool) -> None:
    """Raise where the file is broken."""
    for table in ("meta", "roots", "owners", "workers", "sessions", "processed", "jobs", "runs"):
        try:
            db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()  # noqa: S608  # our own names
        except sqlite3.OperationalError as error:
            raise LedgerError(f"the ledger lacks its table {table}: {error}") from error
    if whole and (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise _broken(found)


def _broken(found: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(found)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _set_aside(path: Path, clock: Clock) -> Path:
    """Move the file and its companions to names that tell when."""
    stamp = clock.now().strftime("%Y%m%dT%H%M%S")
    aside = _free_name(path, f".corrupt-{stamp}")
    for suffix in ("-wal", "-shm", ""):
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + suffix))
    return aside


def _free_name(path: Path, ending: str) -> Path:
    wanted, number = path.with_name(path.name + ending), 1
    while wanted.exists():
        number += 1
        wanted = path.with_name(f"{path.name}{ending}.{number}")
    return wanted
