"""What was held back, and how commands speak of it: why a change did not go live."""

from __future__ import annotations

from typing import Any

from memd.cli.words import valid
from memd.config import Paths
from memd.memory import history, standing, topic
from memd.memory.decision import Reason
from memd.memory.location import MemoryDir
from memd.memory.quotes import Quote
from memd.memory.standing import Waiting

REASONS = {
    Reason.NO_QUOTES: "it names no words that were said",
    Reason.QUOTE_NOT_FOUND: "its quotes were not said like that",
    Reason.UNGROUNDED: "it names something that nobody said",
    Reason.FEW_QUOTED_WORDS: "it says more than its quotes do",
    Reason.LOW_CLASS: "no person said it",
    Reason.SUSPICIOUS: "it reads like an attack",
    Reason.SECRET: "it holds a secret",
    Reason.PINNED: "the memory is pinned",
    Reason.BAD_NAME: "a new memory may not be called that",
    Reason.NOT_UTF8: "it is not UTF-8 text",
    Reason.TOO_LARGE: "it is too large: a memory has at most 32 KB, one of the team's 250 KB",
    Reason.BAD_FRONTMATTER: "its header is not valid: name, description and type are required",
    Reason.BAD_TYPE: "its type is none of user, feedback, project, reference",
    Reason.EMPTY_BODY: "there is no text below its header",
    Reason.NOT_REWRITABLE: "its header cannot be rewritten safely",
    Reason.PRIVATE: "who somebody is stays in their own memory",
    Reason.CONFLICT: "a team mate changed the same lines, and theirs stands",
    Reason.CONTRADICTS: "a person wrote or pinned what stands there, and this says otherwise",
    Reason.UNDECIDED: "a person wanted it kept, and no dream knew what to make of it",
    Reason.NOT_FOR_TEAM: "nobody said that it is the whole team's",
}


def waiting(paths: Paths, place: MemoryDir | None) -> tuple[Waiting, ...]:
    """What waits for a decision, newest first; of one project, or of all."""
    found = standing.waiting(tuple(history.runs(paths.history)))
    return tuple(one for one in found if place is None or one.record.memory_dir == str(place.path))


def in_words(reason: Reason, detail: str = "") -> str:
    """Say why."""
    said = REASONS.get(reason, reason.replace("_", " "))
    return f"{said} ({detail})" if detail else said


def described(one: Waiting) -> dict[str, Any]:
    """Put a held proposal into the shape that programs get."""
    held, record = one.held, one.record
    said = topic.parse(held.change.after or b"")
    return {
        "id": one.id,
        "run": record.id,
        "file": held.path,
        "changes": "created" if held.change.before is None else "updated",
        "reason": held.reason.value,
        "detail": held.detail,
        "type": said.type,
        "name": valid(said.name),
        "description": valid(said.description),
        "text": (held.change.after or b"").decode("utf-8", errors="replace"),
        "session": record.run.session,
        "at": (record.run.ended or record.run.started).isoformat(timespec="seconds"),
        "project": record.run.project and valid(record.run.project),
        "memory_dir": valid(record.memory_dir),
        "quotes": [quoted(quote) for quote in held.quotes],
    }


def quoted(quote: Quote) -> dict[str, Any]:
    """Put some words into the shape that programs get."""
    return {
        "text": valid(quote.text),
        "class": quote.evidence.value,
        "message": quote.uuid or None,
        "at": quote.at and quote.at.isoformat(timespec="seconds"),
    }
