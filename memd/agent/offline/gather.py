"""From messages to candidates: what each says, what belongs to it, what was taken back later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from memd.agent.offline import (
    blocks,
    choices,
    facts,
    objections,
    pointing,
    reasons,
    retractions,
    unmistakable,
    vetoes,
    words,
    work,
)
from memd.agent.offline.model import CERTAIN, Candidate, Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified
from memd.memory import sameness
from memd.memory.topic import TopicType

_NAMELESS = re.compile(  # a fact about "it", or about nothing that it names
    r"^(?:[\w\s]{0,30}[,:] )?(?:\w+ ){0,3}(?:its|theyre|thats|it|they|them|those)\b"
    r"|(?:^|[,:。] ?)(?:都|就|统一|一般)?(?:在|去|到)(?!时)"
    r"|^(?:嗯|对|是|不是)?,?(?:早|已经|都|也)?(?:不|没|是)"
)
_NEEDED = re.compile(r"\b(?:what we need is|we (?:also |still |now )?need an?)\b|我们(?:还|现在)?(?:需要|缺)")
_DETAILS = 3  # sentences after a fact that may belong to it


def gather(messages: Sequence[Said]) -> list[Candidate]:
    """What the messages say, in order, without what was taken back."""
    found: list[Candidate] = []
    for number, said in enumerate(messages):
        following = messages[number + 1] if number + 1 < len(messages) else None
        found = retractions.apply(found, messages[: number + 1])
        if not (
            vetoes.make_believe(said) or vetoes.takes_back_all(following) or vetoes.dictated(messages[: number + 1])
        ):
            dated = any(c.kind is TopicType.PROJECT for c in found)
            found += of_message(_usable(retractions.without(said, planned=dated)), dated=dated)
    return found


def _usable(said: Said) -> Said:
    """The message up to where it begins to dictate a text, without what holds secrets."""
    kept: list[Sentence] = []
    for sentence in said.sentences:
        if vetoes.dictates(sentence):
            break
        if not vetoes.secret(sentence.text):
            kept.append(sentence)
        elif before := vetoes.before_secret(sentence.text):
            kept.append(simplified(before))
    return replace(said, sentences=tuple(kept))


def of_message(said: Said, *, dated: bool = False) -> list[Candidate]:
    """What one message says: its facts and confirmed choices by sentence, its rules by run of sentences."""
    labels = _spread([_fact(sentence, said, dated=dated) for sentence in said.sentences], said)
    found: list[Candidate] = []
    for (kind, _), run in groupby(enumerate(labels), key=lambda pair: pair[1]):
        places = [place for place, _ in run]
        sentences = [said.sentences[place] for place in places]
        found += [_stated(kind, sentences, said)] if kind else _rules(sentences, said)
    return _person_joined(found)


def _is_rule_first(sentence: Sentence, signs: frozenset[work.Sign]) -> bool:
    """Whether what it says about lasting makes it a rule, whatever facts it names."""
    return work.directs(sentence) and bool(signs & {work.Sign.DURABLE, work.Sign.HABIT})


def _is_news_first(sentence: Sentence, signs: frozenset[work.Sign], said: Said) -> bool:
    """Whether what sounds like a lasting rule only holds to or from a day, or is what was decided."""
    if said.at is None:
        return False
    if not sentence.chinese:
        return facts.is_dated_freeze(sentence, said.at.date())
    if work.Sign.DURABLE in signs:
        plans = cues(sentence).plans
        return plans.decided.search(sentence.cue) is not None or facts.is_dated_freeze(sentence, said.at.date())
    return bool(facts.coming(sentence, said.at.date()))


_Label = tuple[TopicType | None, int]  # the type, and which fact of it (so that neighbours stay apart)


def _fact(sentence: Sentence, said: Said, *, dated: bool) -> TopicType | None:
    """The type of memory that a sentence makes by itself; None for rules and for nothing."""
    if not facts.stated(sentence).cue.strip():
        return None
    signs = work.own(sentence) if not work.barred(sentence) else frozenset()
    if choices.confirmed(sentence, said):
        return TopicType.FEEDBACK
    if vetoes.hearsay(sentence):
        return None
    project = said.at is not None and facts.is_project(sentence, said, said.at.date(), dated=dated)
    if _is_rule_first(sentence, signs) and not (project and _is_news_first(sentence, signs, said)):
        return TopicType.USER if facts.is_role(sentence) and facts.says_how_to_talk(sentence) else None
    if project:
        return TopicType.PROJECT
    if facts.is_reference(sentence, said):
        return TopicType.REFERENCE
    return TopicType.USER if facts.is_role(sentence) or facts.begins_role(sentence, said) else None


def _spread(kinds: list[TopicType | None], said: Said) -> list[_Label]:
    """Each sentence's fact; sentences that only complete the fact before them join it."""
    labels: list[_Label] = []
    for place, kind in enumerate(kinds):
        if labels and labels[-1][0] and _belongs(place, kind, labels, said):
            labels.append(labels[-1])
        else:
            labels.append((kind, place if kind else -1))
    return labels


