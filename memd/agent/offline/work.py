"""Whether a run of sentences states a rule that outlives the task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from memd.agent.offline import circumstances, objections, vetoes
from memd.agent.offline.cues.languages import CHINESE
from memd.agent.offline.cues.tables import Cues
from memd.agent.offline.model import CERTAIN, Sentence
from memd.agent.offline.reading import cues

_MODAL = re.compile(r"\b(?:must|mustnt|ha(?:s|ve) to|should|shouldnt)\b")
_STATEMENT = 3  # words, at least
ANNOUNCEMENT = 40  # characters, at most, of "two things to keep in mind."


class Sign(Enum):
    """What speaks for a rule that lasts, and what against."""

    REQUEST = auto()  # "remember"
    DURABLE = auto()  # "from now on"
    HABIT = auto()  # "stop pasting whole files"
    PREFERENCE = auto()  # "i prefer"
    LASTING = auto()  # "always", as part of a directive
    TWICE = auto()  # it is lasting in two ways
    UNIVERSAL = auto()  # "all", "any", as part of a directive
    WANTS = auto()  # "i don't want", which may be for this once
    FORBIDS = auto()
    CRAFT = auto()  # about commits, replies, tests: things made in every task
    STANDING = auto()  # the reason is a lasting circumstance
    KIND = auto()  # about things of a kind, not about this one
    BOUND = auto()  # says how they are to be, not how they are
    CORRECTED = auto()  # it objects to what the agent has just done
    SOCIAL = auto()  # the reason is about people
    BETWEEN_US = auto()  # it is about what the agent shows, asks or leaves to the person
    EXPERIENCE = auto()  # the reason is something that went wrong before
    REPEATED = auto()
    ASIDE = auto()  # "for the record"
    REQUIREMENT = auto()  # of the code at hand
    ANSWER = auto()  # to what the assistant has just asked
    ONE_OFF = auto()


POINTS = {
    Sign.REQUEST: 3,
    Sign.DURABLE: 3,
    Sign.HABIT: 3,
    Sign.PREFERENCE: 3,
    Sign.WANTS: 2,
    Sign.TWICE: 1,
    Sign.UNIVERSAL: 2,
    Sign.LASTING: 2,
    Sign.FORBIDS: 1,
    Sign.CRAFT: 1,
    Sign.STANDING: 1,
    Sign.EXPERIENCE: 1,
    Sign.SOCIAL: 1,
    Sign.BETWEEN_US: 1,
    Sign.KIND: 1,
    Sign.BOUND: 1,
    Sign.CORRECTED: 1,
    Sign.REPEATED: 1,
    Sign.ASIDE: 1,
    Sign.REQUIREMENT: -3,
    Sign.ANSWER: -2,
    Sign.ONE_OFF: -3,
}
_BETWEEN_US = re.compile(r"\b(?:you|your|me|my|we|our|us|always|never)\b")  # it is about how the two work
_WEAK = (frozenset({Sign.LASTING, Sign.CRAFT}), frozenset({Sign.UNIVERSAL, Sign.CRAFT}))  # of any screen, too
_REASONS = frozenset({Sign.STANDING, Sign.EXPERIENCE})
_IS_SO = re.compile(  # tells how something is
    r"(?:and )?(?:(?:all|every|each|any|everything) (?:of )?(?:[\w-]+ ){0,3}(?:is|are|pass|fail|was|were|has"
    r"|have|work)\b"
    r"|(?:the|our|my|they|it|people|customers) )"
)
_IT = re.compile(r"^(?:[\w-]+ ){1,2}(?:it|this|that|them)$|^(?:\w+ )?no [\w-]+(?<!s)(?: please)?$")
_TO_ME = re.compile(
    r"\b(?:(?:tell|show|ask|give|send|ping|warn|remind|hand) me|i (?:do|run|handle|apply|decide))\b"
    r"|[给问跟和让叫]我|告诉我|我来|我自己"
)
_THIS = re.compile(  # what an order is about, where it is one thing at hand
    r"^(?:[\w-]+[\s,]+){0,3}?(?:it|this|that|these|those|them|the \w+|here|there)\b"
    r"|^(?:\w+ )?no [\w-]+(?<!s)(?: please)?$|[这那此该它]"
)
EXPLICIT = frozenset({Sign.REQUEST, Sign.DURABLE, Sign.HABIT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the message around a sentence tells about it."""

    tasked: bool = False  # it orders a piece of work, whose requirements its sentences may be
    announced: bool = False  # it said before that something to remember follows
    corrects: bool = False  # it objects to what the assistant has just reported
    answers: bool = False  # it answers a question of the assistant's
    reacts: bool = False  # it comes after what the assistant has reported, in words that it has in common with it


