"""Runs of sentences that may state a rule together, cut down to those that say something about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memd.agent.offline import objections, reasons, vetoes, words, work
from memd.agent.offline.model import CERTAIN, Sentence
from memd.agent.offline.reading import cues

SHORTEST = 12  # characters of a rule that an announcement can be about
_COUNTS = re.compile(
    r"\b(?:two|three|four|few|some|couple|both|these|those|[2-9]) ?(?:of )?(?:\w+ ?){0,2}\W*$"
    r"|[两三几二2-4]\s?[条件点个][^,。]*:?\W*$"
)
_ELLIPTIC = re.compile(r"(?:please )?(?:not|nor|nothing of) (?:in|on|for|with|at|to) |(?:they|those|them|it|its)\b")
_SHOWS = re.compile(r"^(?:\w+[\s,]+)?(?:that|this|these|those) [\w-]+(?: [\w-]+)?\W*$")  # "ugh that branch name."
_PRONOUN = re.compile(r"\b(?:it|its|them|they|those|these|ones?|doing that)\b|[它这那]")
_NEXT_TASK = re.compile(
    r"(?:(?:ok|okay|and|so|great|please)[\s,]+)*(?:now|then|next)[\s,:]+(?!on\b|always\b|never\b)|(?:现在|接下来|然后)(?!都|一律|要|起|开始)"
)
_NAMES = 2  # content words, at least, of what names a subject
_LASTS = frozenset({work.Sign.REQUEST, work.Sign.DURABLE, work.Sign.LASTING, work.Sign.PREFERENCE})
_LEAD = 4  # words of it, at least


def blocks(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Runs of sentences between words like "also", 另外, and between questions."""
    block: list[Sentence] = []
    listing = False
    for sentence in sentences:
        counts, asks = announces(sentence) and _COUNTS.search(sentence.cue) is not None, vetoes.asks(sentence)
        if block and (counts or asks or _opens(sentence, listing=listing) or _another(block, sentence)):
            yield block
            block = []
        listing = listing or counts
        if not (asks or counts):
            block.append(sentence)
    if block:
        yield block


def _another(block: Sequence[Sentence], sentence: Sentence) -> bool:
    """Whether it is a rule by itself, about something else than the rule before it: "always use ruff. never push"."""
    pair = (block[-1], sentence)
    if not all(work.own(s) & _LASTS and work.points([s]) >= CERTAIN for s in pair) or reasons.is_reason(sentence):
        return False
    if _ELLIPTIC.match(sentence.cue) or _PRONOUN.search(sentence.cue):
        return False
    return not words.content(block[-1].text) & words.content(sentence.text)


def announces(sentence: Sentence) -> bool:
    """Whether it only says that something to remember follows."""
    table = cues(sentence)
    is_brief = len(sentence.cue) <= work.ANNOUNCEMENT
    return is_brief and bool(table.work.request.search(sentence.cue)) and not objections.states(sentence)


def _opens(sentence: Sentence, *, listing: bool) -> bool:
    """Whether another point begins: by its words, or with "and" where several were announced."""
    if cues(sentence).work.next_point.search(sentence.cue):
        return True
    return listing and sentence.cue.startswith("and ")


def trimmed(block: list[Sentence]) -> list[Sentence]:
    """The block without what leads up to the rule, and without orders for now and thanks at its end."""
    complains = any(s.chinese and cues(s).work.repeated.search(s.cue) for s in block)
    telling = [n for n, s in enumerate(block) if _telling(s) or (complains and work.directs(s))]
    ending = [n for n, s in enumerate(block) if not _passing(s)]
    if not telling:
        return block
    first, last = telling[0], max(telling[-1], *ending, 0)
    if first and (_points_back(block[first]) or _leads_up(block[first - 1], block[first : last + 1])):
        first -= 1
    return block[first : last + 1]


def _points_back(sentence: Sentence) -> bool:
    """Whether a rule only makes sense after the sentence before it: "not in any model please: they leak"."""
    return _ELLIPTIC.match(sentence.cue) is not None


def _leads_up(sentence: Sentence, rule: Sequence[Sentence]) -> bool:
    """Whether the sentence before a rule names what it is about: by a demonstrative, or for a pronoun in the rule."""
    table = cues(sentence)
    names = len(words.content(sentence.text)) >= _NAMES
    if names and table.work.protests.search(sentence.cue) and work.directs(sentence):
        return True
    if _passing(sentence) or table.vetoes.one_off.search(sentence.cue) or table.choices.praises.search(sentence.cue):
        return False
    whole = sentence.chinese or (names and len(sentence.text.split()) >= _LEAD)
    return whole and (_SHOWS.search(sentence.cue) is not None or any(_PRONOUN.search(s.cue) for s in rule[:1]))


def _telling(sentence: Sentence) -> bool:
    """Whether a sentence says something about the rule."""
    if cues(sentence).vetoes.mood.search(sentence.cue):
        return False
    if _goes_on(sentence):
        return False
    return bool(work.own(sentence) - {work.Sign.REPEATED}) or reasons.is_reason(sentence)


def _goes_on(sentence: Sentence) -> bool:
    """Whether it orders the next piece of work: "now fix the flaky test"."""
    return _NEXT_TASK.match(sentence.cue) is not None and not work.own(sentence) & _LASTS


def _passing(sentence: Sentence) -> bool:
    """Whether a sentence is an order for now, a thank-you or a sigh."""
    table = cues(sentence)
    if (
        _goes_on(sentence)
        or table.vetoes.mood.search(sentence.cue)
        or table.choices.agrees.search(sentence.cue)
        or work.directs(sentence)
    ):
        return True
    return len(sentence.cue) < SHORTEST
