"""What a team did to its memory, commit by commit, as memd's own repository knows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from memd import files
from memd.memory import authors, secrets
from memd.team import git
from memd.team.git import Repository

_HEAD = b"\x01"
_DID = {b"A": "added", b"M": "changed", b"D": "deleted", b"R": "renamed", b"T": "changed"}
_ANY_TIME = 12  # digits of a time that anybody could live to see


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
    words = ["log", "-z", "--name-status", "--find-renames", "--no-merges", "--topo-order", "--no-ext-diff"]
    words += ["--no-textconv", "--no-mailmap", "--no-show-signature", "--no-notes", f"--max-count={most}"]
    words += ["--format=tformat:%x01%H%x01%at%x01%an", "--end-of-options", tip, "--"]
    said = git.local(repository, *words, *([] if path is None else [f":(literal){path}"]))
    return tuple(step for step in _steps(said, now) if step.files)


def _steps(said: bytes, now: float) -> Iterator[Step]:
    """Read a head, then for each file a letter and its name (of a rename both names), each ended by NUL."""
    head: list[bytes] | None = None
    found: list[Did] = []
    fields = iter(said.split(b"\0"))
    for field in fields:
        word = field.lstrip(b"\n")
        if word.startswith(_HEAD):
            if head is not None:
                yield _step(head, found, now)
            head, found = word.split(_HEAD, 3), []
        elif word:
            found.append(_did(word, fields))
    if head is not None:
        yield _step(head, found, now)


def _did(letter: bytes, fields: Iterator[bytes]) -> Did:
    first = _shown(next(fields, b""))
    what = _DID.get(letter[:1], "changed")
    return (
        Did(path=_shown(next(fields, b"")), what=what, old=first) if what == "renamed" else Did(path=first, what=what)
    )


def _step(head: list[bytes], found: list[Did], now: float) -> Step:
    _, commit, at, name = head
    claimed = float(at) if at.isdigit() and len(at) < _ANY_TIME else 0.0
    return Step(
        commit=commit.decode(),
        author=authors.plain(name.decode("utf-8", "replace")),
        at=authors.possible(claimed, now),
        files=tuple(found),
    )


def _shown(path: bytes) -> str:
    return secrets.redact(files.printable(os.fsdecode(path)))