def points(block: Sequence[Sentence], setting: Setting | None = None) -> int:
    """How much speaks for a lasting rule; 0 where no sentence directs the agent."""
    setting = setting or Setting()
    if any(objections.specifies(s, cues(s)) for s in block) and not any(own(s) & EXPLICIT for s in block):
        return 0
    least = CERTAIN if setting.announced and not any(map(barred, block)) else 0
    near = around(block)
    return max(least, *(_value(signs(sentence, near, setting)) for sentence in block))


def _value(found: frozenset[Sign]) -> int:
    """The sum of points; a prohibition says little unless it has a reason, or is about what the agent makes."""
    if not found & {Sign.CRAFT, Sign.STANDING, Sign.EXPERIENCE}:
        found -= {Sign.FORBIDS}
    if not found & _REASONS:
        found -= {Sign.BOUND}
    if Sign.CORRECTED not in found:
        found -= {Sign.SOCIAL}
    if not found & {Sign.CORRECTED, Sign.LASTING}:
        found -= {Sign.BETWEEN_US}
    if Sign.CORRECTED not in found or Sign.BOUND in found:
        found -= {Sign.KIND}
    return max(0, sum(POINTS[sign] for sign in found))


def signs(sentence: Sentence, near: frozenset[Sign], setting: Setting) -> frozenset[Sign]:
    """What speaks for and against one sentence's being a rule; nothing where it is none."""
    if barred(sentence):
        return frozenset()
    found = own(sentence) | near
    if setting.corrects and (found & _REASONS or (sentence.chinese and Sign.KIND in found)) and not _of_this(sentence):
        found |= {Sign.CORRECTED}
    if setting.reacts and found & _REASONS and _is_norm(sentence):
        found |= {Sign.CORRECTED}
    if found - {Sign.KIND} in _WEAK and (sentence.chinese or not _BETWEEN_US.search(sentence.cue)):
        found = frozenset({Sign.LASTING})
    if Sign.BOUND in found and not found & {Sign.CRAFT, Sign.CORRECTED} and _MODAL.search(sentence.cue):
        found -= {Sign.EXPERIENCE}  # what a product must do, and why
    return found | _against(sentence, found, setting) if _is_rule(sentence, found) else frozenset()


def _of_this(sentence: Sentence) -> bool:
    """Whether all that it orders is about one thing at hand: "don't cache it"."""
    rules = [c.strip() for c in sentence.clauses() if cues(sentence).work.directive.search(c.strip())]
    return bool(rules) and not sentence.chinese and all(map(_IT.search, rules))


def _is_norm(sentence: Sentence) -> bool:
    """Whether it tells what to do, and not about one thing at hand alone."""
    if sentence.chinese:
        return bool(own(sentence) & {Sign.FORBIDS, Sign.LASTING, Sign.UNIVERSAL, Sign.BOUND, Sign.KIND})
    if own(sentence) & {Sign.BOUND, Sign.UNIVERSAL, Sign.LASTING} or {Sign.KIND, Sign.CRAFT} <= own(sentence):
        return True
    rules = [c.strip() for c in sentence.clauses() if cues(sentence).work.directive.search(c.strip())]
    return any(len(rule.split()) >= _STATEMENT and not _THIS.search(rule) for rule in rules)


def barred(sentence: Sentence) -> bool:
    """Whether no rule is taken from it, whatever its words."""
    if vetoes.asks(sentence) or vetoes.reported(sentence) or vetoes.secret(sentence.text):
        return True
    against = (objections.of_a_program, objections.specifies, objections.of_mood)
    return any(speaks(sentence, cues(sentence)) for speaks in against)


def directs(sentence: Sentence) -> bool:
    """Whether some clause tells the agent what to do."""
    table = cues(sentence)
    if table.work.directive.search(sentence.cue):
        return True
    return any(table.work.directive.search(clause.strip()) for clause in sentence.clauses())


def _is_rule(sentence: Sentence, found: frozenset[Sign]) -> bool:
    table = cues(sentence)
    if found & {Sign.HABIT, Sign.PREFERENCE, Sign.WANTS}:
        return True
    if Sign.BOUND in own(sentence) and found & _REASONS:
        return True
    if Sign.CORRECTED in found and Sign.KIND in own(sentence):
        return True
    if directs(sentence):
        return _is_lasting_order(sentence, found)
    if Sign.REQUEST in found:
        return len(sentence.cue) > ANNOUNCEMENT or sentence.chinese or objections.states(sentence)
    return Sign.DURABLE in own(sentence) and table.vetoes.requirement.search(sentence.cue) is None


