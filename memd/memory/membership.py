"""Which projects share their `team/` memories, and through which git remote: the settings say so, or a record does.

The record of `memd team init` stands in the state directory, beside the repository that is kept for it, so that a lost
ledger loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memd import files, git_address
from memd.config import Paths, Settings
from memd.errors import UnsafePathError
from memd.memory import enabled
from memd.memory.layout import TEAM
from memd.team_rules import TeamRule

RECORD = "membership.json"
REPOSITORY = "repository.git"

_VERSION = 1
_LIMIT = 64 * 1024  # bytes
_DIGITS = 24  # of a directory's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One project's part in a team's memory."""

    project: Path  # canonical root
    memory_dir: Path
    remote: str
    branch: str
    directory: Path  # what memd keeps of it, closed to others
    by: str = "init"  # who decided: "init", or the setting's key
    joined: str | None = None  # when, in ISO format

    @property
    def team(self) -> Path:
        """The directory of the shared files."""
        return self.memory_dir / TEAM

    @property
    def repository(self) -> Path:
        """The bare git repository."""
        return self.directory / REPOSITORY

    @property
    def key(self) -> str:
        """Its name among others."""
        return self.directory.name


def find(paths: Paths, settings: Settings, *, root: Path, memory_dir: Path) -> Membership | None:
    """The team memory of a project, None where it has none."""
    everyone = known(paths)
    chosen = choose(paths, settings, everyone, root=root, memory_dir=memory_dir)
    if chosen is None:
        return None
    return replace(chosen, joined=next((one.joined for one in everyone if one.key == chosen.key), None))


def choose(
    paths: Paths, settings: Settings, records: tuple[Membership, ...], *, root: Path, memory_dir: Path
) -> Membership | None:
    """Which team memory a project has, by the settings and by all records (the oldest first).

    What the settings say of the project itself comes first, then the record of `memd team init`, then what the
    settings say of all.
    """
    ruled = _ruled(paths, settings, root=root, memory_dir=memory_dir)
    if ruled is not None:
        return ruled if ruled.remote else None
    recorded = (one for one in records if one.memory_dir == memory_dir and one.by == "init")
    if (first := next(recorded, None)) is not None:
        return first
    general = settings.team
    if general.remote is None:
        return None
    return _of(paths, root, memory_dir, (general.remote, general.branch), by="team.remote")


def is_on(paths: Paths, settings: Settings, *, root: Path, memory_dir: Path) -> bool:
    """Whether a project has team memory."""
    return find(paths, settings, root=root, memory_dir=memory_dir) is not None


def known(paths: Paths) -> tuple[Membership, ...]:
    """Every team memory of which there is a record, whatever the settings say by now; the oldest first."""
    try:
        names = [place for place in paths.team.iterdir() if not place.is_symlink()]
    except OSError:
        return ()
    found = (_read(place) for place in names)
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (one.joined or "", one.key)))


def current(paths: Paths, settings: Settings) -> tuple[Membership, ...]:
    """Those of the known ones that hold by today's settings."""
    everyone = known(paths)
    return tuple(one for one in everyone if _holds(one, everyone, paths, settings))


def _holds(one: Membership, everyone: tuple[Membership, ...], paths: Paths, settings: Settings) -> bool:
    """Whether it is what `find` would find, without reading every record again."""
    chosen = choose(paths, settings, everyone, root=one.project, memory_dir=one.memory_dir)
    return chosen is not None and chosen.key == one.key


def planned(paths: Paths, *, root: Path, memory_dir: Path, remote: str, branch: str) -> Membership:
    """What `memd team init` would make of these."""
    return _of(paths, root, memory_dir, (remote, branch), by="init")


def note(membership: Membership, now: datetime) -> Membership:
    """Keep a record of it; the same with the date of the first one. Raises OSError and UnsafePathError."""
    noted = replace(membership, joined=membership.joined or now.isoformat(timespec="seconds"))
    files.private_directory(noted.directory)
    with files.open_directory(noted.directory) as directory:
        files.write_atomic(directory, RECORD, json.dumps(_described(noted), indent=1).encode())
    return noted


