"""The commits of a repository, the newest first: one way to ask for them, and one to read the answer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memd.memory import authors
from memd.team import git
from memd.team.git import Repository
from memd.team.nouns import DamagedError

_HEAD = b"\x01"
_ANY_TIME = 12  # digits of a time that anybody could live to see
_GONE = "0" * 40
_TWO_NAMES = frozenset("CR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a commit did to one file. Bytes of a name that are no UTF-8 stand as surrogates."""

    path: str
    letter: str  # git's: A, M, D, R, T
    blob: str | None  # that it became; None: it is gone
    old: str | None = None  # its name before


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit. Name and time are what its author's git was told: shown, never relied on."""

    name: str
    author: str  # as it may be shown
    who: tuple[str, str]  # name and address as they stand there
    at: float | None  # seconds since the epoch; None: a time that cannot be
    changes: tuple[Change, ...]


def newest(
    repository: Repository, tip: str, *options: str, most: int, paths: Sequence[str] = (), now: float
) -> Iterator[Commit]:
    """Up to `most` commits from `tip` on that are no merges, with `paths` those that touched one. Raises GitError."""
    words = ["log", "-z", "--raw", "--no-abbrev", "--no-merges", "--topo-order", "--no-ext-diff", "--no-textconv"]
    words += ["--no-mailmap", "--no-show-signature", "--no-notes", f"--max-count={most}", *options]
    words += ["--format=tformat:%x01%H%x01%at%x01%ae%x01%an", "--end-of-options", tip, "--"]
    return _commits(git.local(repository, *words, *(f":(literal){path}" for path in paths)), now)


def _commits(said: bytes, now: float) -> Iterator[Commit]:
    """Read a head, then for each file `:modes objects letter` and its name (or both), each ended by NUL."""
    head: bytes | None = None
    changes: list[Change] = []
    fields = iter(said.split(b"\0"))
    for field in fields:
        word = field.lstrip(b"\n")
        if word.startswith(_HEAD):
            if head is not None:
                yield _commit(head, changes, now)
            head, changes = word, []
        elif word:
            changes.append(_change(word, fields))
    if head is not None:
        yield _commit(head, changes, now)


def _change(word: bytes, fields: Iterator[bytes]) -> Change:
    parts = word.decode("ascii", "replace").split(" ")
    if len(parts) != 5 or not parts[4]:  # noqa: PLR2004 - two modes, two objects, a letter
        raise DamagedError("git lists a commit in a way that memd does not know")
    letter, blob = parts[4][0], None if parts[3] == _GONE else parts[3]
    first = os.fsdecode(next(fields, b""))
    if letter in _TWO_NAMES:
        return Change(path=os.fsdecode(next(fields, b"")), letter=letter, blob=blob, old=first)
    return Change(path=first, letter=letter, blob=blob)


def _commit(head: bytes, changes: Sequence[Change], now: float) -> Commit:
    _, name, at, address, author = head.split(_HEAD, 4)
    claimed = float(at) if at.isdigit() and len(at) < _ANY_TIME else 0.0
    return Commit(
        name=name.decode(),
        author=authors.plain(author.decode("utf-8", "replace")),
        who=(author.decode("utf-8", "replace"), address.decode("utf-8", "replace")),
        at=authors.possible(claimed, now),
        changes=tuple(changes),
    )
