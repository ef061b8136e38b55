"""Whether a proposed memory stands on what was said: its quotes, words and statements, and whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memd.memory import grounding, provenance, suspicion, topic
from memd.memory.decision import Reason
from memd.memory.provenance import Said
from memd.memory.quotes import (
    EvidenceClass,
    Heard,
    Quote,
    Speaker,
    asserted_in,
    class_of,
    locate,
    named_in,
    others,
    people,
    telling,
)
from memd.memory.topic import Topic, TopicType
from memd.memory.workspace import Change

_MOST_QUOTES = 50
_NAMES_MAY_DIFFER = 0.08  # of the words: an English name for a Chinese rule
_AGENT_MAY = frozenset({TopicType.PROJECT, TopicType.REFERENCE})

Failure = tuple[Reason, str]  # with a detail that holds nothing of the conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One change, read."""

    change: Change  # `evidence` still in it
    before: Topic
    after: Topic
    text: str  # of the whole proposed file


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What may go live, the quotes it stands on, and why it has to wait; None: it need not."""

    change: Change
    quotes: tuple[Quote, ...]
    failure: Failure | None


def weigh(case: Case, window: Sequence[Heard]) -> Weighed:
    """Judge a well-formed change by what was said. What nobody said may be left out of what goes live."""
    located = [locate(quote, window) for quote in case.after.evidence[:_MOST_QUOTES]]
    quotes = tuple(quote for quote in located if quote is not None)
    final = _without_inventions(case, quotes, window)
    failure = (
        _quote_rule(case, quotes, window)
        or _words_rule(final, quotes, window)
        or _class_rule(case.after, quotes, window)
        or attack(case.after)
    )
    return Weighed(change=final.change if failure is None else case.change, quotes=quotes, failure=failure)


def attack(after: Topic) -> Failure | None:
    """Whether a memory reads like an attack."""
    found = suspicion.suspicions(f"{after.name}\n\n{whole(after)}")
    return (Reason.SUSPICIOUS, ", ".join(found)) if found else None


def _quote_rule(case: Case, quotes: Sequence[Quote], window: Sequence[Heard]) -> tuple[Reason, str] | None:
    said = case.after.evidence[:_MOST_QUOTES]
    if not said:
        return Reason.NO_QUOTES, ""
    if len(quotes) < len(said):
        return Reason.QUOTE_NOT_FOUND, f"{len(said) - len(quotes)} of {len(said)} quotes"
    known = whole(case.before)
    strangers = grounding.ungrounded(whole(case.after), named_in(quotes, window), known)
    return (Reason.UNGROUNDED, f"{len(strangers)} not in any quote") if strangers else None


def _words_rule(case: Case, quotes: Sequence[Quote], window: Sequence[Heard]) -> tuple[Reason, str] | None:
    """Whether a memory's words are those of its quotes, and no statement in it is somebody else's."""
    quoted = asserted_in(telling(quotes, window), window)
    share = _share_quoted(case, quoted)
    if share < grounding.SHARE:
        return Reason.FEW_QUOTED_WORDS, f"{share:.0%} of the words"
    doubt = provenance.doubt(_text(case.change.after), _text(case.change.before), _said(quoted, window))
    return (Reason.UNGROUNDED, doubt.value) if doubt else None


def _without_inventions(case: Case, quotes: Sequence[Quote], window: Sequence[Heard]) -> Case:
    """The case with `not stated` for reasons and occasions that nobody gave."""
    said = _said(asserted_in(telling(quotes, window), window), window)
    body = provenance.without_inventions(case.after.body, _text(case.change.before), said)
    data = case.change.after if body == case.after.body else topic.updated(case.change.after or b"", body=body)
    if data is None or data == case.change.after:
        return case
    after = replace(topic.parse(data), evidence=case.after.evidence)
    return replace(case, change=replace(case.change, after=data), after=after)


def _text(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")


def _said(quoted: str, window: Sequence[Heard]) -> Said:
    """What was said, by whose words it is."""
    return replace(_heard(tuple(window)), quoted=quoted)


@lru_cache(maxsize=4)  # every change of a proposal is judged by the same window
def _heard(window: tuple[Heard, ...]) -> Said:
    return Said(
        quoted="",
        people=people(window),
        assistant=tuple(heard.whole for heard in window if heard.utterance.speaker == Speaker.ASSISTANT),
        outside=tuple(text for heard in window for text in others(heard) if text.strip()),
    )


def _share_quoted(case: Case, quoted: str) -> float:
    """How many of the words that are new in the rule, or in the rest where the rule stays, were said, 0 to 1."""
    known = whole(case.before)
    if rule_of(case.after) == rule_of(case.before):
        return grounding.share_quoted(whole(case.after), quoted, known)
    known = f"{rule_of(case.before)}\n{known}"
    return min(
        grounding.share_quoted(_first_words(case.after), quoted, known),
        grounding.share_quoted(rule_of(case.after), quoted, known) + _NAMES_MAY_DIFFER,
    )


def _class_rule(after: Topic, quotes: Sequence[Quote], window: Sequence[Heard]) -> tuple[Reason, str] | None:
    evidence = class_of(quotes, window)
    if evidence == EvidenceClass.HUMAN or (evidence == EvidenceClass.AGENT and after.type in _AGENT_MAY):
        return None
    return Reason.LOW_CLASS, evidence.value


def whole(memory: Topic) -> str:
    """All that a memory says."""
    return f"{memory.description}\n\n{memory.body}"


def rule_of(memory: Topic) -> str:
    """What a memory is about: name, description and first paragraph."""
    name = memory.name.replace("-", " ").replace("_", " ")
    return f"{name}\n{_first_words(memory)}"


def _first_words(memory: Topic) -> str:
    return f"{memory.description}\n{grounding.first_paragraph(memory.body)}"
