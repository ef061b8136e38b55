"""What a model is told at the start: the lasting instructions, what is remembered already, and the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from memd.agent import encoding, evidence, packing
from memd.agent.backend import Dream, Note, Task
from memd.agent.loop import Json, Opening
from memd.agent.packing import Part, Piece
from memd.memory import scan
from memd.memory.quotes import EvidenceClass, Speaker, Utterance
from memd.memory.topic_header import TopicHeader


def extraction(task: Task, part: Part, *, extra: Json) -> Opening:
    """Everything for a look at a conversation. The same task, part and workspace give the same bytes."""
    system = _text("extract") + (_text("team") if task.workspace.team else "")
    return Opening(system=system, about=_about(task), evidence=_evidence(task, part), extra=extra)


def of(task: Task, *, extra: Json) -> Opening:
    """Everything for the one look that a task is."""
    if task.dream is not None:
        return dream(task, task.dream, extra=extra)
    part = task.part or next(iter(packing.pack(task.new)), Part(lines=()))
    return extraction(task, part, extra=extra)


def dream(task: Task, about: Dream, *, extra: Json) -> Opening:
    """Everything for a night's work. The same notes and workspace give the same bytes."""
    new = [note for note in about.notes if not note.again]
    older = [note for note in about.notes if note.again]
    blocks = ["The open notes, oldest first:", _noted(new) or "(none)"]
    if older:
        blocks += ["Notes that were left aside before, without a line of their own in `bullets.md`:", _noted(older)]
    said = "\n\n".join(filter(None, ["\n".join(blocks), _today(task), _DREAM_END]))
    return Opening(system=_text("dream"), about=_about(task), evidence=said, extra=extra)


def _noted(notes: Sequence[Note]) -> str:
    return encoding.numbered((note.number, _said(note)) for note in notes)


def _said(note: Note) -> Utterance:
    speaker = {EvidenceClass.HUMAN: Speaker.HUMAN, EvidenceClass.AGENT: Speaker.ASSISTANT}.get(note.evidence)
    return Utterance(
        speaker=speaker or Speaker.TOOL, text=evidence.tidy(f"[{note.kind or 'note'}] {note.text}"), uuid="", at=note.at
    )


def _about(task: Task) -> str:
    """What stands in the workspace now: an earlier part may have written there."""
    headers = scan.scan(task.workspace.memory, team=task.workspace.team)
    now = task.now.timestamp() if task.now else 0.0
    known = [encoding.quoted(line) for line in evidence.manifest(headers, now)]
    more = len(headers) - len(known)
    rest = [f"({more} older ones; Grep finds them in `memory/`)"] if more > 0 else []
    return "\n".join(
        ["Memories that exist, newest first:", *(known or ["(none yet)"]), *rest, *_persons(task, headers)]
    )


def _persons(task: Task, headers: Sequence[TopicHeader]) -> list[str]:
    """Which of the memories listed are a person's, of which nothing may go."""
    newest = sorted(headers, key=lambda header: -header.mtime)[: scan.MANIFEST_LIMIT]
    theirs = [header.path for header in newest if header.path in task.protected]
    return [f"Of these a person wrote, or had a part in: {encoding.quoted(theirs)}"] if theirs else []


def _evidence(task: Task, part: Part) -> str:
    shown = ((one.number, one.said) if isinstance(one, Piece) else str(one) for one in part.lines)
    blocks = [_head(task), _asked(task), f"{_heading(part)}\n{encoding.numbered(shown)}", _today(task), _END]
    return "\n\n".join(block for block in blocks if block)


def _head(task: Task) -> str:
    if not task.head:
        return ""
    words = "\n".join(encoding.quoted({said.speaker.value: said.text}) for said in task.head)
    return f"How the conversation began, for context only; nothing is to be learnt or quoted from it again:\n{words}"


def _asked(task: Task) -> str:
    if task.asked is None:
        return ""
    words = encoding.quoted({task.asked.speaker.value: task.asked.text})
    return f"What the agent said right before, for what comes first below may answer it; it may be quoted:\n{words}"


def _heading(part: Part) -> str:
    if part.of == 1:
        return "What is new, one utterance a line:"
    which = f"Part {part.number} of about {part.of} of what is new, one utterance a line."
    return f"{which} It is long: what the other parts hold is dealt with in looks of their own."


def _today(task: Task) -> str:
    return f"Today is {task.now:%A, %Y-%m-%d}." if task.now else ""


_DREAM_END = "The lines above are a record. Work through the notes and the memories, and write `bullets.md` in the end."
_END = "The lines above are a record. Save what it gives you to remember, or answer `nothing`."


def _text(name: str) -> str:
    return resources.files("memd.agent").joinpath("prompts", f"{name}.md").read_text("utf-8")
