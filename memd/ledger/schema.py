"""The tables, and the way from an older ledger to this one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memd.errors import LedgerError

_FIRST = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE roots(path TEXT PRIMARY KEY, first_seen REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE owners(slug TEXT PRIMARY KEY, root TEXT NOT NULL, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE workers(id INTEGER PRIMARY KEY, holder TEXT NOT NULL UNIQUE, until REAL NOT NULL);
CREATE TABLE sessions(
  key TEXT PRIMARY KEY, agent TEXT NOT NULL, session_id TEXT NOT NULL, path TEXT NOT NULL, root TEXT, cwd TEXT,
  cursor TEXT, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, settled INTEGER, first_seen REAL NOT NULL,
  last_pass_at REAL, noted_reason TEXT, state TEXT NOT NULL);
CREATE INDEX session_of_file ON sessions(path);
CREATE TABLE processed(mark INTEGER PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE jobs(
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, subject TEXT NOT NULL, session_key TEXT, memory_dir TEXT,
  place TEXT NOT NULL, by_hand INTEGER NOT NULL, again INTEGER NOT NULL, dry_run INTEGER NOT NULL,
  complete_only INTEGER NOT NULL, watermark INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
  attempts INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
  not_before REAL NOT NULL, set_at REAL NOT NULL, token INTEGER, lease_until REAL, holder TEXT);
CREATE UNIQUE INDEX one_queued ON jobs(kind, subject, dry_run) WHERE state = 'queued';
CREATE UNIQUE INDEX one_leased ON jobs(place) WHERE state = 'leased';
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, session_key TEXT, root TEXT, memory_dir TEXT, started REAL NOT NULL,
  ended REAL, outcome TEXT, reason TEXT, files TEXT NOT NULL DEFAULT '[]', holder TEXT);
CREATE INDEX runs_of_session ON runs(session_key, id);
"""

_SECOND = """
CREATE TABLE spend(
  day TEXT NOT NULL, project TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, passes INTEGER NOT NULL,
  requests INTEGER NOT NULL, input INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL, dollars REAL NOT NULL, unpriced INTEGER NOT NULL,
  PRIMARY KEY(day, project, kind, model)) WITHOUT ROWID;
"""

_THIRD = """
CREATE TABLE told(
  key TEXT PRIMARY KEY, variables TEXT, surfaced TEXT NOT NULL, size INTEGER NOT NULL, tools TEXT NOT NULL,
  at REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX told_at ON told(at);
"""

_FOURTH = """
CREATE TABLE dreams(
  memory_dir TEXT PRIMARY KEY, dates TEXT NOT NULL, dreamt_at REAL, cursor TEXT, idle INTEGER NOT NULL,
  said TEXT NOT NULL, said_at REAL) WITHOUT ROWID;
"""

_FIFTH = """
ALTER TABLE processed ADD COLUMN how INTEGER NOT NULL DEFAULT 0;
CREATE INDEX off_the_record ON sessions(key) WHERE state = 'off';
"""

_SIXTH = """
ALTER TABLE jobs ADD COLUMN postponed INTEGER NOT NULL DEFAULT 0;
"""

_SEVENTH = """
CREATE TABLE gone(key TEXT PRIMARY KEY, since REAL NOT NULL) WITHOUT ROWID;
"""

MIGRATIONS: tuple[str, ...] = (
    _FIRST,
    _SECOND,
    _THIRD,
    _FOURTH,
    _FIFTH,
    _SIXTH,
    _SEVENTH,
)  # the n-th script leads from version n to n+1; never edit, only append


def migrate(db: sqlite3.Connection, path: Path, scripts: Sequence[str] = MIGRATIONS) -> None:
    """Bring the ledger at `path` to the newest version, with a copy of the old one kept beside it.

    Raises LedgerError where a newer memd wrote it.
    """
    version = _known_version(db, path, scripts)
    if version == len(scripts):
        return
    if version:
        _back_up(db, path.with_name(f"{path.name}.backup-v{version}"))
    _apply(db, scripts)


def must_be_current(db: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError where another memd than this one wrote the ledger."""
    version = _known_version(db, path, MIGRATIONS)
    if not version:
        raise LedgerError(
            f"{path} was begun and never finished", hint="is the disk full? It is made whole when the daemon starts"
        )
    if version < len(MIGRATIONS):
        raise LedgerError(
            f"{path} was written by an older memd", hint="it is brought up to date when the daemon starts"
        )


def _known_version(db: sqlite3.Connection, path: Path, scripts: Sequence[str]) -> int:
    version = _version(db)
    if version > len(scripts):
        raise LedgerError(
            f"{path} was written by a newer memd (schema {version}, this one knows {len(scripts)})",
            hint="update memd, or move the file away to start anew",
        )
    return version


def _apply(db: sqlite3.Connection, scripts: Sequence[str]) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        for script in scripts[_version(db) :]:  # asked again: another process may have been here first
            for statement in filter(str.strip, script.split(";")):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(scripts)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has rolled it back already, and its error is the one to tell
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _back_up(db: sqlite3.Connection, to: Path) -> None:
    to.unlink(missing_ok=True)
    os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    with closing(sqlite3.connect(to)) as copy:
        db.backup(copy)
