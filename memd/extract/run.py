"""The pass, from a conversation that is over to what was saved. It reads top to bottom as what happens."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from memd.agent import evidence
from memd.agent.backend import Task
from memd.errors import LockedError, MemdError, RefusedError
from memd.extract import asking, bullets, gate, note, passed_over, switches, window
from memd.extract.gate import Skip
from memd.extract.house import House
from memd.extract.turns import Turn
from memd.extract.window import Window
from memd.failpoints import failpoint
from memd.ledger import Job, Outcome, Run, Session
from memd.memory import forget, history, journal, location, review, standing, store, usable, validate, workspace
from memd.memory.decision import Decision
from memd.memory.forget import Bars
from memd.memory.journal import What
from memd.memory.log import Bullet
from memd.memory.quotes import Speaker, Utterance
from memd.memory.store import Applied, RunNote
from memd.memory.validate import Policy
from memd.memory.workspace import Problem, Workspace
from memd.transcripts import cursor as cursors
from memd.transcripts.drift import drifted


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a pass would do: a skip, or what was decided about what was proposed."""

    skip: Skip | None = None
    decision: Decision = field(default_factory=Decision)
    bullets: tuple[Bullet, ...] = ()
    odd: tuple[Problem, ...] = ()  # files that were passed over

    @property
    def outcome(self) -> Outcome:
        """Judge by what is to be written, never by what was said about it."""
        if self.skip:
            return Outcome.SKIPPED
        if self.decision.accepted or self.bullets:
            return Outcome.SAVED
        return Outcome.HELD if self.decision.held else Outcome.NOTHING


def run(job: Job, house: House) -> Run:
    """Extract one conversation and finish its job.

    Raises OSError, LockedError or TransientError (UnwritableError: a person has to mend the memory directory) for what
    may go better next time, and other MemdErrors for what will not. Whatever is raised: the cursor has not moved, and
    nothing is half written.
    """
    new = _read(job, house)
    house.ledger.heard(new.session.key, nobody=drifted(new.reading))
    _take_place(job, new, house)
    with usable.explained(new.place.path):
        if _made_up_for(new, house):
            new = _read(job, house)
    begun = begin(job, new, house)
    try:
        with usable.explained(new.place.path):
            return _carry_out(job, begun, new, house)
    except Exception as error:
        _end_as_failed(begun, error, house)
        raise


def _carry_out(job: Job, begun: Run, new: Window, house: House) -> Run:
    failpoint("extract.read")
    proposal = propose(new, house, by_hand=job.by_hand)
    failpoint("extract.proposed")
    ended = replace(begun, outcome=proposal.outcome, reason=proposal.skip, ended=house.clock.now().timestamp())
    if proposal.outcome in {Outcome.SAVED, Outcome.HELD}:
        return _save(job, ended, proposal, new, house)
    _commit(job, ended, new, house)
    return ended


def _end_as_failed(begun: Run, error: Exception, house: House) -> None:
    """Say what stopped this attempt; where the ledger itself cannot be written, a later start calls it dead."""
    with suppress(sqlite3.Error):
        known = house.ledger.run(begun.id)
        if known is not None and known.outcome is None:
            house.ledger.end_run(replace(begun, outcome=Outcome.FAILED, reason=type(error).__name__))


def propose(new: Window, house: House, *, by_hand: bool) -> Proposal:
    """Find out what would be saved; writes nothing but a scratch directory that is gone afterwards."""
    admitted = _admit(new, house, by_hand=by_hand)
    if isinstance(admitted, Skip):
        return Proposal(skip=admitted)
    past = tuple(history.runs(house.paths.history, house.known))
    barred = forget.bars(past, new.place.path)
    said = _allowed(admitted, barred, house)
    if isinstance(said, Skip):
        return Proposal(skip=said)
    with workspace.make(new.place.path, house.paths.scratch) as work:
        policy = Policy(foreign=history.foreign(new.place.path, history=house.paths.history, past=past))
        task = replace(_task(work, said, new, house), head=asking.beginning(new, barred, house))
        asking.ask(task, asking.purse(house, project=str(new.place.root)), house)
        changes, odd = workspace.examine(work)
        odd = passed_over.told(new.place.path, work, odd, house)
        decision = validate.check(changes, window=said, policy=policy)
        proposed = (*workspace.proposed_bullets(work), *bullets.left_out(changes, decision.dropped))
        noticed = bullets.noticed(proposed, said, new.session.session_id)
        noticed = bullets.unlogged(noticed, new.place.path) if new.again else noticed
    decision = review.without_rejected(decision, standing.rejected(past, str(new.place.path)))
    return replace(_in_mode(house.settings.extract.mode, decision, noticed, new.session.session_id), odd=odd)


