"""The ledger's part about dreams: by memory directory, which dates are done and how far the logs were dealt with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memd.errors import LeaseLostError
from memd.ledger.nouns import Job, Outcome, Run
from memd.ledger.part import Part
from memd.ledger.runs import ended_by, put_run, wrote_memory

_GET = "SELECT memory_dir, dates, dreamt_at, cursor, idle, said, said_at FROM dreams"
_PUT = """
INSERT INTO dreams(memory_dir, dates, dreamt_at, cursor, idle, said, said_at)
VALUES(:memory_dir, :dates, :dreamt_at, :cursor, :idle, :said, :said_at)
ON CONFLICT(memory_dir) DO UPDATE SET dates = excluded.dates, dreamt_at = excluded.dreamt_at,
  cursor = excluded.cursor, idle = excluded.idle, said = excluded.said, said_at = excluded.said_at
"""
_PLACES = """
SELECT root, memory_dir, min(started) AS since, max(id) FROM runs
WHERE root IS NOT NULL AND memory_dir IS NOT NULL GROUP BY memory_dir ORDER BY memory_dir
"""
_TOUCHED = """
SELECT count(*) FROM sessions
WHERE root = :root AND mtime_ns > :since AND mtime_ns <= :until AND settled = size
"""
_LEARNT_FROM = """
SELECT path FROM sessions WHERE root = :root AND state <> 'off' AND cursor IS NOT NULL
AND EXISTS (SELECT 1 FROM runs WHERE session_key = key AND outcome IN ('saved', 'nothing', 'held'))
AND NOT EXISTS (SELECT 1 FROM runs WHERE session_key = key AND outcome = 'skipped' AND reason IN
  ('memory_off', 'off_the_record', 'project_excluded', 'own_session'))
ORDER BY mtime_ns DESC, key LIMIT :limit
"""
_FAILING = """
SELECT memory_dir FROM (
  SELECT memory_dir, outcome, reason, started, row_number() OVER (PARTITION BY memory_dir ORDER BY id DESC) AS place
  FROM runs WHERE kind = 'dream' AND outcome IS NOT NULL AND memory_dir IS NOT NULL
) AS last LEFT JOIN dreams USING(memory_dir)
WHERE place <= :count AND outcome = 'failed' AND started > coalesce(dreamt_at, 0)
  AND reason NOT IN ('TransientError', 'AuthError', 'BudgetError', 'LockedError')
GROUP BY memory_dir HAVING count(*) = :count ORDER BY memory_dir
"""  # what is not theirs to mend is said elsewhere
_NANO = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    """What is known of one memory directory's dreams. Times are seconds since the epoch."""

    memory_dir: str
    dates: tuple[str, ...] = ()  # local dates that are done, YYYY-MM-DD, the last one last
    dreamt_at: float | None = None  # when the last one that succeeded began
    cursor: str | None = None  # how far the logs were dealt with; the ledger does not look inside
    idle: int = 0  # dreams in a row that had something to work on and did nothing
    said: str = ""  # what came of the last attempt: the code of a gate, or an outcome
    said_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamPlace:
    """A memory directory that memd has worked on."""

    root: str
    memory_dir: str
    since: float  # when memd first worked there