def is_noted(membership: Membership) -> bool:
    """Whether there is a record of it: it may have been left a moment ago."""
    return (membership.directory / RECORD).is_file()


def withdraw(membership: Membership) -> None:
    """Delete the record: from here on it is none, whatever happens next. Raises OSError."""
    with suppress(FileNotFoundError):
        (membership.directory / RECORD).unlink()


def forget(membership: Membership, *, keeping: Collection[str] = ()) -> None:
    """Delete the record and all that is kept beside it, but for files of these names; the memories stay.

    Whoever syncs there must have ended.
    """
    withdraw(membership)
    if membership.directory.is_dir():
        _empty(membership.directory, keeping)
    with suppress(OSError):  # something is kept
        membership.directory.rmdir()
    with suppress(OSError):  # others are there
        membership.directory.parent.rmdir()


def _empty(directory: Path, keeping: Collection[str]) -> None:
    for entry in directory.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name not in keeping:
            entry.unlink()


def move(paths: Paths, *, old: Path, new: Path, root: Path, now: datetime) -> int:
    """Memory has moved from one directory to another: so does its part in a team. How many parts that were."""
    moved = [one for one in known(paths) if one.memory_dir == old]
    for one in moved:
        fresh = _of(paths, root, new, (one.remote, one.branch), by=one.by)
        if fresh.directory != one.directory:
            shutil.rmtree(fresh.directory, ignore_errors=True)  # of a memory that was there and is gone
            os.rename(one.directory, fresh.directory)  # noqa: PTH104 - as everywhere in this room
        note(replace(fresh, joined=one.joined), now)
    return len(moved)


def names(rule: TeamRule, root: Path, paths: Paths) -> bool:
    """Whether a rule of the settings is about a project."""
    return enabled.excluded(root, [rule.glob], home=paths.home)


def _ruled(paths: Paths, settings: Settings, *, root: Path, memory_dir: Path) -> Membership | None:
    for rule in settings.team.projects:
        if names(rule, root, paths):
            chosen = rule.remote or "", rule.branch or settings.team.branch
            return _of(paths, root, memory_dir, chosen, by="team.projects")
    return None


def _of(paths: Paths, root: Path, memory_dir: Path, where: tuple[str, str], *, by: str) -> Membership:
    remote, pattern = where
    if remote.startswith("~/"):
        remote = str(paths.home / remote[2:])
    branch = git_address.named(pattern, root.name)
    mark = hashlib.sha256(b"\0".join(map(os.fsencode, (remote, branch, str(memory_dir))))).hexdigest()[:_DIGITS]
    return Membership(
        project=root, memory_dir=memory_dir, remote=remote, branch=branch, directory=paths.team / mark, by=by
    )


def _read(place: Path) -> Membership | None:
    """What a directory's record says; None where there is none that can be believed."""
    try:
        with files.open_directory(place) as directory:
            said = json.loads(files.read_regular(directory, RECORD, limit=_LIMIT) or b"null")
        return None if said is None else _parsed(said, place)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UnsafePathError):
        return None


def _parsed(said: Any, place: Path) -> Membership:  # noqa: ANN401 - any document
    if said["schema_version"] != _VERSION:
        raise ValueError
    return Membership(
        project=Path(said["project"]),
        memory_dir=Path(said["memory_dir"]),
        remote=git_address.remote(said["remote"]),
        branch=git_address.branch(said["branch"]),
        directory=place,
        by=str(said["by"]),
        joined=str(said["joined"]),
    )


def _described(one: Membership) -> dict[str, Any]:
    return {
        "schema_version": _VERSION,
        "project": str(one.project),
        "memory_dir": str(one.memory_dir),
        "remote": one.remote,
        "branch": one.branch,
        "by": one.by,
        "joined": one.joined,
    }


def damaged(paths: Paths) -> Iterator[Path]:
    """Directories of team memories whose record cannot be read: nobody syncs those any more."""
    with suppress(OSError):
        yield from (place for place in paths.team.iterdir() if (place / RECORD).exists() and _read(place) is None)
