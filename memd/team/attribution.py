"""Who wrote the files of a team's memory, found in the repository's commits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memd.errors import UnsafePathError
from memd.memory import authors
from memd.memory.authors import Author
from memd.team import git
from memd.team.git import Repository
from memd.team.nouns import GitError

COMMITS = 5_000  # that are looked at

_BY_NAME = 200  # files, up to which git is asked for these alone
_HEAD = b"\x01"
_GONE = b"0" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class _Touch:
    """One commit's change of one file."""

    path: str
    blob: str
    author: Author


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
    exact: dict[str, Author] = {}
    last: dict[str, Author] = {}
    for touch in _touches(_log(repository, tip, tuple(wanted)), now) if wanted else ():
        if touch.path in wanted:
            last.setdefault(touch.path, touch.author)
            if touch.blob == wanted[touch.path]:
                exact.setdefault(touch.path, touch.author)
    return {path: _with_blob(author, wanted[path]) for path, author in (last | exact).items()}


def _with_blob(author: Author, blob: str) -> Author:
    return Author(name=author.name, at=author.at, blob=blob)


def _log(repository: Repository, tip: str, paths: Sequence[str]) -> bytes:
    words = ["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-merges", "--topo-order", "--no-ext-diff"]
    words += ["--no-textconv", "--no-mailmap", "--no-show-signature", "--no-notes", f"--max-count={COMMITS}"]
    words += ["--format=tformat:%x01%at%x01%an", "--end-of-options", tip]
    return git.local(repository, *words, "--", *(paths if len(paths) <= _BY_NAME else ()))


def _touches(said: bytes, now: float) -> Iterator[_Touch]:
    """Read `git log -z --raw`: a head, then pairs of `:modes objects status` and path, each ended by NUL."""
    author = Author(name=authors.plain(""), at=None)
    fields = iter(said.split(b"\0"))
    for field in fields:
        if field.startswith(_HEAD):
            author = _author(field, now)
        elif field.lstrip(b"\n").startswith(b":"):
            blob = field.split(b" ")[3]
            path = os.fsdecode(next(fields, b""))
            if blob != _GONE:
                yield _Touch(path=path, blob=blob.decode(), author=author)


def _author(head: bytes, now: float) -> Author:
    _, at, name = head.split(_HEAD, 2)
    claimed = float(at) if at.isdigit() and len(at) < 12 else 0.0  # noqa: PLR2004 - digits of any time to come
    return Author(name=authors.plain(name.decode("utf-8", "replace")), at=authors.possible(claimed, now))
