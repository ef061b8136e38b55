"""Who wrote the files of a team's memory, found in the repository's commits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memd.errors import UnsafePathError
from memd.memory import authors
from memd.memory.authors import Author
from memd.team import commits, git
from memd.team.git import Repository
from memd.team.nouns import GitError

COMMITS = 5_000  # that are looked at

_BY_NAME = 200  # files, up to which git is asked for these alone


def refresh(repository: Repository, directory: Path, tip: str, live: Mapping[str, str], now: float) -> bool:
    """Note who wrote each `live` file (its blob, by path below `team/`), looking at `tip` and the commits before it.

    Whether anything was written. It is for showing only: what git cannot tell, or the disk not take, is left out.
    """
    known = authors.load(directory)
    new = {path: blob for path, blob in live.items() if path not in known or known[path].blob != blob}
    if not new and known.keys() == live.keys():
        return False
    try:
        found = _found(repository, tip, new, now)
        authors.save(directory, {path: known[path] for path in live if path in known and path not in new} | found)
    except (GitError, OSError, UnsafePathError):
        return False
    return True


def _found(repository: Repository, tip: str, wanted: Mapping[str, str], now: float) -> dict[str, Author]:
    """By path: who made the file what it is now; of what only a merge made, who changed it last."""
    if not wanted:
        return {}
    own = git.identity(repository)
    exact: dict[str, Author] = {}
    last: dict[str, Author] = {}
    paths = tuple(wanted) if len(wanted) <= _BY_NAME else ()
    found = commits.newest(repository, tip, "--no-renames", most=COMMITS, paths=paths, now=now)
    for commit, change in ((one, change) for one in found for change in one.changes):
        if change.blob is not None and change.path in wanted:
            author = Author(name=commit.author, at=commit.at, blob=wanted[change.path], own=commit.who == own)
            last.setdefault(change.path, author)
            if change.blob == author.blob:
                exact.setdefault(change.path, author)
    return last | exact
