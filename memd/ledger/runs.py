"""The ledger's part about runs: what was begun, and how it ended."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from memd.ledger import process
from memd.ledger.nouns import EXTRACT, Mark, Outcome, Run
from memd.ledger.part import Part
from memd.ledger.sessions import mark_processed

_COLUMNS = "id, kind, session_key, root, memory_dir, started, ended, outcome, reason, files"
_PUT = f"""
INSERT INTO runs({_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT(id) DO UPDATE SET session_key = excluded.session_key, root = excluded.root,
  memory_dir = excluded.memory_dir, ended = excluded.ended, outcome = excluded.outcome, reason = excluded.reason,
  files = excluded.files
"""
_NOT_LOOKED_AT = {  # why passes leave a conversation alone
    "off_the_record": Mark.OFF_THE_RECORD,
    "memory_off": Mark.PASSED_OVER,
    "project_excluded": Mark.PASSED_OVER,
    "own_session": Mark.PASSED_OVER,
}


class Runs(Part):
    """Small numbers for people, with what came of each."""

    def start_run(
        self, kind: str = EXTRACT, *, session_key: str | None = None, memory_dir: str | None = None, at_least: int = 1
    ) -> int:
        """Take the next number. `at_least` keeps numbers unique where the ledger was lost but the history was not."""
        with self._write() as db:
            number = max(db.execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()[0], at_least)
            put_run(db, Run(id=number, kind=kind, session_key=session_key, memory_dir=memory_dir, started=self.now()))
            db.execute("UPDATE runs SET holder = ? WHERE id = ?", (process.own_name(), number))
        return int(number)

    def end_run(self, run: Run) -> None:
        """Write down how a run ended that belongs to no job."""
        with self._write(durable=wrote_memory(run)) as db:
            put_run(db, ended_by(run, self.now()))

    def run(self, number: int) -> Run | None:
        """The run with that number."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (number,))  # noqa: S608  # our columns
        return next(map(_run, rows), None)

    def runs(self, limit: int = 50, *, session_key: str | None = None) -> tuple[Run, ...]:
        """The last runs, newest first; of one session where its key is given."""
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE ?1 IS NULL OR session_key = ?1 ORDER BY id DESC LIMIT ?2",  # noqa: S608
            (session_key, limit),
        )
        return tuple(map(_run, rows))

    def passes_since(self, when: float) -> tuple[str, ...]:
        """What came of the passes that ended since then and found that somebody had spoken, newest first."""
        looked = f"'{Outcome.SAVED}', '{Outcome.NOTHING}', '{Outcome.HELD}'"
        rows = self._db.execute(
            f"SELECT outcome FROM runs WHERE kind = ? AND ended >= ? AND outcome IN ({looked}) ORDER BY id DESC",  # noqa: S608
            (EXTRACT, when),
        )
        return tuple(row[0] for row in rows)

    def close_dead_runs(self) -> int:
        """Runs that went on in a process which is no more have failed. How many there were."""
        rows = self._db.execute("SELECT id, holder FROM runs WHERE ended IS NULL").fetchall()
        dead = [row["id"] for row in rows if row["holder"] is None or process.gone(row["holder"])]
        with self._write() as db:
            db.executemany(
                "UPDATE runs SET ended = ?, outcome = ?, reason = 'worker_died' WHERE id = ? AND ended IS NULL",
                ((self.now(), Outcome.FAILED, number) for number in dead),
            )
        return len(dead)

    def recover_pass(self, *, cursor: str | None, uuids: Iterable[str], run: Run) -> bool:
        """Make up for a commit that never came: memory was written, then the process died. False: it had come.

        `run` is the run as its journal names it; the session's cursor moves only together with it.
        """
        with self._write(durable=True) as db:
            known = self.run(run.id)
            if known is not None and known.outcome not in {None, Outcome.FAILED}:
                return False
            settle_pass(db, ended_by(run, self.now()), cursor=cursor, uuids=uuids, settled=None)
        return True


def ended_by(run: Run, now: float) -> Run:
    """The same run, ended `now` unless it says when."""
    return run if run.ended is not None else replace(run, ended=now)


def wrote_memory(run: Run) -> bool:
    """Whether the run says that memory was written: then the disk must know before anybody believes it."""
    return bool(run.files) or run.outcome == Outcome.SAVED


def put_run(db: sqlite3.Connection, run: Run) -> None:
    """Within a transaction of the caller: write the run down; its kind and start stay as they were first written."""
    fields = [getattr(run, name) for name in Run.__slots__]
    db.execute(_PUT, [*fields[:-1], json.dumps(run.files, ensure_ascii=False)])


def settle_pass(
    db: sqlite3.Connection, run: Run, *, cursor: str | None, uuids: Iterable[str], settled: int | None
) -> None:
    """Within a transaction of the caller: the run's end, the messages it dealt with, and at last the cursor."""
    put_run(db, run)
    mark_processed(db, run.root or run.session_key or "", uuids, run.ended or run.started, _mark(run))
    db.execute(
        "UPDATE sessions SET cursor = coalesce(?1, cursor), settled = coalesce(?2, settled),"
        " root = coalesce(root, ?3), last_pass_at = ?4 WHERE key = ?5",
        (cursor, settled, run.root, run.ended, run.session_key),
    )


def _mark(run: Run) -> Mark:
    """What became of the messages that a run dealt with."""
    return _NOT_LOOKED_AT.get(run.reason or "", Mark.LOOKED_AT) if run.outcome == Outcome.SKIPPED else Mark.LOOKED_AT


def _run(row: sqlite3.Row) -> Run:
    fields = dict(row)
    return Run(**(fields | {"files": tuple(json.loads(fields["files"]))}))
