"""Held proposals and what a person decides about them: accepted goes live, rejected stays out for good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memd import files
from memd.errors import RefusedError
from memd.memory import marks, topic, validate
from memd.memory.decision import Decision, Held, Review, Verdict
from memd.memory.grounding import first_paragraph
from memd.memory.log import Bullet
from memd.memory.marks import Mark
from memd.memory.merge import merged
from memd.memory.standing import Waiting
from memd.memory.store import Plan
from memd.memory.validate import Policy
from memd.memory.workspace import Change

_BY_HAND = Policy(needs_quotes=False, heeds_attacks=False, team=True)


def acceptance(waiting: Waiting, memory: int) -> Plan:
    """What makes a held proposal live, judged against the files as they are now, given the locked directory.

    Raises RefusedError where a person or a later run changed the same lines, or a rule of form forbids it.
    """
    held = waiting.held
    live = files.read_regular(memory, held.path)
    after = held.change.after if live == held.change.before else _rebased(waiting, live)
    change = Change(path=held.path, before=live, after=after)
    decision = validate.check((change,), window=(), policy=replace(_BY_HAND, by_person=_keeps_pin(change)))
    if decision.dropped:
        lost = decision.dropped[0]
        detail = f" ({lost.detail})" if lost.detail else ""
        raise RefusedError(f"{waiting.id} cannot be accepted: {lost.reason.replace('_', ' ')}{detail}")
    return Plan(changes=decision.accepted, bullets=tuple(_bullet(one) for one in decision.accepted))


def _keeps_pin(change: Change) -> bool:
    """Whether it leaves a pin as it is: who accepts what was said of a pinned memory did not ask for another pin."""
    return topic.parse(change.before or b"").pinned == topic.parse(change.after or b"").pinned


def _rebased(waiting: Waiting, live: bytes | None) -> bytes:
    before, after = waiting.held.change.before, waiting.held.change.after
    name = files.printable(waiting.held.path)
    if live is None or before is None or after is None:
        what = "is gone" if live is None else "is there already, with other words"
        raise RefusedError(
            f"{waiting.id} cannot be accepted: {name} {what}",
            hint=f"`memd review show {waiting.id}` prints it; add it by `memd edit` or `memd remember`, or reject it",
        )
    both = merged(before, live, after)
    if both is None:
        raise RefusedError(
            f"{waiting.id} cannot be accepted: {name} was changed in the same place since",
            hint=f"`memd review show {waiting.id}` prints it; add it by `memd edit`, or reject it",
        )
    return both


def _bullet(change: Change) -> Bullet:
    said = topic.parse(change.after or b"")
    return Bullet(type=said.type or "note", text=f"{said.description} → {change.path}", source="memd review, human")


def verdict(waiting: Waiting, decided: Verdict) -> Review:
    """A person's decision, as a run keeps it."""
    kept = _marks(waiting.held) if decided is Verdict.REJECTED else ()
    return Review(run=waiting.record.id, number=waiting.number, verdict=decided, marks=kept)


def without_rejected(decision: Decision, rejected: Iterable[Mark]) -> Decision:
    """A proposal without what was rejected before: nobody is asked twice."""
    known = frozenset(rejected)
    return replace(decision, held=tuple(one for one in decision.held if known.isdisjoint(_marks(one))))


def without_waiting(decision: Decision, waiting: Iterable[Waiting]) -> Decision:
    """A proposal without what waits for a person's judgment already, in the same words."""
    known = {_said(one.held) for one in waiting}
    return replace(decision, held=tuple(one for one in decision.held if _said(one) not in known))


def _said(held: Held) -> tuple[str, str, str]:
    said = topic.parse(held.change.after or b"")
    return held.path, said.description, said.body.strip()


def _marks(held: Held) -> tuple[Mark, ...]:
    """Its source, and its own words: a proposal may have no source at all."""
    said = topic.parse(held.change.after or b"")
    return marks.marks([*(quote.text for quote in held.quotes), said.description, first_paragraph(said.body)])
