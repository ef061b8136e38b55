"""News takes in what merely follows from it: "... Birgitta is relabelling; cam04 stays out until she is through"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memd.agent.offline.model import CERTAIN, Candidate
from memd.memory.topic import TopicType

_OF_ITS_OWN = CERTAIN + 1  # points at which a rule stands by itself beside the news it came with


def absorb(found: Sequence[Candidate]) -> list[Candidate]:
    """Leave out rules that hardly count as such in a message that tells news; the news keeps their words."""
    news = {one.message for one in found if one.kind is TopicType.PROJECT and one.certain}
    follows = [one for one in found if _follows(one, news)]
    return [_with(one, follows) for one in found if one not in follows]


def _follows(candidate: Candidate, news: set[int]) -> bool:
    return candidate.kind is TopicType.FEEDBACK and candidate.message in news and candidate.points < _OF_ITS_OWN


def _with(candidate: Candidate, follows: Sequence[Candidate]) -> Candidate:
    if candidate.kind is not TopicType.PROJECT or not candidate.certain:
        return candidate
    texts = [text for one in follows if one.message == candidate.message and one.certain for text in one.rule]
    more = tuple(text for text in dict.fromkeys(texts) if text not in candidate.quotes)
    return replace(candidate, rule=(*candidate.rule, *more)) if more else candidate
