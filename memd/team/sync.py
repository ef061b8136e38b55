"""One sync: what was edited here goes out, what others edited comes in. It reads top to bottom as what happens."""

from __future__ import annotations

import random
import sqlite3
import time

from memd.errors import LockedError, MemdError, UnwritableError
from memd.memory.membership import Membership
from memd.team import base as bases
from memd.team import clone, snapshot, stages
from memd.team.house import House
from memd.team.live import ChangedMeanwhileError
from memd.team.nouns import (
    DamagedError,
    GitError,
    Outcome,
    OvertakenError,
    RemoteError,
    SyncReport,
    TakenError,
    UnwritableGitError,
)
from memd.team.stages import Sync
from memd.team.told import Told

TRIES = 6
_PAUSE = 0.1  # seconds before the second try; each further one waits up to twice as long


def run(house: House, membership: Membership) -> SyncReport:
    """Sync a team's memory. Whatever goes wrong is an outcome with a reason, never an exception.

    Edits are safe from the moment they were looked at: in memd's own repository first, on the remote then.
    """
    told = Told()
    try:
        with clone.held(membership.directory):
            try:
                _repairing(house, membership, told)
            finally:  # a remote that is refused has sent something, too
                clone.tidy(membership, clone.of(house, membership))
    except TakenError as error:
        return SyncReport(outcome=Outcome.BUSY, elsewhere=True, reason=str(error), hint=error.hint)
    except (MemdError, OSError, sqlite3.Error) as error:
        return told.report(_outcome(error), str(error), getattr(error, "hint", None))
    return told.report()


def waiting(membership: Membership) -> tuple[str, ...]:
    """The files that differ from what the remote was last known to have, told without asking it. OSError."""
    base = bases.load(membership.directory)
    edits = snapshot.edits(snapshot.look(membership.memory_dir, base), base)
    return tuple(sorted({*base.unsent, *edits.changes}))


def _repairing(house: House, membership: Membership, told: Told) -> None:
    """The story; where memd's own repository turns out to be damaged, once more with a new one."""
    try:
        _story(stages.begin(house, membership), told)
    except DamagedError as error:
        if clone.is_sound(clone.of(house, membership)):  # then it was the remote's
            raise (error.__cause__ if isinstance(error.__cause__, RemoteError) else GitError(str(error))) from error
        house.tell("the repository is damaged: making it anew")
        told.repaired = str(clone.set_aside(membership))
        _story(stages.begin(house, membership), told)


def _story(sync: Sync, told: Told) -> None:
    """Take in, fetch, join, make live, push; from the start again where somebody was faster, here or there."""
    base = stages.resume(sync)
    late: Exception = OvertakenError()
    for turn in range(TRIES):
        _pause(turn)
        taken = stages.take_in(sync, base, told)  # from here on the edits are safe
        theirs = stages.fetch(sync, taken.base, told)
        if stages.is_settled(taken, theirs):
            return
        joined = stages.join(sync, taken, theirs)
        if joined is None:
            return
        base = taken.base
        trouble: Exception | None = None
        try:
            base = stages.make_live(sync, taken, theirs, joined, told)
        except ChangedMeanwhileError as error:
            late = error
            told.changing.update(error.paths)
            continue
        except (UnwritableError, LockedError, OSError) as error:
            trouble = error  # what was edited here still goes out
        try:
            pushed = stages.push(sync, base, theirs, joined, told)
        except OvertakenError as error:
            late = trouble or error
            continue
        if trouble is not None:
            raise trouble
        stages.settle(sync, pushed, joined)
        return
    raise late


def _pause(turn: int) -> None:
    if turn:
        time.sleep(random.SystemRandom().uniform(0.5, 1) * _PAUSE * 2**turn)


def _outcome(error: Exception) -> Outcome:
    """How a sync ends that this stopped."""
    match error:
        case RemoteError():
            return error.outcome
        case LockedError() | ChangedMeanwhileError():
            return Outcome.BUSY
        case UnwritableError() | UnwritableGitError() | OSError():
            return Outcome.UNWRITABLE
        case _:
            return Outcome.FAILED
