"""What live files and repository last had in common, kept beside the repository.

Its `files` are those that really stand in `team/`, each with the version that the next edit there is told by. What of
the repository does not stand there (it may be no memory, or somebody's edit was in its way) is never taken for deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from memd import files
from memd.errors import UnsafePathError
from memd.team.nouns import HeldBack, Refused

NAME = "base.json"

_VERSION = 1
_LIMIT = 16 * files.MEGABYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """What is being made live: noted before the first file is touched."""

    commit: str
    remote: str | None  # what the remote had
    files: Mapping[str, str | None] = field(default_factory=dict)  # the blob by path below team/; None: it goes
    aside: tuple[str, ...] = ()  # paths that are left as they are here, though `commit` has them otherwise
    unsent: Mapping[str, str | None] = field(default_factory=dict)  # of edits the remote has not: the blob before them


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The state that the next edits are told by."""

    version: int = _VERSION
    commit: str | None = None  # holds the files as they stand in team/; None: nothing was ever in common
    remote: str | None = None  # what the remote had when that was made
    graft: str | None = None  # the ancestor to merge by, where `commit` does not simply stand on `remote`
    files: Mapping[str, str] = field(default_factory=dict)  # the blob by path below team/
    aside: tuple[str, ...] = ()  # paths at which something of a person's stood in the way of what came
    coming: Coming | None = None
    unsent: tuple[str, ...] = ()  # paths that the remote does not have as they are in `commit`
    refused: tuple[Refused, ...] = ()  # what is on the remote and is not made live
    unsendable: tuple[HeldBack, ...] = ()  # what is in `commit` and may not go out
    indexed: str | None = None  # what the index of team/ was last made from
    left: bool = False  # whoever had this left the team: what went since was not deleted for others


def load(directory: Path) -> Base:
    """The base; an empty one where there is none, or none that can be read: nothing is then taken for deleted."""
    try:
        with files.open_directory(directory) as place:
            data = files.read_regular(place, NAME, limit=_LIMIT)
        found = Base() if data is None else msgspec.json.decode(data, type=Base)
    except (FileNotFoundError, UnsafePathError, msgspec.DecodeError):
        return Base()
    return found if found.version == _VERSION else Base()


def save(directory: Path, base: Base) -> Base:
    """Keep it, whole or not at all."""
    with files.open_directory(directory) as place:
        files.write_atomic(place, NAME, msgspec.json.encode(base))
    return base


def returned(base: Base, standing: Collection[str]) -> Base:
    """The base of who left and comes back, `standing` being the files that are there: what is gone is no deletion."""
    if not base.left:
        return base
    return replace(base, files={path: blob for path, blob in base.files.items() if path in standing})


def with_files(base: Base, changed: Mapping[str, str | None]) -> dict[str, str]:
    """The files of a base after some became something else, or went (None)."""
    kept = {path: blob for path, blob in base.files.items() if path not in changed}
    return kept | {path: blob for path, blob in changed.items() if blob is not None}
