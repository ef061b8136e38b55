"""Moving the base on, once a commit's files are live: all of them, or some."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memd.failpoints import failpoint
from memd.team import base as bases
from memd.team import objects
from memd.team.base import Base, Coming
from memd.team.git import Repository
from memd.team.incoming import Entry
from memd.team.objects import LIVE, REMOTE, Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Where the base is kept: a file, and refs that hold its commits."""

    repository: Repository
    directory: Path
    now: datetime


def advance(kept: Kept, base: Base, done: Mapping[str, str | None]) -> Base:
    """The base after of what was `coming` that is live which was `done`; the rest keeps its old version as its base."""
    coming = base.coming
    if coming is None:
        return base
    now = bases.with_files(base, done)
    commit, graft = coming.commit, None
    aside = left(coming, done)
    if aside:
        commit, graft = _with_aside(kept, coming, {path: base.files.get(path) for path in aside})
    return keep(kept, replace(base, commit=commit, graft=graft, remote=coming.remote, files=now, coming=None))


def left(coming: Coming, done: Collection[str]) -> frozenset[str]:
    """What is not as `coming` has it, after some was `done`."""
    return frozenset({*coming.aside, *coming.files.keys() - set(done)})


def _with_aside(kept: Kept, coming: Coming, aside: Mapping[str, str | None]) -> tuple[str, str]:
    """Commits in which these files are as they were: what stands here, and below it what it is merged by.

    Merged with the remote by that ancestor, an edit of such a file meets the remote's, and no edit means no change. An
    edit that the remote has not yet has what was before it below it, so that it is an edit still.
    """
    ours = _entries(aside)
    before = ours | _entries({path: blob for path, blob in coming.unsent.items() if path in aside})
    below = coming.remote or coming.commit
    graft = _written(kept, below, (below,), before)
    if below == coming.commit and before == ours:
        return graft, graft
    return _written(kept, coming.commit, (graft,), ours), graft


def sent(kept: Kept, base: Base, joined: str, edits: Collection[str]) -> Base:
    """The base after `joined` was pushed, as far as it could be, with these edits of ours in it."""
    repository, commit, graft = kept.repository, base.commit, base.graft
    if base.remote is None or commit is None or graft is None:
        return keep(kept, base)
    aside = objects.changed(repository, commit, joined)
    there = set(edits).difference(objects.changed(repository, base.remote, joined))
    if there.isdisjoint(aside):
        return keep(kept, base)
    before = {entry.path: entry.oid for entry in objects.listing(repository, graft)}
    unsent = {path: before.get(path) for path in objects.changed(repository, graft, commit) if path not in there}
    coming = Coming(commit=joined, remote=base.remote, aside=aside, unsent=unsent)
    return advance(kept, replace(base, coming=coming), {})


def _entries(blobs: Mapping[str, str | None]) -> dict[str, Entry | None]:
    return {path: None if blob is None else objects.file(path, blob) for path, blob in blobs.items()}


def _written(kept: Kept, like: str, parents: tuple[str, ...], edits: Mapping[str, Entry | None]) -> str:
    tree = objects.tree_of(kept.repository, like)
    draft = Draft(parents=parents, tree=tree, edits=edits, message="Files left as they are here", at=kept.now)
    return objects.write(kept.repository, draft)


def keep(kept: Kept, base: Base) -> Base:
    """Keep a base. The refs first: they hold its commits in the repository; what counts is the file."""
    held = {LIVE: base.commit, REMOTE: base.remote}
    objects.hold(kept.repository, {ref: commit for ref, commit in held.items() if commit is not None})
    failpoint("team.moved_refs")
    bases.save(kept.directory, base)
    failpoint("team.saved_base")
    return base
