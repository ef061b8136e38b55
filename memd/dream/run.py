"""The dream, from the gates to what was saved. It reads top to bottom as what happens."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from memd.agent import money
from memd.agent.meter import Meter
from memd.dream import backlog, drafts, gates, live, lock, proposal
from memd.dream.backlog import Chunk
from memd.dream.gates import Place
from memd.dream.ground import Ground, ground
from memd.dream.house import House
from memd.dream.lock import Held
from memd.dream.proposal import Proposal, TooMuchLostError
from memd.errors import AuthError, BudgetError, LeaseLostError, LockedError, MemdError, TransientError
from memd.failpoints import failpoint
from memd.ledger import Dreamt, Job, Ledger, Outcome, Run
from memd.ledger.dreams import cursor_of, named
from memd.ledger.nouns import DREAM
from memd.memory import journal, log, store, usable, witnessed, written
from memd.memory.journal import RunNote, What
from memd.memory.store import Applied

LEASE = 900.0  # seconds that a dream may take, with what comes before and after the backend
TOO_MUCH, MORE = "too_much_lost", "more_to_come"
_BUSY = 300.0  # seconds until another's dream is looked at again
_PARTS_TIME = 540.0  # seconds after which no further part of a backlog is begun
_PASSING = (LockedError, LeaseLostError, TransientError, AuthError, BudgetError)  # nobody's fault here


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One dream while it goes on."""

    job: Job
    mine: Held
    house: House
    on: Ground
    meter: Meter | None
    force: bool

    @property
    def memory_dir(self) -> str:
        """Where, as the ledger knows it."""
        return str(self.on.memory_dir)


def place_of(job: Job, house: House) -> Place:
    """Which project's memory a job is about. Raises MemdError."""
    for one in house.ledger.dream_places():
        if one.memory_dir == job.memory_dir:
            return Place(root=Path(one.root), memory_dir=Path(one.memory_dir))
    raise MemdError(f"nothing is known of {job.memory_dir}")


def run(job: Job, place: Place, house: House, *, force: bool = False) -> Run:
    """Dream about one memory directory and finish the job.

    Raises OSError, LockedError or TransientError for what may go better later, TooMuchLostError unless `force`, and
    other MemdErrors. Whatever is raised: the cursor has not moved, and nothing is half written.
    """
    known = house.ledger.dreamt(str(place.memory_dir))
    gate = gates.check(place, known, house, by_hand=job.by_hand)
    if gate is not None:
        house.ledger.skip_dream(job, known.memory_dir, gate)
        return Run(id=0, kind=DREAM, root=str(place.root), outcome=Outcome.SKIPPED, reason=gate)
    house.ledger.renew(job, lease=LEASE)
    try:
        with usable.explained(place.memory_dir), lock.held(place.memory_dir, house.ledger.now()) as mine:
            return _night(_begun(job, place, mine, house, force=force))
    except TooMuchLostError:
        house.ledger.skip_dream(job, known.memory_dir, TOO_MUCH)
        if job.by_hand:
            raise
        return Run(id=0, kind=DREAM, root=str(place.root), outcome=Outcome.FAILED, reason=TOO_MUCH)
    except LockedError as error:
        if job.by_hand:
            raise
        raise TransientError(str(error), hint=error.hint, retry_after=_BUSY) from error


def _begun(job: Job, place: Place, mine: Held, house: House, *, force: bool) -> Night:
    """Finish what an earlier run left half done here, then read what there is."""
    told = store.recover(
        house.paths.history,
        lambda said: recover(house.ledger, said),
        memory_dir=place.memory_dir,
        only=lambda said: said.kind == DREAM,  # a pass's cursor is a pass's to move
    )
    if stuck := next((found.problem for found in told if found.problem and found.run), None):
        raise MemdError(stuck)
    own = drafts.purse(house, place)
    meter = None if own is None else money.meter(own, cap=house.settings.caps.dream_dollars)
    on = ground(place, house)
    witnessed.note(house.paths.history, place.memory_dir, persons=on.foreign)
    return Night(job=job, mine=mine, house=house, on=on, meter=meter, force=force)


def look(place: Place, house: House) -> Proposal:
    """What a dream would do with the first part of what there is; nothing is written."""
    own = drafts.purse(house, place)
    meter = None if own is None else money.meter(own, cap=house.settings.caps.dream_dollars)
    on = ground(place, house)
    known = known_of(on, house)
    first = parts_of(place, house, known)[0]
    house.tell(_open(first))
    return proposal.propose(first, on, backlog.loads(known.cursor).carried, house, meter)


def _night(night: Night) -> Run:
    """Work through the backlog, part by part; what there is no time or money for waits for the next dream."""
    house = night.house
    parts = parts_of(night.on.place, house, known_of(night.on, house))
    began = house.clock.monotonic()
    done = _part(night, parts[0], 1, len(parts))
    for number, chunk in enumerate(parts[1:], 2):
        if house.clock.monotonic() - began > _PARTS_TIME or _is_spent(night):
            house.ledger.skip_dream(night.job, night.memory_dir, MORE)
            break
        done = _part(night, chunk, number, len(parts))
    return done


def known_of(on: Ground, house: House) -> Dreamt:
    """What is known of a directory's dreams; how far they came is in the history, too, should the ledger be lost."""
    known = house.ledger.dreamt(str(on.memory_dir))
    if known.cursor is not None:
        return known
    past = (one.run.cursor for one in on.records if one.run.kind == DREAM and one.memory_dir == known.memory_dir)
    return replace(known, cursor=next(filter(None, map(cursor_of, past)), None))


