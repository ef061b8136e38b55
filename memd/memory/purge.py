"""Taking a memory out of the history: its images, its quotes, what was held for it, its line in every index.

What stays is that there were such runs, the file's name, and tombstones, which tell no words. A line in a daily log
stays as well: memd only ever appends to logs, as concurrent writers and people rely on; a person may take it out.

A purge is announced beside the history before anything is touched, so that one whose process dies is finished by the
next command: the memory is gone from everywhere or nowhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from memd import files
from memd.errors import LockedError
from memd.memory import history as past
from memd.memory import index_lines, journal, log, marks, steps, store
from memd.memory.decision import Held, Tombstone
from memd.memory.journal import FileRecord, Record, What
from memd.memory.layout import INDEX

MARK = "purging"  # beside the history: what is being purged
_LOCK = "purging.lock"


@contextmanager
def announced(stone: Tombstone, *, history: Path, caches: Sequence[Path]) -> Iterator[None]:
    """For the run that forgets, with `purges` in its note: once that stands, everything is scrubbed at the end.

    Whatever ends it early leaves the announcement to `resume`. `caches` are directories of what was read
    from memories; they are emptied. LockedError while another process purges.
    """
    with _alone(history.parent, timeout=files.LOCK_SECONDS) as state:
        _finish(state, history, caches)  # what somebody else did not come to finish
        files.write_atomic(state, MARK, msgspec.json.encode(stone))
        yield
        _finish(state, history, caches)


def resume(*, history: Path, caches: Sequence[Path]) -> tuple[int, ...]:
    """Finish the purge that a dead process left; the runs scrubbed. Cheap where there is none."""
    if not (history.parent / MARK).exists():
        return ()
    try:
        with _alone(history.parent, timeout=0) as state:
            return _finish(state, history, caches)
    except LockedError:
        return ()  # it is being worked on


@contextmanager
def _alone(directory: Path, *, timeout: float) -> Iterator[int]:
    """The descriptor of memd's own directory, with the lock of all purges held."""
    with (
        files.open_directory(directory, create=True) as state,
        files.open_regular(state, _LOCK, os.O_RDWR | os.O_CREAT) as lock,
        files.locked(lock, timeout=timeout),
    ):
        yield state


def _finish(state: int, history: Path, caches: Sequence[Path]) -> tuple[int, ...]:
    said = files.read_regular(state, MARK)
    if said is None:
        return ()
    stone = msgspec.json.decode(said, type=Tombstone)
    store.recover(history, lambda _: None, only=lambda note: note.purges)
    scrubbed: list[int] = []
    for place in {Path(record.memory_dir) for record in past.runs(history) if _asks_for(record, stone)}:
        scrubbed += purge(stone, memory_dir=place, history=history)
    for cache in caches:
        with suppress(FileNotFoundError):
            shutil.rmtree(cache)
    files.remove(state, MARK)
    return tuple(scrubbed)


def _asks_for(record: Record, stone: Tombstone) -> bool:
    return record.run.purges and stone in record.run.forgets


def purge(stone: Tombstone, *, memory_dir: Path, history: Path) -> tuple[int, ...]:
    """Scrub one memory from every run of its directory; the runs that held something of it, newest first.

    May be done again after a crash. LockedError where a run is being worked on.
    """
    concerned = (record for record in past.runs(history) if record.memory_dir == str(memory_dir))
    return tuple(record.id for record in concerned if _scrub(record, stone, history))


def _scrub(record: Record, stone: Tombstone, history: Path) -> bool:
    """The record goes first: it must never promise an image that is gone."""
    with journal.existing_run(history, record.id) as run_fd:
        images = _index_images(run_fd, record, stone.path)
        scrubbed = _scrubbed(record, stone, images)
        if scrubbed != record:
            journal.amend(run_fd, scrubbed)
        touched = any(file.path == stone.path for file in record.files)
        for side, data in images.items():
            journal.keep_image(run_fd, side, INDEX, data)
        for side in (journal.BEFORE, journal.AFTER) if touched else ():
            journal.keep_image(run_fd, side, stone.path, None)
        return _scrub_bullets(run_fd, stone) or scrubbed != record


def _scrubbed(record: Record, stone: Tombstone, images: dict[str, bytes]) -> Record:
    digests = {side: journal.digest(data) for side, data in images.items()}
    run = replace(
        record.run,
        quotes={path: said for path, said in record.run.quotes.items() if path != stone.path},
        held=tuple(_emptied(one) if _tells(one, stone) else one for one in record.run.held),
    )
    return replace(record, run=run, files=tuple(_without_images(file, stone.path, digests) for file in record.files))


def _without_images(file: FileRecord, path: str, digests: dict[str, str | None]) -> FileRecord:
    if file.path == path:
        return replace(file, what=What.PURGED, before=None, after=None)
    if file.path == INDEX and digests:
        before, after = digests.get(journal.BEFORE, file.before), digests.get(journal.AFTER, file.after)
        return replace(file, before=before, after=after)
    return file


def _tells(held: Held, stone: Tombstone) -> bool:
    known = marks.by_hint(stone.marks)
    return held.path == stone.path or any(any(marks.found(quote.text, known)) for quote in held.quotes)


def _emptied(held: Held) -> Held:
    """Nothing to be judged any more; its place stays, because people know proposals by their numbers."""
    return replace(held, change=replace(held.change, before=None, after=None), quotes=(), detail="")


def _index_images(run_fd: int, record: Record, path: str) -> dict[str, bytes]:
    """The images of MEMORY.md that have a line about a topic, without it."""
    if not any(file.path == INDEX and file.what != What.PURGED for file in record.files):
        return {}
    kept = {side: journal.image(run_fd, side, INDEX) for side in (journal.BEFORE, journal.AFTER)}
    without = {side: _without_entry(data, path) for side, data in kept.items() if data is not None}
    return {side: data for side, data in without.items() if data != kept[side]}


def _without_entry(data: bytes, path: str) -> bytes:
    lines = index_lines.read(data)

    def is_about(text: str) -> bool:
        entry = index_lines.parse_line(text)
        return entry is not None and entry.path == path

    return lines.joined([row for row in lines.rows if not is_about(row.text)])


def _scrub_bullets(run_fd: int, stone: Tombstone) -> bool:
    kept = journal.image(run_fd, journal.LOG, steps.BULLETS)
    if kept is None:
        return False
    left = b"".join(line for line in kept.splitlines(keepends=True) if not _is_about(line, stone))
    if left == kept:
        return False
    journal.keep_image(run_fd, journal.LOG, steps.BULLETS, left)
    return True


def _is_about(line: bytes, stone: Tombstone) -> bool:
    known = marks.by_hint(stone.marks)
    return any(bullet.file == stone.path or any(marks.found(bullet.text, known)) for bullet in log.parse(line))


def logs_that_tell(memory_dir: Path, path: str) -> tuple[str, ...]:
    """The daily logs with a bullet about a memory: memd only ever appends to those."""
    return tuple(
        rel for rel, data in log.everything(memory_dir) if any(bullet.file == path for bullet in log.parse(data))
    )
