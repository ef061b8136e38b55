"""From messages to candidates: what each says, what belongs to it, what was taken back later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from memd.agent.offline import choices, facts, reasons, retractions, vetoes, work
from memd.agent.offline.model import Candidate, Said, Sentence
from memd.agent.offline.reading import cues
from memd.memory.topic import TopicType

_CONTEXT = 1  # sentences before an anaphoric rule
_DETAILS = 2  # sentences after a fact that belong to it


def gather(messages: Sequence[Said]) -> list[Candidate]:
    """What the messages say, in order, without what was taken back."""
    found: list[Candidate] = []
    for number, said in enumerate(messages):
        following = messages[number + 1] if number + 1 < len(messages) else None
        found = retractions.apply(found, messages[: number + 1])
        if not vetoes.make_believe(said) and not vetoes.takes_back_all(following):
            found += _joined(list(_of_message(retractions.without(said))))
    return found


def _of_message(said: Said) -> Iterator[Candidate]:
    today = said.at.date() if said.at else None
    taken: set[int] = set()
    for place, sentence in enumerate(said.sentences):
        if place in taken:
            continue
        if vetoes.for_others(sentence):
            return  # what follows is dictated
        kind, certain = _classified(sentence, said, today)
        if kind is not None:
            candidate, used = _complete(sentence, place, said, kind)
            taken |= used
            yield replace(candidate, certain=certain)


def _classified(sentence: Sentence, said: Said, today: date | None) -> tuple[TopicType | None, bool]:
    """The type of memory that a sentence makes, and whether it is unmistakable."""
    if vetoes.secret(sentence.text) or not facts.stated(sentence).cue.strip():
        return None, False
    points = work.points(sentence, said)
    if facts.is_reference(sentence):
        return TopicType.REFERENCE, True
    if facts.is_role(sentence) and points < work.CERTAIN:
        return TopicType.USER, True
    if choices.confirmed(sentence, said):
        return TopicType.FEEDBACK, True
    if points < work.CERTAIN and today and facts.is_project(sentence, said, today):
        return TopicType.PROJECT, True
    if points and not vetoes.already_written(sentence.text, said):
        return TopicType.FEEDBACK, points >= work.CERTAIN
    return None, False


def _complete(sentence: Sentence, place: int, said: Said, kind: TopicType) -> tuple[Candidate, set[int]]:
    """The candidate with what stands around it, and the places of the sentences used up."""
    after = _details(said, place, kind)
    rule = (sentence.text, *(said.sentences[i].text for i in after if kind is TopicType.PROJECT))
    reason = next((said.sentences[i].text for i in after if kind is TopicType.FEEDBACK), None)
    candidate = Candidate(
        kind=kind,
        message=said.index,
        rule=rule,
        chinese=sentence.chinese,
        context=_context(sentence, place, said, kind),
        proposal=choices.proposal(said, sentence.text) if _needs_proposal(sentence, said, kind) else None,
        reason=reason or reasons.reason_within(sentence.text),
        scope=reasons.scope(sentence.text),
        corrects=any(cues(s).corrects.search(s.cue) for s in said) or cues(sentence).changed.search(sentence.cue) is not None,
        at=said.at,
    )
    return candidate, set(after)


def _needs_proposal(sentence: Sentence, said: Said, kind: TopicType) -> bool:
    return kind is TopicType.FEEDBACK and choices.confirmed(sentence, said)


def _context(sentence: Sentence, place: int, said: Said, kind: TopicType) -> tuple[str, ...]:
    """The sentence before, where this one points back to it."""
    if kind is not TopicType.FEEDBACK or not place or not cues(sentence).anaphora.search(sentence.cue):
        return ()
    before = said.sentences[place - _CONTEXT]
    return () if vetoes.asks(before) or vetoes.secret(before.text) or cues(before).mood.search(before.cue) else (before.text,)


def _details(said: Said, place: int, kind: TopicType) -> list[int]:
    """Places of the sentences after a fact or rule that only complete it."""
    details: list[int] = []
    for number in range(place + 1, min(place + 1 + _DETAILS, len(said.sentences))):
        if not _completes(said.sentences[number], said, kind):
            break
        details.append(number)
    return details


def _completes(sentence: Sentence, said: Said, kind: TopicType) -> bool:
    if vetoes.asks(sentence) or vetoes.secret(sentence.text) or vetoes.for_others(sentence):
        return False
    if facts.is_reference(sentence) or facts.is_role(sentence) or work.points(sentence, said) >= work.CERTAIN:
        return False
    if kind is TopicType.PROJECT:
        return facts.follows_up(sentence)
    return kind is TopicType.FEEDBACK and reasons.is_reason(sentence) and not work.directs(sentence)


def _joined(found: list[Candidate]) -> list[Candidate]:
    """What one message says about the person is one memory."""
    person = [c for c in found if c.kind is TopicType.USER]
    if len(person) < 2:  # noqa: PLR2004 - nothing to join
        return found
    whole = replace(person[0], rule=tuple(text for c in person for text in c.rule))
    return [whole, *(c for c in found if c.kind is not TopicType.USER)]