def parts_of(place: Place, house: House, known: Dreamt | None = None) -> tuple[Chunk, ...]:
    """The open notes in as many parts as it takes; one empty part where there are none."""
    cursor = backlog.loads((known or house.ledger.dreamt(str(place.memory_dir))).cursor)
    mine = written.lines(place.memory_dir, house.paths.history)
    logs = log.everything(place.memory_dir)  # once: a note that comes between two readings would be lost
    found = backlog.read(place.memory_dir, cursor, mine=mine, zone=house.clock.now().tzinfo, logs=logs)
    return backlog.chunks(logs, found, budget=house.budget)


def _open(chunk: Chunk) -> str:
    return f"{chunk.fresh} open {'note' if chunk.fresh == 1 else 'notes'}"


def _is_spent(night: Night) -> bool:
    try:
        if night.meter is not None:
            night.meter.admit(night.house.budget or 0)
    except BudgetError:
        return True
    return False


def _part(night: Night, chunk: Chunk, number: int, of: int) -> Run:
    """One look: propose, check, save, move the cursor."""
    house = night.house
    topics = len(night.on.topics)
    memories = f"{topics} {'memory' if topics == 1 else 'memories'}"
    house.tell(f"{_open(chunk)}, {memories}" + (f" ({number}/{of})" if of > 1 else ""))
    known = known_of(night.on, house)
    begun = _take_number(night)
    try:
        cursor = backlog.loads(known.cursor)
        found = proposal.propose(chunk, night.on, cursor.carried, house, night.meter)
        failpoint("dream.judged")
        if not night.force:
            proposal.require_little_lost(found, night.on)
        found = replace(found, report=replace(found.report, part=number, of=of))
        return _saved(night, begun, known, found, is_last=number == of)
    except Exception as error:
        _end_as_failed(night, begun, known, chunk, error)
        raise


def _take_number(night: Night) -> Run:
    house = night.house
    number = house.ledger.start_run(DREAM, memory_dir=night.memory_dir, at_least=journal.next_id(house.paths.history))
    return Run(
        id=number,
        kind=DREAM,
        root=str(night.on.place.root),
        memory_dir=night.memory_dir,
        started=house.clock.now().timestamp(),
    )


def _saved(night: Night, begun: Run, known: Dreamt, found: Proposal, *, is_last: bool) -> Run:
    """Apply in one journalled transaction, which calls back for the cursor once everything stands."""
    house = night.house
    ended = replace(begun, outcome=_outcome(found), ended=house.clock.now().timestamp())
    after = _after(night, known, found, ended)
    job = night.job if is_last else None
    if live.is_empty(found, night.mine):
        _commit(night, job, after, ended, keep=False)
        return replace(ended, id=0)
    house.tell("saving")
    applied = live.apply(
        found,
        night.mine,
        _note(ended, after, found),
        house.paths.history,
        lambda applied: _commit(night, job, after, _with_files(ended, applied)),
    )
    failpoint("dream.saved")  # this part; the lock is still held
    done = _with_files(ended, applied)
    house.hear(done, found.report)
    return done


def _outcome(found: Proposal) -> Outcome:
    if found.decision.accepted:
        return Outcome.SAVED
    return Outcome.HELD if found.decision.held else Outcome.NOTHING


def _after(night: Night, known: Dreamt, found: Proposal, ended: Run) -> Dreamt:
    ends = found.verdicts
    cursor = backlog.advanced(backlog.loads(known.cursor), found.chunk, carried=ends.carried, aside=ends.aside)
    idle = known.idle if not found.chunk.fresh else 0 if found.does_something else known.idle + 1
    return replace(
        known, dreamt_at=night.mine.started, cursor=backlog.dumps(cursor), idle=idle, said=str(ended.outcome)
    )


def _with_files(ended: Run, applied: Applied) -> Run:
    files = tuple(file.path for file in applied.files if file.what != What.LEFT)
    outcome = Outcome.SAVED if files else ended.outcome
    return replace(ended, files=files, outcome=outcome)


def _note(ended: Run, after: Dreamt, found: Proposal) -> RunNote:
    """Say what the journal needs to finish this run without us, and what people want to read."""
    return RunNote(
        id=ended.id,
        kind=ended.kind,
        started=_local(ended.started),
        ended=_local(ended.ended or ended.started),
        project=ended.root,
        outcome=str(ended.outcome) if found.decision.accepted or found.decision.held else None,
        cursor=named(after, ended),
        quotes=found.decision.quotes,
        held=found.decision.held,
        dropped=found.decision.dropped,
        odd=found.odd,
        dream=found.report,
    )


def _local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def _commit(night: Night, job: Job | None, after: Dreamt, ended: Run, *, keep: bool = True) -> None:
    """The cursor moves last."""
    failpoint("dream.before_commit")
    night.house.ledger.commit_dream(job, after, ended, keep=keep)
    failpoint("dream.committed")


def recover(ledger: Ledger, note: RunNote) -> None:
    """Commit what a dream that died after writing memory did not come to commit."""
    ledger.recover_dream(note.cursor)


def _end_as_failed(night: Night, begun: Run, known: Dreamt, chunk: Chunk, error: Exception) -> None:
    """Say what stopped it; a dream that had notes to work on and failed by itself did nothing."""
    reason = TOO_MUCH if isinstance(error, TooMuchLostError) else type(error).__name__
    idle = known.idle + bool(chunk.fresh and not isinstance(error, (*_PASSING, OSError, sqlite3.Error)))
    with suppress(sqlite3.Error):
        ended = night.house.ledger.run(begun.id)
        if ended is not None and ended.outcome is None:
            failed = replace(begun, outcome=Outcome.FAILED, reason=reason)
            night.house.ledger.commit_dream(None, replace(known, idle=idle, said=reason), failed)