class Dreams(Part):
    """A row for every memory directory that a dream was due for."""

    def dreamt(self, memory_dir: str) -> Dreamt:
        """What is known of a directory's dreams, perhaps nothing."""
        row = self._db.execute(f"{_GET} WHERE memory_dir = ?", (memory_dir,)).fetchone()
        return Dreamt(memory_dir=memory_dir) if row is None else _dreamt(row)

    def all_dreamt(self) -> tuple[Dreamt, ...]:
        """The same of every directory."""
        return tuple(map(_dreamt, self._db.execute(f"{_GET} ORDER BY memory_dir")))

    def failing_dreams(self, count: int) -> tuple[str, ...]:
        """The directories in which so many dreams in a row have failed by themselves, and none has succeeded since."""
        return tuple(row["memory_dir"] for row in self._db.execute(_FAILING, {"count": count}))

    def dream_places(self) -> tuple[DreamPlace, ...]:
        """Every memory directory that memd has worked on, with the project that it belongs to now."""
        rows = self._db.execute(_PLACES)
        return tuple(DreamPlace(root=row["root"], memory_dir=row["memory_dir"], since=row["since"]) for row in rows)

    def sessions_between(self, root: str, since: float, until: float) -> int:
        """How many of a project's conversations were last written to in that time, and are dealt with."""
        said = {"root": root, "since": int(since * _NANO), "until": int(until * _NANO)}
        return int(self._db.execute(_TOUCHED, said).fetchone()[0])

    def learnt_from(self, root: str, *, limit: int) -> tuple[str, ...]:
        """The transcripts of a project's conversations that passes looked into, the newest first.

        None of which any part was to be left alone.
        """
        return tuple(row["path"] for row in self._db.execute(_LEARNT_FROM, {"root": root, "limit": limit}))

    def mark_dates(self, memory_dir: str, dates: Sequence[str]) -> None:
        """Say which local dates are done."""
        with self._write() as db:
            _put(db, replace(self.dreamt(memory_dir), dates=tuple(dates)))

    def skip_dream(self, job: Job, memory_dir: str, said: str) -> None:
        """End a claimed job at a gate. Raises LeaseLostError."""
        with self._write() as db:
            _end(db, job)
            _put(db, replace(self.dreamt(memory_dir), said=said, said_at=self.now()))

    def drop_dream(self, number: int, *, said: str = "") -> None:
        """Forget a dream that somebody asked for by hand and does not wait for any more."""
        with self._write() as db:
            row = db.execute("DELETE FROM jobs WHERE id = ? RETURNING memory_dir", (number,)).fetchone()
            if row is not None and said:
                _put(db, replace(self.dreamt(row["memory_dir"]), said=said, said_at=self.now()))

    def commit_dream(self, job: Job | None, after: Dreamt, run: Run, *, keep: bool = True) -> None:
        """The end of a dream: run, cursor and job, in one transaction. `job` None: it goes on, or there is none.

        `keep` False: nothing came of it at all, so no run is left. Raises LeaseLostError.
        """
        with self._write(durable=wrote_memory(run)) as db:
            if job is not None:
                _end(db, job)
            if keep:
                put_run(db, ended_by(run, self.now()))
            else:
                db.execute("DELETE FROM runs WHERE id = ?", (run.id,))
            _put(db, replace(after, dates=self.dreamt(after.memory_dir).dates, said_at=self.now()))

    def recover_dream(self, said: Mapping[str, Any]) -> None:
        """Make up for a commit that never came: memory was written, then the process died. `said` is what `named` gave.

        Nothing is done where it had come.
        """
        after = Dreamt(**(said["dream"] | {"dates": tuple(said["dream"]["dates"])}))
        run = Run(**(said["run"] | {"files": tuple(said["run"]["files"])}))
        row = self._db.execute("SELECT outcome FROM runs WHERE id = ?", (run.id,)).fetchone()
        if row is None or row["outcome"] in {None, Outcome.FAILED}:
            self.commit_dream(None, after, run)


def named(after: Dreamt, run: Run) -> dict[str, Any]:
    """What a journal has to keep for `recover_dream`, as JSON."""
    return {"dream": asdict(after), "run": asdict(run)}


def cursor_of(said: Any) -> str | None:  # noqa: ANN401 - whatever JSON a history holds
    """How far the logs were dealt with by the end of a dream, from what `named` gave; None where it does not tell."""
    dream = said.get("dream") if isinstance(said, dict) else None
    cursor = dream.get("cursor") if isinstance(dream, dict) else None
    return cursor if isinstance(cursor, str) else None


def _end(db: sqlite3.Connection, job: Job) -> None:
    ended = db.execute("DELETE FROM jobs WHERE id = ? AND token = ? AND state = 'leased'", (job.id, job.token))
    if not ended.rowcount:
        raise LeaseLostError


def _put(db: sqlite3.Connection, one: Dreamt) -> None:
    fields: dict[str, object] = {name: getattr(one, name) for name in Dreamt.__slots__}
    db.execute(_PUT, fields | {"dates": json.dumps(one.dates)})


def _dreamt(row: sqlite3.Row) -> Dreamt:
    fields = dict(row)
    return Dreamt(**(fields | {"dates": tuple(json.loads(fields["dates"]))}))
