"""Stated reasons and stated reach; nothing is made up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memd.agent.offline.model import Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified

_CLAUSE = re.compile(r"[,，;；(（]\s*|\s+[-–—]+\s+|(?=\b(?:because|since|so that)\b)")
_FEWEST = 3  # characters


def _parts(text: str) -> list[str]:
    return [part.strip(" .。)）!！") for part in _CLAUSE.split(text) if len(part.strip()) >= _FEWEST]


def reason_within(text: str) -> str | None:
    """The clause of a rule that gives its reason, or the experience behind it."""
    parts = _parts(text)
    for wanted in ("reason", "standing"):
        for number, part in enumerate(parts[1:], start=1):
            own = simplified(part)
            if getattr(cues(own).choices, wanted).search(own.cue):
                return _verbatim(text, parts[number:]) if wanted == "reason" else part
    return None


def reason(sentences: Sequence[Sentence]) -> str | None:
    """The reason that a run of sentences gives: a sentence of its own, or a clause."""
    for sentence in sentences[1:]:
        if is_reason(sentence):
            return sentence.text
    return next(filter(None, (reason_within(s.text) for s in sentences)), None)


def _verbatim(text: str, parts: list[str]) -> str:
    """The piece of `text` from the first of `parts` to the end of the last."""
    start = text.index(parts[0])
    return text[start : text.rindex(parts[-1]) + len(parts[-1])]


def is_reason(sentence: Sentence) -> bool:
    """Whether a sentence reads as the reason for the one before it."""
    table = cues(sentence)
    return bool(
        table.choices.reason.search(sentence.cue)
        or table.choices.standing.search(sentence.cue)
        or table.plans.past.search(sentence.cue)
    )


def scope(text: str) -> str | None:
    """The clauses of a rule that say when or where it holds."""
    whole = _parts(text)
    parts = [part for part in whole if _scoped(part)] if len(whole) > 1 else []
    return "; ".join(dict.fromkeys(parts)) or None


def _scoped(part: str) -> bool:
    own = simplified(part)
    return cues(own).choices.scope.search(own.cue) is not None
