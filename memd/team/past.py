"""What a team did to its memory, commit by commit, as memd's own repository knows it."""

from __future__ import annotations

from dataclasses import dataclass

from memd import files
from memd.memory import secrets
from memd.team import commits
from memd.team.commits import Change, Commit
from memd.team.git import Repository

_DID = {"A": "added", "D": "deleted", "R": "renamed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Did:
    """What became of one file; names as they may be shown."""

    path: str
    what: str  # "added", "changed", "deleted", "renamed"
    old: str | None = None  # its name before


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One commit. Name and time are what its author's git was told: shown, never relied on."""

    commit: str
    author: str
    at: float | None  # seconds since the epoch; None: a time that cannot be
    files: tuple[Did, ...]


def steps(repository: Repository, tip: str, *, most: int, path: str | None = None, now: float) -> tuple[Step, ...]:
    """The newest commits up to `tip` that changed something, with `path` those that touched it. Raises GitError."""
    paths = () if path is None else (path,)
    found = commits.newest(repository, tip, "--find-renames", most=most, paths=paths, now=now)
    return tuple(_step(commit) for commit in found if commit.changes)


def _step(commit: Commit) -> Step:
    files = tuple(_did(change) for change in commit.changes)
    return Step(commit=commit.name, author=commit.author, at=commit.at, files=files)


def _did(change: Change) -> Did:
    old = None if change.old is None else _shown(change.old)
    return Did(path=_shown(change.path), what=_DID.get(change.letter, "changed"), old=old)


def _shown(path: str) -> str:
    return secrets.redact(files.printable(path))
