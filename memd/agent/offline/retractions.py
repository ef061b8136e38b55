"""What the person took back: "forget that", 当我没说."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memd.agent.offline import dates, reasons, words, work
from memd.agent.offline.model import Candidate, Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified
from memd.memory import asked, sameness
from memd.memory.topic import TopicType

_VERB = (
    r"(?:(?:hm+|no|oh|ah|ok|well|nice|actually|sorry|wait|please)[\s,]+)*(?:drop|scrap|scratch|skip|cancel|strike|lose"
    r"|bin|delete|void|erase|wipe|remove|clear|scrub|discard|purge|forget)"
)
_DROPS = re.compile(  # right after a request to remember
    rf"{_VERB} (?:that|it|this|the (?:[\w-]+ )?(?:one|note|thing|first|last|other))\b"
    r"|keep (?:nothing|none) of (?:it|that)\b"
    r"|(?:please )?(?:do not|dont|no need to) (?:\w+ )?(?:memori[sz]e|remember|keep|save|store|note)"
    r" (?:that|it|this|the)\b"
    r"|(?:那就?|还是)?(?:算了|不用了|别了|不必了|不用留了?|别留了?)$|(?:.{0,8}[那这][条个句])?(?:就|先)?[删去划抹清][了掉]吧?$"
)
_DROPS_NAMED = re.compile(rf"{_VERB} (?:the|that|this|those) [\w-]+")  # where that is what was to be remembered
_FROM_NOTES = re.compile(r"\b(?:from|out of|off|in|to) (?:your |the )?(?:notes?|memory|memories|list|records|head)\b")
_POINTS_BACK = re.compile(r"\b(?:that|it|this|those|them)\b|这|那|刚|当我没")


def retracts(sentence: Sentence, said: Said | None = None) -> bool:
    """Whether a sentence takes something back; "no, drop that" does so right after a request to remember."""
    if cues(sentence).turns.retracts.search(sentence.cue):
        return True
    if said is None or not any(cues(s).work.request.search(s.cue) for s in said.earlier):
        return False
    noted = words.content(" ".join(s.text for s in said.earlier))
    return any(
        _DROPS.match(clause) or (_DROPS_NAMED.match(clause) and words.content(clause) & noted)
        for clause in map(str.strip, sentence.clauses())
    )


def apply(found: list[Candidate], messages: Sequence[Said]) -> list[Candidate]:
    """The candidates that the last message leaves standing."""
    planned = any(c.kind is TopicType.PROJECT for c in found)
    for sentence in messages[-1].sentences:
        if retracts(sentence, messages[-1]) and not (planned and _moves(sentence, messages[-1])):
            found = _without_target(found, sentence, messages[-1])
    return found


def _moves(sentence: Sentence, said: Said) -> bool:
    """Whether it gives a plan's new date, and so corrects it: "disregard what i said on the lock, it's the 30th"."""
    rest = _rest(sentence) if said.at and not sentence.chinese else None
    return rest is not None and said.at is not None and bool(dates.find(rest.text, said.at.date()))


def _without_target(found: list[Candidate], sentence: Sentence, said: Said) -> list[Candidate]:
    """Without the candidates that it or the sentence before it names; where none, without the latest message's."""
    namings = [words.content(_retraction(sentence)), words.content(_until(sentence, said))]
    named = next((n for n in namings if any(n & words.content(c.words) for c in found)), None)
    if named is None and namings[0] & words.content(" ".join(s.text for s in said.earlier)):
        return found  # what it names was not kept
    if named is None:
        return [c for c in found if c.message != found[-1].message] if found else found
    return [c for c in (_spared(candidate, named) for candidate in found) if c.rule]


def _until(sentence: Sentence, said: Said) -> str:
    """The sentence with the one before it."""
    place = said.sentences.index(sentence)
    return " ".join(s.text for s in said.sentences[max(0, place - 1) : place + 1])


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
    return _FROM_NOTES.sub(" ", " ".join(clause for clause in sentence.clauses() if retracts(simplified(clause))))


def without(said: Said, *, planned: bool = False) -> Said:
    """The message without the clauses that take something back, and without what they took back in it."""
    kept: list[Sentence] = []
    for sentence in said.sentences:
        if not retracts(sentence, said) or (planned and _moves(sentence, said)):
            kept.append(sentence)
            continue
        rest = _rest(sentence)
        if asked.things(sentence.text):  # of a memory: what follows says why, unless it is another rule
            kept += [rest] if rest is not None and _is_another(rest) else []
            continue
        if rest is None or _POINTS_BACK.search(_retraction(sentence)):
            kept = kept[:-1]  # "X. forget that": the sentence before is what it means
        if rest is not None:
            kept.append(rest)
    return replace(said, sentences=tuple(kept))


def _is_another(rest: Sentence) -> bool:
    return work.directs(rest) and not sameness.says_what_is_over(rest.text)


def _rest(sentence: Sentence) -> Sentence | None:
    """What follows the retraction in the same sentence, verbatim."""
    for number, char in enumerate(sentence.text):
        if char in ",，;；":
            rest = simplified(sentence.text[number + 1 :].strip())
            if rest.text and not retracts(rest) and retracts(simplified(sentence.text[:number])):
                return rest
    return None
