"""Orders that nobody would take for anything but a lasting rule for the agent, wherever they stand.

What is rare in labelled conversations the odds know little about; these are said in so many words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memd.agent.offline import vetoes, words, work
from memd.agent.offline.cues import plain
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues

_OUTRIGHT = frozenset({work.Sign.DURABLE, work.Sign.HABIT, work.Sign.PREFERENCE})
_WORDS = 4  # at least
_WORDS_CHINESE = 3  # pairs of characters
_LISTED = 2  # lines of a list that somebody pasted


def told(block: Iterable[Sentence], said: Said) -> bool:
    """Whether one of a message's sentences says, by itself and outright, how the agent is to work from now on."""
    return not _in_a_text(said) and any(map(_orders, block))


def _orders(own: Sentence) -> bool:
    if work.barred(own) or _is_cited(own.text) or _too_short(own):
        return False
    return _lasts(own) and _is_about_work(own) and not _passes(own) and not any(map(_is_others, _telling(own)))


def _is_cited(text: str) -> bool:
    """Whether it is an item of a list, or said to be somebody's words."""
    return plain.LISTED.match(text) is not None or plain.SPOKEN.match(text) is not None


def _too_short(own: Sentence) -> bool:
    return words.length(own.text, chinese=own.chinese) < (_WORDS_CHINESE if own.chinese else _WORDS)


def _lasts(own: Sentence) -> bool:
    """Whether it says that it holds from now on, or that it always does, as an order."""
    always = plain.LASTING_CHINESE if own.chinese else plain.LASTING_ENGLISH
    return bool(work.own(own) & _OUTRIGHT) or (work.directs(own) and always.search(own.cue) is not None)


def _is_about_work(own: Sentence) -> bool:
    """Whether it is about what agents do and make in every task, or about which tool they use."""
    patterns = (plain.WORK_CHINESE, plain.CHOSEN_CHINESE) if own.chinese else (plain.WORK_ENGLISH, plain.CHOSEN_ENGLISH)
    return any(pattern.search(own.cue) for pattern in patterns)


def _passes(own: Sentence) -> bool:
    """Whether anything suggests that it holds for now, or that the speaker is not sure."""
    now = plain.NOW_CHINESE if own.chinese else plain.NOW_ENGLISH
    return now.search(own.cue) is not None or unsure(own)


def unsure(own: Sentence) -> bool:
    """Whether the speaker is not sure: "maybe", 也许."""
    return (plain.UNSURE_CHINESE if own.chinese else plain.UNSURE_ENGLISH).search(own.cue) is not None


def _telling(own: Sentence) -> list[Sentence]:
    """Its clauses up to the last that is about the agent's work; what follows is the reason."""
    clauses = [replace(own, cue=clause.strip()) for clause in own.clauses()]
    last = max((place for place, clause in enumerate(clauses) if _is_about_work(clause)), default=-1)
    return clauses[: last + 1]


def _is_others(clause: Sentence) -> bool:
    """Whether a clause only points at what it means, or tells of others, or of what a program does."""
    english, chinese = (plain.POINTING_ENGLISH, plain.OTHERS_ENGLISH), (plain.POINTING_CHINESE, plain.OTHERS_CHINESE)
    if any(pattern.search(clause.cue) for pattern in (chinese if clause.chinese else english)):
        return True
    own = plain.OWN_CHINESE if clause.chinese else plain.OWN_ENGLISH
    return not own.search(clause.cue) and _of_code(clause)


def _of_code(clause: Sentence) -> bool:
    there = clause.cue.removesuffix(" here")  # "always use pnpm here"
    return cues(clause).vetoes.requirement.search(there) is not None


def _in_a_text(said: Said) -> bool:
    """Whether the message, or what it answers a question about, speaks of a text or program that it may belong to."""
    asked = bool(said.before) and said.before[-1].rstrip().endswith(("?", "？"))
    near = (*said.sentences, *(said.earlier if asked else ()))
    if any(plain.TEXTS.search(s.cue) or plain.BUILDS.search(s.cue) or vetoes.for_others(s) for s in near):
        return True
    return sum(plain.LISTED.match(s.text) is not None for s in said) >= _LISTED
