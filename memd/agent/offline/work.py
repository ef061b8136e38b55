"""How to work: is a sentence a rule that outlives the task?"""

from __future__ import annotations

from enum import Enum, auto

from memd.agent.offline import vetoes
from memd.agent.offline.cues import Cues
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues

CERTAIN = 3  # points from which on a rule goes live


class Sign(Enum):
    """What speaks for a rule that lasts, and what against."""

    REQUEST = auto()  # "remember"
    DURABLE = auto()  # "from now on"
    HABIT = auto()  # "stop pasting whole files"
    PREFERENCE = auto()  # "i prefer"
    LASTING = auto()  # "always", as part of a directive
    FORBIDS = auto()
    CRAFT = auto()  # about commits, replies, tests: things made in every task
    STANDING = auto()  # the reason is a lasting circumstance, or an experience
    REPEATED = auto()
    REQUIREMENT = auto()  # of the code at hand
    ONE_OFF = auto()


POINTS = {
    Sign.REQUEST: 3,
    Sign.DURABLE: 3,
    Sign.HABIT: 3,
    Sign.PREFERENCE: 2,
    Sign.LASTING: 2,
    Sign.FORBIDS: 1,
    Sign.CRAFT: 1,
    Sign.STANDING: 1,
    Sign.REPEATED: 1,
    Sign.REQUIREMENT: -2,
    Sign.ONE_OFF: -3,
}


def points(sentence: Sentence, said: Said) -> int:
    """How much speaks for a lasting rule; 0 where the sentence is no directive at all."""
    if _barred(sentence):
        return 0
    table = cues(sentence)
    signs = [*_for(sentence, table), *_around(sentence, said), *_against(sentence, table)]
    return max(0, sum(POINTS[sign] for sign in signs)) if _is_rule(sentence, table, signs) else 0


def _barred(sentence: Sentence) -> bool:
    return vetoes.asks(sentence) or vetoes.for_others(sentence) or vetoes.reported(sentence)


def directs(sentence: Sentence) -> bool:
    """Whether some clause tells the agent what to do."""
    table = cues(sentence)
    return any(table.directive.search(clause.strip()) for clause in sentence.clauses())


def _forbids(sentence: Sentence, table: Cues) -> bool:
    return any(table.forbids.search(clause.strip()) for clause in sentence.clauses())


def _is_rule(sentence: Sentence, table: Cues, signs: list[Sign]) -> bool:
    if {Sign.REQUEST, Sign.HABIT, Sign.PREFERENCE} & set(signs):
        return True
    return directs(sentence) or (Sign.DURABLE in signs and Sign.CRAFT in signs)


def _for(sentence: Sentence, table: Cues) -> list[Sign]:
    found = {
        Sign.REQUEST: table.request.search(sentence.cue),
        Sign.DURABLE: table.durable.search(sentence.cue),
        Sign.HABIT: table.habit.search(sentence.cue),
        Sign.PREFERENCE: table.preference.search(sentence.cue),
        Sign.LASTING: directs(sentence) and table.lasting.search(sentence.cue),
        Sign.FORBIDS: _forbids(sentence, table),
        Sign.CRAFT: table.craft.search(sentence.cue),
        Sign.REPEATED: table.repeated.search(sentence.cue),
    }
    return [sign for sign, hit in found.items() if hit]


def _around(sentence: Sentence, said: Said) -> list[Sign]:
    """A standing reason counts in the sentence itself and in the one after it."""
    place = said.sentences.index(sentence)
    near = said.sentences[place : place + 2]
    reasoned = any(cues(s).standing.search(s.cue) or cues(s).reason.search(s.cue) for s in near if not vetoes.asks(s))
    return [Sign.STANDING] if reasoned else []


def _against(sentence: Sentence, table: Cues) -> list[Sign]:
    explicit = table.request.search(sentence.cue) or table.durable.search(sentence.cue)
    signs = [Sign.REQUIREMENT] if table.requirement.search(sentence.cue) and not explicit else []
    return [*signs, Sign.ONE_OFF] if _one_off(sentence, table) else signs


def _one_off(sentence: Sentence, table: Cues) -> bool:
    """A one-off word counts unless another clause is explicit about lasting."""
    once = [clause for clause in sentence.clauses() if table.one_off.search(clause)]
    lasting = [clause for clause in sentence.clauses() if table.durable.search(clause)]
    return bool(once) and not (set(lasting) - set(once))
