"""The same fact again updates, it does not multiply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from memd.agent.offline import words
from memd.agent.offline.cues.languages import CHINESE
from memd.agent.offline.model import CERTAIN, Candidate
from memd.memory import sameness
from memd.memory.topic import TopicType

SAME = 0.5  # share of content words from which on two rules are one
ALIKE = 92  # rapidfuzz score, 0 to 100, from which on two texts say the same
_ELLIPTIC = 4  # content words, at most, of "sorry, the 12th"
_SIGNS = re.compile(r"\d+|\b(?:not?|dont|never|stop|without|no longer|avoid)\b|不|别|没|勿|禁")


def fold(found: Sequence[Candidate]) -> list[Candidate]:
    """One candidate an idea, the latest wording first; what was only hinted at twice becomes certain."""
    kept: list[Candidate] = []
    for candidate in found:
        earlier = next((c for c in reversed(kept) if same(c, candidate)), None)
        if earlier is None:
            kept.append(candidate)
        else:
            kept[kept.index(earlier)] = _renewed(earlier, candidate)
    return kept


def same(earlier: Candidate, later: Candidate) -> bool:
    """Whether both are about one thing."""
    if earlier.kind is not later.kind:
        return False
    if later.kind is TopicType.USER:
        return True  # who somebody is, is one thing
    if _beside(earlier, later):
        return False
    left, right = words.content(earlier.words), words.content(later.words)
    if (words.overlap(left, right) >= SAME and len(left & right) > 1) or fuzz.ratio(
        earlier.words, later.words
    ) >= ALIKE:
        return True
    if later.kind is TopicType.PROJECT:
        return later.corrects and (bool(left & right) or len(right) <= _ELLIPTIC or _one_event(earlier, later))
    if later.kind is TopicType.FEEDBACK and later.overrides and later.message != earlier.message:
        return True
    return later.kind is TopicType.FEEDBACK and bool(left & right) and (later.repeats or _reminds(later, left & right))


def _beside(earlier: Candidate, later: Candidate) -> bool:
    """Whether two rules with much the same words both hold: `make lint` and `make test` before a commit."""
    says_otherwise = later.corrects or later.repeats or later.overrides
    is_rule = later.kind is TopicType.FEEDBACK and not says_otherwise
    return is_rule and sameness.is_beside(" ".join(earlier.rule), " ".join(later.rule))


def _reminds(later: Candidate, common: frozenset[str]) -> bool:
    """Whether it asks to remember what it has two words in common with."""
    asked = any(CHINESE.work.request.search(words.fold(text)) for text in later.rule)
    return later.chinese and asked and len(common) > 1


def _one_event(earlier: Candidate, later: Candidate) -> bool:
    """Whether both name the same kind of event, be it in characters too common to compare by: 上线."""
    found = [set(CHINESE.plans.event.findall("\n".join(c.rule))) for c in (earlier, later)]
    return later.chinese and bool(found[0] & found[1])


def _renewed(earlier: Candidate, later: Candidate) -> Candidate:
    """The later wording; the earlier reason stays where the later gives none and both say the same."""
    if later.kind is TopicType.USER:
        return replace(earlier, rule=(*earlier.rule, *later.rule))
    if later.kind is TopicType.PROJECT:
        return replace(later, subject=earlier)
    return replace(
        later,
        context=() if later.corrects else _adding(earlier, later),
        unmistakable=later.unmistakable or (earlier.unmistakable and not later.corrects),
        points=max(earlier.points, later.points, CERTAIN if earlier.message != later.message else 0),
        reason=later.reason or (None if later.corrects else earlier.reason),
    )


def _adding(earlier: Candidate, later: Candidate) -> tuple[str, ...]:
    """The earlier words, where they say more than the later ones."""
    new = words.content("\n".join(earlier.rule)) - words.content(later.words)
    return (*earlier.context, *earlier.rule) if new and earlier.certain else later.context


def signs(text: str) -> frozenset[str]:
    """Numbers and negations: what must agree before two texts may merge."""
    return frozenset(_SIGNS.findall(words.fold(text).replace("'", "")))
