"""The ledger's part about conversations: where they are and how far they were dealt with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from memd.ledger.aging import date
from memd.ledger.nouns import OFF, Mark, Session
from memd.ledger.part import Part

_NOTE = """
INSERT INTO sessions VALUES(:key, :agent, :session_id, :path, :root, :cwd, :cursor, :size, :mtime_ns, :settled,
  :first_seen, :last_pass_at, :noted_reason, :state)
ON CONFLICT(key) DO UPDATE SET path = excluded.path, root = coalesce(root, excluded.root),
  cwd = coalesce(excluded.cwd, cwd), size = excluded.size, mtime_ns = excluded.mtime_ns
"""
_GROWN = """
UPDATE sessions SET size = :size, mtime_ns = :mtime_ns WHERE key = :key AND path = :path
  AND (:root IS NULL OR root IS NOT NULL) AND (:cwd IS NULL OR cwd = :cwd)
"""  # touches no index; changes nothing where there is more to change than that
_FORGET_RUNS = """
DELETE FROM runs WHERE id < (SELECT coalesce(min(CASE WHEN started >= ? THEN id END), max(id)) FROM runs)
"""  # the last one stays, so that no number is given twice
_FORMER = "former roots of "  # and the root: a value among the single ones
_CHUNK = 500  # variables in one statement


class Sessions(Part):
    """Conversations, and the messages already dealt with."""

    def note_session(self, session: Session) -> None:
        """Write down what was seen of a conversation.

        Of one that is known already only path, cwd, size and mtime change, and its root where there was none:
        the cursor moves by a pass alone.
        """
        if not self._put(_GROWN, _fields(session)):
            self.note_sessions((session,))

    def note_sessions(self, sessions: Iterable[Session]) -> None:
        """The same for many, in one transaction."""
        now = self.now()
        rows = [_fields(one) | {"first_seen": one.first_seen or now} for one in sessions]
        with self._write() as db:
            db.executemany(_NOTE, rows)

    def session(self, key: str) -> Session | None:
        """The conversation with that key."""
        row = self._db.execute("SELECT * FROM sessions WHERE key = ?", (key,)).fetchone()
        return None if row is None else _session(row)

    def sessions(self) -> Iterator[Session]:
        """Every known conversation, oldest first."""
        return map(_session, self._db.execute("SELECT * FROM sessions ORDER BY first_seen, key"))

    def session_at(self, path: str) -> Session | None:
        """The conversation whose transcript stands there."""
        row = self._db.execute("SELECT * FROM sessions WHERE path = ?", (path,)).fetchone()
        return None if row is None else _session(row)

    def settled_files(self) -> Iterator[tuple[str, int, int]]:
        """Path, size and date (ns) of every transcript in which nothing is left to do."""
        rows = self._db.cursor()
        rows.row_factory = None  # plain tuples: there may be very many
        yield from rows.execute("SELECT path, size, mtime_ns FROM sessions WHERE settled = size")

    def state(self, key: str) -> str | None:
        """How a conversation is treated; None: it is not known."""
        row = self._db.execute("SELECT state FROM sessions WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_state(self, key: str, state: str) -> None:
        """Say how a conversation is treated ("tracked", or what the caller means by another word)."""
        with self._write() as db:
            db.execute("UPDATE sessions SET state = ? WHERE key = ?", (state, key))

    def rewind(self, key: str) -> None:
        """Treat a conversation as one that no pass has seen (for a backfill)."""
        with self._write() as db:
            db.execute("UPDATE sessions SET cursor = NULL, settled = NULL, noted_reason = NULL WHERE key = ?", (key,))

    def processed(self, root: str, uuids: Iterable[str]) -> frozenset[str]:
        """Those of a project's messages that a pass has dealt with, in this conversation or one it was forked from."""
        return frozenset(self.marks(root, uuids))

    def marks(self, root: str, uuids: Iterable[str]) -> dict[str, Mark]:
        """What became of those; nothing of a message that no pass has dealt with."""
        roots = (root, *former_roots(self._db, root))  # a project that was moved left marks under its older names
        asked = {mark(one, uuid): uuid for uuid in uuids for one in roots}
        found: dict[str, Mark] = {}
        for some in _chunks(list(asked)):
            places = ",".join("?" * len(some))
            rows = self._db.execute(f"SELECT mark, how FROM processed WHERE mark IN ({places})", some)  # noqa: S608  # "?" only
            for number, how in rows:
                uuid = asked[number]
                found[uuid] = max(Mark(how), found.get(uuid, Mark.PASSED_OVER))
        return found

    def off_sessions(self) -> tuple[Session, ...]:
        """The conversations that are off the record."""
        rows = self._db.execute(f"SELECT * FROM sessions WHERE state = '{OFF}' ORDER BY key")  # noqa: S608  # our word
        return tuple(map(_session, rows))

    def keep_out(
        self, key: str, root: str, uuids: Iterable[str], *, cursor: str | None = None, settled: int | None = None
    ) -> None:
        """Mark messages of a project as off the record for good, but for those that a pass has dealt with before.

        Their conversation's cursor moves too, where one is given.
        """
        with self._write() as db:
            mark_processed(db, root, uuids, self.now(), Mark.OFF_THE_RECORD)
            db.execute(
                "UPDATE sessions SET cursor = coalesce(?1, cursor), settled = coalesce(?2, settled),"
                " root = coalesce(root, ?3) WHERE key = ?4",
                (cursor, settled, root, key),
            )

    def forget_before(self, when: float) -> None:
        """Drop the marks of messages dealt with before `when`, and the runs that began before it.

        What is off the record stays marked: a transcript that is read anew must not bring it back.
        A run that is dated before its predecessors, by a clock that was wrong, grows old with them.
        """
        with self._write() as db:
            db.execute("DELETE FROM processed WHERE at < ? AND how <> ?", (when, Mark.OFF_THE_RECORD))
            db.execute(_FORGET_RUNS, (when,))


def former_roots(db: sqlite3.Connection, root: str) -> tuple[str, ...]:
    """Where a project was before it was moved."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (_FORMER + root,)).fetchone()
    return () if row is None else tuple(json.loads(row[0]))


def remember_former(db: sqlite3.Connection, old: str, new: str) -> None:
    """Within a transaction of the caller: a project moved; marks cannot be turned back, so they are looked up anew."""
    roots = {old, *former_roots(db, old), *former_roots(db, new)} - {new}
    db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (_FORMER + new, json.dumps(sorted(roots))))


def mark(root: str, uuid: str) -> int:
    """64 bits that stand for one message of one project, as SQLite's signed integer."""
    digest = blake2b(f"{root}\0{uuid}".encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def mark_processed(db: sqlite3.Connection, root: str, uuids: Iterable[str], now: float, how: Mark) -> None:
    """Within a transaction of the caller: these messages are dealt with, `now`, or by a later date that it has been.

    What became of a message the first time holds.
    """
    now = max(now, date(db) or now)
    rows = ((mark(root, uuid), now, how) for uuid in uuids)
    db.executemany("INSERT OR IGNORE INTO processed(mark, at, how) VALUES(?, ?, ?)", rows)


def _fields(session: Session) -> dict[str, object]:
    """The session's fields by name; `asdict` takes ten times as long, as it copies."""
    return {name: getattr(session, name) for name in Session.__slots__}


def _session(row: sqlite3.Row) -> Session:
    return Session(**dict(row))


def _chunks(marks: list[int]) -> Iterator[list[int]]:
    return (marks[start : start + _CHUNK] for start in range(0, len(marks), _CHUNK))
