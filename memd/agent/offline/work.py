"""How to work: does a run of sentences state a rule that outlives the task?"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from memd.agent.offline import vetoes
from memd.agent.offline.cues import Cues
from memd.agent.offline.model import CERTAIN, Sentence
from memd.agent.offline.reading import cues
ANNOUNCEMENT = 40  # characters, at most, of "two things to keep in mind."


class Sign(Enum):
    """What speaks for a rule that lasts, and what against."""

    REQUEST = auto()  # "remember"
    DURABLE = auto()  # "from now on"
    HABIT = auto()  # "stop pasting whole files"
    PREFERENCE = auto()  # "i prefer"
    LASTING = auto()  # "always", as part of a directive
    UNIVERSAL = auto()  # "all", "any", as part of a directive
    WANTS = auto()  # "i don't want", which may be for this once
    FORBIDS = auto()
    CRAFT = auto()  # about commits, replies, tests: things made in every task
    STANDING = auto()  # the reason is a lasting circumstance
    EXPERIENCE = auto()  # the reason is something that went wrong before
    REPEATED = auto()
    ASIDE = auto()  # "for the record"
    REQUIREMENT = auto()  # of the code at hand
    ONE_OFF = auto()


POINTS = {
    Sign.REQUEST: 3,
    Sign.DURABLE: 3,
    Sign.HABIT: 3,
    Sign.PREFERENCE: 3,
    Sign.WANTS: 2,
    Sign.UNIVERSAL: 2,
    Sign.LASTING: 2,
    Sign.FORBIDS: 1,
    Sign.CRAFT: 1,
    Sign.STANDING: 1,
    Sign.EXPERIENCE: 1,
    Sign.REPEATED: 1,
    Sign.ASIDE: 1,
    Sign.REQUIREMENT: -3,
    Sign.ONE_OFF: -3,
}
EXPLICIT = frozenset({Sign.REQUEST, Sign.DURABLE, Sign.HABIT})


def points(block: Sequence[Sentence], *, tasked: bool = False, announced: bool = False) -> int:
    """How much speaks for a lasting rule; 0 where no sentence directs the agent.

    `tasked`: the same message orders a piece of work before, whose requirements these may be. `announced`: it said
    before that something to remember follows.
    """
    least = CERTAIN if announced and not any(map(barred, block)) else 0
    return max((_value(signs(sentence, block, tasked=tasked)) for sentence in block), default=0) or least


def _value(found: frozenset[Sign]) -> int:
    return max(0, sum(POINTS[sign] for sign in found))


def signs(sentence: Sentence, block: Sequence[Sentence], *, tasked: bool = False) -> frozenset[Sign]:
    """What speaks for and against one sentence's being a rule; nothing where it is none."""
    if barred(sentence):
        return frozenset()
    table = cues(sentence)
    found = own(sentence) | _around(block)
    if not _is_rule(sentence, found):
        return frozenset()
    return found | _against(sentence, table, explicit=bool(found & EXPLICIT), tasked=tasked)


def barred(sentence: Sentence) -> bool:
    """Whether no rule is taken from it, whatever its words."""
    return vetoes.asks(sentence) or vetoes.reported(sentence) or vetoes.secret(sentence.text)


def directs(sentence: Sentence) -> bool:
    """Whether some clause tells the agent what to do."""
    table = cues(sentence)
    if table.directive.search(sentence.cue):
        return True
    return any(table.directive.search(clause.strip()) for clause in sentence.clauses())


def _is_rule(sentence: Sentence, found: frozenset[Sign]) -> bool:
    if found & {Sign.HABIT, Sign.PREFERENCE, Sign.WANTS}:
        return True
    if directs(sentence):
        lasting = found & {Sign.DURABLE, Sign.REQUEST} or own(sentence) & {Sign.LASTING, Sign.UNIVERSAL, Sign.FORBIDS}
        return bool(lasting) or ({Sign.CRAFT, Sign.STANDING} <= found and not sentence.chinese)
    if Sign.REQUEST in found:
        return len(sentence.cue) > ANNOUNCEMENT or sentence.chinese
    return Sign.DURABLE in own(sentence)


def own(sentence: Sentence) -> frozenset[Sign]:
    """What the sentence itself has of a lasting rule."""
    table = cues(sentence)
    found = {
        Sign.REQUEST: table.request.search(sentence.cue),
        Sign.DURABLE: table.durable.search(sentence.cue),
        Sign.HABIT: table.habit.search(sentence.cue),
        Sign.PREFERENCE: table.preference.search(sentence.cue),
        Sign.WANTS: table.wants.search(sentence.cue),
        Sign.LASTING: directs(sentence) and table.lasting.search(sentence.cue),
        Sign.UNIVERSAL: directs(sentence) and table.universal.search(sentence.cue) and not table.sweep.search(sentence.cue),
        Sign.FORBIDS: any(table.forbids.search(clause.strip()) for clause in sentence.clauses()),
        Sign.CRAFT: table.craft.search(sentence.cue),
        Sign.REPEATED: table.repeated.search(sentence.cue),
        Sign.ASIDE: table.aside.search(sentence.cue),
    }
    return frozenset(sign for sign, hit in found.items() if hit)


def _around(block: Sequence[Sentence]) -> frozenset[Sign]:
    """What the neighbours add: a request, a word about lasting, a standing reason."""
    found: set[Sign] = set()
    for sentence in block:
        if barred(sentence):
            continue
        table = cues(sentence)
        found |= own(sentence) & {Sign.REQUEST, Sign.DURABLE, Sign.REPEATED}
        if table.standing.search(sentence.cue) or table.reason.search(sentence.cue):
            found.add(Sign.STANDING)
        if table.experience.search(sentence.cue):
            found |= {Sign.STANDING, Sign.EXPERIENCE}
    return frozenset(found)


def _against(sentence: Sentence, table: Cues, *, explicit: bool, tasked: bool) -> frozenset[Sign]:
    found: set[Sign] = set()
    if not explicit and (tasked or table.requirement.search(sentence.cue)):
        found.add(Sign.REQUIREMENT)
    if _one_off(sentence, table):
        found.add(Sign.ONE_OFF)
    return frozenset(found)


def _one_off(sentence: Sentence, table: Cues) -> bool:
    """A one-off word counts unless another clause is explicit about lasting."""
    once = [clause for clause in sentence.clauses() if table.one_off.search(clause)]
    lasting = [c for c in sentence.clauses() if table.durable.search(c) or table.habit.search(c)]
    return bool(once) and not (set(lasting) - set(once))
