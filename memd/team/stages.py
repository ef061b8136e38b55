"""The stages of a sync. Each may be repeated: what a dead process left of one is found by the next sync's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from memd.errors import LockedError, UnwritableError
from memd.failpoints import failpoint
from memd.ledger import Run
from memd.memory import authors, store, team_index
from memd.memory.journal import RunNote
from memd.memory.membership import Membership
from memd.team import anchor, attribution, clone, git, guard, live, objects, outgoing, remote, snapshot
from memd.team import base as bases
from memd.team.anchor import Kept
from memd.team.base import Base, Coming
from memd.team.git import Repository
from memd.team.house import House
from memd.team.live import Made, Steps, Wanted
from memd.team.nouns import HeldBack
from memd.team.objects import Draft
from memd.team.outgoing import Joined, Theirs
from memd.team.snapshot import Edits, Live
from memd.team.told import Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """One sync while it goes on."""

    house: House
    membership: Membership
    repository: Repository
    blocked: str | None = None  # why nothing may be made live this time

    @property
    def now(self) -> datetime:
        """For what is written."""
        return self.house.clock.now()

    @property
    def kept(self) -> Kept:
        """Where its base is kept."""
        return Kept(repository=self.repository, directory=self.membership.directory, now=self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """`team/` as it was looked at, with all edits in the base's commit."""

    base: Base
    live: Live
    edits: Edits
    restored: bool  # whether files of the base's commit are to be made live again
    stood: frozenset[str]  # paths that are live, or were until they were deleted just now


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """What the remote has."""

    tip: str | None  # None: no such branch
    theirs: Theirs | None  # what to join with: of a branch that is gone, its last known state
    anew: bool = False  # the branch is gone, and its history is not to be sent again


def begin(house: House, membership: Membership) -> Sync:
    """Open the repository, and finish what an earlier sync left half done in the memory directory."""
    repository = clone.ready(house, membership)
    told = store.recover(
        house.paths.history,
        lambda note: _close(house, note),
        memory_dir=membership.memory_dir,
        only=lambda note: note.kind == live.KIND,
    )
    blocked = next((found.problem for found in told if found.problem and found.run), None)
    return Sync(house=house, membership=membership, repository=repository, blocked=blocked)


def _close(house: House, note: RunNote) -> None:
    """Let the ledger know of a run that was finished after all."""
    said = note.cursor["run"]
    run = Run(**(said | {"files": tuple(said["files"]), "ended": note.ended and note.ended.timestamp()}))
    house.ledger.recover_pass(cursor=None, uuids=(), run=run)


def resume(sync: Sync) -> Base:
    """The base, brought in line with what stands there after a crash or in a new repository."""
    base = bases.load(sync.membership.directory)
    if base.left:
        base = bases.returned(base, snapshot.look(sync.membership.memory_dir, base).blobs)
    if base.left or not _is_there(sync.repository, base):
        return clone.rebased(sync.repository, base, remote.fetch(sync.repository, sync.membership))
    if base.coming is None or sync.blocked:
        return base
    return _settled(sync, base, base.coming)


def _is_there(repository: Repository, base: Base) -> bool:
    if base.commit is None or objects.ref(repository, objects.LIVE) == base.commit:
        return True
    is_known = objects.is_known(repository, base.commit)
    if is_known:  # a process died between the two
        objects.hold(repository, {objects.LIVE: base.commit})
    return is_known


def _settled(sync: Sync, base: Base, coming: Coming) -> Base:
    """The base after a sync died while it made something live: what of it stands there was made so."""
    there = snapshot.look(sync.membership.memory_dir, base).blobs
    done = {path: blob for path, blob in coming.files.items() if there.get(path) == blob}
    if not done:
        return replace(base, coming=None)
    aside = tuple(sorted(anchor.left(coming, done)))
    return anchor.advance(sync.kept, replace(base, aside=aside), done)


