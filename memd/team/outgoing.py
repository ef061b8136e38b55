"""What is sent: one commit on top of what the remote has, with nothing in it that may not go."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memd.team import git, guard, merging, objects
from memd.team.git import Repository
from memd.team.nouns import Conflict, HeldBack
from memd.team.objects import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Ours and the remote's as one commit; the remote's own where ours adds nothing."""

    commit: str
    conflicts: tuple[Conflict, ...] = ()
    before: Mapping[str, str | None] = field(default_factory=dict)  # of all that ours changed: the blob both began with


@dataclass(frozen=True, slots=True, kw_only=True)
class Theirs:
    """What the remote has, and how ours relates to it."""

    commit: str
    graft: str | None = None  # what stands for the ancestor, where files of ours are older than what theirs had
    rewritten: bool = False  # its history is another one than before
    before: str | None = None  # what it had then


def join(repository: Repository, ours: str, theirs: Theirs, now: datetime, live: Collection[str]) -> Joined:
    """Bring ours and theirs together, as one commit on top of theirs.

    What the remote once had, and has no more in its history, is thereby not sent back; only files are that are `live`:
    what was refused here is in ours, too, as it came.
    """
    base, parted = None if theirs.rewritten else theirs.graft, False
    if base is None:
        only_theirs, only_ours = objects.apart(repository, theirs.commit, ours)
        if only_ours == 0:
            return Joined(commit=theirs.commit)
        if only_theirs == 0 and only_ours == 1 and not theirs.rewritten:
            return Joined(commit=ours)
        common = objects.in_common(repository, ours, theirs.commit)
        parted = common is None
        base = _of_both(repository, ours, theirs, now) if common is None else _as_left(repository, common, theirs, now)
    merged = merging.merge(repository, base, ours, theirs.commit, live if theirs.rewritten else None)
    if parted and base is not None:
        merged = merging.with_doubt(repository, merged, base, ours, theirs.commit)
    if not merged.edits:
        return Joined(commit=theirs.commit, conflicts=merged.conflicts, before=merged.before)
    draft = Draft(
        parents=(theirs.commit,),
        tree=objects.tree_of(repository, theirs.commit),
        edits=merged.edits,
        message=message(len(merged.edits)),
        author=git.identity(repository),
        at=now,
    )
    return Joined(commit=objects.write(repository, draft), conflicts=merged.conflicts, before=merged.before)


def _of_both(repository: Repository, ours: str, theirs: Theirs, now: datetime) -> str | None:
    """What both had in common before their histories parted, of the files that both still have.

    So edits are told from what nobody touched, and nothing is taken for deleted.
    """
    before = theirs.graft or theirs.before
    if before is None:
        return None
    one, other = ({entry.path for entry in objects.listing(repository, tip)} for tip in (ours, theirs.commit))
    return _alone(repository, before, now, one & other)


def _as_left(repository: Repository, common: str, theirs: Theirs, now: datetime) -> str:
    """What both have in common, but for files that are older here than there: of these, what our edits began with."""
    if theirs.graft is None:
        return common
    there = {entry.path: entry for entry in objects.listing(repository, theirs.graft)}
    older = objects.changed(repository, f"{theirs.graft}^", theirs.graft)
    edits = {path: there.get(path) for path in older}
    tree = objects.tree_of(repository, common)
    draft = Draft(parents=(), tree=tree, edits=edits, message=message(len(edits)), author=None, at=now)
    return objects.write(repository, draft)


def begun_anew(repository: Repository, ours: str, now: datetime, live: Collection[str]) -> Joined:
    """What of ours is `live`, as the first commit of another history."""
    return Joined(commit=_alone(repository, ours, now, live))


def _alone(repository: Repository, commit: str, now: datetime, paths: Collection[str]) -> str:
    """A commit that stands on none, with these files of another."""
    edits = {entry.path: entry for entry in objects.listing(repository, commit) if entry.path in paths}
    author = git.identity(repository)
    draft = Draft(parents=(), tree=None, edits=edits, message=message(len(edits)), author=author, at=now)
    return objects.write(repository, draft)


def message(files: int) -> str:
    """What a commit of ours says: no more than how much."""
    return f"Update {files} {'memory' if files == 1 else 'memories'}"


def clean(
    repository: Repository, commit: str, remote: str | None, now: datetime
) -> tuple[str | None, tuple[HeldBack, ...]]:
    """What of `commit` may be pushed, and what is held back; None where nothing is left to push.

    Where something in its new commits may not go, they become one commit in which those files are as the remote has
    them: what was ever in them is not sent.
    """
    held = guard.outgoing(repository, commit, remote)
    if not held:
        return commit, ()
    there = {} if remote is None else {entry.path: entry for entry in objects.listing(repository, remote)}
    draft = Draft(
        parents=() if remote is None else (remote,),
        tree=objects.tree_of(repository, commit),
        edits={one.path: there.get(one.path) for one in held if one.path},
        message=message(1),
        author=None if any(not one.path for one in held) else git.identity(repository),
        at=now,
    )
    rebuilt = objects.write(repository, draft)
    still = guard.outgoing(repository, rebuilt, remote)
    if still or not objects.changed(repository, remote, rebuilt):
        return None, (*held, *still)
    return rebuilt, held
