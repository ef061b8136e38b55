"""What speaks against a rule: it is about the code at hand, about this once, or about what a program does."""

from __future__ import annotations

import re

from memd.agent.offline.cues.chinese_work import MAKING
from memd.agent.offline.cues.tables import Cues
from memd.agent.offline.model import Sentence

_SPEAKER = ("i ", "im ", "ive ", "my ")
_STATEMENT = 3  # words, at least
_THAT = re.compile(
    r"(?:^|[,.:] ?|\bplease )(?:remember|keep in mind|note|bear in mind) that\b"
)  # no program is told so
_STATES = re.compile(r"^(?:please |and |also )*remember that (?!.*\b(?:can|could|may|might)\b)")


def states(sentence: Sentence) -> bool:
    """Whether it says outright what is to be remembered, and not what can happen: "remember that it can be empty"."""
    return _STATES.search(sentence.cue) is not None


def dictated(sentence: Sentence, table: Cues) -> bool:
    """Whether it is said to be kept: "remember that ...", "for your notes: ..."."""
    head, _, kept = sentence.cue.partition(":")
    return _THAT.search(sentence.cue) is not None or bool(kept.strip() and table.work.request.search(head))


def required(sentence: Sentence, table: Cues) -> bool:
    """Whether it speaks of the code at hand, and no other clause is explicit about the agent's work."""
    if dictated(sentence, table):
        return False
    code = [c for c in sentence.clauses() if table.vetoes.requirement.search(c) and not MAKING.search(c)]
    code = [c for c in code if not _of_the_work(c.strip(), table)]
    explicit = [table.work.durable, table.work.request, *([table.work.habit] if sentence.chinese else [])]
    work = [c for c in sentence.clauses() if any(pattern.search(c) for pattern in explicit)]
    return bool(code) and not (set(work) - set(code))


def _of_the_work(clause: str, table: Cues) -> bool:
    """Whether it speaks of tests, commits and the like, or of the speaker, and so not of what a program must do."""
    bound = table.work.bound.search(clause)
    return clause.startswith(_SPEAKER) or bool(bound and table.work.craft.search(bound[0].removeprefix("the ")))


def one_off(sentence: Sentence, table: Cues) -> bool:
    """A one-off word counts unless another clause is explicit about lasting."""
    if sentence.chinese and not table.vetoes.one_off.search(sentence.cue):
        return False  # "first this, then that" orders the answer: a clause of it alone misleads
    once = [clause for clause in sentence.clauses() if table.vetoes.one_off.search(clause)]
    lasting = [c for c in sentence.clauses() if table.work.durable.search(c)]
    return bool(once) and not (set(lasting) - set(once))


def specifies(sentence: Sentence, table: Cues) -> bool:
    """Whether it begins to describe a thing to be made: "the export screen: ..."; what it always does is no rule."""
    head, _, _ = sentence.cue.partition(":")
    explicit = table.work.request.search(head) or table.work.durable.search(head)
    return table.vetoes.specifies.match(sentence.cue) is not None and not explicit


def of_mood(sentence: Sentence, table: Cues) -> bool:
    """Whether it speaks of how people feel, and no other clause tells what to do."""
    calm = [c.strip() for c in sentence.clauses() if not table.vetoes.mood.search(c)]
    rules = (table.work.forbids, table.work.durable, table.work.lasting, table.work.request, table.work.directive)
    moody = table.vetoes.mood.search(sentence.cue)
    return bool(moody) and not any(pattern.search(clause) for pattern in rules for clause in calm)


def of_a_program(sentence: Sentence, table: Cues) -> bool:
    """Whether all that lasts is how some program behaves "from now on"."""
    if table.work.durable.search(table.work.onwards.sub(" ", sentence.cue)):
        return False
    marked = [clause for clause in sentence.clauses() if table.work.onwards.search(clause)]
    bare = all(len(_unmarked(clause, table).split()) < _STATEMENT for clause in marked)  # "..., no exceptions"
    said = [_unmarked(c, table) for c in (sentence.clauses() if bare else marked)]
    if not marked or any(table.work.directive.search(clause.strip()) for clause in said):
        return False
    return not any(table.work.between_us.search(clause) for clause in said)


def _unmarked(clause: str, table: Cues) -> str:
    return table.work.onwards.sub(" ", clause)
