"""What nobody but a person can decide: it is put to them, and nothing of it is lost.

A sync notes down for the dream what an edit of this machine said that gave way to a team mate's of the same lines. And
a person may say otherwise of what a person wrote or pinned, which no run of memd's may change.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memd import files
from memd.agent import fates
from memd.dream import judge
from memd.dream.backlog import Open
from memd.dream.judge import Verdicts
from memd.errors import MemdError, UnsafePathError
from memd.memory import history, kinds, layout, quotes, remember, topic
from memd.memory.decision import Decision, Held, Reason
from memd.memory.dream_report import Ended
from memd.memory.quotes import EvidenceClass, Quote
from memd.memory.remember import Statement
from memd.memory.topic import TopicType
from memd.memory.workspace import Change

_SOURCE = re.compile(r"team, run (?P<run>\d{1,9})")
_NOT_OURS = frozenset({Reason.PINNED, Reason.PROTECTED})
_GIVEN_UP = frozenset({judge.UNDECIDED, judge.OTHER, fates.UNCLEAR, fates.ONCE})
_PLACE = re.compile(r"\(so said (?P<path>team/\S+\.md) here; ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What becomes of such notes, by id, and what is proposed."""

    ended: Mapping[str, Ended]
    held: tuple[Held, ...]


def settle(notes: Sequence[Open], memory_dir: Path, runs: Path) -> Settled:
    """Find the notes that a sync left. Their edits are in the history `runs`; one gone from there is no matter."""
    ended: dict[str, Ended] = {}
    held: list[Held] = []
    for one in notes:
        lost = _lost(one, memory_dir, runs)
        if lost is None:
            continue
        path, run, ours = lost
        proposed = _proposed(path, run, ours, memory_dir)
        ended[one.id] = Ended.MERGED if proposed is None else Ended.HELD
        held += [] if proposed is None else [proposed]
    return Settled(ended=ended, held=tuple(held))


def _lost(one: Open, memory_dir: Path, runs: Path) -> tuple[str, int, bytes] | None:
    """The file, the run and the edit that lost there; None: it is a note like any other."""
    source, place = _SOURCE.fullmatch(one.source), _PLACE.search(one.note.text)
    if source is None or place is None or not layout.is_shared(place["path"]):
        return None
    try:
        record = history.load(int(source["run"]), history=runs)
        changed = history.changes(record, history=runs) if record.memory_dir == str(memory_dir) else ()
    except (MemdError, OSError):
        return None
    ours = next((change.before for change in changed if change.path == place["path"]), None)
    return None if ours is None else (place["path"], record.id, ours)


def _proposed(path: str, run: int, ours: bytes, memory_dir: Path) -> Held | None:
    """The file as it is with what the lost edit said besides, for a person to look at; None: it says all of that."""
    live = _live(memory_dir, path)
    after = ours if live is None else _with_more(live, ours)
    change = Change(path=path, before=live, after=after)
    return None if after is None else Held(path=path, reason=Reason.CONFLICT, change=change, detail=f"run {run}")


def _with_more(live: bytes, ours: bytes) -> bytes | None:
    """One text with the lines that only the other has; None: there are none, or it cannot be rewritten."""
    said = topic.parse(live).body
    known = {line.strip() for line in said.splitlines()}
    more = [line for line in topic.parse(ours).body.splitlines() if line.strip() and line.strip() not in known]
    return topic.updated(live, body="\n".join([said.rstrip(), "", *more])) if more else None


def _live(memory_dir: Path, path: str) -> bytes | None:
    try:
        with files.open_directory(memory_dir) as memory:
            return files.read_regular(memory, path, limit=layout.limit(path))
    except (OSError, UnsafePathError):
        return None


def undecided(notes: Sequence[Open], verdicts: Verdicts, *, taken: Collection[str]) -> Settled:
    """The notes that are given up on although a person wanted each to be a memory: as that, for them to look at.

    `taken` are the names in use.
    """
    held: dict[str, Held] = {}
    for one in notes:
        asked_for = one.note.is_explicit and not one.note.again
        if asked_for and verdicts.reasons.get(one.id) in _GIVEN_UP:
            held[one.id] = _as_memory(one, {*taken, *(other.path for other in held.values())})
    return Settled(ended=dict.fromkeys(held, Ended.HELD), held=tuple(held.values()))


def _kind(text: str) -> TopicType:
    """What it may be of which nobody said that."""
    return TopicType.FEEDBACK if kinds.is_rule(text) else kinds.by_form(text) or TopicType.PROJECT


def _as_memory(one: Open, taken: Collection[str]) -> Held:
    said = one.note.kind
    kind = TopicType(said) if said in set(TopicType) else _kind(one.note.text)
    (change,) = remember.remember(Statement(text=one.note.text, kind=kind, usual=kind), (), taken, ()).changes
    quote = Quote(text=one.note.text, evidence=EvidenceClass.HUMAN, uuid=one.id, at=one.note.at)
    return Held(path=change.path, reason=Reason.UNDECIDED, change=change, quotes=(quote,))


def against(decision: Decision, changes: Sequence[Change], explicit: Sequence[str]) -> tuple[Change, ...]:
    """The changes that were refused because a person wrote or pinned the file, and stand on `explicit` words of one."""
    refused = {one.path for one in decision.dropped if one.reason in _NOT_OURS}
    said = [quotes.folded(text) for text in explicit]
    return tuple(change for change in changes if change.path in refused and _stands_on(change, said))


def _stands_on(change: Change, said: Sequence[str]) -> bool:
    before, after = topic.parse(change.before or b""), topic.parse(change.after or b"")
    wanted = [quotes.folded(quote) for quote in after.evidence]
    return before.pinned == after.pinned and any(quote and quote in text for quote in wanted for text in said)


def put_to_person(decision: Decision, asked: Decision) -> Decision:
    """A decision with what of the refused changes a person may make: `asked` judges them as if one did."""
    found = tuple(
        Held(path=one.path, reason=Reason.CONTRADICTS, change=one, quotes=asked.quotes.get(one.path, ()))
        for one in asked.accepted
    )
    held = (*found, *asked.held)
    paths = {one.path for one in held}
    return replace(
        decision,
        held=(*decision.held, *held),
        dropped=tuple(one for one in decision.dropped if one.path not in paths),
    )
