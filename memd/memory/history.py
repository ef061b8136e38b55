"""What the runs did, what made a memory, and the way back."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memd import files
from memd.errors import MemdError, RefusedError, UnsafePathError
from memd.memory import journal, pin, records, standing, steps, store, topic
from memd.memory.journal import FileRecord, LogRecord, Record, RunNote, What
from memd.memory.layout import INDEX
from memd.memory.merge import merged
from memd.memory.quotes import Quote
from memd.memory.store import Applied, Plan
from memd.memory.workspace import Change

next_id = journal.next_id
runs = records.newest_first


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The words on which one run created or changed a memory."""

    run_id: int
    kind: str
    at: datetime
    session: str | None
    quotes: tuple[Quote, ...]


def load(run_id: int, *, history: Path) -> Record:
    """One finished run. MemdError where there is none of that number."""
    record = _record(history, run_id)
    if record is None:
        raise MemdError(f"There is no finished run {run_id}.", hint="`memd history` lists them.")
    return record


def changes(record: Record, *, history: Path) -> tuple[Change, ...]:
    """What a run did, file by file, with the bytes. RefusedError where they are gone, MemdError where damaged."""
    if gone := [file.path for file in record.files if file.what == What.PURGED]:
        raise RefusedError(
            f"run {record.id} cannot be undone: {files.printable(gone[0])} is no longer in the history",
            hint="it was purged, or is older than [history] keep",
        )
    with _run(history, record.id) as run_fd:
        return tuple(_change(run_fd, record.id, file) for file in record.files if file.what != What.LEFT)


def diff(run_id: int, *, history: Path) -> str:
    """What a run did, to the daily log too, as a unified diff."""
    record = load(run_id, history=history)
    with _run(history, run_id) as run_fd:
        changed = "".join(_told(run_fd, run_id, file) for file in record.files if file.what != What.LEFT)
        return changed + _log_told(run_fd, record)


def why(path: str, *, memory_dir: Path, history: Path) -> tuple[Why, ...]:
    """The words on which a memory stands, by run, newest first; of runs before a deletion, or taken back, none."""
    found: list[Why] = []
    taken_back: set[int] = set()
    for record in runs(history):
        file = _file(record, path, memory_dir)
        if file is None or record.id in taken_back:
            continue
        if record.run.undoes is not None:
            taken_back.add(record.run.undoes)
            continue
        if file.what in {What.DELETED, What.PURGED}:
            break
        said = record.run.quotes.get(path, ())
        run = record.run
        if said:
            at = run.ended or run.started
            found.append(Why(run_id=record.id, kind=run.kind, at=at, session=run.session, quotes=tuple(said)))
    return tuple(found)


def undo(run_id: int, *, history: Path, now: datetime, undo_id: int | None = None) -> Applied:
    """Take a run back, as a run of its own that can be undone too. The daily log stays: it is only ever appended to.

    `undo_id` is the new run's number, where the caller took one from the ledger. Later edits are kept where they merge;
    where they do not, RefusedError names who made them and nothing changes.
    """
    record = load(run_id, history=history)
    done = changes(record, history=history)

    def plan(memory: int) -> Plan:
        touched_index = any(change.path == INDEX for change in done)
        back = tuple(_backwards(memory, record, done, history))
        return Plan(changes=back, keeps_index=not touched_index)

    run = RunNote(
        id=undo_id, kind="undo", started=now, session=record.run.session, project=record.run.project, undoes=run_id
    )
    return store.transact(Path(record.memory_dir), plan, run=run, history=history)


def _backwards(memory: int, record: Record, done: tuple[Change, ...], history: Path) -> Iterator[Change]:
    """The changes that lead back, judged against what is live now."""
    if by := standing.undone_by(runs(history)).get(record.id):
        raise RefusedError(f"Run {record.id} is undone already, by run {by}.")
    back = list(_topics_backwards(memory, record, done, history))
    index = next((change for change in done if change.path == INDEX), None)
    index_goes = index is not None and _live(memory, INDEX) == index.after
    if not back and not index_goes and not (record.run.reviews or record.run.forgets):
        raise RefusedError(nothing_left(record, history))
    yield from back
    if index is not None and index_goes:
        yield Change(path=INDEX, before=index.after, after=index.before)


def nothing_left(record: Record, history: Path) -> str:
    """Why there is nothing of a run to take back, though nobody took it back."""
    touched = [file.path for file in record.files if file.what != What.LEFT]
    topics = [path for path in touched if path != INDEX] or touched
    if not topics:
        return f"Run {record.id} changed no files."
    place = Path(record.memory_dir)
    later = (one for one in runs(history) if one.id > record.id)
    since = next((one.id for one in later if any(_file(one, path, place) for path in topics)), None)
    who = "somebody changed it back by hand" if since is None else f"run {since} changed it since"
    return f"Nothing is left of what run {record.id} did: {who}."


