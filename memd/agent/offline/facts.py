"""What is going on, who somebody is, where things are: is a sentence such a statement?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from memd.agent.offline import dates, vetoes
from memd.agent.offline.cues import CHANNEL, HOST, NEVER_A_PLACE
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified
from memd.agent.offline.words import fold


def stated(sentence: Sentence) -> Sentence:
    """The sentence without clauses that ask something."""
    kept = [clause for clause in sentence.clauses() if not vetoes.asks(simplified(clause))]
    return Sentence(text=sentence.text, cue=", ".join(kept), chinese=sentence.chinese)


def is_role(sentence: Sentence) -> bool:
    """Whether the speaker says who they are or what they know."""
    own = stated(sentence)
    table = cues(own)
    return table.role.search(own.cue) is not None and not table.not_role.search(own.cue)


def is_reference(sentence: Sentence) -> bool:
    """Whether it says where something outside the repository is."""
    own = stated(sentence)
    table = cues(own)
    where = HOST.search(fold(own.text)) or CHANNEL.search(fold(own.text)) or table.place.search(own.cue) or table.kept_at.search(own.cue)
    if where is None or NEVER_A_PLACE.search(fold(own.text)) or table.hands_over.search(own.cue):
        return False
    if table.orders.search(own.cue):
        return False
    if table.kept_at.search(own.cue):
        return not vetoes.for_others(own)
    rest = own.cue.replace(where[0], " ", 1)
    named = table.resource.search(rest) or (table.resource.search(where[0]) and len(rest.split()) > 1)
    return bool(named and table.pointer.search(own.cue)) and not vetoes.for_others(own)


def about_speaker(sentence: Sentence) -> bool:
    """Whether a sentence goes on about the speaker, or says how to explain things to them."""
    table = cues(sentence)
    if table.mood.search(sentence.cue) or table.not_role.search(sentence.cue):
        return False
    return table.speaker.search(sentence.cue) is not None


def coming(sentence: Sentence, today: date) -> tuple[date, ...]:
    """The days after `today` that the sentence names."""
    return tuple(span.day for span in dates.find(sentence.text, today) if span.day > today)


def is_project(sentence: Sentence, said: Said, today: date, *, dated: bool = False) -> bool:
    """Whether it states a deadline, a freeze, a decision or an incident that goes on.

    `dated`: a plan with a date was stated before, so that another date may correct it.
    """
    own = stated(sentence)
    if not own.cue or vetoes.for_others(own):
        return False
    if cues(own).owns_work.search(own.cue):
        return True
    if dated and coming(own, today) and cues(own).corrects.search(own.cue):
        return True
    return _dated(own, today) or _freeze(own) or _decision(own, said) or _incident(own, said)


def _dated(sentence: Sentence, today: date) -> bool:
    table = cues(sentence)
    days = coming(sentence, today)
    if not days or table.own_plan.search(sentence.cue) or _orders(sentence):
        return False
    event, must = table.event.search(sentence.cue), table.obligation.search(sentence.cue)
    if (days[0] - today).days <= 1 and not (event and must):
        return False
    return bool(event or must or table.freeze.search(sentence.cue) or table.changed.search(sentence.cue) or _asserts(sentence))


def _asserts(sentence: Sentence) -> bool:
    """Whether it says that something is or happens, rather than telling the agent to do it."""
    table = cues(sentence)
    return table.asserts.search(sentence.cue) is not None and not table.one_off.search(sentence.cue)


def _orders(sentence: Sentence) -> bool:
    """Whether a date stands in an order of work, such as "add a test where it is due on ..."."""
    table = cues(sentence)
    return bool(table.task.search(sentence.cue) or table.code_date.search(sentence.cue))


def _freeze(sentence: Sentence) -> bool:
    table = cues(sentence)
    return bool(table.freeze.search(sentence.cue) and table.ongoing.search(sentence.cue))


def _decision(sentence: Sentence, said: Said) -> bool:
    table = cues(sentence)
    if not table.decided.search(sentence.cue) or table.own_plan.search(sentence.cue):
        return False
    near = _from(said, sentence, before=1)
    return any(cues(s).owner.search(s.cue) or cues(s).settled_by.search(s.cue) for s in near if not vetoes.asks(s))


def _incident(sentence: Sentence, said: Said) -> bool:
    table = cues(sentence)
    if not (table.past.search(sentence.cue) and table.incident.search(sentence.cue)):
        return False
    if any(cues(s).debugging.search(s.cue) for s in said):
        return False
    return any(cues(s).ongoing.search(s.cue) for s in _from(said, sentence) if not vetoes.asks(s))


def _from(said: Said, sentence: Sentence, before: int = 0) -> Sequence[Sentence]:
    """The sentence, the two after it, and some before (by text: its clauses may have been reduced)."""
    place = next(i for i, s in enumerate(said.sentences) if s.text == sentence.text)
    return said.sentences[max(0, place - before) : place + 3]


def follows_up(sentence: Sentence) -> bool:
    """Whether a sentence says who looks after what was just stated, or what follows from it."""
    table = cues(sentence)
    if table.owner.search(sentence.cue) or table.ongoing.search(sentence.cue):
        return True
    return table.asserts.search(sentence.cue) is not None and not (
        table.own_plan.search(sentence.cue) or table.orders.search(sentence.cue) or table.one_off.search(sentence.cue)
    )
