"""How long the history keeps what: images for a while, what still holds for as long as it holds."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from memd import files
from memd.errors import LockedError
from memd.memory import forget, journal, standing
from memd.memory import history as past
from memd.memory.journal import Record, What
from memd.memory.layout import INDEX

_FIRST = datetime(2026, 1, 1, tzinfo=UTC)  # no run of memd's is older


def prune(history: Path, *, today: datetime, keep: timedelta) -> tuple[int, ...]:
    """Delete runs that ended longer ago than `keep`; the newest stays, so that no number is given twice.

    A run is as old as `_ends` can prove, whatever its clock said. Gives the numbers of those deleted.

    Without images stays the record of a run that says what is forgotten or rejected, or holds what waits for review.
    So does, without words too, that of a run which made or changed a topic that is there: else the topic would count as
    a person's one day, and no pass could mend it any more.
    """
    records = tuple(past.runs(history))
    decided, makers = standing.needed(records), _makers(records)
    ends = _ends(records, today)
    old = [record for record in reversed(records) if ends.get(record.id, today) < today - keep]
    newest = max(journal.ids(history), default=0)
    for record in old:
        if record.id in decided | makers:
            _strip(history, record.id, keeps_words=record.id in decided)
    gone = [record.id for record in old if record.id not in decided | makers | {newest}]
    return tuple(run_id for run_id in gone if _delete(history, run_id))


def _ends(records: Sequence[Record], today: datetime) -> dict[int, datetime]:
    """By when each run had ended, of runs with the newest first; without those of which nothing proves that.

    A clock may have been wrong, while numbers only grow. A date before there was memd, before that of an earlier run,
    or after today is not believed: the next later run whose date is, stands for it.
    """
    believed: dict[int, datetime] = {}
    least = _FIRST
    for record in reversed(records):
        said = record.run.ended or record.run.started
        if least <= said <= today:
            believed[record.id] = least = said
    found: dict[int, datetime] = {}
    proof: datetime | None = None
    for record in records:
        proof = believed.get(record.id, proof)
        if proof is not None:
            found[record.id] = proof
    return found


def _makers(records: Sequence[Record]) -> frozenset[int]:
    """The runs that had a hand in a topic which is still there."""
    live = {place: _topics(Path(place)) for place in {record.memory_dir for record in records}}
    return frozenset(
        record.id
        for record in records
        if any(file.path in live[record.memory_dir] and file.what != What.LEFT for file in record.files)
    )


def _topics(memory_dir: Path) -> frozenset[str]:
    try:
        with files.open_directory(memory_dir) as memory:
            return frozenset(files.list_files(memory)) - {INDEX}
    except OSError:
        return frozenset()


def _strip(history: Path, run_id: int, *, keeps_words: bool) -> None:
    """Let a run's images go. The record first: it must never promise images that are not there."""
    with suppress(LockedError, FileNotFoundError, msgspec.DecodeError):
        with journal.existing_run(history, run_id, timeout=0) as run_fd:
            record = journal.read_record(run_fd)
            if record is None or journal.read_entry(run_fd) is not None:
                return
            kept = _bare(record) if keeps_words else _wordless(_bare(record))
            if kept != record:
                journal.amend(run_fd, kept)
        for side in (journal.BEFORE, journal.AFTER, journal.LOG):
            shutil.rmtree(history / str(run_id) / side, ignore_errors=True)


def _bare(record: Record) -> Record:
    """A record that promises no images; the digests stay, by which a file is known again."""
    return replace(
        record,
        files=tuple(replace(file, what=What.PURGED) if file.what != What.LEFT else file for file in record.files),
    )


def _wordless(record: Record) -> Record:
    """A record without anybody's words. What a memory came from is known by name still, should it be forgotten."""
    sources = dict(record.run.sources)
    for path in {*record.run.quotes, *(held.path for held in record.run.held)}:
        sources[path] = forget.sources(record, path)
    run = replace(record.run, quotes={}, sources=sources, held=(), dropped=(), cursor=None)
    return replace(record, run=run)


def _delete(history: Path, run_id: int) -> bool:
    try:
        with journal.existing_run(history, run_id, timeout=0) as run_fd:
            if journal.read_entry(run_fd) is not None:
                return False
            shutil.rmtree(history / str(run_id), ignore_errors=True)
    except (LockedError, FileNotFoundError):
        return False
    return True
