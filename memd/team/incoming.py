"""What of a remote's branch may be made live: by mode, name, size and number first, then by what is in it. Pure.

What may not stays in the repository as it is; nobody here deletes it there.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from memd import files
from memd.memory import sharing
from memd.memory.decision import Reason
from memd.memory.layout import TEAM_LIMIT
from memd.memory.sharing import Broken
from memd.team.nouns import DamagedError, Outcome, Refused, RemoteError

MOST_ENTRIES = 20_000  # on the branch, of whatever kind; a branch with more is something else
MOST_FILES = 1_000  # that are made live
MOST_BYTES = 32 * files.MEGABYTE  # that are made live, in all
LONGEST_LISTING = MOST_ENTRIES * 300  # bytes of `git ls-tree -r -z -l`
NAMED = 100  # refused files

_ENTRY = re.compile(
    rb"(?P<mode>[0-7]{6}) (?P<kind>[a-z]+) (?P<oid>[0-9a-f]{40,64}) +(?P<size>\d+|-)\t(?P<path>.+)", re.DOTALL
)
_KINDS = {0o120000: "a link", 0o160000: "a submodule"}
_REGULAR = frozenset({0o100644, 0o100755, 0o100664})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of a tree, as git lists it."""

    path: str  # bytes that are no UTF-8 as surrogates
    mode: int
    type: str
    oid: str
    size: int | None  # bytes; None: it is no file


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A tree's files: those to be looked into, and those that are not made live whatever they hold."""

    good: tuple[Entry, ...]
    refused: tuple[Refused, ...]  # the first hundred
    others: int = 0  # that are refused, too


def parse(listing: bytes) -> tuple[Entry, ...]:
    """Read what `git ls-tree -r -z -l` says. Raises RemoteError for more than may be, DamagedError for nonsense."""
    if listing.count(b"\0") > MOST_ENTRIES:
        raise RemoteError(
            f"the branch holds more than {MOST_ENTRIES:,} files",
            outcome=Outcome.REFUSED,
            hint="team memory needs a branch of its own",
        )
    return tuple(_entry(line) for line in listing.split(b"\0") if line)


def _entry(line: bytes) -> Entry:
    found = _ENTRY.fullmatch(line)
    if found is None:
        raise DamagedError("git lists a tree in a way that memd does not know")
    size = int(found["size"]) if found["size"].isdigit() and found["kind"] == b"blob" else None
    return Entry(
        path=os.fsdecode(found["path"]),
        mode=int(found["mode"], 8),
        type=found["kind"].decode(),
        oid=found["oid"].decode(),
        size=size,
    )


def judge(entries: Sequence[Entry], live: Collection[str] = ()) -> Judged:
    """Sort a tree's entries without opening any. Of too many, those that are `live` already come first."""
    counted = Counter(entry.path for entry in entries)
    judged = [(entry, _odd(entry, counted[entry.path])) for entry in entries]
    good = [entry for entry, why in judged if why is None]
    fitting = _fitting(good, frozenset(live))
    bad = {entry.path: why for entry, why in judged if why is not None}
    bad |= {entry.path: "there are more files than may be" for entry in good if entry.path not in fitting}
    refused = [Refused(path=files.printable(path), reason=why) for path, why in bad.items()]
    chosen = tuple(entry for entry in good if entry.path in fitting)
    return Judged(good=chosen, refused=tuple(refused[:NAMED]), others=max(0, len(refused) - NAMED))


def _odd(entry: Entry, times: int) -> str | None:
    """What keeps an entry out before anybody looks into it."""
    if entry.mode not in _REGULAR or entry.size is None:
        return _KINDS.get(entry.mode, "no regular file")
    if times > 1:
        return "two files have this name"
    if not sharing.is_plain(entry.path):
        return str(Broken(reason=Reason.BAD_NAME))
    return str(Broken(reason=Reason.TOO_LARGE)) if entry.size > TEAM_LIMIT else None


def _fitting(good: Sequence[Entry], live: Collection[str]) -> frozenset[str]:
    return frozenset(_within(sorted(good, key=lambda entry: (entry.path not in live, entry.path))))


def _within(ordered: Sequence[Entry]) -> Iterator[str]:
    room = MOST_BYTES
    for entry in ordered[:MOST_FILES]:
        room -= entry.size or 0
        if room < 0:
            return
        yield entry.path


def is_crowded_out(path: str, others: Collection[str]) -> bool:
    """Whether others of a tree's paths have a directory where this is a file, or a file where it has a directory."""
    is_below = path.partition("/")[0] in others and "/" in path
    return is_below or any(one.startswith(f"{path}/") for one in others)


def content(path: str, data: bytes) -> str | None:
    """What keeps a file out by what it holds, in words; None: nothing does."""
    found = sharing.broken(path, data)
    return None if found is None else str(found)