def _belongs(place: int, kind: TopicType | None, labels: list[_Label], said: Said) -> bool:
    """Whether a sentence goes with the fact of the one before it."""
    before = labels[-1][0]
    if kind is None and before:
        return _run(labels) <= _DETAILS and _completes(place, said, before)
    return kind is not None and kind is before and _one_fact(kind, said, place)


def _one_fact(kind: TopicType, said: Said, place: int) -> bool:
    """Whether two neighbouring sentences of a type make one memory: of a plan, when only one of them has a date."""
    if kind is TopicType.PROJECT and said.at:
        return not all(facts.coming(s, said.at.date()) for s in said.sentences[place - 1 : place + 1])
    return kind is TopicType.USER


def _run(labels: list[_Label]) -> int:
    return sum(1 for label in labels if label == labels[-1])


def _completes(place: int, said: Said, kind: TopicType) -> bool:
    """Whether a sentence without a fact of its own goes with the one before it."""
    sentence = said.sentences[place]
    if kind is TopicType.PROJECT and cues(sentence).plans.owner.search(sentence.cue) and not vetoes.asks(sentence):
        return True
    if vetoes.asks(sentence) or work.points([sentence]) >= CERTAIN:
        return False
    if kind is TopicType.PROJECT:
        return facts.follows_up(sentence)
    if kind is TopicType.USER:
        return facts.about_speaker(sentence)
    if kind is TopicType.REFERENCE:
        return facts.elaborates(sentence)
    if kind is not TopicType.FEEDBACK:
        return False
    spelled = choices.spells_out(sentence, said.sentences[place - 1])
    return spelled or (reasons.is_reason(sentence) and not work.directs(sentence))


def _stated(kind: TopicType, sentences: Sequence[Sentence], said: Said) -> Candidate:
    first = sentences[0]
    candidate = _candidate(kind, sentences, said)
    if kind is TopicType.FEEDBACK:
        praise = choices.praise(first, said)
        proposal = choices.proposal(said, " ".join((*praise, *candidate.rule)))
        return replace(candidate, proposal=proposal, scope=reasons.scope(first.text), context=praise)
    if kind is TopicType.PROJECT:
        return replace(
            candidate, context=_context(first, said) or facts.led_to(first, said) or _asked_about(first, said)
        )
    if kind is TopicType.REFERENCE:
        return replace(candidate, context=_asked_about(first, said))
    return candidate


def _asked_about(fact: Sentence, said: Said) -> tuple[str, ...]:
    """The question before, where a fact that answers it does not name what it is about."""
    explains = fact.chinese and facts.is_incident(fact, said)
    place = said.sentences.index(fact) if fact in said.sentences else 0
    if not explains and (place > 1 or not _NAMELESS.search(fact.cue)):
        return ()
    return tuple(s.text for s in said.earlier if vetoes.asks(s))[-1:]