def _topics_backwards(memory: int, record: Record, done: tuple[Change, ...], history: Path) -> Iterator[Change]:
    for change in done:
        live = _live(memory, change.path)
        if change.path == INDEX:
            continue
        back = backwards(change, live)
        if back is None:
            who = _who_changed(record, change.path, live, history)
            raise RefusedError(
                f"Run {record.id} cannot be undone: {who} {change.path} since.",
                hint="Undo that first, or edit the file by hand.",
            )
        if back.after != live:
            yield back


def backwards(change: Change, live: bytes | None) -> Change | None:
    """What takes a change of a topic back, where this stands now; None: that cannot be. Later edits stay.

    So does a pin that was set or taken out since: it says nothing about the words, and is never in the way.
    """
    if live in {change.before, change.after}:
        return Change(path=change.path, before=live, after=change.before)
    if live is None or change.after is None:
        return None
    after, before, since = change.after, change.before, live
    if is_about_words := before is None or pin.bare(before) != pin.bare(after):
        after, since = pin.bare(after), pin.bare(live)
        before = None if before is None else pin.bare(before)
    if before is None:
        return Change(path=change.path, before=live, after=None) if since == after else None
    both = merged(after, since, before)
    if both is not None and is_about_words:
        both = pin.pinned(both, on=topic.parse(live).pinned) or both
        both = live if pin.bare(both) == since else both
    return None if both is None else Change(path=change.path, before=live, after=both)


def _who_changed(record: Record, path: str, live: bytes | None, history: Path) -> str:
    for later in runs(history):
        if later.id <= record.id:
            break
        file = _file(later, path, Path(record.memory_dir))
        if file is not None and file.after == journal.digest(live):
            return f"run {later.id} changed"
    return "a person edited"


def _file(record: Record, path: str, memory_dir: Path) -> FileRecord | None:
    """What a run did to one file, None where it did nothing."""
    if record.memory_dir != str(memory_dir):
        return None
    return next((file for file in record.files if file.path == path and file.what != What.LEFT), None)


def _live(memory: int, path: str) -> bytes | None:
    return files.read_regular(memory, path)


def _record(history: Path, run_id: int) -> Record | None:
    try:
        with files.open_directory(history) as root:
            return records.read(root, run_id)
    except FileNotFoundError:
        return None


def _run(history: Path, run_id: int) -> AbstractContextManager[int]:
    return files.open_directory(history / str(run_id))


def _change(run_fd: int, run_id: int, file: FileRecord) -> Change:
    before = journal.image(run_fd, journal.BEFORE, file.path)
    after = journal.image(run_fd, journal.AFTER, file.path)
    if (journal.digest(before), journal.digest(after)) != (file.before, file.after):
        raise MemdError(f"The images of run {run_id} are damaged: {files.printable(file.path)}")
    return Change(path=file.path, before=before, after=after)


def _log_told(run_fd: int, record: Record) -> str:
    """The lines that a run appended to the daily log, as far as they are kept."""
    if record.log is None:
        return ""
    lines = _lines(journal.image(run_fd, journal.LOG, steps.BULLETS))
    if not lines:
        return f"# {record.log.path}: what was appended is no longer in the history\n"
    above = _lines_above(Path(record.memory_dir), record.log)
    old = f"a/{record.log.path}" if record.log.size else "/dev/null"
    header = f"--- {old}\n+++ b/{record.log.path}\n@@ -{above},0 +{above + 1},{len(lines)} @@\n"
    return header + "".join(f"+{line}" for line in lines)


def _lines_above(memory_dir: Path, log: LogRecord) -> int:
    """How many lines the log had before; 0 where that cannot be told any more."""
    try:
        with files.open_directory(memory_dir) as memory:
            return steps.log_bytes(memory, log.path)[: log.size].count(b"\n")
    except (OSError, UnsafePathError):
        return 0


def _told(run_fd: int, run_id: int, file: FileRecord) -> str:
    if file.what == What.PURGED:
        return f"# {files.printable(file.path)}: no longer in the history\n"
    return _diff(_change(run_fd, run_id, file))


def _diff(change: Change) -> str:
    old = "/dev/null" if change.before is None else f"a/{change.path}"
    new = "/dev/null" if change.after is None else f"b/{change.path}"
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode(errors="replace").splitlines(keepends=True)
