"""Whether a sentence says what is going on, who somebody is, or where things are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from memd.agent.offline import dates, vetoes
from memd.agent.offline.cues.addresses import CHANNEL, HOST, NEVER_A_PLACE
from memd.agent.offline.cues.tables import Cues
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified
from memd.agent.offline.words import fold

_TOLD = 4  # words, at least, of a sentence that tells what happened
_WHERE = re.compile(
    r"\bwhere\b|\b(?:anywhere|somewhere)\b|\bdo we (?:track|keep|have|store|collect|log)\b|\bis there an?\b|在哪"
    r"|哪里|哪儿|去哪|到哪|有没有|来着"
)
_NAMED = re.compile(
    r"[「《“\"][^」》”\"]{2,30}[」》”\"]|\b[A-Z][A-Z0-9]+(?:[-_][A-Z0-9]+)+\b|\b[A-Z]\w+(?: [A-Z]\w+)+\b"
)
_ELABORATES = re.compile(
    r"(?:thats|its|this is) where\b|there (?:you|we|they|its)\b|(?:那)?(?:里面|里头|上面)(?:有|是|都)"
)
_BOUNDARY = re.compile(r"\b(?:from|until|till|after|as of|starting|before|by|through)\b|就|起|开始|之?后|前")


def stated(sentence: Sentence) -> Sentence:
    """The sentence without clauses that ask something."""
    kept = [clause for clause in sentence.clauses() if not vetoes.asks(simplified(clause))]
    return Sentence(text=sentence.text, cue=", ".join(clause.strip() for clause in kept), chinese=sentence.chinese)


def is_role(sentence: Sentence) -> bool:
    """Whether the speaker says who they are or what they know."""
    own = stated(sentence)
    table = cues(own)
    if table.person.not_role.search(own.cue):
        return False
    knows = table.person.can.search(own.cue) and table.person.cannot.search(own.cue)
    return bool(knows or table.person.role.search(own.cue))


def begins_role(sentence: Sentence, said: Said) -> bool:
    """Whether it says what the speaker knows, and the next sentence what they do not."""
    person = cues(sentence).person
    if not person.can.search(stated(sentence).cue) or person.not_role.search(sentence.cue):
        return False
    return any(person.cannot.search(s.cue) for s in _from(said, sentence)[1:2])


def is_reference(sentence: Sentence, said: Said) -> bool:
    """Whether it says where something outside the repository is, be it to answer where that is."""
    own = stated(sentence)
    if own.chinese and own.cue.count(",") < sentence.cue.count(",") and HOST.search(fold(own.text)):
        return False  # a question about what is written there
    places = cues(own).places
    if NEVER_A_PLACE.search(fold(own.text)) or places.orders.search(own.cue) or vetoes.for_others(own):
        return False
    if places.hands_over.search(own.cue):
        return _named_elsewhere(own)
    return _kept_at(own) or _addressed(own) or (_asked_where(said) and _names_place(own))


def _asked_where(said: Said) -> bool:
    """Whether the person's message before asked where something is kept."""
    return any(_WHERE.search(s.cue) for s in said.earlier if vetoes.asks(s))


def _names_place(own: Sentence) -> bool:
    """Whether it names an address, or a tool and what in it has a name."""
    if HOST.search(fold(own.text)) or CHANNEL.search(fold(own.text)):
        return True
    tool = cues(own).places.place.search(own.cue)
    return tool is not None and _NAMED.search(own.text) is not None


def _named_elsewhere(own: Sentence) -> bool:
    """Whether a place is named in a clause that hands nothing over: "the sheet is dead, it moved to Airtable"."""
    places = cues(own).places
    return any(places.kept_at.search(clause) and not places.hands_over.search(clause) for clause in own.clauses())


def _kept_at(own: Sentence) -> bool:
    """Whether something is kept at a place that has a name."""
    places = cues(own).places
    if places.kept_at.search(own.cue):
        return True
    named = places.proper.search(own.text)
    return bool(named and places.resource.search(fold(own.text[: named.end()])))


def _addressed(own: Sentence) -> bool:
    """Whether it names an address or a tool, and what is there or what people do there."""
    places, text = cues(own).places, fold(own.text)
    address = HOST.search(text) or CHANNEL.search(text)
    if address and places.people.search(text[: address.start()].rstrip()):
        return True
    tool = places.place.search(own.cue)
    where = address or (tool if tool and places.led_to.search(own.cue[: tool.start()]) else None)
    if where is None:
        return False
    rest = own.cue.replace(where[0], " ", 1)
    named = places.resource.search(rest) or (places.resource.search(where[0]) and len(rest.split()) > 1)
    return bool(named and places.pointer.search(own.cue))


def elaborates(sentence: Sentence) -> bool:
    """Whether it goes on about the place that was just named: "that's where ...", 里面有."""
    return _ELABORATES.match(sentence.cue) is not None


def says_how_to_talk(sentence: Sentence) -> bool:
    """Whether it says how to explain things, or how much."""
    return cues(sentence).person.talking.search(sentence.cue) is not None


def about_speaker(sentence: Sentence) -> bool:
    """Whether a sentence goes on about the speaker, or says how to explain things to them."""
    table = cues(sentence)
    if table.vetoes.mood.search(sentence.cue) or table.person.not_role.search(sentence.cue):
        return False
    return table.person.speaker.search(sentence.cue) is not None


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
    if cues(own).plans.owns_work.search(own.cue):
        return True
    corrects = cues(own).turns.corrects.search(own.cue) or cues(own).plans.changed.search(own.cue)
    if dated and coming(own, today) and corrects:
        return True
    return _dated(own, today) or _freeze(own) or _decision(own, said) or is_incident(own, said) or _held(own, said)