def _rules(sentences: Sequence[Sentence], said: Said) -> Iterator[Candidate]:
    for block in blocks.blocks(sentences):
        told = unmistakable.told(block, said)
        points = max(work.points(block, _setting(block[0], said)), CERTAIN if told else 0)
        if points and not _known(block, said):
            telling = blocks.trimmed(block)
            meant = pointing.meant(telling, said)
            if meant or pointing.stands_alone(telling):
                kind = TopicType.PROJECT if any(map(facts.rests_until, telling)) else TopicType.FEEDBACK
                yield replace(_candidate(kind, telling, said), points=points, context=meant, unmistakable=told)


def _known(block: Sequence[Sentence], said: Said) -> bool:
    """Whether the rule stands in the project's own rules, or only repeats the assistant's explanation."""
    text = " ".join(s.text for s in block)
    explicit = any(work.own(s) & work.EXPLICIT for s in block)
    if not words.content(text):
        return True
    return vetoes.already_written(text, said) or (not explicit and vetoes.restated(text, said))


def _setting(first: Sentence, said: Said) -> work.Setting:
    asked = bool(said.before) and said.before[-1].rstrip().endswith(("?", "？"))
    answers = asked and first is said.sentences[0]
    return work.Setting(
        tasked=_tasked(said),
        announced=_announced(first, said),
        corrects=bool(said.before) and not asked and (_protests(said) or choices.approves(said)),
        answers=answers,
        reacts=bool(said.before) and not asked and not _tasked(said) and _takes_up(said),
    )


def _takes_up(said: Said) -> bool:
    """Whether it has words in common with what the assistant has just reported."""
    heard = words.content(said.before[-1])
    return any(s.chinese or words.content(s.text) & heard for s in said.sentences)


def _protests(said: Said) -> bool:
    """Whether the message opens with an objection."""
    opening = said.sentences[0]
    return cues(opening).work.protests.search(opening.cue) is not None


def _tasked(said: Said) -> bool:
    """Whether the message orders a piece of work."""
    return any(cues(s).work.task.search(s.cue) or objections.specifies(s, cues(s)) for s in said.sentences)


def _announced(first: Sentence, said: Said) -> bool:
    """Whether a sentence before says that something to remember follows."""
    place = said.sentences.index(first)
    return len(first.cue) > blocks.SHORTEST and any(
        blocks.announces(s) and not vetoes.asks(s) for s in said.sentences[:place]
    )


def _candidate(kind: TopicType, sentences: Sequence[Sentence], said: Said) -> Candidate:
    texts = tuple(s.text for s in sentences)
    whole = " ".join(texts)
    return Candidate(
        kind=kind,
        message=said.index,
        rule=texts,
        chinese=sentences[0].chinese,
        reason=reasons.reason(sentences),
        scope=reasons.scope(whole),
        repeats=any(cues(s).work.repeated.search(s.cue) for s in said),
        overrides=any(cues(s).turns.overrides.search(s.cue) for s in said),
        corrects=any(cues(s).turns.corrects.search(s.cue) or cues(s).plans.changed.search(s.cue) for s in said),
        at=said.at,
    )


def _context(sentence: Sentence, said: Said) -> tuple[str, ...]:
    """The statement before a fact, where it says that something has changed, or is needed."""
    place = said.sentences.index(sentence)
    before = said.sentences[place - 1] if place else None
    if before is None or vetoes.asks(before):
        return ()
    is_over = sameness.says_what_is_over(before.text)
    if not (is_over or cues(before).plans.changed.search(before.cue) or _NEEDED.search(before.cue)):
        return ()
    return (before.text,)


def _person_joined(found: list[Candidate]) -> list[Candidate]:
    """What one message says about the person is one memory."""
    person = [c for c in found if c.kind is TopicType.USER]
    if len(person) < 2:  # noqa: PLR2004 - nothing to join
        return found
    whole = replace(person[0], rule=tuple(text for c in person for text in c.rule))
    return [whole, *(c for c in found if c.kind is not TopicType.USER)]
