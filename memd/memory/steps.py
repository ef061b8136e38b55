"""The steps of one transaction, each of which finds out for itself how far it was done before.

That is why a run and its recovery go through the very same ones.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import index, journal, scan, team_index, topic
from memd.memory.journal import FileRecord, Record, What
from memd.memory.layout import INDEX, TEAM
from memd.memory.workspace import Change

BULLETS = "bullets"  # the image of a run's lines for the log

_INDEX_TRIES = 3  # where somebody saves theirs in that very moment
_LOG_LIMIT = 64 * files.MEGABYTE
_UNSAFE = "unsafe"  # stands for a digest where a link or a special file is in the way, or the owner let nobody read


@contextmanager
def locked_memory(memory_dir: Path, *, create: bool = False) -> Iterator[int]:
    """A memory directory's descriptor, with its lock held and what killed writers left cleared away."""
    with files.open_directory(memory_dir, create=create) as memory, files.locked(memory):
        files.clean_temporaries(memory)
        yield memory


def carry_out(memory: int, run_fd: int, record: Record) -> Record:
    """Every step of a run, each only as far as it was not done before."""
    done = tuple(_carry_one(memory, run_fd, file) for file in record.files)
    record = replace(record, files=done)
    for _ in range(_INDEX_TRIES):
        record = _refresh_index(memory, run_fd, record)
        if INDEX not in _left(record):
            break
    _refresh_team_index(memory, record)
    files.failpoint("store.before_bullets")
    record = _append_bullets(memory, run_fd, record)
    files.failpoint("store.appended_bullets")
    return record


def _carry_one(memory: int, run_fd: int, file: FileRecord) -> FileRecord:
    files.failpoint("store.before_one")
    found = standing(memory, file.path)
    if found not in {file.before, file.after}:
        return replace(file, what=What.LEFT)
    if found != file.after:
        wanted = journal.image(run_fd, journal.AFTER, file.path)
        if journal.digest(wanted) != file.after:
            return replace(file, what=What.LEFT)
        if not _put(memory, file, wanted):
            return replace(file, what=What.LEFT)
    files.failpoint("store.applied_one")
    return file


def _put(memory: int, file: FileRecord, data: bytes | None) -> bool:
    """Make it live, unless somebody saves theirs in that very moment: writing takes longer than one may think."""

    def still() -> bool:
        return standing(memory, file.path) == file.before

    if data is None:
        return files.remove(memory, file.path, still=still)
    return files.write_atomic(memory, file.path, data, still=still)


def _refresh_index(memory: int, run_fd: int, record: Record) -> Record:
    """Bring MEMORY.md in line with the topics, unless this run has put it where it belongs already."""
    topics = tuple(file for file in record.files if file.path != INDEX)
    if record.keeps_index or not _changed(topics) or _is_settled(record):
        return record
    try:
        before = files.read_regular(memory, INDEX)
    except (UnsafePathError, PermissionError):
        return record
    headers = scan.scan(Path(record.memory_dir))
    if any("unreadable" in header.problems and header.path in _changed(topics) for header in headers):
        raise OSError(errno.EIO, "a topic that was just written cannot be read")
    after = index.rebuild(before or b"", headers, _changed(topics), _names_before(run_fd, topics))
    if after == (before or b""):
        return replace(record, files=topics)
    file = file_record(Change(path=INDEX, before=before, after=after))
    journal.keep_image(run_fd, journal.BEFORE, INDEX, before)
    journal.keep_image(run_fd, journal.AFTER, INDEX, after)
    record = replace(record, files=(*topics, file))
    journal.write_entry(run_fd, record)
    return replace(record, files=(*topics, _carry_one(memory, run_fd, file)))


def _refresh_team_index(memory: int, record: Record) -> None:
    """Likewise for what the team shares; its index is made on each machine, so no run's record speaks of it."""
    below = f"{TEAM}/"
    changed = {path.removeprefix(below) for path in _changed(record.files) if path.startswith(below)}
    if changed:
        team_index.rebuild(memory, Path(record.memory_dir), changed)


def _changed(topics: Sequence[FileRecord]) -> frozenset[str]:
    return frozenset(file.path for file in topics if file.what != What.LEFT)


def _names_before(run_fd: int, topics: Sequence[FileRecord]) -> dict[str, str]:
    """The names that topics had before the run, by path."""
    there = ((file.path, journal.image(run_fd, journal.BEFORE, file.path)) for file in topics if file.before)
    return {path: topic.parse(data).name for path, data in there if data}


def _left(record: Record) -> tuple[str, ...]:
    return tuple(file.path for file in record.files if file.what == What.LEFT)


def _is_settled(record: Record) -> bool:
    return any(file.path == INDEX and file.what != What.LEFT for file in record.files)


def _append_bullets(memory: int, run_fd: int, record: Record) -> Record:
    """Append the run's lines exactly once, whatever of them stands there already."""
    kept = journal.image(run_fd, journal.LOG, BULLETS)
    if record.log is None or not kept:
        return record
    lines = _opened(kept, _left(record))
    try:
        rest, torn = _missing_lines(log_bytes(memory, record.log.path), record.log.size, lines)
        if rest:
            files.append_whole(memory, record.log.path, rest, mend=not torn)
    except UnsafePathError:
        return replace(record, log=None)
    return record


def _opened(lines: bytes, left: Sequence[str]) -> bytes:
    """The lines, those of saves that did not happen turned into open bullets: without their arrow."""
    for path in left:
        lines = re.sub(rf" → {re.escape(path)}(?=\n|  <!--)".encode(), b"", lines)
    return lines


def _missing_lines(current: bytes, size: int, lines: bytes) -> tuple[bytes, bool]:
    """(what of `lines` is not in a log yet that was `size` bytes long, whether a half line is to be completed)."""
    since = current[size:] if len(current) >= size else current
    if lines in since:
        return b"", False
    begun = since.removeprefix(b"\n")
    if begun and lines.startswith(begun):
        return lines[len(begun) :], True
    return lines, False


def log_bytes(memory: int, path: str) -> bytes:
    """A daily log as it stands; empty where there is none."""
    return files.read_regular(memory, path, limit=_LOG_LIMIT) or b""


def standing(memory: int, path: str) -> str | None:
    """The digest of what stands at a path now."""
    try:
        return journal.digest(files.read_regular(memory, path))
    except (UnsafePathError, PermissionError):
        return _UNSAFE


def file_record(change: Change, *, by_agent: bool = False) -> FileRecord:
    """How a change goes into a run's record."""
    what = What.CREATED if change.before is None else What.DELETED if change.after is None else What.UPDATED
    before, after = journal.digest(change.before), journal.digest(change.after)
    return FileRecord(path=change.path, what=what, before=before, after=after, by_agent=by_agent)


def keep_age(memory: int, path: str, mtime: float, is_ours: Callable[[bytes], bool]) -> None:
    """Give a file that was just made live the date that its contents have earned, in seconds since the epoch.

    Where somebody has saved another version of it meanwhile, theirs keeps the date of that.
    """
    with suppress(OSError, UnsafePathError), files.open_regular(memory, path) as descriptor:
        if is_ours(os.pread(descriptor, files.MEGABYTE, 0)):
            os.utime(descriptor, (mtime, mtime))
            if not is_ours(os.pread(descriptor, files.MEGABYTE, 0)):  # saved between the two
                os.utime(descriptor)