def _dated(sentence: Sentence, today: date) -> bool:
    table = cues(sentence)
    days = coming(sentence, today)
    if not days or _orders(sentence) or not _others_plan(sentence, today):
        return False
    event, must = table.plans.event.search(sentence.cue), table.plans.obligation.search(sentence.cue)
    if (max(days) - today).days <= 1 and not (must and (event or table.choices.reason.search(sentence.cue))):
        return False
    return bool(
        event
        or must
        or table.plans.freeze.search(sentence.cue)
        or table.plans.changed.search(sentence.cue)
        or _asserts(sentence)
    )


def _others_plan(sentence: Sentence, today: date) -> bool:
    """Whether a clause with a date tells of more than what the speaker or the agent does next."""
    dated = [clause for clause in sentence.clauses() if coming(simplified(clause), today)] or [sentence.cue]
    return any(not cues(sentence).plans.own_plan.search(clause) for clause in dated)


def _asserts(sentence: Sentence) -> bool:
    """Whether it says that something is or happens, rather than telling the agent to do it."""
    table = cues(sentence)
    return table.plans.asserts.search(sentence.cue) is not None and not table.vetoes.one_off.search(sentence.cue)


def _orders(sentence: Sentence) -> bool:
    """Whether a date stands in an order of work, such as "add a test where it is due on ..."."""
    table = cues(sentence)
    return bool(table.work.task.search(sentence.cue) or table.plans.code_date.search(sentence.cue))


def is_dated_freeze(sentence: Sentence, today: date) -> bool:
    """Whether it says from which day on, or up to which, something rests for all."""
    frozen = cues(sentence).plans.freeze.search(stated(sentence).cue)
    return bool(frozen and _BOUNDARY.search(sentence.cue) and _dated(stated(sentence), today))


def _freeze(sentence: Sentence) -> bool:
    table = cues(sentence)
    return bool(table.plans.freeze.search(sentence.cue) and table.plans.ongoing.search(sentence.cue))


def _decision(sentence: Sentence, said: Said) -> bool:
    table = cues(sentence)
    if not table.plans.decided.search(sentence.cue) or table.plans.own_plan.search(sentence.cue):
        return False
    near = _from(said, sentence, before=1)
    return any(
        cues(s).plans.owner.search(s.cue) or cues(s).plans.settled_by.search(s.cue) for s in near if not vetoes.asks(s)
    )


def is_incident(sentence: Sentence, said: Said) -> bool:
    """Whether it tells of something that went wrong, and is not over yet."""
    table = cues(sentence)
    if not (table.plans.past.search(sentence.cue) and table.plans.incident.search(sentence.cue)):
        return False
    if any(cues(s).plans.debugging.search(s.cue) for s in said):
        return False
    return any(cues(s).plans.ongoing.search(s.cue) for s in _from(said, sentence) if not vetoes.asks(s))


def rests_until(sentence: Sentence) -> bool:
    """Whether it says that something rests until others are done, and so holds no longer than that."""
    plans = cues(sentence).plans
    return any(plans.until.search(clause) and plans.rests.search(clause) for clause in sentence.clauses())


def _held(sentence: Sentence, said: Said) -> bool:
    """Whether something must rest until others have done their part."""
    table = cues(sentence)
    until = table.plans.until.search(sentence.cue)
    ends = [c[found.start() :] for c in sentence.clauses() if (found := table.plans.until.search(c))] or [sentence.cue]
    if not (until and table.plans.rests.search(sentence.cue)) or any(map(table.vetoes.requirement.search, ends)):
        return False
    if any(cues(s).plans.debugging.search(s.cue) for s in said):
        return False
    near = _from(said, sentence, before=2)
    told = [s.cue if not s.chinese else cues(s).plans.until.sub(" ", s.cue) for s in near]
    return any(table.plans.past.search(cue) or table.plans.outsiders.search(cue) for cue in told)


def led_to(fact: Sentence, said: Said) -> tuple[str, ...]:
    """What happened before, where a fact only says that something must rest because of it."""
    place = next(i for i, s in enumerate(said.sentences) if s.text == fact.text)
    before = said.sentences[place - 1] if place else None
    if before is None or fact.chinese or vetoes.asks(before) or not _held(fact, said):
        return ()
    told = len(before.cue.split()) >= _TOLD and not cues(before).work.directive.search(before.cue)
    return (before.text,) if told else ()


def _from(said: Said, sentence: Sentence, before: int = 0) -> Sequence[Sentence]:
    """The sentence, the two after it, and some before (by text: its clauses may have been reduced)."""
    place = next(i for i, s in enumerate(said.sentences) if s.text == sentence.text)
    return said.sentences[max(0, place - before) : place + 3]


def _follow_ups(table: Cues) -> tuple[re.Pattern[str], ...]:
    return table.plans.owner, table.plans.ongoing, table.plans.decided, table.plans.settled_by


def follows_up(sentence: Sentence) -> bool:
    """Whether a sentence says who looks after what was just stated, or what follows from it."""
    table = cues(sentence)
    if any(p.search(sentence.cue) for p in _follow_ups(table)):
        return True
    return table.plans.asserts.search(sentence.cue) is not None and not (
        table.plans.own_plan.search(sentence.cue)
        or table.places.orders.search(sentence.cue)
        or table.vetoes.one_off.search(sentence.cue)
    )
