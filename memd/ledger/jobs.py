"""The ledger's part about jobs: the queue, with leases and fencing tokens."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memd.ledger import job_rows, process
from memd.ledger.job_rows import COLUMNS
from memd.ledger.nouns import EXTRACT, Job, JobRequest, Outcome, Queue, Run
from memd.ledger.part import Part
from memd.ledger.runs import ended_by, put_run, settle_pass, wrote_memory

MAX_ATTEMPTS = 3  # that count, then a job is over
_AFTER_DEATH = (5.0, 60.0)  # seconds a job rests after its first and its second worker died
_STEP = 60.0  # seconds by which the clock must have gone back before a waiting time is not believed

_FREE = """
state = 'queued' AND place NOT IN (SELECT place FROM jobs WHERE state = 'leased')
AND subject NOT IN (SELECT subject FROM jobs WHERE state = 'leased')
"""
_READY = f"{_FREE} AND (not_before <= :now OR set_at > :now + {_STEP})"
_OF = "kind = :kind AND subject = :subject AND dry_run = 0"
_WAITING = "SELECT id FROM jobs WHERE state = 'queued' AND kind = :kind AND subject = :subject AND dry_run = :dry_run"
_BUSY = "SELECT 1 FROM jobs WHERE state = 'leased' AND (subject = :subject OR place = coalesce(:memory_dir, :subject))"
_WATERMARK = f"""
SELECT watermark FROM jobs WHERE state = 'queued' AND {_OF}
UNION ALL SELECT watermark FROM jobs WHERE state = 'leased' AND {_OF}
"""  # noqa: S608  # our own words; each half has its index


class Jobs(Part):
    """What is to be done, at most one at a time for one memory directory."""

    def enqueue(self, request: JobRequest) -> int:
        """Put a job into the queue, or join it with the one that waits there; its number.

        While one is worked on, the next request makes one trailing job and all further ones join that.
        """
        with self._write() as db:
            now = self._free_lapsed(db)  # a dead worker's job is joined with, not queued behind
            return job_rows.put(db, job_rows.asked(request, now))

    def claim(self, *, lease: float, only: int | None = None) -> Job | None:
        """Take the oldest ready job (by hand first) for `lease` seconds; None: there is none.

        `only` takes that very job, ready or waiting, unless its place is busy.
        """
        with self._write() as db:
            now = self._free_lapsed(db)
            wanted = f"{_FREE} AND id = :only" if only is not None else _READY
            best = f"SELECT id FROM jobs WHERE {wanted} ORDER BY by_hand DESC, postponed, id LIMIT 1"  # noqa: S608  # constants
            row = db.execute(best, {"now": now, "only": only}).fetchone()
            return None if row is None else self._lease(db, row[0], now + lease)

    def take(self, request: JobRequest, *, lease: float) -> Job | None:
        """Put a job into the queue and claim it in one step; None, and nothing is queued, where its place is busy.

        One that waits there already is claimed as it is: by its `by_hand` whoever cannot do it knows whose it is.
        """
        with self._write() as db:
            now = self._free_lapsed(db)
            said = job_rows.asked(request, now)
            if db.execute(_BUSY, said).fetchone():
                return None
            waiting = db.execute(_WAITING, said).fetchone()
            number = job_rows.put(db, said) if waiting is None else waiting[0]
            return self._lease(db, number, now + lease)

    def _lease(self, db: sqlite3.Connection, number: int, until: float) -> Job:
        token = job_rows.next_token(db)
        db.execute(
            "UPDATE jobs SET state = 'leased', token = ?, lease_until = ?, holder = ? WHERE id = ?",
            (token, until, process.own_name(), number),
        )
        return job_rows.read(db.execute(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", (number,)).fetchone())  # noqa: S608

    def renew(self, job: Job, *, lease: float) -> None:
        """Keep a claimed job for `lease` seconds from now. Raises LeaseLostError."""
        with self._write() as db:
            job_rows.hold(db, job)
            db.execute("UPDATE jobs SET lease_until = ? WHERE id = ?", (self.now() + lease, job.id))

    def bind(self, job: Job, memory_dir: str) -> bool:
        """Say which memory directory a claimed job turned out to touch. False: another job is working there.

        Raises LeaseLostError. After False the caller lets go of the job for a while (`retry`).
        """
        with self._write() as db:
            job_rows.hold(db, job)
            busy = db.execute(
                "SELECT 1 FROM jobs WHERE state = 'leased' AND place = ? AND id <> ?", (memory_dir, job.id)
            )
            if busy.fetchone():
                return False
            db.execute("UPDATE jobs SET memory_dir = ?1, place = ?1 WHERE id = ?2", (memory_dir, job.id))
        return True

    def release(self, job: Job) -> None:
        """Put a claimed job back as it was. Raises LeaseLostError."""
        with self._write() as db:
            job_rows.hold(db, job)
            job_rows.put_back(db, job.id, not_before=self.now(), now=self.now(), attempts=job.attempts)

    def retry(self, job: Job, *, at: float, counted: bool) -> None:
        """Put a claimed job back until `at`; a `counted` attempt is one of three. Raises LeaseLostError."""
        with self._write() as db:
            job_rows.hold(db, job)
            job_rows.put_back(db, job.id, not_before=at, now=self.now(), attempts=job.attempts + counted)
            db.execute("UPDATE jobs SET failures = failures + 1 WHERE id = ?", (job.id,))

    def finish(self, job: Job, run: Run) -> None:
        """End a claimed job without moving its cursor; it is not due again until its transcript changes.

        Raises LeaseLostError.
        """
        self.commit_pass(job, cursor=None, uuids=(), run=run)

    def commit_pass(
        self, job: Job, *, cursor: str | None, uuids: Iterable[str], run: Run, settled: int | None = None
    ) -> None:
        """The end of a pass: run, messages dealt with and cursor, all in one transaction. Raises LeaseLostError.

        `settled` is the transcript's size up to which nothing is left to do (the job's watermark where not given);
        a trailing job that asks for no more than that goes too.
        """
        end = job.watermark if settled is None else settled
        with self._write(durable=wrote_memory(run)) as db:
            job_rows.hold(db, job)
            db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
            if job.dry_run:
                put_run(db, ended_by(run, self.now()))
                return
            settle_pass(db, ended_by(run, self.now()), cursor=cursor, uuids=uuids, settled=end)
            if settled is not None:
                job_rows.drop_trailing(db, job, end)

    def commit_part(self, job: Job, *, cursor: str, run: Run) -> None:
        """The end of a pass after which the same job waits anew, behind the others, for the next one.

        Raises LeaseLostError. `cursor` tells how far the pass came.
        """
        with self._write(durable=wrote_memory(run)) as db:
            job_rows.hold(db, job)
            job_rows.queue_rest(db, job, self.now())
            settle_pass(db, ended_by(run, self.now()), cursor=cursor, uuids=(), settled=None)

    def queue(self) -> Queue:
        """What could be worked on now, and when there will be more."""
        now = self.now()
        ready = f"SELECT count(DISTINCT place) FROM jobs WHERE {_READY}"  # noqa: S608  # constants
        soonest = f"SELECT min(not_before) FROM jobs WHERE {_FREE}"  # noqa: S608  # constants
        leased = self._db.execute("SELECT lease_until, holder FROM jobs WHERE state = 'leased'").fetchall()
        lapsed = [row for row in leased if _lapsed(row, now)]
        times = [self._db.execute(soonest).fetchone()[0], *(now if row in lapsed else row[0] for row in leased)]
        return Queue(
            ready=self._db.execute(ready, {"now": now}).fetchone()[0] + len(lapsed),
            leased=len(leased) - len(lapsed),
            next_at=min((time for time in times if time is not None), default=None),
        )

    def watermark(self, session_key: str) -> int | None:
        """Up to where an extraction of that conversation waits or is worked on; None: there is none."""
        found = self._db.execute(_WATERMARK, {"kind": EXTRACT, "subject": session_key}).fetchone()
        return None if found is None else int(found[0])

    def jobs(self) -> tuple[Job, ...]:
        """Every job there is, in the order they came."""
        return tuple(map(job_rows.read, self._db.execute(f"SELECT {COLUMNS} FROM jobs ORDER BY id")))  # noqa: S608  # constants

    def _free_lapsed(self, db: sqlite3.Connection) -> float:
        """Within a transaction: jobs whose worker is dead or late wait again, or are over after the third."""
        now = self.now()
        for row in db.execute("SELECT * FROM jobs WHERE state = 'leased'").fetchall():
            if _lapsed(row, now):
                self._count_death(db, row, now)
        return now

    def _count_death(self, db: sqlite3.Connection, row: sqlite3.Row, now: float) -> None:
        attempts = row["attempts"] + 1
        if attempts < MAX_ATTEMPTS:
            job_rows.put_back(db, row["id"], not_before=now + _AFTER_DEATH[attempts - 1], now=now, attempts=attempts)
            return
        db.execute("DELETE FROM jobs WHERE id = ?", (row["id"],))
        number = db.execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()[0]
        settle_pass(db, _given_up(number, row, now), cursor=None, uuids=(), settled=row["watermark"])


def _given_up(number: int, row: sqlite3.Row, now: float) -> Run:
    return Run(
        id=number,
        kind=row["kind"],
        session_key=row["session_key"],
        memory_dir=row["memory_dir"],
        started=now,
        ended=now,
        outcome=Outcome.FAILED,
        reason="worker_died",
    )


def _lapsed(row: sqlite3.Row, now: float) -> bool:
    return row["lease_until"] <= now or process.gone(row["holder"])
