"""Moving a project's memory to another directory, with the history that speaks of it."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from memd import files
from memd.errors import LockedError, RefusedError
from memd.memory import journal, witnessed
from memd.memory.journal import Record
from memd.memory.layout import DREAM_LOCK
from memd.memory.usable import holds_memory

_DEEPEST = 16  # levels below a memory directory; logs have four
_LARGEST = 256 * files.MEGABYTE


def move(old: Path, new: Path, *, patience: float = files.LOCK_SECONDS) -> None:
    """Put the memory directory `old` at `new`, where there is none yet: all of it or nothing, ages kept.

    `patience` is how many seconds to wait for somebody who writes there.

    Raises RefusedError where both hold memory, or where something in it cannot be carried over.
    """
    if holds_memory(new):
        raise RefusedError(f"both {old} and {new} hold memory", hint="put the files of one where you want them by hand")
    if old.is_symlink():
        raise RefusedError(f"{old} is a link", hint="move what it leads to by hand")
    with files.open_directory(old) as source, files.locked(source, timeout=patience):
        files.private_directory(new.parent)
        with suppress(FileNotFoundError):
            (new / DREAM_LOCK).unlink()
        try:
            os.rename(old, new)  # noqa: PTH104 - beside the other calls of its kind; an empty directory is replaced
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _carry_over(source, old, new)


def _carry_over(source: int, old: Path, new: Path) -> None:
    """Across file systems: a verified copy beside the target, then a rename, then the old one goes."""
    staged = new.with_name(f".memd-move-{secrets.token_hex(8)}")
    try:
        with files.open_directory(staged, create=True) as target:
            for entry in _everything(source, old):
                _copy(source, target, entry)
        os.rename(staged, new)  # noqa: PTH104 - as above
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    shutil.rmtree(old)


def _everything(source: int, old: Path) -> tuple[files.Entry, ...]:
    found = tuple(files.walk(source, levels=_DEEPEST))
    odd = [entry for entry in found if not entry.regular]
    if odd:
        raise RefusedError(
            f"{files.printable(odd[0].path)} in {old} is a {odd[0].what}", hint="move that by hand first"
        )
    if len(found) >= files.MAX_ENTRIES:
        raise RefusedError(f"{old} holds too many files", hint="move it by hand")
    return found


def _copy(source: int, target: int, entry: files.Entry) -> None:
    data = files.read_regular(source, entry.path, limit=_LARGEST)
    if data is None:
        raise RefusedError(f"{files.printable(entry.path)} went away meanwhile", hint="try again")
    files.write_atomic(target, entry.path, data)
    with files.open_regular(source, entry.path) as was, files.open_regular(target, entry.path) as now:
        state = os.fstat(was)
        os.fchmod(now, state.st_mode & 0o777)
        os.utime(now, ns=(state.st_atime_ns, state.st_mtime_ns))
    if files.read_regular(target, entry.path, limit=_LARGEST) != data:
        raise OSError(errno.EIO, "the copy differs", entry.path)


def relabel(history: Path, *, old: Path, new: Path, root: Path) -> int:
    """Let every run of the old directory be one of the new: undo, tombstones and reviews go by it. How many there were.

    Raises LockedError while a run there is unfinished.
    """
    changed = 0
    witnessed.move(history, old=old, new=new)
    for run_id in journal.ids(history):
        with suppress(msgspec.DecodeError), journal.existing_run(history, run_id) as run_fd:
            changed += _relabel(run_fd, old=old, new=new, root=root)
    return changed


def _relabel(run_fd: int, *, old: Path, new: Path, root: Path) -> bool:
    record = journal.read_record(run_fd)
    if record is None or record.memory_dir != str(old):
        return False
    moved = replace(record, memory_dir=str(new), run=replace(record.run, project=str(root)))
    files.write_atomic(run_fd, journal.RECORD, msgspec.json.format(msgspec.json.encode(moved), indent=1))
    return True


def require_finished(history: Path, memory_dir: Path) -> None:
    """Raise LockedError where a run of that directory was begun and not ended."""
    for run_id in journal.ids(history):
        with suppress(msgspec.DecodeError), journal.existing_run(history, run_id) as run_fd:
            entry: Record | None = journal.read_entry(run_fd)
            if entry is not None and entry.memory_dir == str(memory_dir):
                raise LockedError(f"run {run_id} is not finished", hint="`memd run --once` finishes it")
