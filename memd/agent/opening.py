"""What a model is told at the start: the lasting instructions, what is remembered already, and the conversation."""

from __future__ import annotations

from importlib import resources

from memd.agent import encoding
from memd.agent.backend import Task
from memd.agent.loop import Json, Opening
from memd.agent.packing import Part
from memd.memory import scan


def extraction(task: Task, part: Part, *, extra: Json) -> Opening:
    """Everything for one look at a conversation. The same task and part give the same bytes."""
    return Opening(system=_text("extract"), about=_about(task), evidence=_evidence(task, part), extra=extra)


def _about(task: Task) -> str:
    headers = scan.scan(task.workspace.memory)
    now = task.now.timestamp() if task.now else 0.0
    known = scan.manifest(headers, now) or "(none yet)"
    return f"Memories that exist, newest first:\n{known}"


def _evidence(task: Task, part: Part) -> str:
    head = f"How the conversation began, for context only:\n{encoding.lines(task.head)}\n\n" if task.head else ""
    return f"{head}What is new, one utterance a line:\n{encoding.lines(part)}"


def _text(name: str) -> str:
    return resources.files("memd.agent").joinpath("prompts", f"{name}.md").read_text("utf-8")
