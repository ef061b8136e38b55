"""What a pass would save: from what is new in a conversation to what was decided about it. Nothing live is touched."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from memd.agent.backend import Task
from memd.extract import asking, bullets, cleaned, gate, parts, passed_over, switches
from memd.extract.gate import Skip
from memd.extract.house import House
from memd.extract.parts import Shown
from memd.extract.turns import Turn
from memd.extract.window import Window
from memd.ledger import Outcome
from memd.memory import forget, history, membership, review, standing, teammates, validate, whose, workspace
from memd.memory.decision import Decision
from memd.memory.forget import Bars
from memd.memory.log import Bullet
from memd.memory.quotes import Speaker, Utterance
from memd.memory.validate import Policy
from memd.memory.workspace import Problem, Workspace
from memd.transcripts.model import Inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a pass would do: a skip, or what was decided about what was proposed."""

    skip: Skip | None = None
    decision: Decision = field(default_factory=Decision)
    bullets: tuple[Bullet, ...] = ()
    odd: tuple[Problem, ...] = ()  # files that were passed over
    rest: Inside | None = None  # where the next pass goes on; None: everything was looked at
    foreign: frozenset[str] | None = None  # the files in which something is a person's; None: nobody asked

    @property
    def outcome(self) -> Outcome:
        """Judge by what is to be written, never by what was said about it."""
        if self.skip:
            return Outcome.SKIPPED
        if self.decision.accepted or self.bullets:
            return Outcome.SAVED
        return Outcome.HELD if self.decision.held else Outcome.NOTHING


def propose(new: Window, house: House, *, by_hand: bool) -> Proposal:
    """Find out what would be saved; writes nothing but a scratch directory that is gone afterwards."""
    admitted = _admit(new, house, by_hand=by_hand)
    if isinstance(admitted, Skip):
        return Proposal(skip=admitted)
    past = tuple(history.runs(house.paths.history, house.known))
    barred = forget.bars(past, new.place.path)
    said = _allowed(admitted, new, barred, house)
    if isinstance(said, Skip):
        return Proposal(skip=said)
    shown = parts.choose(said, new, house)
    if shown is None or shown.rest is None:
        cleaned.drop(new.session.key, house.cleaned)
    if shown is None:
        return Proposal(skip=Skip.FORGOTTEN)
    place = new.place
    team = membership.is_on(house.paths, house.settings, root=place.root, memory_dir=place.path)
    with workspace.make(place.path, house.paths.scratch, team=team) as work:
        task = _with_context(_task(work, shown, new, house), shown, new, barred, house)
        task = replace(task, protected=whose.foreign(place.path, history=house.paths.history, past=past))
        asking.ask(task, asking.purse(house, project=str(new.place.root)), house)
        changes, odd = workspace.examine(work)
        odd = passed_over.told(new.place.path, work, odd, house)
        window = (*teammates.words_for(place.path, changes), *_heard(task))
        decision = validate.check(changes, window=window, policy=Policy(foreign=task.protected, team=team))
        lost = bullets.left_out(changes, decision.dropped)
        proposed = (*workspace.proposed_bullets(work), *lost)
        noticed = bullets.noticed(proposed, task.new, new.session.session_id, ripe=lost)
        noticed = bullets.unlogged(noticed, new.place.path) if new.again else noticed
    decision = review.without_rejected(decision, standing.rejected(past, str(new.place.path)))
    found = _in_mode(house.settings.extract.mode, decision, noticed, new.session.session_id)
    return replace(found, odd=odd, rest=shown.rest, foreign=task.protected)


def _admit(new: Window, house: House, *, by_hand: bool) -> tuple[Turn, ...] | Skip:
    return switches.off(new, house) or gate.check(
        new.turns,
        memory_dir=new.place.path,
        written_path=lambda call: house.transcripts.written_path(call, new.reading.cwd),
        by_hand=by_hand,
    )


def _allowed(admitted: tuple[Turn, ...], new: Window, barred: Bars, house: House) -> tuple[Utterance, ...] | Skip:
    """Clean what was said, and leave out what is to stay forgotten."""
    messages = [message for turn in admitted for message in turn.messages]
    heard = cleaned.clean(messages, house.clock.now().tzinfo, new.session.key, house.cleaned)
    said = forget.without(heard, barred)
    return Skip.FORGOTTEN if _has_human(heard) and not _has_human(said) else said


def _has_human(said: tuple[Utterance, ...]) -> bool:
    return any(one.speaker is Speaker.HUMAN for one in said)


def _heard(task: Task) -> tuple[Utterance, ...]:
    """Where quotes are looked for: in what is new, and in the question that its first words answer."""
    return task.new if task.asked is None else (task.asked, *task.new)


def _with_context(task: Task, shown: Shown, new: Window, barred: Bars, house: House) -> Task:
    return replace(
        task,
        head=asking.beginning(new, barred, house, resumes=shown.resumes),
        asked=None if shown.resumes else asking.question(task.new, new, barred, house),
    )


def _task(work: Workspace, shown: Shown, new: Window, house: House) -> Task:
    return Task(
        workspace=work,
        new=shown.said,
        part=shown.part,
        first=shown.first,
        session_id=new.session.session_id,
        now=house.clock.now(),
        project=new.place.root if new.place.root.is_dir() else None,
        max_turns=house.settings.extract.max_turns,
    )


def _in_mode(mode: str, decision: Decision, noticed: tuple[Bullet, ...], session_id: str) -> Proposal:
    """In "log" mode nothing but bullets is written now."""
    if mode == "log":
        said = bullets.of_log_mode(decision, session_id)
        return Proposal(decision=replace(decision, accepted=(), quotes={}), bullets=(*said, *noticed))
    said = tuple(bullets.saved(change, session_id) for change in decision.accepted)
    return Proposal(decision=decision, bullets=(*said, *noticed))