def take_in(sync: Sync, base: Base, told: Told) -> Taken:
    """Commit what was edited in `team/`."""
    sync.house.tell("looking at team/")
    there = snapshot.look(sync.membership.memory_dir, base)
    is_gone = not there.is_there and bool(base.files)
    stood = frozenset(base.files)
    if is_gone:
        told.restored, base = True, replace(base, files={})
    edits = snapshot.edits(there, base)
    told.held, told.unsendable, told.refused = edits.held, base.unsendable, base.refused
    if edits.changes:
        base = _committed(sync, base, edits, there)
    base = _indexed(sync, base, there)
    stood |= base.files.keys()
    return Taken(base=base, live=there, edits=edits, restored=is_gone or base.left, stood=stood)


def _committed(sync: Sync, base: Base, edits: Edits, there: Live) -> Base:
    draft = Draft(
        parents=() if base.commit is None else (base.commit,),
        tree=None if base.commit is None else objects.tree_of(sync.repository, base.commit),
        edits=edits.changes,
        message=outgoing.message(len(edits.changes)),
        author=git.identity(sync.repository),
        at=sync.now,
    )
    commit = objects.write(sync.repository, draft)
    failpoint("team.wrote_snapshot")
    now = bases.with_files(base, {path: there.blobs.get(path) for path in edits.changes})
    unsent = tuple(sorted({*base.unsent, *edits.changes}))
    return anchor.keep(sync.kept, replace(base, commit=commit, files=now, unsent=unsent, coming=None))


def _indexed(sync: Sync, base: Base, there: Live) -> Base:
    """Bring the index of `team/` in line with what people wrote there, if they did."""
    made_from = _digest(there.blobs)
    if not there.is_there or (base.indexed == made_from and team_index.is_there(sync.membership.memory_dir)):
        return base
    with suppress(OSError, LockedError):  # where it cannot be written, making live says so
        team_index.refresh(sync.membership.memory_dir)
        return bases.save(sync.membership.directory, replace(base, indexed=made_from))
    return base


def _digest(blobs: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(blobs.items())).encode(errors="replace")).hexdigest()


def fetch(sync: Sync, base: Base, told: Told) -> Arrived:
    """Ask the remote, and see whether it is still the one that it was. RemoteError."""
    sync.house.tell("fetching")
    tip = remote.fetch(sync.repository, sync.membership)
    failpoint("team.fetched")
    commit = tip or base.remote
    if commit is None:
        return Arrived(tip=None, theirs=None)
    rewritten = tip is None or objects.is_other(sync.repository, base.remote, tip)
    told.rewritten = told.rewritten or rewritten
    if tip is None and not guard.is_all_memory(sync.repository, commit):
        return Arrived(tip=None, theirs=None, anew=True)
    if rewritten and tip:
        return Arrived(tip=tip, theirs=Theirs(commit=commit, graft=base.graft, rewritten=True, before=base.remote))
    return Arrived(tip=tip, theirs=Theirs(commit=commit, graft=base.graft))


def is_settled(taken: Taken, arrived: Arrived) -> bool:
    """Whether both sides are the same as far as they may be, so that there is nothing to do."""
    base = taken.base
    still_aside = set(base.aside) <= _untouchable(taken, base.aside)
    return arrived.tip == base.remote and still_aside and not (base.unsent or taken.restored or base.coming)


def join(sync: Sync, taken: Taken, arrived: Arrived) -> Joined | None:
    """Bring both sides together as one commit; None where neither has any."""
    sync.house.tell("merging")
    ours, theirs = taken.base.commit, arrived.theirs
    if ours is not None and arrived.anew:
        return outgoing.begun_anew(sync.repository, ours, sync.now, taken.stood)
    if ours is None or theirs is None:
        commit = ours or (theirs.commit if theirs else None)
        return Joined(commit=commit) if commit else None
    joined = outgoing.join(sync.repository, ours, theirs, sync.now, taken.stood)
    failpoint("team.joined")
    return joined


