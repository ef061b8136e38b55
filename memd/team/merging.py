"""Two lines of edits become one: git's own merge, and a side where git finds none.

Where both changed the same lines the remote's side stands, so that all machines come to the same; where one changed
what the other deleted, the change stands.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from memd.memory import sharing
from memd.memory.layout import TEAM_LIMIT
from memd.team import git, incoming, objects
from memd.team.git import Repository
from memd.team.incoming import Entry
from memd.team.nouns import Conflict, DamagedError, GitTooOldError

_OURS, _THEIRS = 2, 3  # git's stages
_UNKNOWN_OPTION = 129
_CONFLICTED = 1

Files = Mapping[str, Entry]  # by path
Stages = Mapping[str, Mapping[int, Entry]]  # what each side has of a file that git could not merge, by path


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """A merged tree: what git made, and the files in it that are to be replaced or taken out (None)."""

    tree: str
    repairs: Mapping[str, Entry | None] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    news: tuple[str, ...] = ()  # paths that are not as theirs has them


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    ours: Files
    theirs: Files
    contents: Mapping[str, bytes]  # by blob

    def is_good(self, entry: Entry | None) -> bool:
        """Whether this may be a memory."""
        data = None if entry is None else self.contents.get(entry.oid)
        return entry is not None and data is not None and incoming.content(entry.path, data) is None

    def better(self, ours: Entry | None, theirs: Entry | None) -> Entry | None:
        """Of two that exclude each other theirs, unless only ours may be a memory; of one and none the one."""
        if ours is None or theirs is None:
            return ours or theirs
        return ours if self.is_good(ours) and not self.is_good(theirs) else theirs


def merge(repository: Repository, ours: str, theirs: str) -> Merge:
    """Merge two commits, whether they have an ancestor in common or not."""
    tree, stages = _git_merge(repository, ours, theirs)
    merged, one, other = (_files(repository, name) for name in (tree, ours, theirs))
    blends = tuple(_blends(merged, one, other, stages))
    judged = (*blends, *_parents(blends, one, other), *_sized(stages, one, other))
    contents = objects.blobs(repository, [entry for entry in judged if _may_be_memory(entry)])
    sides = _Sides(ours=one, theirs=other, contents=contents)
    chosen = dict(_chosen(stages, blends, sides))
    chosen |= _put_back(repository, (ours, theirs), sides, stages, _files_after(merged, chosen))
    repairs = {path: entry for path, entry in chosen.items() if _name(entry) != _name(merged.get(path))}
    after = _files_after(merged, chosen)
    news = {path for path in after.keys() | other.keys() if _name(after.get(path)) != _name(other.get(path))}
    return Merge(tree=tree, repairs=repairs, conflicts=_lost(stages, chosen, sides), news=tuple(sorted(news)))


def _files_after(merged: Files, chosen: Mapping[str, Entry | None]) -> Files:
    return {path: entry for path, entry in {**merged, **chosen}.items() if entry is not None}


def _git_merge(repository: Repository, ours: str, theirs: str) -> tuple[str, Stages]:
    words = ("merge-tree", "--write-tree", "-z", "--no-messages", "--allow-unrelated-histories", ours, theirs)
    done = git.attempt(repository, *words)
    if done.code == _UNKNOWN_OPTION:
        git.require_new_enough(repository)
        raise GitTooOldError("this git cannot merge without a work tree", hint="team memory needs git 2.38 or newer")
    if done.code not in {0, _CONFLICTED} or done.stopped:
        raise git.failure(words, done)
    tree, *conflicted = [part for part in done.out.split(b"\0") if part]
    return tree.decode(), _staged(conflicted)


def _staged(lines: list[bytes]) -> Stages:
    """The files in conflict, from lines of "mode name stage TAB path"."""
    found: dict[str, dict[int, Entry]] = {}
    for line in lines:
        said, _, raw = line.partition(b"\t")
        words = said.decode().split()
        if len(words) != 3:  # noqa: PLR2004 - mode, name, stage
            raise DamagedError("git tells of a merge in a way that memd does not know")
        path = os.fsdecode(raw)
        entry = Entry(path=path, mode=int(words[0], 8), type="", oid=words[1], size=None)
        found.setdefault(path, {})[int(words[2])] = entry
    return found


def _files(repository: Repository, tree: str) -> Files:
    return {entry.path: entry for entry in objects.listing(repository, tree)}


def _blends(merged: Files, ours: Files, theirs: Files, stages: Stages) -> Iterator[Entry]:
    """What git put together from both sides, so that nobody has ever read it."""
    for path, entry in merged.items():
        if path not in stages and entry.oid not in {_name(ours.get(path)), _name(theirs.get(path))}:
            yield entry


def _parents(blends: Iterable[Entry], ours: Files, theirs: Files) -> Iterator[Entry]:
    """What each side had where something was put together."""
    for entry in blends:
        for side in (ours, theirs):
            if entry.path in side:
                yield side[entry.path]


def _sized(stages: Stages, ours: Files, theirs: Files) -> Iterator[Entry]:
    """What is in conflict, with the sizes that git does not tell there."""
    sizes = {entry.oid: entry.size for side in (ours, theirs) for entry in side.values()}
    for staged in stages.values():
        yield from (replace(entry, size=sizes.get(entry.oid)) for entry in staged.values())


def _may_be_memory(entry: Entry) -> bool:
    """Whether it is worth a look into it."""
    is_file = stat.S_ISREG(entry.mode) and entry.size is not None and entry.size <= TEAM_LIMIT
    return is_file and sharing.is_plain(entry.path)


def _chosen(stages: Stages, blends: Iterable[Entry], sides: _Sides) -> Iterator[tuple[str, Entry | None]]:
    """What is to stand where git found no way, or one that leads to no memory."""
    for path, staged in stages.items():
        is_made_up = path not in sides.ours and path not in sides.theirs and len(staged) == 1
        yield path, None if is_made_up else sides.better(staged.get(_OURS), staged.get(_THEIRS))
    for entry in blends:
        ours, theirs = sides.ours.get(entry.path), sides.theirs.get(entry.path)
        if not sharing.is_plain(entry.path):
            yield entry.path, theirs or entry
        elif not sides.is_good(entry):  # two good files can make a bad one
            yield entry.path, sides.better(ours, theirs) or entry


def _put_back(
    repository: Repository, commits: tuple[str, str], sides: _Sides, stages: Stages, after: Files
) -> dict[str, Entry]:
    """Our edits of files that went away with theirs: git takes an edit along to where they renamed the file to.

    That may be no place for a memory; where it is not certain that an edit stands somewhere, it stands where it was.
    """
    gone = {path: one for path, one in sides.ours.items() if path not in after and sharing.is_plain(path)}
    gone = {path: one for path, one in gone.items() if not any(other.startswith(f"{path}/") for other in after)}
    if not gone:
        return {}
    base = _ancestor_files(repository, *commits)
    edited = {path: one for path, one in gone.items() if _name(base.get(path)) != one.oid}
    settled = {both[_OURS].oid for path, both in stages.items() if _OURS in both and sharing.is_plain(path)}
    places = {path: one.oid for path, one in after.items() if sharing.is_plain(path) and path not in sides.ours}
    lost = {path: one for path, one in edited.items() if one.oid not in settled | set(places.values())}
    blends = [path for path, oid in places.items() if path not in stages and oid != _name(sides.theirs.get(path))]
    return {} if len(blends) >= len(lost) else lost


def _ancestor_files(repository: Repository, ours: str, theirs: str) -> Files:
    done = git.attempt(repository, "merge-base", ours, theirs)
    found = done.out.decode().split()
    return _files(repository, found[0]) if done.code == 0 and found else {}


def _lost(stages: Stages, chosen: Mapping[str, Entry | None], sides: _Sides) -> tuple[Conflict, ...]:
    """What of ours does not stand in the end, by where it stood."""
    stood = {entry.oid: path for path, entry in sides.ours.items() if path not in chosen}
    lost: dict[str, str] = {}
    for path, entry in chosen.items():
        ours = stages.get(path, {}).get(_OURS) or sides.ours.get(path)
        if ours is None or _name(entry) == ours.oid:
            continue
        origin = path if path in sides.ours else stood.get(ours.oid)
        if origin is not None and sharing.is_plain(origin):
            lost[origin] = sides.ours[origin].oid
    return tuple(Conflict(path=path, ours=oid) for path, oid in sorted(lost.items()))


def _name(entry: Entry | None) -> str | None:
    return None if entry is None else entry.oid
