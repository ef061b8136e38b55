"""A job's row in the queue: what becomes of it, within a transaction of the caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from memd.errors import LeaseLostError
from memd.ledger.nouns import Job, JobRequest

COLUMNS = (
    "id, kind, session_key, memory_dir, place, by_hand, again, dry_run, complete_only, watermark, state, attempts,"
    " failures, not_before, token, lease_until, postponed = 2 AS put_off"
)
_ENQUEUE = """
INSERT INTO jobs(kind, subject, session_key, memory_dir, place, by_hand, again, dry_run, complete_only, watermark,
  not_before, set_at)
VALUES(:kind, :subject, :session_key, :memory_dir,
  coalesce(:memory_dir, (SELECT coalesce(root, cwd) FROM sessions WHERE key = :session_key), :subject),
  :by_hand, :again, :dry_run, :complete_only, :watermark, :not_before, :now)
ON CONFLICT(kind, subject, dry_run) WHERE state = 'queued' DO UPDATE SET watermark = excluded.watermark,
  memory_dir = coalesce(memory_dir, excluded.memory_dir), by_hand = max(by_hand, excluded.by_hand),
  again = max(again, excluded.again), complete_only = min(complete_only, excluded.complete_only),
  not_before = CASE WHEN excluded.by_hand THEN excluded.not_before ELSE not_before END
RETURNING id
"""  # a waiting retry is not hurried by more of the same, only by a person; where no memory directory is known yet,
# the project stands for the place that only one job at a time may touch


def asked(request: JobRequest, now: float) -> dict[str, object]:
    """The columns that a request fills, and the time, by name."""
    fields: dict[str, object] = {name: getattr(request, name) for name in JobRequest.__slots__}
    return fields | {"subject": request.session_key or request.memory_dir or "", "now": now}


def put(db: sqlite3.Connection, said: Mapping[str, object]) -> int:
    """Put a job into the queue by its columns (`asked`), or join it with the one that waits there; its number."""
    return int(db.execute(_ENQUEUE, said).fetchone()[0])


def hold(db: sqlite3.Connection, job: Job) -> None:
    """Go on only while the job is still this worker's. Raises LeaseLostError."""
    held = db.execute("SELECT 1 FROM jobs WHERE id = ? AND token = ? AND state = 'leased'", (job.id, job.token))
    if held.fetchone() is None:
        raise LeaseLostError


def next_token(db: sqlite3.Connection) -> int:
    """A number that no lease has had."""
    counted = "INSERT INTO meta VALUES('token', '1') ON CONFLICT(name) DO UPDATE SET value = value + 1 RETURNING value"
    return int(db.execute(counted).fetchone()[0])


def put_back(db: sqlite3.Connection, number: int, *, not_before: float, now: float, attempts: int) -> None:
    """Let a leased job wait again, joined with the trailing one if there is one."""
    trailing = _take_trailing(db, number)
    db.execute(
        "UPDATE jobs SET state = 'queued', token = NULL, lease_until = NULL, holder = NULL, postponed = 0,"
        " attempts = ?2, set_at = ?4, not_before = CASE WHEN ?5 THEN ?4 ELSE ?3 END, by_hand = max(by_hand, ?5),"
        " again = max(again, ?6), complete_only = min(complete_only, ?7), watermark = coalesce(?8, watermark)"
        " WHERE id = ?1",
        (number, attempts, not_before, now, *trailing),
    )


def _take_trailing(db: sqlite3.Connection, number: int) -> Sequence[object]:
    """Remove the job that waits behind this one; what it asked for (by hand, again, complete only, watermark)."""
    row = db.execute(
        "DELETE FROM jobs WHERE state = 'queued' AND (kind, subject, dry_run) ="
        " (SELECT kind, subject, dry_run FROM jobs WHERE id = ?) RETURNING by_hand, again,"
        " complete_only, watermark",
        (number,),
    ).fetchone()
    return (0, 0, 1, None) if row is None else tuple(row)


def queue_rest(db: sqlite3.Connection, job: Job, now: float) -> None:
    """Put a job in its own place once more, as new: it has failed at nothing. A trailing one becomes part of it."""
    by_hand, again, complete_only, watermark = _take_trailing(db, job.id)
    db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
    request = JobRequest(
        kind=job.kind,
        session_key=job.session_key,
        memory_dir=job.memory_dir,
        by_hand=bool(job.by_hand or by_hand),
        again=bool(job.again or again),
        complete_only=bool(job.complete_only and complete_only),
        watermark=job.watermark if watermark is None else int(str(watermark)),
    )
    put(db, asked(request, now))


def drop_trailing(db: sqlite3.Connection, job: Job, settled: int) -> None:
    """Remove the job that waits behind this one, unless it asks for more than was settled, or a person does."""
    db.execute(
        "DELETE FROM jobs WHERE state = 'queued' AND kind = ? AND subject = ? AND dry_run = 0 AND by_hand = 0"
        " AND watermark <= ?",
        (job.kind, job.session_key or job.memory_dir or "", settled),
    )


def read(row: sqlite3.Row) -> Job:
    """The job in a row of `COLUMNS`."""
    flags = {name: bool(row[name]) for name in ("by_hand", "again", "dry_run", "complete_only", "put_off")}
    return Job(**(dict(row) | flags))
