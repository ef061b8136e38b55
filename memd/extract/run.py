"""The pass, from a conversation that is over to what was saved. It reads top to bottom as what happens."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from memd import files
from memd.errors import LockedError, MemdError, RefusedError
from memd.extract import note, off_record, proposal, switches, window, witness
from memd.extract.gate import KEPT, LEFT_OUT, MORE, Skip
from memd.extract.house import House
from memd.extract.proposal import Proposal
from memd.extract.window import Window
from memd.failpoints import failpoint
from memd.ledger import Job, Outcome, Run, Session
from memd.memory import journal, location, owners, secrets, store, usable
from memd.memory.decision import secret_rules
from memd.memory.journal import What
from memd.memory.store import Applied, RunNote
from memd.transcripts import cursor as cursors
from memd.transcripts.drift import drifted
from memd.transcripts.model import Role

_PATIENCE = 2.0  # seconds to wait for whoever writes there


def run(job: Job, house: House) -> Run:
    """Extract one conversation and finish its job.

    Raises OSError, LockedError or TransientError (UnwritableError: a person has to mend the memory directory) for what
    may go better next time, and other MemdErrors for what will not. Whatever is raised: the cursor has not moved, and
    nothing is half written.
    """
    new = _read(job, house)
    house.ledger.heard(new.session.key, nobody=drifted(new.reading))
    off = switches.off(new, house)
    if off is None:
        new = _settled_in(job, new, house)
    begun = begin(job, new, house, off)
    try:
        with usable.explained(new.place.path):
            return _carry_out(job, begun, new, house, off)
    except BaseException as error:
        _end_early(begun, error, house)
        raise


def _settled_in(job: Job, new: Window, house: House) -> Window:
    """Take the place in which memory is to be written, as it is to be found there; what is to be dealt with then.

    Where memd stays out, nobody's place is taken: what lies there may be the memory of another project.
    """
    _take_place(job, new, house)
    with usable.explained(new.place.path):
        if _made_up_for(new, house):
            new = _read(job, house)
        if house.account is not None:
            _require_free(new)
    return new


def _carry_out(job: Job, begun: Run, new: Window, house: House, off: Skip | None) -> Run:
    failpoint("extract.read")
    found = _found(new, house, by_hand=job.by_hand) if off is None else Proposal(skip=off)
    failpoint("extract.proposed")
    reason = reason_of(found, new, house)
    ended = replace(begun, outcome=found.outcome, reason=reason, ended=house.clock.now().timestamp())
    new = new.up_to(found.rest)
    if found.outcome in {Outcome.SAVED, Outcome.HELD}:
        return _save(job, ended, found, new, house)
    _commit(job, ended, new, house)
    return ended


def _found(new: Window, house: House, *, by_hand: bool) -> Proposal:
    witness.of_agents(new, house)
    found = proposal.propose(new, house, by_hand=by_hand)
    witness.of_persons(found, new, house)
    return found


def reason_of(found: Proposal, new: Window, house: House) -> str | None:
    """Why a pass saves nothing, or not all there is: a code; never what was said."""
    if found.rest or found.skip:
        return MORE if found.rest else found.skip
    if left_out := {*secret_rules(found.decision.dropped), *_secrets_said(new)}:
        return LEFT_OUT + ",".join(sorted(left_out))
    if found.outcome != Outcome.NOTHING or not new.again:
        return None
    earlier = house.ledger.runs(limit=-1, session_key=new.session.key)
    return KEPT if any(run.outcome == Outcome.SAVED for run in earlier) else None


def _secrets_said(new: Window) -> frozenset[str]:
    """The rules by which something that a person said is shown to nobody who proposes."""
    said = (message.text for turn in new.turns for message in turn.messages if message.role is Role.HUMAN)
    return frozenset(finding.rule for text in said for finding in secrets.find(text))


def _end_early(begun: Run, error: BaseException, house: House) -> None:
    """Say what stopped this attempt; where the ledger itself cannot be written, a later start calls it dead.

    A process that was asked to end has not failed: its job is taken up again.
    """
    failed = isinstance(error, Exception)
    outcome, reason = (Outcome.FAILED, type(error).__name__) if failed else (Outcome.SKIPPED, "stopped")
    with suppress(sqlite3.Error):
        known = house.ledger.run(begun.id)
        if known is not None and known.outcome is None:
            house.ledger.end_run(replace(begun, outcome=outcome, reason=reason))


def session_of(job: Job, house: House) -> Session:
    """Find the job's conversation. Raises MemdError."""
    session = house.ledger.session(job.session_key or "")
    if session is None:
        raise MemdError(f"the ledger does not know the conversation {job.session_key}")
    return session


