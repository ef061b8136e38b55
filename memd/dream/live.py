"""Making a judged dream live: one journalled transaction, in which whatever changed meanwhile wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memd import files
from memd.agent.backend import Note
from memd.agent.fates import Fate
from memd.dream import backlog, guard, judge, tidy
from memd.dream.lock import Held
from memd.dream.proposal import Proposal
from memd.errors import UnsafePathError
from memd.memory import scan, store, topic
from memd.memory.journal import RunNote
from memd.memory.layout import INDEX, TOPIC_LIMIT
from memd.memory.log import Bullet
from memd.memory.quotes import EvidenceClass, Speaker
from memd.memory.store import Applied, Plan
from memd.memory.workspace import Change

_SOURCE = "memd dream, "


def apply(proposal: Proposal, mine: Held, note: RunNote, history: Path, commit: Callable[[Applied], None]) -> Applied:
    """Carry a proposal out. Raises LockedError where another dream took over, and nothing was changed then."""
    ages = ages_of(proposal, mine)
    applied = store.transact(
        mine.memory_dir,
        lambda memory: plan(memory, proposal, mine, ages),
        run=note,
        history=history,
        commit=commit,
    )
    store.keep_ages(mine.memory_dir, applied, ages)
    return applied


def is_empty(proposal: Proposal, mine: Held) -> bool:
    """Whether there is nothing to be written down at all, be it only in the history."""
    decision, report = proposal.decision, proposal.report
    if decision.accepted or decision.held or decision.dropped or report.notes:
        return False
    with files.open_directory(mine.memory_dir) as memory:
        return not plan(memory, proposal, mine, {}).changes


def plan(memory: int, proposal: Proposal, mine: Held, ages: Mapping[str, float]) -> Plan:
    """What can still be done, given the locked directory: where a topic changed meanwhile, nothing goes into it."""
    mine.require(memory)
    made = store.plan(memory, proposal.decision.accepted, ())
    changes = made.changes
    if made.conflicts and any(change.after is None for change in changes):
        there = judge.after(_live(memory, proposal), changes)
        changes, _ = judge.supported(changes, proposal.wanted, there)
    index = tidy.index_change(memory, mine.memory_dir, changes, ages)
    return Plan(
        changes=(*changes, index) if index else changes,
        conflicts=made.conflicts,
        bullets=tuple(
            one for change in made.conflicts if change.after is not None for one in _opened(change, proposal)
        ),
    )


def _live(memory: int, proposal: Proposal) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in sorted({*files.list_files(memory), *proposal.topics}):
        with suppress(UnsafePathError, PermissionError):
            data = files.read_regular(memory, path, limit=TOPIC_LIMIT) if path.endswith(".md") else None
            if data is not None and path != INDEX:
                found[path] = data
    return found


def _opened(change: Change, proposal: Proposal) -> Sequence[Bullet]:
    """What could not go into a topic that somebody changed meanwhile, for the next dream: the notes, as they were."""
    into = {claim.number for claim in proposal.claims if claim.into == change.path and claim.fate is not Fate.DROPPED}
    notes = [one.note for one in proposal.chunk.notes if one.note.number in into]
    if notes:
        return [_again(note) for note in notes]
    said = topic.parse(change.after or b"")
    classes = {quote.evidence for quote in proposal.decision.quotes.get(change.path, ())}
    speaker = Speaker.HUMAN if classes == {EvidenceClass.HUMAN} else Speaker.ASSISTANT
    return [Bullet(type=said.type or "note", text=said.description or said.name, source=f"{_SOURCE}{speaker.value}")]


def _again(note: Note) -> Bullet:
    """A note once more, in the class that it had; what was to become a memory still is."""
    speaker = {EvidenceClass.HUMAN: Speaker.HUMAN, EvidenceClass.AGENT: Speaker.ASSISTANT}.get(note.evidence)
    source = f"{_SOURCE}{(speaker or Speaker.TOOL).value}" + (f", {backlog.RIPE}" if note.ripe else "")
    return Bullet(type=note.kind or "note", text=note.text, source=source)


def ages_of(proposal: Proposal, mine: Held) -> dict[str, float]:
    """The mtimes that what is written has earned: those of what it was made from. Merging makes nothing younger."""
    before = {header.path: header.mtime for header in scan.scan(mine.memory_dir)}
    found: dict[str, list[float]] = {}
    for change in proposal.decision.accepted:
        if change.after is not None:
            found[change.path] = [before[change.path]] if change.path in before else []
    there = judge.after(proposal.topics, proposal.decision.accepted)
    for change in proposal.decision.accepted:
        into = guard.survivor(change.path, change.before or b"", there) if change.after is None else None
        if into in found and change.path in before:
            found[into].append(before[change.path])
    for path, at in _told(proposal):
        if path in found:
            found[path].append(at)
    return {path: min(max(times), mine.started) for path, times in found.items() if times}


def _told(proposal: Proposal) -> Sequence[tuple[str, float]]:
    """Into which topic a note went, and when it was written."""
    into = {claim.number: claim.into for claim in proposal.claims if claim.fate is not Fate.DROPPED}
    notes = (one.note for one in proposal.chunk.notes)
    return [(into[note.number] or "", note.at.timestamp()) for note in notes if note.number in into]
