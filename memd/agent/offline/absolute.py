"""A candidate's words with absolute dates, or without any."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from memd.agent.offline import dates
from memd.agent.offline.model import Candidate

_DURATION = re.compile(r"in (?:a|an|one) (?:day|week|month)", re.IGNORECASE)
_DAY = re.compile(  # a date taken out, with the words that tied it in
    r"(?:\b(?:on|by|before|until|till|from|since|at|to|as of|due)\s+|定?[在从到于]\s*)?\0"
    r"(?:\s*(?:起|开始|之前|以前|前)(?!端|台))?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?: \([^)]*\))?")
_BARE_DAY = re.compile(r"(?:the )?\d{1,2}(?:st|nd|rd|th)|\d{1,2}\s?[号日]")
_WHEN_SAID = re.compile(r"(?P<day>\d{4}-\d\d-\d\d) \([^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What is needed to read the dates of what was said."""

    today: date  # the day from which they count
    weekdays: frozenset[str] = frozenset()  # as typed: these come again every week, whatever is left of their sentence


def when(candidate: Candidate) -> When | None:
    """The day from which its dates count; a bare "the 15th" that corrects a date lies in that date's month."""
    if candidate.at is None:
        return None
    today = candidate.at.date()
    recurring = frozenset(day for text in candidate.rule for day in dates.weekdays(text, today))
    if candidate.subject is not None:
        older = [span.day for text in candidate.subject.rule for span in dates.find(text, today)]
        said = [text[span.start : span.end] for text in candidate.rule for span in dates.find(text, today)]
        if older and said and all(map(_BARE_DAY.fullmatch, said)):
            today = max(today, max(older).replace(day=1))
    return When(today=today, weekdays=recurring)


def dated(text: str, at: When | None) -> str:
    """`text` with absolute dates, and what was said for them in parentheses."""
    for span in reversed(_spans(text, at) if at else ()):
        said = text[span.start : span.end]
        if said != span.day.isoformat():
            text = f"{text[: span.start]}{span.day.isoformat()} ({said}){text[span.end :]}"
    return text


def absolute(text: str, at: When | None) -> str:
    """`text` with absolute dates alone."""
    for span in reversed(_spans(text, at) if at else ()):
        text = f"{text[: span.start]}{span.day.isoformat()}{text[span.end :]}"
    return text


def undated(text: str, at: When | None) -> str:
    """`text` without its dates."""
    for span in reversed(_spans(text, at) if at else ()):
        text = f"{text[: span.start]}\0{text[span.end :]}"
    return _DAY.sub(" ", _ISO.sub("\0", text)).strip()


def without_asides(text: str) -> str:
    """A note's text with its absolute dates alone, as its description has them."""
    return _WHEN_SAID.sub(lambda found: found["day"], text)


def _spans(text: str, at: When) -> tuple[dates.Span, ...]:
    """The dates in a text; "in a day" is how long something took, and Monday.com is no Monday."""
    return tuple(
        span
        for span in dates.find(text, at.today, recurring=at.weekdays)
        if not _DURATION.fullmatch(text[span.start : span.end]) and not re.match(r"\.\w", text[span.end :])
    )
