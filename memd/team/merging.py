"""Two lines of edits become one: file by file, with git's own merge of lines, and a side where it finds no way.

Where both changed the same lines the remote's side stands, so that all machines come to the same; where one changed
what the other deleted, the change stands. A rename is a deletion and a new file: memories are short and alike, and what
git takes for a rename would carry an edit into another memory, or to where no memory may be.
"""

from __future__ import annotations

import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from memd.memory import sharing
from memd.memory.layout import TEAM_LIMIT
from memd.team import git, incoming, objects
from memd.team.git import Repository
from memd.team.incoming import Entry
from memd.team.nouns import Conflict

SCRATCH = ".merge-"  # begins the name of a directory that is there while two files are merged

Files = Mapping[str, Entry]  # by path


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What a merge has otherwise than theirs: bytes or a known file by path; None: it goes."""

    edits: Mapping[str, bytes | Entry | None] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    before: Mapping[str, str | None] = field(default_factory=dict)  # of all that ours changed: the blob both began with


@dataclass(frozen=True, slots=True, kw_only=True)
class _Both:
    """One file that both changed, each side as it has it now."""

    path: str
    base: Entry | None
    ours: Entry
    theirs: Entry


def merge(
    repository: Repository, base: str | None, ours: str, theirs: str, live: Collection[str] | None = None
) -> Merge:
    """Merge two commits by what they have in common; `base` None: nothing. Only memories: of the rest theirs stands.

    Where `live` is given, of our files only those count.
    """
    before = {} if base is None else _files(repository, base)
    one, other = _files(repository, ours), _files(repository, theirs)
    edits: dict[str, bytes | Entry | None] = {}
    both: list[_Both] = []
    for path in sorted(path for path in one.keys() | before.keys() if sharing.is_plain(path)):
        mine, old, new = one.get(path), before.get(path), other.get(path)
        if _name(mine) in {_name(new), _name(old)} or (mine is not None and live is not None and path not in live):
            continue
        if mine is not None and new is not None and _name(new) != _name(old):
            both.append(_Both(path=path, base=old, ours=mine, theirs=new))
        elif mine is not None or _name(new) == _name(old):
            edits[path] = mine
    settled = _settled(repository, both)
    edits |= {path: content for path, content in settled.items() if not _is_same(content, other[path])}
    crowded = {path for path, content in edits.items() if content is not None and incoming.is_crowded_out(path, other)}
    kept = {path: content for path, content in edits.items() if path not in crowded}
    lost = {path for path, content in settled.items() if content is other[path]} | crowded
    return Merge(
        edits=kept,
        conflicts=tuple(Conflict(path=path, ours=one[path].oid) for path in sorted(lost)),
        before={path: _name(before.get(path)) for path in {*edits, *lost}},
    )


def with_doubt(repository: Repository, merge: Merge, base: str, ours: str, theirs: str) -> Merge:
    """The same merge, but what theirs has otherwise is a conflict, too: nobody knows whether that was made of ours."""
    before, one, other = (_files(repository, tree) for tree in (base, ours, theirs))
    doubtful = {path for path in one.keys() & other.keys() if _name(other[path]) not in _names(one, before, path)}
    told = {conflict.path for conflict in merge.conflicts}
    more = sorted(path for path in doubtful - told if sharing.is_plain(path))
    return Merge(
        edits=merge.edits,
        conflicts=(*merge.conflicts, *(Conflict(path=path, ours=one[path].oid) for path in more)),
        before=dict.fromkeys(more) | dict(merge.before),
    )


def _names(one: Files, other: Files, path: str) -> set[str | None]:
    return {_name(files.get(path)) for files in (one, other)}


def _settled(repository: Repository, both: list[_Both]) -> dict[str, bytes | Entry]:
    """What is to stand where both changed something: the two in one, or one of them."""
    sides = [entry for one in both for entry in (one.base, one.ours, one.theirs) if entry is not None]
    contents = objects.blobs(repository, [entry for entry in sides if _may_be_memory(entry)])
    return {one.path: _in_one(repository, one, contents) or _better(one, contents) for one in both}


def _is_same(content: bytes | Entry, theirs: Entry) -> bool:
    return content is theirs or (isinstance(content, bytes) and objects.blob_name(content) == theirs.oid)


def _in_one(repository: Repository, one: _Both, contents: Mapping[str, bytes]) -> bytes | None:
    """Both changes in one file; None where they meet, or where what comes of them is no memory."""
    sides = [contents.get(entry.oid) if entry else None for entry in (one.ours, one.base, one.theirs)]
    if not all(_is_good(entry, contents) for entry in (one.ours, one.theirs)) or sides[1] is None:
        return None
    with TemporaryDirectory(prefix=SCRATCH, dir=repository.path.parent) as scratch:
        places = [Path(scratch) / name for name in ("ours", "base", "theirs")]
        for place, data in zip(places, sides, strict=True):
            place.write_bytes(data or b"")
        words = ("merge-file", "--stdout", "--quiet", *map(str, places))
        done = git.attempt(repository, *words)
    if done.code < 0 or done.stopped:
        raise git.failure(words, done)
    is_clean = done.code == 0 and incoming.content(one.path, done.out) is None  # two good files can make a bad one
    return done.out if is_clean else None


def _better(one: _Both, contents: Mapping[str, bytes]) -> Entry:
    """Theirs, unless only ours may be a memory."""
    return one.ours if _is_good(one.ours, contents) and not _is_good(one.theirs, contents) else one.theirs


def _is_good(entry: Entry, contents: Mapping[str, bytes]) -> bool:
    data = contents.get(entry.oid)
    return _may_be_memory(entry) and data is not None and incoming.content(entry.path, data) is None


def _may_be_memory(entry: Entry) -> bool:
    """Whether it is worth a look into it."""
    is_file = stat.S_ISREG(entry.mode) and entry.size is not None and entry.size <= TEAM_LIMIT
    return is_file and sharing.is_plain(entry.path)


def _files(repository: Repository, tree: str) -> Files:
    return {entry.path: entry for entry in objects.listing(repository, tree)}


def _name(entry: Entry | None) -> str | None:
    return None if entry is None else entry.oid