def _is_lasting_order(sentence: Sentence, found: frozenset[Sign]) -> bool:
    """Whether an order outlives the task: by its words, or because of what it objects to and why."""
    if found & {Sign.DURABLE, Sign.REQUEST} or own(sentence) & {Sign.LASTING, Sign.UNIVERSAL, Sign.FORBIDS}:
        return True
    grounds = [{Sign.CORRECTED, Sign.STANDING}, {Sign.BOUND if sentence.chinese else Sign.CRAFT, Sign.STANDING}]
    if sentence.chinese:
        grounds.append({Sign.REPEATED, Sign.EXPERIENCE})
    return any(ground <= found for ground in grounds)


def own(sentence: Sentence) -> frozenset[Sign]:
    """What the sentence itself has of a lasting rule."""
    table = cues(sentence)
    found = {
        Sign.REQUEST: table.work.request.search(sentence.cue),
        Sign.DURABLE: table.work.durable.search(sentence.cue),
        Sign.HABIT: table.work.habit.search(sentence.cue),
        Sign.PREFERENCE: table.work.preference.search(sentence.cue),
        Sign.WANTS: table.work.wants.search(sentence.cue),
        Sign.LASTING: directs(sentence) and table.work.lasting.search(sentence.cue),
        Sign.TWICE: directs(sentence) and len(set(table.work.lasting.findall(sentence.cue))) > 1,
        Sign.UNIVERSAL: _of_all(sentence, table),
        Sign.FORBIDS: any(table.work.forbids.search(clause.strip()) for clause in sentence.clauses()),
        Sign.KIND: any(table.work.norm.search(clause.strip()) for clause in sentence.clauses()),
        Sign.BOUND: any(table.work.bound.search(part.strip()) for part in (sentence.cue, *sentence.clauses())),
        Sign.CRAFT: table.work.craft.search(sentence.cue),
        Sign.REPEATED: table.work.repeated.search(sentence.cue),
        Sign.BETWEEN_US: directs(sentence) and _TO_ME.search(sentence.cue),
        Sign.ASIDE: table.work.aside.search(sentence.cue),
    }
    if sentence.chinese and found[Sign.BOUND]:
        found[Sign.CRAFT] = found[Sign.STANDING] = found[Sign.BOUND]  # of what is made in every task, with a reason
    return frozenset(sign for sign, hit in found.items() if hit)


def _of_all(sentence: Sentence, table: Cues) -> bool:
    """Whether an order speaks of all of a kind; in English not in a clause that tells how something is."""
    if not directs(sentence) or table.work.sweep.search(sentence.cue):
        return False
    clauses = sentence.clauses() if not sentence.chinese else (sentence.cue,)
    return any(table.work.universal.search(c) and not _IS_SO.match(c.strip()) for c in clauses)


def around(block: Sequence[Sentence]) -> frozenset[Sign]:
    """What the neighbours add: a request, a word about lasting, a standing reason."""
    found: set[Sign] = set()
    for sentence in block:
        if barred(sentence):
            continue
        table = cues(sentence)
        found |= own(sentence) & {Sign.REQUEST, Sign.DURABLE, Sign.REPEATED}
        if _reasoned(sentence) or circumstances.told(sentence):
            found.add(Sign.STANDING)
            found |= {Sign.SOCIAL} if circumstances.of_people(sentence.text) else set()
        if table.choices.experience.search(sentence.cue):
            found |= {Sign.STANDING, Sign.EXPERIENCE}
    return frozenset(found)


def _reasoned(sentence: Sentence) -> bool:
    """Whether a clause beside the rule itself gives a lasting circumstance as the reason."""
    table = cues(sentence)
    beside = [c for c in sentence.clauses() if not _orders(c.strip(), table) and not table.vetoes.one_off.search(c)]
    if table.choices.reason.search(sentence.cue):
        return not table.vetoes.one_off.search(sentence.cue)
    return any(table.choices.standing.search(clause) for clause in beside)


def _orders(clause: str, table: Cues) -> bool:
    """Whether a clause is the rule and not its reason; almost any Chinese clause could open with an order."""
    rules = [table.work.forbids, table.work.lasting, table.work.durable]
    if table is not CHINESE:
        rules.append(table.work.directive)
    return any(pattern.search(clause) for pattern in rules) and not clause.startswith("i ")


def _against(sentence: Sentence, found: frozenset[Sign], setting: Setting) -> frozenset[Sign]:
    table, explicit = cues(sentence), bool(found & EXPLICIT)
    against = {
        Sign.REQUIREMENT: (objections.required(sentence, table) and not {Sign.DURABLE, Sign.SOCIAL} <= found)
        or (not explicit and table.plans.owner.match(sentence.cue) is not None)
        or (not explicit and setting.tasked),
        Sign.ANSWER: setting.answers and not explicit and not found & {*_REASONS, Sign.TWICE},
        Sign.ONE_OFF: objections.one_off(sentence, table),
    }
    return frozenset(sign for sign, hit in against.items() if hit)