def _read(job: Job, house: House) -> Window:
    session = session_of(job, house)
    off_record.catch_up(house, but=session.key)
    new = window.read(session, house, again=job.again, watermark=job.watermark, complete_only=job.complete_only)
    if new.off:  # what answers such words has no mark yet
        house.ledger.keep_out(session.key, str(new.place.root), new.off)
    return new


def _take_place(job: Job, new: Window, house: House) -> None:
    """One pass a memory directory, and one project a slug: two projects never share memory."""
    by_slug = new.place.rule.startswith("base:")
    if by_slug and not owners.claim(house.ledger, house.paths.history, slug=new.place.slug, root=new.place.root):
        raise RefusedError(
            f"another project already keeps its memory in {new.place.path}",
            hint=f"give {new.place.root} one of its own: autoMemoryDirectory in its .claude/settings.local.json,"
            f" for example {location.suggested(new.place)}",
        )
    if not house.ledger.bind(job, str(new.place.path)):
        raise LockedError(f"another pass works in {new.place.path}")


def _made_up_for(new: Window, house: House) -> bool:
    """Finish what an earlier attempt left half done here: done anew beside it, its bullets would stand twice."""
    history_dir = house.paths.history
    told = store.recover(history_dir, lambda said: note.recover(house.ledger, said), memory_dir=new.place.path)
    stuck = next((found.problem for found in told if found.problem and found.run), None)
    if stuck:
        raise MemdError(stuck)
    return bool(told)


def _require_free(new: Window) -> None:
    """Raise LockedError where somebody keeps the memory directory: what a model says then would be paid and lost."""
    with (
        suppress(FileNotFoundError),
        files.open_directory(new.place.path) as memory,
        files.locked(memory, timeout=_PATIENCE),
    ):
        pass


def begin(job: Job, new: Window, house: House, off: Skip | None = None) -> Run:
    """Take the run's number. It is about nobody's memory where memd stays out (`off`)."""
    memory_dir = str(new.place.path) if off is None else None
    number = house.ledger.start_run(
        job.kind,
        session_key=job.session_key,
        memory_dir=memory_dir,
        at_least=journal.next_id(house.paths.history),
    )
    return Run(
        id=number,
        kind=job.kind,
        session_key=job.session_key,
        root=str(new.place.root),
        memory_dir=memory_dir,
        started=house.clock.now().timestamp(),
    )


def _save(job: Job, ended: Run, found: Proposal, new: Window, house: House) -> Run:
    """Apply in one journalled transaction, which calls back for the cursor once everything stands."""
    intended = replace(ended, files=tuple(change.path for change in found.decision.accepted))
    applied = store.apply(
        new.place.path,
        found.decision.accepted,
        run=run_note(intended, found, new),
        history=house.paths.history,
        bullets=found.bullets,
        commit=lambda applied: _commit(job, _with_files(ended, applied), new, house),
    )
    return _with_files(ended, applied)


def _with_files(ended: Run, applied: Applied) -> Run:
    return replace(ended, files=tuple(file.path for file in applied.files if file.what != What.LEFT))


def run_note(ended: Run, found: Proposal, new: Window) -> RunNote:
    """Say what the journal needs to finish this run without us."""
    return RunNote(
        id=ended.id,
        kind=ended.kind,
        started=_local(ended.started),
        ended=_local(ended.ended or ended.started),
        session=new.session.session_id,
        project=str(new.place.root),
        outcome=ended.outcome,
        cursor=note.write(new, ended),
        quotes=found.decision.quotes,
        held=found.decision.held,
        dropped=found.decision.dropped,
        odd=found.odd,
    )


def _local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def _commit(job: Job, ended: Run, new: Window, house: House) -> None:
    """The cursor moves last."""
    failpoint("extract.before_commit")
    cursor = cursors.dumps(new.cursor)
    if new.more:
        house.ledger.commit_part(job, cursor=cursor, run=ended)
    else:
        house.ledger.commit_pass(job, cursor=cursor, uuids=new.uuids, run=ended, settled=new.settled)
    failpoint("extract.committed")
