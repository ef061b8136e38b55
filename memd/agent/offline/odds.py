"""How likely a candidate is worth a memory, by what came of others that look like it.

The rules know what they were made for. How often they are right elsewhere was counted on conversations that nobody had
read when the rules of that time met them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from memd.agent.offline import dates, objections, pointing, unmistakable, vetoes, words, work
from memd.agent.offline.model import Candidate, Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence
from memd.memory.topic import TopicType


class Trait(StrEnum):
    """What a candidate looks like, whatever rule found it."""

    RULE = "rule"  # it is about how to work, and no fact
    FAINT = "faint"  # a rule for which few signs speak
    OF_A_KIND = "of a kind"  # a rule about things of a kind
    NEWSY = "newsy"  # a rule that tells of days, owners or decisions, as news does
    AT_HAND = "at hand"  # it speaks of now, here, this one
    OPENING = "opening"  # a rule where the person sets the task, and goes on afterwards
    CLOSING = "closing"  # it stands in the last thing that the person says
    ANSWERING = "answering"  # it begins its message, and so may be about what came before
    BESIDE = "beside"  # its message makes other candidates, too: one idea may have been cut in two
    DOUBLED = "doubled"  # the conversation makes others of its type


WEIGHTS: Mapping[Trait, float] = {  # of the log-odds, as `tests/eval/fit_odds.py` finds them
    Trait.RULE: -0.6,
    Trait.FAINT: -1.0,
    Trait.OF_A_KIND: 1.6,
    Trait.NEWSY: -1.5,
    Trait.AT_HAND: -0.7,
    Trait.OPENING: -0.5,
    Trait.CLOSING: 1.2,
    Trait.ANSWERING: -0.6,
    Trait.BESIDE: -0.9,
    Trait.DOUBLED: -1.3,
}
LENGTH = 2.2  # for each time that it says e times as much
START = -4.0
LIKELY = 0.7  # from which on a candidate goes live
LONGEST = 30  # words; more do not say more
FAINT = 4  # points, at most

_LASTS = work.EXPLICIT | {work.Sign.PREFERENCE, work.Sign.LASTING}
_AT_HAND = re.compile(
    r"\b(?:for now|this time|just this|today|tonight|right now|at the moment|currently|temporar\w+|first|quick(?:ly)?"
    r"|until|here|in this|for this|this (?:pr|branch|one|file|change|task|ticket|commit|screen|page|function|module"
    r"|test|script|release|sprint))\b"
    r"|这(?:次|个|里|条|批)|先|暂时|今天|现在|本次|目前|当前"
)
_DAY = re.compile(  # days that news tells of, also those gone by
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|this morning|in may"
    r"|last (?:week|month|year|spring|summer|autumn|fall|winter)"
    r"|january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|[上下]个?(?:月|周|礼拜|星期|季度)|周[一二三四五六日]|[一二三四五六七八九十\d]+月|[昨前]天|大?后天|春节|去年|年底"
)


def is_likely(one: Candidate, found: Sequence[Candidate], messages: Sequence[Said]) -> bool:
    """Whether it is to go live: it was asked for, says so outright, or most of what looks like it was worth keeping."""
    if _only_points(one):
        return False
    return (
        one.unmistakable
        or _asked(one, alone=len(messages) == 1)
        or odds(traits(one, found, messages), length(one)) >= LIKELY
    )


def _only_points(one: Candidate) -> bool:
    """Whether it says "that's how we do it" and nobody can tell what: no proposal of the agent's stands with it."""
    return one.proposal is None and not one.context and all(map(pointing.says_how, map(sentence, one.rule)))


def odds(seen: frozenset[Trait], count: int) -> float:
    """How likely a candidate of `count` words that looks so is worth a memory, 0 to 1."""
    total = START + LENGTH * math.log(min(max(count, 1), LONGEST)) + sum(WEIGHTS[trait] for trait in seen)
    return 1 / (1 + math.exp(-total))


def length(one: Candidate) -> int:
    """How much it says, in words, with what it stands on and without its reason."""
    told = (*one.rule, *one.context, *([one.proposal] if one.proposal else []))
    return sum(words.length(text, chinese=one.chinese) for text in told)


def traits(one: Candidate, found: Sequence[Candidate], messages: Sequence[Said]) -> frozenset[Trait]:
    """What it looks like among what its conversation has made."""
    said = next(message for message in messages if message.index == one.message)
    others = [other for other in found if other.certain and other is not one]
    own = [sentence(text) for text in one.rule]
    seen = {
        Trait.AT_HAND: any(_AT_HAND.search(s.text.lower()) for s in own),
        Trait.CLOSING: said is messages[-1],
        Trait.ANSWERING: one.rule[0] == said.sentences[0].text,
        Trait.BESIDE: any(other.message == one.message for other in others),
        Trait.DOUBLED: any(other.kind is one.kind for other in others),
    }
    if one.kind is TopicType.FEEDBACK:
        seen |= {
            Trait.RULE: True,
            Trait.OPENING: said is messages[0] and len(messages) > 1,
            Trait.FAINT: one.points <= FAINT,
            Trait.OF_A_KIND: any(work.Sign.KIND in work.own(s) for s in own),
            Trait.NEWSY: any(_tells_news(s, one) for s in own),
        }
    return frozenset(trait for trait, is_so in seen.items() if is_so)


def _tells_news(own: Sentence, one: Candidate) -> bool:
    """Whether a sentence names a day, who looks after something, what was decided, or until when it holds."""
    plans = cues(own).plans
    told = (plans.owner, plans.until, plans.decided, plans.ongoing)
    if _DAY.search(own.cue) or any(pattern.search(own.cue) for pattern in told):
        return True
    return one.at is not None and bool(dates.find(own.text, one.at.date()))


def _asked(one: Candidate, *, alone: bool) -> bool:
    """Whether the person asked to remember it, or said that it lasts and, in that conversation, nothing else."""
    own = [sentence(text) for text in one.rule]
    return any(map(_requests, own)) or (alone and any(map(_outlasts, own)))


def _outlasts(own: Sentence) -> bool:
    return bool(work.own(own) & _LASTS) and not vetoes.asks(own) and not unmistakable.unsure(own)


def _requests(own: Sentence) -> bool:
    if vetoes.asks(own) or work.barred(own):
        return False
    return objections.dictated(own, cues(own)) or (own.chinese and work.Sign.REQUEST in work.own(own))
