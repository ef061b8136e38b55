"""The reason and the occasion of a memory, as lines of its body, and two bodies made one."""

from __future__ import annotations

import re

from memd.memory import words
from memd.memory.grounding import first_paragraph
from memd.memory.topic import NOT_STATED

LABELS = ("**Why:**", "**How to apply:**")
_KEPT = 0.7  # of a line's content words
_INLINE = re.compile(r"\s*\*\*(Why|How to apply):\*\*\s*")


def stated(body: str, label: str) -> str:
    """What stands behind a label; empty where that is nothing."""
    found = re.search(rf"(?m)^{re.escape(label)}[ \t]*(.*(?:\n(?!\n|\*\*).*)*)", body)
    said = found[1].strip() if found else ""
    return "" if said == NOT_STATED else said


def taken_in(body: str, other: str) -> tuple[str, list[str]]:
    """A body with the reasons of another that it lacks, and the lines that came from there."""
    quotes = []
    for label in LABELS:
        theirs, mine = stated(other, label), stated(body, label)
        if not theirs or is_kept(theirs, body):
            continue
        glue = "；" if words.content_words(theirs) and theirs[-1] > "\u3000" else "; "
        said = theirs if not mine else f"{mine.rstrip('.。')}{glue}{theirs}"
        line = re.compile(rf"(?m)^{re.escape(label)}.*(?:\n(?!\n|\*\*).*)*")
        if line.search(body):
            body = line.sub(lambda _, text=f"{label} {said}": text, body, count=1)  # type: ignore[misc]
            quotes.append(theirs)
    return body, quotes


def says_no_more(body: str, other: str) -> bool:
    """Whether a body holds all that another says besides its statement and its reasons."""
    rest = other.replace(first_paragraph(other), "", 1)
    for label in LABELS:
        rest = re.sub(rf"(?m)^{re.escape(label)}.*(?:\n(?!\n|\*\*).*)*", "", rest)
    return all(is_kept(line, body) for line in rest.splitlines() if line.strip())


def is_kept(line: str, body: str) -> bool:
    """Whether most of a line's words stand in a body."""
    content = words.content_words(line)
    return len(content & words.content_words(body)) >= _KEPT * len(content)


def parted(text: str) -> tuple[str, str | None, str | None]:
    """A note's statement, reason and occasion: a whole body on one line."""
    statement, *rest = _INLINE.split(text)
    given = dict(zip(rest[::2], rest[1::2], strict=False))
    return statement.strip(), given.get("Why") or None, given.get("How to apply") or None
