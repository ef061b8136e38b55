"""What the person took back: "forget that", 当我没说."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memd.agent.offline import dates, reasons, words
from memd.agent.offline.model import Candidate, Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified
from memd.memory.topic import TopicType

_POINTS_BACK = re.compile(r"\b(?:that|it|this|those|them)\b|这|那|刚|当我没")


def retracts(sentence: Sentence) -> bool:
    """Whether a sentence takes something back."""
    return cues(sentence).turns.retracts.search(sentence.cue) is not None


def apply(found: list[Candidate], messages: Sequence[Said]) -> list[Candidate]:
    """The candidates that the last message leaves standing."""
    planned = any(c.kind is TopicType.PROJECT for c in found)
    for sentence in messages[-1].sentences:
        if retracts(sentence) and not (planned and _moves(sentence, messages[-1])):
            found = _without_target(found, sentence)
    return found


def _moves(sentence: Sentence, said: Said) -> bool:
    """Whether it gives a plan's new date, and so corrects it: "disregard what i said on the lock, it's the 30th"."""
    rest = _rest(sentence) if said.at and not sentence.chinese else None
    return rest is not None and said.at is not None and bool(dates.find(rest.text, said.at.date()))


def _without_target(found: list[Candidate], sentence: Sentence) -> list[Candidate]:
    """Without the candidates that the sentence names; where it names none, without the latest message's."""
    named = words.content(_retraction(sentence))
    if not any(named & words.content(c.words) for c in found):
        return [c for c in found if c.message != found[-1].message] if found else found
    return [c for c in (_spared(candidate, named) for candidate in found) if c.rule]


def _spared(candidate: Candidate, named: frozenset[str]) -> Candidate:
    """The candidate without the sentences that were taken back; no rule is left where it was its only one."""
    left = tuple(text for text in candidate.rule if not named & words.content(text))
    if len(left) == len(candidate.rule):
        return candidate
    kept = tuple(text for text in candidate.context if not named & words.content(text))
    return replace(
        candidate,
        rule=left,
        context=kept,
        reason=candidate.reason if candidate.reason in left else None,
        scope=reasons.scope(" ".join(left)),
    )


def _retraction(sentence: Sentence) -> str:
    return " ".join(clause for clause in sentence.clauses() if retracts(simplified(clause)))


def without(said: Said, *, planned: bool = False) -> Said:
    """The message without the clauses that take something back, and without what they took back in it."""
    kept: list[Sentence] = []
    for sentence in said.sentences:
        if not retracts(sentence) or (planned and _moves(sentence, said)):
            kept.append(sentence)
            continue
        rest = _rest(sentence)
        if rest is None or _POINTS_BACK.search(_retraction(sentence)):
            kept = kept[:-1]  # "X. forget that": the sentence before is what it means
        if rest is not None:
            kept.append(rest)
    return replace(said, sentences=tuple(kept))


def _rest(sentence: Sentence) -> Sentence | None:
    """What follows the retraction in the same sentence, verbatim."""
    for number, char in enumerate(sentence.text):
        if char in ",，;；":
            rest = simplified(sentence.text[number + 1 :].strip())
            if rest.text and not retracts(rest) and retracts(simplified(sentence.text[:number])):
                return rest
    return None
