"""What of a dream's proposal may go live, and what became of each note. Pure: nothing here touches a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memd.agent import fates
from memd.agent.fates import Claim, Fate
from memd.dream import guard
from memd.dream.backlog import Open
from memd.memory import secrets, topic, words
from memd.memory.decision import Decision, Dropped, Reason
from memd.memory.dream_report import NAMED, Did, DroppedNote, Ended, Step
from memd.memory.layout import INDEX
from memd.memory.workspace import Change

UNDECIDED, FORGOTTEN, SECRET, OTHER = "undecided", "forgotten", "secret", "other"
PATIENCE = 3  # dreams that leave a note open, then it is dropped
_HOLDS = 0.5  # of a note's content words must stand in the memory that is said to hold it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How the notes of a chunk ended, by id."""

    ended: Mapping[str, Ended]
    reasons: Mapping[str, str]  # of the dropped ones

    @property
    def carried(self) -> tuple[str, ...]:
        """Those left open."""
        return tuple(name for name, how in self.ended.items() if how is Ended.CARRIED)

    @property
    def aside(self) -> tuple[str, ...]:
        """Those dropped that may still speak for others."""
        return tuple(name for name, why in self.reasons.items() if why in fates.AFTERWARDS)

    def counts(self, of: Sequence[Open]) -> tuple[dict[str, int], dict[str, int]]:
        """How many ended in which way, and why some were dropped; only those that were to be dealt with count."""
        ours = [one.id for one in of if not one.note.again]
        how = Counter(self.ended[name].value for name in ours)
        why = Counter(self.reasons[name] for name in ours if name in self.reasons)
        return dict(sorted(how.items())), dict(sorted(why.items()))

    def dropped(self, of: Sequence[Open]) -> tuple[DroppedNote, ...]:
        """Which were dropped; not those that nobody is to see again."""
        ours = (one for one in of if not one.note.again and self.reasons.get(one.id) not in {None, SECRET, FORGOTTEN})
        return tuple(DroppedNote(path=one.path, id=one.id, why=self.reasons[one.id]) for one in islice(ours, NAMED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a person was asked before: the paths of what they rejected, and of what waits for them still."""

    rejected: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()


def told(claims: Sequence[Claim], known: Known) -> tuple[Claim, ...]:
    """The claims; one that makes a note what a person rejected comes to nothing."""
    return tuple(
        replace(one, fate=Fate.DROPPED, why=fates.REJECTED)
        if one.fate is Fate.DISTILLED and one.number is not None and one.into in known.rejected
        else one
        for one in claims
    )


def waiting(notes: Sequence[Open], claims: Sequence[Claim], known: Known) -> dict[str, Ended]:
    """The notes, by id, that say what waits for a person already."""
    of = {one.number for one in claims if one.fate is Fate.DISTILLED and one.into in known.waiting}
    return {one.id: Ended.HELD for one in notes if one.note.number in of}


def with_removals(changes: Sequence[Change], claims: Sequence[Claim], base: Mapping[str, bytes]) -> tuple[Change, ...]:
    """The changes, with the deletions that were only announced: an agent has no tool to delete."""
    by_path = {change.path: change for change in changes}
    for claim in claims:
        if claim.path is not None and claim.path in base and claim.path != INDEX and claim.path not in by_path:
            by_path[claim.path] = Change(path=claim.path, before=base[claim.path], after=None)
    return tuple(by_path[path] for path in sorted(by_path))


def after(topics: Mapping[str, bytes], changes: Sequence[Change]) -> dict[str, bytes]:
    """The topics with these changes made."""
    gone = {change.path for change in changes if change.after is None}
    made = {change.path: change.after for change in changes if change.after is not None}
    return {path: data for path, data in {**topics, **made}.items() if path not in gone}


def supported(
    accepted: Sequence[Change], wanted: Mapping[str, bytes], there: Mapping[str, bytes]
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """(The changes, the deletions that must not happen): a topic goes into another only where that one comes about.

    `wanted` are the topics as proposed, `there` as they will be.
    """
    withdrawn = tuple(
        change
        for change in accepted
        if change.after is None
        and change.before is not None
        and guard.survivor(change.path, change.before, wanted) is not None
        and guard.survivor(change.path, change.before, there) is None
    )
    return tuple(change for change in accepted if change not in withdrawn), withdrawn


def without(decision: Decision, withdrawn: Sequence[Change]) -> Decision:
    """A decision without some deletions."""
    lost = {change.path for change in withdrawn}
    return replace(
        decision,
        accepted=tuple(change for change in decision.accepted if change.path not in lost),
        dropped=(*decision.dropped, *(Dropped(path=path, reason=Reason.DELETION) for path in sorted(lost))),
    )


def verdicts(
    notes: Sequence[Open],
    claims: Sequence[Claim],
    decision: Decision,
    there: Mapping[str, bytes],
    *,
    unseen: Mapping[str, str],
    carried: Mapping[str, int],
) -> Verdicts:
    """How each note ended. `unseen`: those that nobody was shown, with the reason. Claims are not simply believed."""
    by_number = {claim.number: claim for claim in claims if claim.number is not None}
    ended: dict[str, Ended] = {}
    reasons: dict[str, str] = {}
    for one in notes:
        if one.id in unseen:
            how, why = Ended.DROPPED, unseen[one.id]
        else:
            how, why = _ended(one, by_number.get(one.note.number), decision, there)
        if how is Ended.CARRIED and one.note.again:
            how, why = Ended.DROPPED, fates.ONCE
        elif how is Ended.CARRIED and carried.get(one.id, 0) + 1 >= PATIENCE:
            how, why = Ended.DROPPED, UNDECIDED
        ended[one.id] = how
        if how is Ended.DROPPED:
            reasons[one.id] = why
    return Verdicts(ended=ended, reasons=reasons)


def settled(verdicts: Verdicts, otherwise: Mapping[str, Ended]) -> Verdicts:
    """The verdicts, with those of notes that nobody was asked about."""
    reasons = {name: why for name, why in verdicts.reasons.items() if name not in otherwise}
    return Verdicts(ended={**verdicts.ended, **otherwise}, reasons=reasons)


def _ended(one: Open, claim: Claim | None, decision: Decision, there: Mapping[str, bytes]) -> tuple[Ended, str]:
    if claim is None:
        return Ended.CARRIED, ""
    if claim.fate is Fate.DROPPED:
        return Ended.DROPPED, claim.why if claim.why in fates.REASONS else OTHER
    into = claim.into or ""
    if any(held.path == into for held in decision.held):
        return Ended.HELD, ""
    if into not in there or not _holds(there[into], one.note.text):
        return Ended.CARRIED, ""
    is_changed = any(change.path == into for change in decision.accepted)
    return (Ended.DISTILLED if claim.fate is Fate.DISTILLED and is_changed else Ended.MERGED), ""


def _holds(data: bytes, text: str) -> bool:
    said = topic.parse(data)
    content = words.content_words(text)
    there = words.content_words(f"{said.name.replace('-', ' ')}\n{said.description}\n{said.body}")
    return len(content & there) >= _HOLDS * len(content)


def steps(decision: Decision, claims: Sequence[Claim], there: Mapping[str, bytes]) -> tuple[Step, ...]:
    """What became of each topic, for people."""
    why = {claim.path: claim for claim in claims if claim.path is not None}
    return tuple(_step(change, why.get(change.path), there) for change in decision.accepted)


def _step(change: Change, claim: Claim | None, there: Mapping[str, bytes]) -> Step:
    if change.after is not None:
        return Step(did=Did.ADDED if change.before is None else Did.UPDATED, path=change.path)
    reason = secrets.redact(claim.why) if claim else ""
    is_merge = claim is None or claim.fate is Fate.MERGED
    into = guard.survivor(change.path, change.before or b"", there) if is_merge else None
    return Step(did=Did.MERGED if into else Did.REMOVED, path=change.path, into=into, why=reason)
