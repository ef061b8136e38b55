"""Whether two statements are one fact, more cautiously than where a person looks on: merged at night is gone."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from memd.memory import sameness
from memd.memory.quotes import folded
from memd.memory.sameness import Sameness

_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_SPELLING = 85  # rapidfuzz's ratio, 0 to 100, of two forms of one word
_SHARE = 0.6  # of the longer one's words stand in both
_ALIKE = 85  # rapidfuzz's ratio of two that share them
_once = lru_cache(maxsize=8192)
_LONG = 5  # characters: shorter words differ by a letter and mean something else


def judge(earlier: str, later: str) -> Sameness:
    """Judge a later statement against an earlier one.

    Of two that differ in numbers one supersedes the other only where a single number changed: "release 1.2 is on
    2026-03-01" and "release 1.3 is on 2026-04-01" both hold.
    """
    said = sameness.compare(earlier, later)
    if said is Sameness.DIFFERENT and not _one_number(earlier, later):
        return Sameness.OTHER
    if said is Sameness.OTHER and _same_signs(earlier, later):
        return _closely(earlier, later)
    return said


def _closely(earlier: str, later: str) -> Sameness:
    """The same of two that have the same numbers, names and denials: names count as words here."""
    old, new = sameness.content(earlier), sameness.content(later)
    if len(old & new) < _SHARE * max(len(old), len(new)) or fuzz.token_set_ratio(earlier, later) < _ALIKE:
        return Sameness.OTHER
    if new <= old:
        return Sameness.SAID
    if old <= new:
        return Sameness.FULLER
    return Sameness.SAID if are_spelled_otherwise(old, new) else Sameness.OTHER


def _one_number(earlier: str, later: str) -> bool:
    old, new = _numbers(earlier), _numbers(later)
    return len(old - new) <= 1 and len(new - old) <= 1


def are_spelled_otherwise(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether they differ in the forms of words alone: each that one lacks is a long word that looks like another."""
    only_old, only_new = sorted(old - new), sorted(new - old)
    if len(only_old) != len(only_new):
        return False
    return all(_are_forms(one, other) for one, other in zip(only_old, only_new, strict=True))


def _are_forms(one: str, other: str) -> bool:
    plain = all(word.isascii() and word.isalpha() and len(word) >= _LONG for word in (one, other))
    return plain and fuzz.ratio(one, other) >= _SPELLING


def _same_signs(earlier: str, later: str) -> bool:
    """Whether nothing but plain words differs: no number, no denial, no name."""
    return signs(earlier) == signs(later)


_DENIALS = re.compile(
    r"\b(?:not?|never|\w+n['’]t|stop|without|avoid|cannot|unless|except|only)\b|不|别|没|勿|禁|只|除非"
)
_NAMES = re.compile(r"`[^`]+`|\S*[_@/\\\d]\S*|\S+\.\w{2,}")


@_once
def signs(text: str) -> tuple[tuple[str, ...], ...]:
    """Denials, names and numbers of a statement: two that differ in one are not the same."""
    said = folded(text).casefold()
    return tuple(tuple(sorted(pattern.findall(said))) for pattern in (_DENIALS, _NAMES, _NUMBER))


@_once
def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(folded(text)))
