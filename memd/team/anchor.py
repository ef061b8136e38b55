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


def advance(kept: Kept, base: Base, done: Mapping[str, str | None], aside: Collection[str]) -> Base:
    """The base after `coming` was made live but for what was left `aside`, which keeps its old version as its base.

    Of that, what `coming` has not joined counts as added here: so it goes out once it can, or is seen to lose.
    """
    coming = base.coming
    if coming is None:
        return base
    now = bases.with_files(base, done)
    commit, graft = coming.commit, None
    if aside:
        commit, graft = _with_aside(kept, coming, {path: base.files.get(path) for path in aside})
    return keep(kept, replace(base, commit=commit, graft=graft, remote=coming.remote, files=now, coming=None))


def _with_aside(kept: Kept, coming: Coming, aside: Mapping[str, str | None]) -> tuple[str, str]:
    """Commits in which these files are as they were: what stands here, and below it what it is merged by.

    Merged with the remote by that ancestor, an edit of such a file meets the remote's, and no edit means no change.
    """
    ours = {path: None if blob is None else objects.file(path, blob) for path, blob in aside.items()}
    before = ours | dict.fromkeys(path for path in coming.unjoined if path in aside)
    below = coming.remote or coming.commit
    graft = _written(kept, below, (below,), before)
    if below == coming.commit and before == ours:
        return graft, graft
    return _written(kept, coming.commit, (graft,), ours), graft


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