def make_live(sync: Sync, taken: Taken, arrived: Arrived, joined: Joined, told: Told) -> Base:
    """Let `team/` be what was joined; the base after it.

    ChangedMeanwhileError where somebody edits there; UnwritableError, LockedError or OSError where it cannot be.
    """
    if sync.blocked:
        raise UnwritableError(sync.blocked, hint="nothing is lost: it is tried again")
    remote_tip = arrived.theirs.commit if arrived.theirs else None
    if joined.commit == taken.base.commit and not taken.restored:
        unsent = () if remote_tip == joined.commit else taken.base.unsent  # two may make the very same commit
        return replace(taken.base, remote=remote_tip, unsent=unsent)
    wanted = live.wanted(sync.repository, joined.commit, taken.base)
    untouchable = _untouchable(taken, wanted.files) | _stuck(told)
    todo = live.steps(wanted, taken.base, untouchable)
    told.refused = wanted.refused
    coming = Coming(
        commit=joined.commit,
        remote=remote_tip,
        files=todo.changes,
        aside=tuple(sorted(todo.aside)),
        unsent={**joined.before, **dict.fromkeys(todo.crowded_out)},
    )
    base = replace(taken.base, refused=wanted.refused, coming=coming, left=False)
    made = _made(sync, base, todo, wanted, joined) if todo.changes else Made()
    told.received |= dict.fromkeys(made.done)
    told.conflicts |= dict.fromkeys(one for one in joined.conflicts if one.path in made.done)
    told.run_id = made.run_id or told.run_id
    base = replace(
        base,
        unsent=() if remote_tip == joined.commit else objects.changed(sync.repository, remote_tip, joined.commit),
        indexed=_digest(bases.with_files(replace(base, files=taken.live.blobs), made.done)),
        aside=tuple(sorted((todo.aside & untouchable) | made.left)),
    )
    base = anchor.advance(sync.kept, base, made.done)
    return _attributed(sync, base, made.done)


def _made(sync: Sync, base: Base, todo: Steps, wanted: Wanted, joined: Joined) -> Made:
    objects.hold(sync.repository, {objects.COMING: wanted.commit})
    bases.save(sync.membership.directory, base)  # so that after a crash what came can be told from edits
    failpoint("team.noted_coming")
    sync.house.tell(f"making {len(todo.changes)} files live")
    made = live.make(sync.house, sync.membership, todo, wanted, base, joined.conflicts)
    failpoint("team.made_live")
    return made


def _stuck(told: Told) -> frozenset[str]:
    """Where something was in the way twice: it would be so the next time, too, and all others would wait for it."""
    stuck = frozenset(path for path, times in told.changing.items() if times > 1)
    why = "what others have cannot be put there just now"
    told.held += tuple(HeldBack(path=path, rule="in-the-way", reason=why) for path in sorted(stuck))
    return stuck


def _attributed(sync: Sync, base: Base, arrived: Mapping[str, str | None] | None = None) -> Base:
    """Note who wrote what; what `arrived` gets its age from that."""
    if base.commit is not None:
        directory = sync.membership.directory
        attribution.refresh(sync.repository, directory, base.commit, base.files, sync.now.timestamp())
        live.keep_ages(sync.membership.memory_dir, authors.load(directory), arrived or {})
    return base


def _untouchable(taken: Taken, paths: Iterable[str]) -> frozenset[str]:
    """Where nothing may be made live: a person's file that is held back, or no file at all, stands there."""
    held = {one.path for one in taken.edits.held}
    odd = taken.live.odd
    below = (path for path in paths if any(path.startswith(f"{place}/") for place in odd))
    return frozenset({*held, *odd, *below})


def push(sync: Sync, base: Base, arrived: Arrived, joined: Joined, told: Told) -> Base:
    """Give the remote what it lacks; the base after it. OvertakenError where somebody pushed meanwhile."""
    if arrived.tip == joined.commit:
        return base
    commit, held = outgoing.clean(sync.repository, joined.commit, arrived.tip, sync.now)
    told.unsendable = held
    sent = objects.changed(sync.repository, arrived.tip, commit) if commit else ()
    if commit:
        sync.house.tell(f"pushing {len(sent)} files")
        remote.push(sync.repository, sync.membership, commit)
        failpoint("team.pushed")
        told.sent |= dict.fromkeys(sent)
    tip = commit or arrived.tip
    return replace(base, remote=tip, unsent=(), unsendable=held)


def settle(sync: Sync, base: Base, joined: Joined) -> None:
    """Keep what was pushed. Of a file that is left aside here, an edit is none any more once the remote has it."""
    lost = {one.path for one in joined.conflicts}
    _attributed(sync, anchor.sent(sync.kept, base, joined.commit, joined.before.keys() - lost))
