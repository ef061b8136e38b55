"""Opening by descriptor: component by component, and no link is followed on the way.

Looking first and opening afterwards loses races. The directory one starts from (the anchor) is trusted and may be
reached through links, as a home directory often is; nothing below it may be one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memd.errors import UnsafePathError
from memd.failpoints import failpoint

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_REGULAR = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_LONGEST_NAME = 255  # bytes, on every file system that matters
_DEEPEST = 16  # components; memd itself never has more than six
_UNSAFE = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO, errno.ENODEV, errno.EISDIR})


@contextmanager
def open_directory(path: Path, *, create: bool = False) -> Iterator[int]:
    """The descriptor of the anchor `path`, which is absolute. FileNotFoundError where it is missing.

    Any OSError inside gets a whole path as its `filename`: a call that goes by descriptor knows a bare name at most.
    """
    if not path.is_absolute():
        raise UnsafePathError(f"Not an absolute path: {path}")
    if create:
        private_directory(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    except OSError as error:
        _locate(error, descriptor)
        raise
    finally:
        os.close(descriptor)


def _locate(error: OSError, descriptor: int) -> None:
    """Let an error tell where it happened, as far as it does not do so already."""
    name = error.filename
    if name is None or (isinstance(name, str) and not name.startswith("/")):
        with suppress(OSError):
            directory = path_of(descriptor)
            error.filename = directory if name is None else f"{directory}/{name}"


def path_of(descriptor: int) -> str:
    """Where what is open stands now. OSError where the system does not tell."""
    if hasattr(fcntl, "F_GETPATH"):  # macOS
        return os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a Path would have to be turned back into text


@contextmanager
def open_below(dir_fd: int, rel: str, *, create: bool = False) -> Iterator[int]:
    """The descriptor of the directory `rel` below `dir_fd` ("" for that directory itself)."""
    with descend(dir_fd, split(rel) if rel else (), create=create) as descriptor:
        yield descriptor


@contextmanager
def open_regular(dir_fd: int, rel: str, flags: int = os.O_RDONLY, mode: int = 0o600) -> Iterator[int]:
    """The descriptor of a regular file with one link. FileNotFoundError where it is missing."""
    parts = split(rel)
    with descend(dir_fd, parts[:-1], create=bool(flags & os.O_CREAT)) as parent:
        descriptor = _open(parts[-1], flags | _REGULAR, mode, parent)
    try:
        _require_plain(os.fstat(descriptor), rel)
        yield descriptor
    except OSError as error:
        _locate(error, descriptor)
        raise
    finally:
        os.close(descriptor)


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
    if len(parts) > _DEEPEST:
        raise UnsafePathError(f"Too many directories: {printable(rel)}")
    for part in parts:
        if part in {"", ".", ".."} or "\0" in part or not is_text(part):
            raise UnsafePathError(f"Not a path inside the directory: {printable(rel)}")
        if len(part.encode()) > _LONGEST_NAME:
            raise UnsafePathError(f"Name too long: {printable(rel)}")
    return parts


def printable(rel: str) -> str:
    """A path for a message: at most 80 characters, nothing that moves a cursor."""
    return ascii(rel[:80])[1:-1]


@contextmanager
def descend(dir_fd: int, parts: tuple[str, ...], *, create: bool) -> Iterator[int]:
    """The descriptor of the directory that lies these components below another."""
    descriptor = os.dup(dir_fd)
    try:
        for part in parts:
            below = _open_or_make(part, descriptor, create=create)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    except OSError as error:
        _locate(error, descriptor)
        raise
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


def plain_stat(dir_fd: int, name: str, rel: str) -> os.stat_result | None:
    """What stands at a name, if it is a regular file with one link; None where nothing does."""
    try:
        found = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _require_plain(found, rel)
    return found


def is_text(name: str) -> bool:
    """Whether a name can be written down as UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
