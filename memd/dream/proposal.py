"""What a dream would do: asked of the backend on a private copy, then judged. Nothing live is touched."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memd import files
from memd.agent import fates, money
from memd.agent.backend import Dream, Note, Task
from memd.agent.fates import Claim
from memd.agent.meter import Meter
from memd.agent.money import Purse
from memd.dream import backlog, conversations, disputes, guard, judge, origins
from memd.dream.backlog import Chunk
from memd.dream.gates import Place
from memd.dream.house import House
from memd.dream.judge import Verdicts
from memd.errors import RefusedError, UnsafePathError
from memd.failpoints import failpoint
from memd.ledger.nouns import DREAM
from memd.memory import (
    forget,
    history,
    index_lines,
    quotes,
    review,
    standing,
    teammates,
    topic,
    validate,
    workspace,
)
from memd.memory.decision import Decision
from memd.memory.dream_report import DreamReport, Size
from memd.memory.journal import Record
from memd.memory.layout import INDEX
from memd.memory.quotes import Quote, Utterance
from memd.memory.teammates import Shared
from memd.memory.validate import Policy
from memd.memory.workspace import Change, Problem, Workspace

TURNS, SECONDS = 15, 600.0  # of a backend that works in turns
_ACCOUNT_LIMIT = 256 * 1024  # bytes


class TooMuchLostError(RefusedError):
    """The dream would lose more than a quarter of what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a dream stands on, read once at its start."""

    place: Place
    records: tuple[Record, ...]  # the history, newest first
    quotes: Mapping[str, tuple[Quote, ...]]  # what each memory was made from
    foreign: frozenset[str]
    topics: Mapping[str, bytes]  # as they were before the first part

    @property
    def memory_dir(self) -> Path:
        """Where the memories are."""
        return self.place.memory_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A dream, judged."""

    chunk: Chunk
    decision: Decision
    verdicts: Verdicts
    report: DreamReport
    claims: tuple[Claim, ...] = ()
    topics: Mapping[str, bytes] = field(default_factory=dict)  # as they were,
    wanted: Mapping[str, bytes] = field(default_factory=dict)  # as the backend wants them
    odd: tuple[Problem, ...] = ()

    @property
    def does_something(self) -> bool:
        """Whether anything came of it besides notes that stay open."""
        ended = self.report.notes.keys() - {"carried"}
        given_up = set(self.report.reasons) == {judge.UNDECIDED} and ended == {"dropped"}
        return bool(self.decision.accepted or self.decision.held or (ended and not given_up))


def ground(place: Place, house: House) -> Ground:
    """Read what a dream stands on."""
    records = tuple(history.runs(house.paths.history))
    with workspace.make(place.memory_dir, house.paths.scratch) as work:
        topics = _topics(work)
    return Ground(
        place=place,
        records=records,
        quotes=origins.words_of(standing.in_force(records), str(place.memory_dir)),
        foreign=history.foreign(place.memory_dir, history=house.paths.history, past=records),
        topics=topics,
    )


def purse(house: House, place: Place) -> Purse | None:
    """What a dream may spend: its own cap in dollars, and tokens in proportion to that of a pass."""
    if house.account is None:
        return None
    caps = house.settings.caps
    times = max(1.0, caps.dream_dollars / caps.pass_dollars) if caps.pass_dollars else 1.0
    more = replace(caps, pass_tokens=int(caps.pass_tokens * times))
    return Purse(
        ledger=house.ledger,
        clock=house.clock,
        settings=replace(house.settings, caps=more),
        account=house.account,
        project=str(place.root),
        kind=DREAM,
    )


def propose(chunk: Chunk, on: Ground, carried: Mapping[str, int], house: House, meter: Meter | None) -> Proposal:
    """Let the backend dream about some notes and the memories as they are. Raises what the backend raises."""
    unseen = _unseen(chunk, on)
    lost = disputes.settle([one for one in chunk.notes if one.id not in unseen], on.memory_dir, house.paths.history)
    hidden = unseen.keys() | lost.ended.keys()
    with workspace.make(on.memory_dir, house.paths.scratch) as work:
        topics = _topics(work)
        task, said = _task(work, chunk, topics, hidden, on, house)
        _ask(task, on.place, house, meter)
        said = (*said, *_searched(task))
        failpoint("dream.proposed")
        changes, odd = workspace.examine(work)
        claims = fates.parse(_account(work))
    changes = judge.with_removals(changes, claims, work.base)
    policy = Policy(foreign=on.foreign, may_delete=True)
    decision = _checked(changes, said, policy, teammates.read(on.memory_dir))
    decision = replace(decision, held=(*decision.held, *lost.held))
    decision = review.without_rejected(decision, standing.rejected(on.records, str(on.memory_dir)))
    wanted = judge.after(topics, changes)
    withdrawn = judge.supported(decision.accepted, wanted, judge.after(topics, decision.accepted))[1]
    decision = judge.without(decision, withdrawn)
    there = judge.after(topics, decision.accepted)
    ended = judge.verdicts(chunk.notes, claims, decision, there, unseen=unseen, carried=carried)
    ended = judge.settled(ended, lost.ended)
    notes, reasons = ended.counts(chunk.notes)
    return Proposal(
        chunk=chunk,
        decision=replace(decision, quotes=_quotes(decision, topics, there, on)),
        verdicts=ended,
        report=DreamReport(
            before=_size(topics, work.base.get(INDEX)),
            after=_size(there, work.base.get(INDEX)),
            steps=judge.steps(decision, claims, there),
            notes=notes,
            reasons=reasons,
        ),
        claims=claims,
        topics=topics,
        wanted=wanted,
        odd=odd,
    )


