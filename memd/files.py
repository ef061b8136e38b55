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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memd.errors import LockedError, UnsafePathError
from memd.failpoints import FAILPOINTS, failpoint

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
TEMPORARY = re.compile(r"\.memd-[0-9a-f]{16}\.tmp")

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_REGULAR = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_LONGEST_NAME = 255  # bytes, on every file system that matters
_UNSAFE = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO, errno.ENODEV, errno.EISDIR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something found in a directory. `size` is in bytes, `mtime` in seconds since the epoch."""

    path: str  # relative, with "/"; may hold surrogates where the name is not UTF-8
    regular: bool  # a regular file with one link
    size: int
    mtime: float
    what: str  # "file", "hard link", "symbolic link", "directory too deep", "special file", "unreadable"


@contextmanager
def open_directory(path: Path, *, create: bool = False) -> Iterator[int]:
    """The descriptor of the anchor `path`, which is absolute. FileNotFoundError where it is missing."""
    if not path.is_absolute():
        raise UnsafePathError(f"Not an absolute path: {path}")
    if create:
        private_directory(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_below(dir_fd: int, rel: str, *, create: bool = False) -> Iterator[int]:
    """The descriptor of the directory `rel` below `dir_fd` ("" for that directory itself)."""
    with _descend(dir_fd, split(rel) if rel else (), create=create) as descriptor:
        yield descriptor


@contextmanager
def open_regular(dir_fd: int, rel: str, flags: int = os.O_RDONLY, mode: int = 0o600) -> Iterator[int]:
    """The descriptor of a regular file with one link. FileNotFoundError where it is missing."""
    parts = split(rel)
    with _descend(dir_fd, parts[:-1], create=bool(flags & os.O_CREAT)) as parent:
        descriptor = _open(parts[-1], flags | _REGULAR, mode, parent)
    try:
        _require_plain(os.fstat(descriptor), rel)
        yield descriptor
    finally:
        os.close(descriptor)


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


def write_atomic(dir_fd: int, rel: str, data: bytes, *, mode: int = 0o600) -> bool:
    """Put `data` at `rel`: always the old file or the new one. False, and nothing touched, when it stood there already.

    `mode` is for a new file; an existing one keeps its own. Missing directories are made, for the owner alone.
    """
    parts = split(rel)
    with _descend(dir_fd, parts[:-1], create=True) as parent:
        old = _plain_stat(parent, parts[-1], rel)
        if old is not None and old.st_size == len(data) and read_regular(parent, parts[-1]) == data:
            return False
        _replace(parent, parts[-1], data, mode if old is None else stat.S_IMODE(old.st_mode) & 0o777)
    return True


def append_whole(dir_fd: int, rel: str, data: bytes, *, mend: bool = True) -> None:
    """Add whole lines at the end, in one write: all of it or nothing. `mend`: after a missing line break, if need be.

    Waits its turn on the file's own lock, so that it may be called with or without the directory's.
    """
    parts = split(rel)
    with _descend(dir_fd, parts[:-1], create=True) as parent:
        with open_regular(parent, parts[-1], os.O_RDWR | os.O_APPEND | os.O_CREAT) as descriptor, locked(descriptor):
            _append(descriptor, data, mend=mend)
        sync(parent)


def remove(dir_fd: int, rel: str) -> bool:
    """Delete a regular file; False where there is none."""
    parts = split(rel)
    try:
        with _descend(dir_fd, parts[:-1], create=False) as parent:
            if _plain_stat(parent, parts[-1], rel) is None:
                return False
            failpoint("files.before_remove")
            os.unlink(parts[-1], dir_fd=parent)
            failpoint("files.removed")
            sync(parent)
    except FileNotFoundError:
        return False
    return True


def list_files(dir_fd: int, *, levels: int = 2) -> tuple[str, ...]:
    """The regular files with one link, at most `levels` deep, as sorted relative names; links are never followed."""
    return tuple(sorted(entry.path for entry in walk(dir_fd, levels=levels) if entry.regular and _is_text(entry.path)))


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


def private_directory(path: Path) -> None:
    """Make `path` and what is missing above it, for the owner alone. What exists keeps its mode."""
    if path.is_dir():
        return
    if path.parent != path:
        private_directory(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def sync(descriptor: int) -> None:
    """Bytes to the disk itself. macOS stops at the drive's cache unless asked twice."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, full)
            return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot sync directories
            raise


def split(rel: str) -> tuple[str, ...]:
    """The components of a relative path. UnsafePathError for "..", absolute ones, NUL and names no disk can hold."""
    parts = tuple(rel.split("/"))
    for part in parts:
        if part in {"", ".", ".."} or "\0" in part or not _is_text(part):
            raise UnsafePathError(f"Not a path inside the directory: {printable(rel)}")
        if len(part.encode()) > _LONGEST_NAME:
            raise UnsafePathError(f"Name too long: {printable(rel)}")
    return parts


def printable(rel: str) -> str:
    """A path for a message: at most 80 characters, nothing that moves a cursor."""
    return ascii(rel[:80])[1:-1]


@contextmanager
def _descend(dir_fd: int, parts: tuple[str, ...], *, create: bool) -> Iterator[int]:
    descriptor = os.dup(dir_fd)
    try:
        for part in parts:
            below = _open_or_make(part, descriptor, create=create)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def _open_or_make(part: str, dir_fd: int, *, create: bool) -> int:
    try:
        return _open(part, _DIRECTORY, 0, dir_fd)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(part, 0o700, dir_fd=dir_fd)
        failpoint("files.made_directory")
        sync(dir_fd)
    return _open(part, _DIRECTORY, 0, dir_fd)


def _open(name: str, flags: int, mode: int, dir_fd: int) -> int:
    try:
        return os.open(name, flags, mode, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in _UNSAFE:
            raise UnsafePathError(f"A link or a special file is in the way: {printable(name)}") from error
        raise


def _require_plain(found: os.stat_result, rel: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnsafePathError(f"Not a regular file: {printable(rel)}")
    if found.st_nlink != 1:
        raise UnsafePathError(f"The file has {found.st_nlink} names: {printable(rel)}")


def _plain_stat(dir_fd: int, name: str, rel: str) -> os.stat_result | None:
    try:
        found = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _require_plain(found, rel)
    return found


def _replace(dir_fd: int, name: str, data: bytes, mode: int) -> None:
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
        os.rename(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=dir_fd)
        raise
    failpoint("files.renamed")
    sync(dir_fd)


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
                with _descend(dir_fd, (name,), create=False) as below:
                    yield from _walk(below, f"{prefix}{name}/", levels - 1, left)
                continue
        except FileNotFoundError:
            continue
        except (OSError, UnsafePathError):
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


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
