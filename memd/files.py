"""The one way to touch a file below a directory that other programs can write to.

Every path is opened component by component from a directory's descriptor, and no link is followed on the way: looking
first and opening afterwards loses races. The directory one starts from (the anchor) is trusted and may be reached
through links, as a home directory often is; nothing below it may be one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from memd.errors import LockedError, UnsafePathError
from memd.failpoints import FAILPOINTS, failpoint
from memd.opener import (
    descend,
    is_text,
    open_below,
    open_directory,
    open_regular,
    plain_stat,
    printable,
    private_directory,
    split,
    sync,
)

__all__ = [
    "FAILPOINTS",
    "MEGABYTE",
    "TEMPORARY",
    "Entry",
    "append_whole",
    "clean_temporaries",
    "failpoint",
    "list_files",
    "locked",
    "open_below",
    "open_directory",
    "open_regular",
    "printable",
    "private_directory",
    "read_regular",
    "remove",
    "split",
    "sync",
    "walk",
    "write_atomic",
]

MEGABYTE = 1 << 20
LOCK_SECONDS = 30.0
MAX_ENTRIES = 10_000
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})  # says nothing about what was to be opened
TEMPORARY = re.compile(r"\.memd-[0-9a-f]{16}\.tmp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something found in a directory. `size` is in bytes, `mtime` in seconds since the epoch."""

    path: str  # relative, with "/"; may hold surrogates where the name is not UTF-8
    regular: bool  # a regular file with one link
    size: int
    mtime: float
    what: str  # "file", "hard link", "symbolic link", "directory too deep", "special file", "unreadable"


def read_regular(dir_fd: int, rel: str, *, limit: int = 8 * MEGABYTE) -> bytes | None:
    """The bytes of a file, None where there is none. UnsafePathError for anything odd or above `limit` bytes."""
    try:
        with open_regular(dir_fd, rel) as descriptor:
            data = _read_all(descriptor, limit + 1)
    except FileNotFoundError:
        return None
    if len(data) > limit:
        raise UnsafePathError(f"Too large: {printable(rel)} has more than {limit} bytes")
    return data


def write_atomic(
    dir_fd: int, rel: str, data: bytes, *, mode: int = 0o600, still: Callable[[], bool] | None = None
) -> bool:
    """Put `data` at `rel`: always the old file or the new one. False, and nothing touched, when it stood there already.

    `mode` is for a new file; an existing one keeps its own. Missing directories are made, for the owner alone. `still`
    is asked in the last moment whether to go on; where it says no, the answer is False, too.
    """
    parts = split(rel)
    with descend(dir_fd, parts[:-1], create=True) as parent:
        old = plain_stat(parent, parts[-1], rel)
        if old is not None and old.st_size == len(data) and read_regular(parent, parts[-1]) == data:
            return False
        kept = mode if old is None else stat.S_IMODE(old.st_mode) & 0o777
        return _replace(parent, parts[-1], data, kept, still)


def append_whole(dir_fd: int, rel: str, data: bytes, *, mend: bool = True) -> None:
    """Add whole lines at the end, in one write: all of it or nothing. `mend`: after a missing line break, if need be.

    Waits its turn on the file's own lock, so that it may be called with or without the directory's.
    """
    parts = split(rel)
    with descend(dir_fd, parts[:-1], create=True) as parent:
        with open_regular(parent, parts[-1], os.O_RDWR | os.O_APPEND | os.O_CREAT) as descriptor, locked(descriptor):
            _append(descriptor, data, mend=mend)
        sync(parent)


def remove(dir_fd: int, rel: str, *, still: Callable[[], bool] | None = None) -> bool:
    """Delete a regular file; False where there is none, or where `still`, asked in the last moment, says no."""
    parts = split(rel)
    try:
        with descend(dir_fd, parts[:-1], create=False) as parent:
            if plain_stat(parent, parts[-1], rel) is None:
                return False
            failpoint("files.before_remove")
            if still is not None and not still():
                return False
            os.unlink(parts[-1], dir_fd=parent)
            failpoint("files.removed")
            sync(parent)
    except FileNotFoundError:
        return False
    return True


