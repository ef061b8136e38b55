"""Facts take in the orders that merely follow from them.

News: "... Birgitta is relabelling; cam04 stays out until she is through". Who somebody is: "I teach botany, so no
lectures on the plants".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memd.agent.offline import facts
from memd.agent.offline.model import CERTAIN, Candidate
from memd.agent.offline.sentences import sentence
from memd.memory.topic import TopicType

_OF_ITS_OWN = CERTAIN + 1  # points at which a rule stands by itself beside the fact it came with
_FOLLOWS = re.compile(  # from the news, or about the one thing that it is about: "so nothing goes in there"
    r"(?i)^\W*(?:(?:yes|yeah|no|ok|and|please|pls)[\s,]+)*"
    r"(?:(?:so|hence|therefore|until then)\b|[\w' ]{2,20} (?:that|this|those|these) \w+\W*$)"
    r"|^(?:所以|因此|那就|在这之前)"
)


def absorb(found: Sequence[Candidate]) -> list[Candidate]:
    """Leave out rules that hardly count as such in a message that tells a fact; the fact keeps their words."""
    taken = {id(one): fact for one in found if (fact := _fact(one, found))}
    return [
        _with(one, [other for other in found if taken.get(id(other)) is one]) for one in found if id(one) not in taken
    ]


def _fact(rule: Candidate, found: Sequence[Candidate]) -> Candidate | None:
    """The fact that takes a rule in: news of its message, or who the speaker is, where it says how to talk to them."""
    if rule.kind is not TopicType.FEEDBACK or (rule.points >= _OF_ITS_OWN and not _FOLLOWS.match(rule.rule[0])):
        return None
    told = [one for one in found if one.message == rule.message and one.certain]
    kinds = (TopicType.PROJECT, TopicType.USER) if _how_to_talk(rule) else (TopicType.PROJECT,)
    return next((one for kind in kinds for one in told if one.kind is kind), None)


def _how_to_talk(rule: Candidate) -> bool:
    return not rule.context and all(facts.about_speaker(sentence(text)) for text in rule.rule)


def _with(fact: Candidate, rules: Sequence[Candidate]) -> Candidate:
    texts = [text for rule in rules if rule.certain for text in rule.rule]
    more = tuple(text for text in dict.fromkeys(texts) if text not in fact.quotes)
    return replace(fact, rule=(*fact.rule, *more)) if more else fact
