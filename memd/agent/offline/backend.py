"""The backend that needs no model: rules over what people said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from memd.agent.backend import Task, Usage
from memd.agent.offline import absorb, compose, existing, fold, gather, odds, reading
from memd.agent.offline.model import CERTAIN, Candidate, Said
from memd.memory import index, quotes, scan, topic, topic_name
from memd.memory.index_lines import shortened
from memd.memory.layout import INDEX
from memd.memory.quotes import EvidenceClass, Heard

_BULLET = 300  # characters


class Offline:
    """Deterministic, English and Chinese, without a network; what is not unmistakable becomes a bullet."""

    name = "offline"

    def propose(self, task: Task) -> Usage:
        """Write topic files, index lines and bullets into the task's workspace."""
        live, bullets = weigh(reading.messages(task.new))
        heard = quotes.listen(task.new)
        names = {header.path: header.name for header in scan.scan(task.workspace.memory)}
        gone = existing.forget(task.workspace.memory, heard)
        corrections = [one for one in bullets if existing.overturns(task.workspace.memory, one)]
        live, bullets = [*live, *corrections], [one for one in bullets if one not in corrections]
        saved = {candidate: _save(task, _provable(candidate, heard)) for candidate in live}
        bullets += [candidate for candidate, path in saved.items() if path is None]
        changed = {path for path in saved.values() if path is not None}
        if changed or gone:
            _list(task.workspace.memory, changed, names)
        if bullets:
            task.workspace.bullets.write_text("".join(map(_bullet, bullets)), encoding="utf-8")
        return Usage()


def weigh(messages: Sequence[Said]) -> tuple[list[Candidate], list[Candidate]]:
    """What the messages say that is to go live, and what is to become bullets."""
    found = absorb.absorb(fold.fold(gather.gather(messages)))
    live = [one for one in found if one.certain and odds.is_likely(one, found, messages)]
    return live, [one for one in found if one.points >= CERTAIN - 1 and one not in live]


def _provable(candidate: Candidate, heard: Sequence[Heard]) -> Candidate:
    """Without the assistant's proposal, where the reply would not count as its confirmation and says enough itself."""
    if candidate.proposal is None or not compose.says_enough(candidate):
        return candidate
    found = [quote for text in candidate.quotes if (quote := quotes.locate(text, heard))]
    confirmed = quotes.class_of(found, heard) is EvidenceClass.HUMAN
    return candidate if confirmed else replace(candidate, proposal=None)


def _save(task: Task, candidate: Candidate) -> str | None:
    """Write or update a topic; gives its name, None where what is there cannot take it in."""
    memory, note = task.workspace.memory, compose.note(candidate)
    known = existing.find(memory, candidate, note)
    if known is not None:
        is_in = existing.update(known, candidate, note, modified=_metadata(task)["modified"])
        return known.path.name if is_in else None
    name = topic_name.filename(note.kind, note.name, [path.name for path in memory.glob("*.md")])
    (memory / name).write_bytes(
        topic.render(
            note.name,
            note.description,
            note.kind,
            note.body,
            metadata=_metadata(task),
            evidence=candidate.quotes,
        )
    )
    return name


def _metadata(task: Task) -> Mapping[str, str | None]:
    """Where a topic comes from and when it was written, as Claude Code notes it."""
    now = task.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if task.now else None
    return {"originSessionId": task.session_id or None, "modified": now}


def _list(memory: Path, changed: Collection[str], names: Mapping[str, str]) -> None:
    """Bring MEMORY.md up to date, as the pass itself does for every proposal."""
    path = memory / INDEX
    old = path.read_bytes() if path.exists() else b""
    new = index.rebuild(old, scan.scan(memory), changed, names)
    if new != old:
        path.write_bytes(new)


def _bullet(candidate: Candidate) -> str:
    return f"- [{candidate.kind}] {shortened(' '.join(compose.verbatim(candidate).split()), _BULLET)}\n"
