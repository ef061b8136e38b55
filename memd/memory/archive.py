"""Memories in a tar file: written plainly, read with suspicion.

    memd-export.json                       {schema_version, projects: [{name, root, files: {path: sha256}}]}
    memory/<name>/MEMORY.md                and every topic and log below the project's directory

Reading never unpacks: members go through memory, within limits, and anything but a plain file of a plain name is
refused together with the whole archive.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

import msgspec

from memd import files
from memd.errors import RefusedError, UnsafePathError, UsageError
from memd.memory import layout
from memd.memory.layout import LEVELS, LOGS, TEAM

MANIFEST = "memd-export.json"
SCHEMA_VERSION = 1

_TOP = "memory"
_LOG_LIMIT = 8 * files.MEGABYTE  # bytes of one daily log
_MOST_BYTES = 64 * files.MEGABYTE  # of an archive, unpacked
_MOST_FILES = 20_000
_LEVELS = 4  # logs/2026/04/2026-04-01.md


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One file: its bytes, and its mtime in seconds since the epoch (age is mtime)."""

    data: bytes
    mtime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The memory of one project."""

    name: str  # its slug
    root: str  # the project's directory, where it was exported
    files: Mapping[str, Kept] = field(default_factory=dict)  # by path below the memory directory


def collect(memory_dir: Path) -> dict[str, Kept]:
    """Everything that belongs in an export: topics, the index, logs. No team memory, no dot-files, no links."""
    found: dict[str, Kept] = {}
    with files.open_directory(memory_dir) as memory:
        for entry in files.walk(memory, levels=_LEVELS):
            if entry.regular and _limit(entry.path) is not None:
                data = files.read_regular(memory, entry.path, limit=_LOG_LIMIT)
                if data is not None:
                    found[entry.path] = Kept(data=data, mtime=entry.mtime)
    return dict(sorted(found.items()))


def _limit(path: str) -> int | None:
    """How many bytes a file of that name may have; None: it is no memory file."""
    parts = PurePosixPath(path).parts
    if not path.endswith(".md") or any(part.startswith(".") for part in parts) or parts[0] == TEAM:
        return None
    if parts[0] == LOGS:
        return _LOG_LIMIT
    return None if len(parts) > LEVELS else layout.limit(path)


def write(projects: Sequence[Project], stream: IO[bytes]) -> None:
    """Write an archive. The same memories give the same bytes."""
    with (
        gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, MANIFEST, Kept(data=_manifest(projects), mtime=0))
        for project in projects:
            for path, kept in project.files.items():
                _add(tar, f"{_TOP}/{project.name}/{path}", kept)


def _manifest(projects: Sequence[Project]) -> bytes:
    described = [
        {
            "name": project.name,
            "root": project.root,
            "files": {path: hashlib.sha256(kept.data).hexdigest() for path, kept in project.files.items()},
        }
        for project in projects
    ]
    return msgspec.json.format(msgspec.json.encode({"schema_version": SCHEMA_VERSION, "projects": described}), indent=1)


def _add(tar: tarfile.TarFile, name: str, kept: Kept) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(kept.data), int(kept.mtime), 0o600
    tar.addfile(member, io.BytesIO(kept.data))


def read(stream: IO[bytes]) -> tuple[Project, ...]:
    """Read an archive. UsageError for what is none, RefusedError for what wants out of its place or is too much."""
    try:
        members = dict(_members(stream))
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, UnicodeError) as error:
        raise UsageError(f"this is not an archive of memd's: {error}", hint="`memd export` makes them") from error
    manifest = members.pop(MANIFEST, None)
    if manifest is None:
        raise UsageError(f"this is not an archive of memd's: it has no {MANIFEST}", hint="`memd export` makes them")
    return tuple(_projects(_decoded(manifest.data), members))


def _members(stream: IO[bytes]) -> Iterator[tuple[str, Kept]]:
    seen: set[str] = set()
    bounded = cast("IO[bytes]", _Bounded(_unpacked(stream)))  # reading it is all that tarfile does
    with tarfile.open(fileobj=bounded, mode="r|") as tar:
        for member in tar:
            if member.isdir():
                continue
            _require_plain(member, seen)
            seen.add(member.name)
            source = tar.extractfile(member)
            data = b"" if source is None else source.read(member.size)
            yield member.name, Kept(data=data, mtime=float(member.mtime))


def _unpacked(stream: IO[bytes]) -> IO[bytes]:
    """Take the packing off, where there is one."""
    whole = stream.read(_MOST_BYTES + 1)
    if len(whole) > _MOST_BYTES:
        raise RefusedError("the archive is too large", hint="export one project at a time")
    plain = io.BytesIO(whole)
    return cast("IO[bytes]", gzip.GzipFile(fileobj=plain)) if whole.startswith(b"\x1f\x8b") else plain


class _Bounded:
    """A stream that refuses to yield more than a limit, however little it was packed into."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = _MOST_BYTES

    def read(self, size: int) -> bytes:
        """Read on. Raises RefusedError beyond the limit."""
        data = self._stream.read(min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise RefusedError("the archive holds too much", hint=f"limit {_MOST_BYTES // files.MEGABYTE} MB, unpacked")
        return data


def _require_plain(member: tarfile.TarInfo, seen: set[str]) -> None:
    name = files.printable(member.name)
    if not member.isreg() or member.issparse() or member.name in seen or len(seen) >= _MOST_FILES:
        what = "stands in it twice" if member.name in seen else "is not a plain file"
        raise RefusedError(f"the archive is refused: {name} {'is one too many' if len(seen) >= _MOST_FILES else what}")
    if member.name == MANIFEST:
        limit: int | None = _LOG_LIMIT
    else:
        parts = _split(member.name)
        limit = _limit("/".join(parts[2:])) if len(parts) > 2 and parts[0] == _TOP else None  # noqa: PLR2004
    if limit is None:
        raise RefusedError(f"the archive is refused: {name} is no memory file")
    if member.size > limit:
        raise RefusedError(f"the archive is refused: {name} has more than {limit:,} bytes")


def _split(name: str) -> tuple[str, ...]:
    try:
        return files.split(name)
    except UnsafePathError as error:
        raise RefusedError(f"the archive is refused: {error}") from error


def _decoded(data: bytes) -> Mapping[str, Any]:
    try:
        found = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise UsageError(f"the archive's {MANIFEST} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("schema_version") != SCHEMA_VERSION:
        raise UsageError(
            f"the archive's {MANIFEST} is of another version", hint="use the memd that made it, or a newer"
        )
    return found


def _projects(manifest: Mapping[str, Any], members: Mapping[str, Kept]) -> Iterator[Project]:
    described = {one.get("name"): one for one in manifest.get("projects") or () if isinstance(one, dict)}
    names = sorted({name.split("/")[1] for name in members} | {name for name in described if isinstance(name, str)})
    for name in names:
        start = f"{_TOP}/{name}/"
        kept = {path.removeprefix(start): one for path, one in members.items() if path.startswith(start)}
        root = described.get(name, {}).get("root")
        yield Project(name=name, root=root if isinstance(root, str) else "", files=kept)