def _allowed(admitted: tuple[Turn, ...], barred: Bars, house: House) -> tuple[Utterance, ...] | Skip:
    """Clean what was said, and leave out what is to stay forgotten."""
    heard = evidence.clean([message for turn in admitted for message in turn.messages], house.clock.now().tzinfo)
    said = forget.without(heard, barred)
    return Skip.FORGOTTEN if _has_human(heard) and not _has_human(said) else said


def _has_human(said: tuple[Utterance, ...]) -> bool:
    return any(one.speaker is Speaker.HUMAN for one in said)


def _task(work: Workspace, said: tuple[Utterance, ...], new: Window, house: House) -> Task:
    return Task(
        workspace=work,
        new=said,
        session_id=new.session.session_id,
        now=house.clock.now(),
        project=new.place.root if new.place.root.is_dir() else None,
        max_turns=house.settings.extract.max_turns,
    )


def session_of(job: Job, house: House) -> Session:
    """Find the job's conversation. Raises MemdError."""
    session = house.ledger.session(job.session_key or "")
    if session is None:
        raise MemdError(f"the ledger does not know the conversation {job.session_key}")
    return session


def _read(job: Job, house: House) -> Window:
    def read(most: int) -> Window:
        return window.read(
            session_of(job, house),
            house,
            again=job.again,
            watermark=job.watermark,
            complete_only=job.complete_only,
            most=most,
        )

    return asking.fitting(read, house)


def _take_place(job: Job, new: Window, house: House) -> None:
    """One pass a memory directory, and one project a slug: two projects never share memory."""
    by_slug = new.place.rule.startswith("base:")
    if by_slug and not house.ledger.owner(new.place.slug, str(new.place.root)):
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


def begin(job: Job, new: Window, house: House) -> Run:
    """Take the run's number."""
    number = house.ledger.start_run(
        job.kind,
        session_key=job.session_key,
        memory_dir=str(new.place.path),
        at_least=journal.next_id(house.paths.history),
    )
    return Run(
        id=number,
        kind=job.kind,
        session_key=job.session_key,
        root=str(new.place.root),
        memory_dir=str(new.place.path),
        started=house.clock.now().timestamp(),
    )


def _admit(new: Window, house: House, *, by_hand: bool) -> tuple[Turn, ...] | Skip:
    return switches.off(new, house) or gate.check(
        new.turns,
        memory_dir=new.place.path,
        written_path=lambda call: house.transcripts.written_path(call, new.reading.cwd),
        by_hand=by_hand,
    )


def _in_mode(mode: str, decision: Decision, noticed: tuple[Bullet, ...], session_id: str) -> Proposal:
    """In "log" mode nothing but bullets is written now."""
    if mode == "log":
        said = bullets.of_log_mode(decision, session_id)
        return Proposal(decision=replace(decision, accepted=(), quotes={}), bullets=(*said, *noticed))
    said = tuple(bullets.saved(change, session_id) for change in decision.accepted)
    return Proposal(decision=decision, bullets=(*said, *noticed))


def _save(job: Job, ended: Run, proposal: Proposal, new: Window, house: House) -> Run:
    """Apply in one journalled transaction, which calls back for the cursor once everything stands."""
    intended = replace(ended, files=tuple(change.path for change in proposal.decision.accepted))
    applied = store.apply(
        new.place.path,
        proposal.decision.accepted,
        run=run_note(intended, proposal, new),
        history=house.paths.history,
        bullets=proposal.bullets,
        commit=lambda applied: _commit(job, _with_files(ended, applied), new, house),
    )
    return _with_files(ended, applied)


def _with_files(ended: Run, applied: Applied) -> Run:
    return replace(ended, files=tuple(file.path for file in applied.files if file.what != What.LEFT))


def run_note(ended: Run, proposal: Proposal, new: Window) -> RunNote:
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
        quotes=proposal.decision.quotes,
        held=proposal.decision.held,
        dropped=proposal.decision.dropped,
        odd=proposal.odd,
    )


def _local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def _commit(job: Job, ended: Run, new: Window, house: House) -> None:
    """The cursor moves last."""
    failpoint("extract.before_commit")
    house.ledger.commit_pass(job, cursor=cursors.dumps(new.cursor), uuids=new.uuids, run=ended, settled=new.settled)
    failpoint("extract.committed")
