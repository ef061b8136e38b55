"""What was witnessed of who wrote which file, kept beside the history: dates alone cannot tell all of it.

A transcript shows a version that an agent wrote, whatever becomes of the file's date. And where a person was once seen
to have changed a file, an agent's later edit makes nothing of theirs the agent's. Should this be lost, less is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import msgspec

from memd import files
from memd.errors import UnsafePathError

_KEPT = 32  # versions of each file


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """Of one memory directory: relative paths, and SHA-256 digests of whole files."""

    persons: tuple[str, ...] = ()  # files that a person was seen to have written or changed
    agents: Mapping[str, str] = field(default_factory=dict)  # the last version of each that a transcript shows
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # all that were shown, of `whose.plain` of each


def load(history: Path, memory_dir: Path) -> Witnessed:
    """What is known of a memory directory; nothing where that cannot be read."""
    try:
        with files.open_directory(history) as root:
            data = files.read_regular(root, _name(memory_dir))
        return Witnessed() if data is None else msgspec.json.decode(data, type=Witnessed)
    except (OSError, UnsafePathError, msgspec.DecodeError):
        return Witnessed()


def note(
    history: Path,
    memory_dir: Path,
    *,
    persons: Collection[str] | None = None,
    agents: Mapping[str, str] | None = None,
    texts: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Add what was seen just now. `persons` are all files in which something is a person's, `agents` single versions.

    What is said about files that are gone is dropped. Writes nothing where nothing is new.
    """
    known = load(history, memory_dir)
    there = _files(memory_dir)
    theirs = known.persons if persons is None else persons
    shown = {**known.agents, **(agents or {})}
    found = Witnessed(
        persons=tuple(sorted(there.intersection(theirs))),
        agents={path: shown[path] for path in sorted(there.intersection(shown))},
        texts=_joined(known.texts, texts or {}, there),
    )
    if found != known:
        with files.open_directory(history, create=True) as root:
            files.write_atomic(root, _name(memory_dir), msgspec.json.encode(found))


def _joined(
    known: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]], there: Collection[str]
) -> dict[str, tuple[str, ...]]:
    both = {path: (*known.get(path, ()), *new.get(path, ())) for path in sorted({*known, *new}.intersection(there))}
    return {path: tuple(dict.fromkeys(digests))[-_KEPT:] for path, digests in both.items()}


def move(history: Path, *, old: Path, new: Path) -> None:
    """Let what is known of one directory be known of another, to which its files went."""
    with suppress(FileNotFoundError):
        (history / _name(old)).rename(history / _name(new))


def _files(memory_dir: Path) -> frozenset[str]:
    try:
        with files.open_directory(memory_dir) as memory:
            return frozenset(files.list_files(memory))
    except FileNotFoundError:
        return frozenset()


def _name(memory_dir: Path) -> str:
    """A file of its own for each directory: passes over several go on at the same time."""
    return f"witnessed-{blake2b(str(memory_dir).encode('utf-8', 'surrogateescape'), digest_size=16).hexdigest()}.json"
