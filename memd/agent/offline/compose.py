"""A candidate as the text of a topic file."""

from __future__ import annotations

from datetime import date

from memd.agent.offline import dates
from memd.agent.offline.model import Candidate
from memd.memory import topic
from memd.memory.topic import TopicType

_TITLE = 60  # characters
_HOOK = 110  # characters of the index line's text


def one_line(text: str, limit: int) -> str:
    """`text` on one line, cut between words (or characters, in Chinese) where it is longer than `limit`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut) + "…"


def rule(candidate: Candidate) -> str:
    """The first paragraph: the person's own words, dates made absolute."""
    today = candidate.at.date() if candidate.at else None
    proposal = [candidate.proposal] if candidate.proposal else []  # a day named there is part of an example
    own = [_dated(text, today) for text in dict.fromkeys((*candidate.context, *candidate.rule))]
    return "\n".join([*_subject(candidate), *proposal, *own])


def _subject(candidate: Candidate) -> tuple[str, ...]:
    """What was said before about the same, with the new date in the old one's place."""
    if candidate.subject is None or candidate.at is None:
        return ()
    today = candidate.at.date()
    coming = [span.day for text in candidate.rule for span in dates.find(text, today) if span.day > today]
    return tuple(dates.moved(text, today, coming[-1]) for text in candidate.subject.rule) if coming else ()


def body(candidate: Candidate) -> str:
    """The whole body; rules and projects with why and how, as far as they were stated."""
    if candidate.kind in {TopicType.USER, TopicType.REFERENCE}:
        return rule(candidate)
    today = candidate.at.date() if candidate.at else None
    reason = _dated(candidate.reason, today) if candidate.reason else None
    return topic.body(rule(candidate), reason, candidate.scope)


def title(candidate: Candidate) -> str:
    """A short heading from the rule itself."""
    return one_line(candidate.rule[-1] if candidate.kind is not TopicType.PROJECT else candidate.rule[0], _TITLE)


def description(candidate: Candidate) -> str:
    """What the index and recall show."""
    return one_line(rule(candidate), _HOOK)


def index_line(name: str, candidate: Candidate) -> str:
    """The line of MEMORY.md."""
    heading = title(candidate).translate(str.maketrans("[]", "()"))
    return f"- [{heading}]({name}) — {one_line(description(candidate), 150 - len(heading) - len(name) - 10)}"


def _dated(text: str, today: date | None) -> str:
    return dates.insert(text, today) if today else text
