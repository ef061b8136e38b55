"""What a dream would do: asked of the backend on a private copy, then judged. Nothing live is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memd.agent.fates import Claim
from memd.agent.meter import Meter
from memd.dream import backlog, disputes, drafts, guard, judge, origins
from memd.dream.backlog import Chunk
from memd.dream.drafts import Draft
from memd.dream.ground import Ground
from memd.dream.house import House
from memd.dream.judge import Known, Verdicts
from memd.errors import RefusedError
from memd.memory import (
    forget,
    index_lines,
    quotes,
    review,
    standing,
    teammates,
    topic,
    validate,
)
from memd.memory.decision import Decision, Held, Reason
from memd.memory.dream_report import DreamReport, Size
from memd.memory.quotes import Quote, Utterance
from memd.memory.teammates import Shared
from memd.memory.validate import Policy
from memd.memory.workspace import Change, Problem


class TooMuchLostError(RefusedError):
    """The dream would lose more than a quarter of what is there."""


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
    repeats: bool = False  # something that waits for a person already

    @property
    def does_something(self) -> bool:
        """Whether anything came of it besides notes that stay open, or that are given up on."""
        found = [held for held in self.decision.held if held.reason is not Reason.UNDECIDED]
        given_up = set(self.report.reasons) <= {judge.UNDECIDED}
        ended = self.report.notes.keys() - {"carried"} - ({"dropped"} if given_up else set())
        return bool(self.decision.accepted or found or self.repeats or ended - {"held"})


def propose(chunk: Chunk, on: Ground, carried: Mapping[str, int], house: House, meter: Meter | None) -> Proposal:
    """Let the backend dream about some notes and the memories as they are. Raises what the backend raises."""
    unseen = _unseen(chunk, on)
    lost = disputes.settle([one for one in chunk.notes if one.id not in unseen], on.memory_dir, house.paths.history)
    draft = drafts.draft(chunk, unseen.keys() | lost.ended.keys(), on, house, meter)
    decision, known = _decided(draft, lost.held, on, backlog.explicit(chunk))
    there = judge.after(draft.topics, decision.accepted)
    claims = judge.told(draft.claims, known)
    ended = judge.verdicts(chunk.notes, claims, decision, there, unseen=unseen, carried=carried)
    ended = judge.settled(ended, {**judge.waiting(chunk.notes, claims, known), **lost.ended})
    left = disputes.undecided(chunk.notes, ended, taken=there)
    decision, ended = replace(decision, held=(*decision.held, *left.held)), judge.settled(ended, left.ended)
    notes, reasons = ended.counts(chunk.notes)
    return Proposal(
        chunk=chunk,
        decision=replace(decision, quotes=_quotes(decision, draft.topics, there, on)),
        verdicts=ended,
        report=DreamReport(
            before=_size(draft.topics, draft.index),
            after=_size(there, draft.index),
            steps=judge.steps(decision, draft.claims, there),
            notes=notes,
            reasons=reasons,
            dropped=ended.dropped(chunk.notes),
        ),
        claims=draft.claims,
        topics=draft.topics,
        wanted=draft.wanted,
        odd=draft.odd,
        repeats=bool(known.waiting),
    )


def _decided(draft: Draft, held: Sequence[Held], on: Ground, explicit: Sequence[str]) -> tuple[Decision, Known]:
    """Which of the changes may go live; `held` is for a review whatever the backend did.

    So are a person's `explicit` words where what stands there may not give way to them.
    """
    policy = Policy(foreign=on.foreign, may_delete=True)
    shared = teammates.read(on.memory_dir)
    checked = _checked(draft.changes, draft.said, policy, shared)
    against = disputes.against(checked, draft.changes, explicit)
    asked = _checked(against, draft.said, replace(policy, by_person=True), shared)
    checked = disputes.put_to_person(checked, asked)
    checked = replace(checked, held=(*checked.held, *held))
    left, known = _new(checked, on)
    withdrawn = judge.supported(left.accepted, draft.wanted, judge.after(draft.topics, left.accepted))[1]
    return judge.without(left, withdrawn), known


def _new(checked: Decision, on: Ground) -> tuple[Decision, Known]:
    """A decision without what a person was asked already; what that was of."""
    here = str(on.memory_dir)
    wanted = review.without_rejected(checked, standing.rejected(on.records, here))
    left = review.without_waiting(
        wanted, (one for one in standing.waiting(on.records) if one.record.memory_dir == here)
    )
    paths, still, new = ({one.path for one in of.held} for of in (checked, wanted, left))
    return left, Known(rejected=frozenset(paths - still), waiting=frozenset(still - new))


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


def _unseen(chunk: Chunk, on: Ground) -> dict[str, str]:
    """The notes that nobody is to see again, with the reason: what a person wants forgotten, and secrets."""
    barred = forget.bars(on.records, on.memory_dir)
    utterances = origins.window({}, {}, {one.id: one.note for one in chunk.notes})
    left = {said.uuid: said.text for said in forget.without(utterances, barred)}
    forgotten = {one.id: judge.FORGOTTEN for one in chunk.notes if left.get(one.id) != one.note.text}
    return {one.id: judge.SECRET for one in chunk.notes if backlog.is_secret(one)} | forgotten


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