def _checked(
    changes: Sequence[Change], window: Sequence[Utterance], policy: Policy, shared: Sequence[Shared]
) -> Decision:
    """Judge each change by the words that it quotes: what other memories say is nothing to it.

    But for those that the team shares: what repeats them is nobody's here.
    """
    folded = [(quotes.folded(said.text), said) for said in window]
    windows = [(*teammates.near(shared, (change,)), *_quoted(change, folded)) for change in changes]
    decisions = [
        validate.check((change,), window=heard, policy=policy) for change, heard in zip(changes, windows, strict=True)
    ]
    return Decision(
        accepted=tuple(change for one in decisions for change in one.accepted),
        held=tuple(held for one in decisions for held in one.held),
        dropped=tuple(dropped for one in decisions for dropped in one.dropped),
        quotes={path: found for one in decisions for path, found in one.quotes.items()},
    )


def _quoted(change: Change, window: Sequence[tuple[str, Utterance]]) -> tuple[Utterance, ...]:
    wanted = [quotes.folded(quote) for quote in topic.parse(change.after or b"").evidence]
    if not wanted:
        return ()
    return tuple(said for text, said in window if any(one in text for one in wanted))


def require_little_lost(proposal: Proposal, on: Ground) -> None:
    """Raise TooMuchLostError where more than a quarter of what was there at the start would be gone."""
    lost = guard.loss(on.topics, judge.after(proposal.topics, proposal.decision.accepted))
    if lost.is_too_much:
        raise TooMuchLostError(
            f"this dream would lose {lost}: more than a quarter",
            hint="nothing was changed; --force does it all the same",
        )


def _topics(work: Workspace) -> dict[str, bytes]:
    return {path: data for path, data in work.base.items() if path != INDEX}


def _unseen(chunk: Chunk, on: Ground) -> dict[str, str]:
    """The notes that nobody is to see again, with the reason: what a person wants forgotten, and secrets."""
    barred = forget.bars(on.records, on.memory_dir)
    utterances = origins.window({}, {}, {one.id: one.note for one in chunk.notes})
    left = {said.uuid: said.text for said in forget.without(utterances, barred)}
    forgotten = {one.id: judge.FORGOTTEN for one in chunk.notes if left.get(one.id) != one.note.text}
    return {one.id: judge.SECRET for one in chunk.notes if backlog.is_secret(one)} | forgotten


def _task(
    work: Workspace,
    chunk: Chunk,
    topics: Mapping[str, bytes],
    hidden: Collection[str],
    on: Ground,
    house: House,
) -> tuple[Task, tuple[Utterance, ...]]:
    """The task, and the window that its quotes have to stand in."""
    shown: dict[str, Note] = {one.id: one.note for one in chunk.notes if one.id not in hidden}
    sound = {path: data for path, data in topics.items() if not topic.parse(data).problems}
    classes = origins.classes(sound, on.quotes)
    said = origins.window(sound, classes, shown)
    task = Task(
        workspace=work,
        new=said,
        now=house.clock.now(),
        project=on.place.root if on.place.root.is_dir() else None,
        seconds=SECONDS,
        max_turns=TURNS,
        dream=Dream(
            notes=tuple(shown.values()),
            classes=classes,
            protected=on.foreign,
            conversations=conversations.of(on.place, house, forget.bars(on.records, on.memory_dir)),
        ),
    )
    return task, said


def _searched(task: Task) -> tuple[Utterance, ...]:
    """What the backend was shown of conversations: it may be quoted, as the words of whoever said it."""
    searched = task.dream.conversations if task.dream is not None else None
    return () if searched is None else searched.shown


def _ask(task: Task, place: Place, house: House, meter: Meter | None) -> None:
    own = purse(house, place)
    if own is None or meter is None:
        house.backend.propose(task)
        return
    money.admit(own)
    money.asking(own, lambda: house.backend.propose(replace(task, meter=meter)))


def _account(work: Workspace) -> bytes:
    """What the backend says became of notes and files; nothing where something odd stands there."""
    try:
        with files.open_directory(work.bullets.parent) as root:
            return files.read_regular(root, work.bullets.name, limit=_ACCOUNT_LIMIT) or b""
    except (UnsafePathError, PermissionError):
        return b""


def _quotes(
    decision: Decision, before: Mapping[str, bytes], there: Mapping[str, bytes], on: Ground
) -> dict[str, tuple[Quote, ...]]:
    """The words that the changed memories stand on, those of what went into them included."""
    found: dict[str, tuple[Quote, ...]] = {
        path: origins.inherited(quotes, on.quotes) for path, quotes in decision.quotes.items()
    }
    for path in _gone(decision):
        into = guard.survivor(path, before[path], there)
        if into is not None and on.quotes.get(path):
            found[into] = tuple(dict.fromkeys((*found.get(into, ()), *on.quotes[path])))
    return found


def _gone(decision: Decision) -> Sequence[str]:
    return [change.path for change in decision.accepted if change.after is None]


def _size(topics: Mapping[str, bytes], index: bytes | None) -> Size:
    lines = sum(1 for row in index_lines.read(index or b"").rows if row.text.strip())
    return Size(topics=len(topics), bytes=sum(map(len, topics.values())), index_lines=lines)