def list_files(dir_fd: int, *, levels: int = 2) -> tuple[str, ...]:
    """The regular files with one link, at most `levels` deep, as sorted relative names; links are never followed."""
    return tuple(sorted(entry.path for entry in walk(dir_fd, levels=levels) if entry.regular and is_text(entry.path)))


def walk(dir_fd: int, *, levels: int = 2) -> Iterator[Entry]:
    """Everything at most `levels` deep but the directories themselves, the first 10,000 of it, in no order."""
    left = [MAX_ENTRIES]
    yield from _walk(dir_fd, "", levels, left)


def clean_temporaries(dir_fd: int, *, levels: int = 2) -> None:
    """Delete what a write_atomic that was killed left behind. Call it under the directory's lock only."""
    for rel in list_files(dir_fd, levels=levels):
        if TEMPORARY.fullmatch(rel.rpartition("/")[2]):
            remove(dir_fd, rel)


@contextmanager
def locked(descriptor: int, *, timeout: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock that hangs on a directory's (or file's) own descriptor. LockedError after `timeout` seconds.

    The kernel drops it when the holder dies. One descriptor holds it once: it does not nest.
    """
    deadline = time.monotonic() + timeout
    pause = 0.001
    while not _try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise LockedError(f"Another process held the lock for {timeout:g} s", hint="Try again in a moment.")
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _replace(dir_fd: int, name: str, data: bytes, mode: int, still: Callable[[], bool] | None) -> bool:
    temporary = f".memd-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=dir_fd)
    try:
        try:
            failpoint("files.opened_temporary")
            _write_all(descriptor, data)
            failpoint("files.wrote_temporary")
            os.fchmod(descriptor, mode)
            sync(descriptor)
            failpoint("files.synced_temporary")
        finally:
            os.close(descriptor)
        if still is not None and not still():
            os.unlink(temporary, dir_fd=dir_fd)
            return False
        os.rename(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=dir_fd)
        raise
    failpoint("files.renamed")
    sync(dir_fd)
    return True


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _append(descriptor: int, data: bytes, *, mend: bool) -> None:
    size = os.fstat(descriptor).st_size
    torn = mend and size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
    whole = (b"\n" if torn else b"") + data + (b"" if data.endswith(b"\n") else b"\n")
    failpoint("files.before_append")
    try:
        _write_all(descriptor, whole)
    except OSError:
        _take_back(descriptor, size, whole)
        raise
    failpoint("files.appended")
    sync(descriptor)


def _take_back(descriptor: int, size: int, whole: bytes) -> None:
    """Cut off a half-written append, unless somebody else has appended after it."""
    written = os.pread(descriptor, len(whole) + 1, size)
    if written and whole.startswith(written):
        os.ftruncate(descriptor, size)


def _read_all(descriptor: int, most: int) -> bytes:
    chunks = []
    while most > 0 and (chunk := os.read(descriptor, min(most, MEGABYTE))):
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _walk(dir_fd: int, prefix: str, levels: int, left: list[int]) -> Iterator[Entry]:
    for name in _names(dir_fd):
        if left[0] <= 0:
            return
        left[0] -= 1
        try:
            found = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode) and levels > 1:
                with descend(dir_fd, (name,), create=False) as below:
                    yield from _walk(below, f"{prefix}{name}/", levels - 1, left)
                continue
        except FileNotFoundError:
            continue
        except (OSError, UnsafePathError) as error:
            if isinstance(error, OSError) and error.errno in _EXHAUSTED:
                raise
            yield Entry(path=prefix + name, regular=False, size=0, mtime=0.0, what="unreadable")
            continue
        yield _entry(prefix + name, found)


def _names(dir_fd: int) -> list[str]:
    with os.scandir(dir_fd) as found:
        return [item.name for item, _ in zip(found, range(MAX_ENTRIES), strict=False)]


def _entry(path: str, found: os.stat_result) -> Entry:
    what = _what(found)
    return Entry(path=path, regular=what == "file", size=found.st_size, mtime=found.st_mtime, what=what)


def _what(found: os.stat_result) -> str:
    if stat.S_ISREG(found.st_mode):
        return "file" if found.st_nlink == 1 else "hard link"
    if stat.S_ISDIR(found.st_mode):
        return "directory too deep"
    return "symbolic link" if stat.S_ISLNK(found.st_mode) else "special file"
