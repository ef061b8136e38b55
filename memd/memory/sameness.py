"""Whether two statements are one fact: said again, said with more words, or said differently.

Texts that differ in polarity, number or identifier never merge. The later one supersedes the earlier where it denies
it, gives another number or date, or says that something changed; two that merely name different things (`make lint`,
`make test`) both hold.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from rapidfuzz import fuzz

from memd.memory import words
from memd.memory.quotes import folded

_FEWEST = 2  # content words that opposite clauses have in common, at least
_SHARE = 0.6  # of the longer statement's content words stand in both
_ALIKE = 75  # rapidfuzz's ratio, 0 to 100, of what is left when the signs are taken out
_NEGATION = re.compile(
    r"\b(?:not|no|never|don'?t|doesn'?t|stop|without|avoid|cannot|can'?t|won'?t|mustn'?t|shouldn'?t|isn'?t|aren'?t)\b"
    r"|不要|不再|不能|不准|不得|不用|禁止|切勿|不|别|没有|没|勿"
)
_NEGATED = re.compile(rf"(?:{_NEGATION.pattern})([^,;.，；。!！]*(?:\.\d+)*)")
_NOT_WITHOUT = re.compile(  # "never commit without running the linter first": run the linter before you commit
    r"\b(?:never|do not|don'?t|no)(?: ever)? (?P<what>[^,;.:!?]+?)"
    r" without (?P<first>[^,;.:!?]+?)(?: first)?(?=[,;.:!?]|$)"
)
_SYNONYMS = ((re.compile(r"\bexecut(?:e|es|ing)\b"), "run"), (re.compile(r"\bprior to\b"), "before"))
# "one" is vague
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b")
_CHINESE_COUNTS = "零一两三四五六七八九"
_CHINESE_COUNT = re.compile(
    r"(?<![一二两三四五六七八九十百第周期拜])[一两三四五六七八九](?=[个次位天周年条份名小分秒])"
)
_ORDER = re.compile(r"\b(?:before|first)\b")
_QUOTED = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"\b(?:always|do|please|must|should)\b|总是|一律|始终|必须|先")
_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_DAY = re.compile(
    r"\b(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?"
    r"|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]"
)
_IDENTIFIER = re.compile(r"`[^`]+`|[a-z][a-z0-9+.-]*://\S+|[\w@~-]*(?:[_@/\\]|\w\.(?=\w)|\d)[\w@./~-]*", re.ASCII)
_PLAIN_NUMBER = re.compile(r"(?<![\w@/~.:-])\d+(?:[.:/-]\d+)*(?![\w@/~-])", re.ASCII)
_VALUE = re.compile(  # "the staging host is X": a thing that has one such value at a time
    r"\A(?P<subject>(?:the|our|my) [^,;:]*?\b(?:is|are)|[^，；：]*是)\s*"
    rf"(?P<value>{_IDENTIFIER.pattern})[.。!！]?\Z",
    re.ASCII,
)
_CORRECTION = re.compile(
    r"\b(?:instead|rather than|no longer|any ?more|(?<!from )now(?! on\b)|actually|correction|was wrong"
    r"|replac(?:es?|ed|ing)|supersed(?:es?|ed)|used to|formerly|previously|not \S+ but"
    r"|(?:switch|chang|mov|renam|migrat)\w* (?:\S+ ){0,4}?(?:to|over))\b"
    r"|改[用为成到叫跑走从]|换成|换用|换到|更正|代替|取代|替换|而不是|不再|如今|(?<!从)现在(?!开始|起)|其实|原来|之前说"
    r"|搬到|迁到|迁移到"
)
_GONE = re.compile(  # what no longer holds, said in so many words; apostrophes may be lacking
    r"(?:\b(?:not|nothing|nobody|none|no)|n'?t)\s+(?:\w+\s+)?(?:in|on|at|with|use|using|have|for)?\s*"
    r"(?P<a>[^,;.]{1,40}?)\s+any ?more\b"
    r"|\bno longer\s+(?:in|on|at|with|use|using|have|need|for)?\s*(?P<b>[^,;.]{1,40})"
    r"|\b(?:mov|migrat|switch|chang)(?:ed|ing|es?)\s+(?:away\s+|over\s+)?from\s+(?P<c>[^,;.]{1,40}?)\s+(?:over\s+)?to\b"
    r"|\bnow\b[^;.]*,\s*(?:and )?not\s+(?:in|on|at|with)?\s*(?P<d>[^,;.]{1,40})"
    r"|不(?:再|在|用)(?:用|使用|在|放)?\s*(?P<e>[^,，;；。]{1,16}?)\s*(?:里|上|那边)?了"
    r"|从\s*(?P<f>[^,，;；。]{1,16}?)\s*(?:换|迁|搬|改|挪|切)(?:到|成|用|去)"
)
_LASTING = re.compile(
    r"以后|今后|从今|了(?=\s*(?:[,，;；。.!！]|$))|\b(?:from now on|going forward|correction|update)\b:?"
)
_PARTS = re.compile(r"[,，;；。！!？?\n]+|[.:](?:\s|$)|：")
_once = lru_cache(maxsize=8192)  # a night compares each text with many others
content = _once(words.content_words)
_ENDS = " .。!！"
_QUOTATION = str.maketrans("’‘", "''")


class Sameness(StrEnum):
    """What a later statement is to an earlier one."""

    OTHER = "other"  # about something else
    SAID = "said"  # nothing new
    FULLER = "fuller"  # the same, with other or more words
    DIFFERENT = "different"  # of the same thing something else: the earlier no longer holds


def compare(earlier: str, later: str) -> Sameness:
    """Judge a later statement against an earlier one. Both are a sentence or a few."""
    old, new = _both(earlier, later)
    if old.strip(_ENDS) == new.strip(_ENDS):
        return Sameness.SAID
    if not _about_the_same(old, new):
        return Sameness.OTHER
    if _signs(old) != _signs(new) or _swapped(old, new):
        return Sameness.OTHER if _name_different_things(old, new) else Sameness.DIFFERENT
    return Sameness.SAID if content(new) <= content(old) else Sameness.FULLER


def takes_back(earlier: str, later: str) -> bool:
    """Whether the later statement says, somewhere in it, that what the earlier one says no longer holds.

    Either one of its clauses is the opposite of one of the earlier's, or it says what is no more, and the earlier names
    that together with something else that both name.
    """
    old, new = _plain(earlier), _plain(later)
    if any(_is_opposite(before, now) for before in _clauses(old) for now in _clauses(new)):
        return True
    standing = content(old) - _denied(old)
    return any(thing <= standing and content(new) & content(old) - thing for thing in _gone(new))


def says_what_is_over(text: str) -> bool:
    """Whether a text says that something is no more: "we are not in Linear any more", 不用禅道了."""
    return bool(_gone(_plain(text)))


def _is_opposite(before: str, now: str) -> bool:
    """Whether two clauses, signs aside, say the same, and one of them denies it."""
    left, right = content(_bare(before)), content(_bare(now))
    if _negations(before) % 2 == _negations(now) % 2 or (left - right and right - left):
        return False
    common = len(left & right)
    return common >= _FEWEST and common >= _SHARE * max(len(left), len(right)) and _names(before) == _names(now)


@_once
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _PARTS.split(_LASTING.sub(" ", text)) if part.strip())


@_once
def _gone(text: str) -> tuple[frozenset[str], ...]:
    """The content words of what a text says is no more."""
    things = (next(filter(None, found.groups()), "") for found in _GONE.finditer(text))
    return tuple(words_of for thing in things if (words_of := content(thing)))


def key(text: str) -> str:
    """What is equal for two statements that differ in nothing that matters."""
    return _plain(text).strip(_ENDS)


def is_beside(earlier: str, later: str) -> bool:
    """Whether two statements with much the same words name different things, and nothing says that one has changed."""
    return _name_different_things(*_both(earlier, later))


def _name_different_things(old: str, new: str) -> bool:
    if _names(old) == _names(new) or _corrects(new):
        return False
    if _negations(old) != _negations(new) or _swapped(old, new) or _amounts(old) != _amounts(new):
        return False
    return not _is_new_value(old, new)


def _is_new_value(old: str, new: str) -> bool:
    """Whether both say what one and the same thing is."""
    before, now = _VALUE.match(old), _VALUE.match(new)
    return bool(before and now and before["subject"].split() == now["subject"].split())


def bare(text: str) -> frozenset[str]:
    """The content words that two statements have to share, signs aside, to be about the same."""
    return content(_bare(_plain(text)))


@_once
def _plain(text: str) -> str:
    return folded(text).translate(_QUOTATION).casefold()


def _both(earlier: str, later: str) -> tuple[str, str]:
    """Both as they are compared: two ways to say one thing are made one."""
    old, new = _said(earlier), _said(later)
    if "`" in old or "`" in new:
        old, new = _unquoted(old, new), _unquoted(new, old)
    if _forbids(old) != _forbids(new):
        return _in_order(old, new), _in_order(new, old)
    return old, new


@_once
def _said(text: str) -> str:
    text = _plain(text)
    for pattern, word in _SYNONYMS:
        text = pattern.sub(word, text)
    text = _COUNT.sub(lambda found: str(_COUNTS.index(found[0]) + 2), text)
    return _CHINESE_COUNT.sub(lambda found: str(_CHINESE_COUNTS.index(found[0])), text)


def _unquoted(text: str, other: str) -> str:
    """What one of them quotes and the other says without quotes alone is no name in either."""
    for name in _quoted(text):
        if name in other and f"`{name}`" not in other and re.search(rf"(?<![\w`]){re.escape(name)}(?![\w`])", other):
            text = text.replace(f"`{name}`", name)
    return text


@_once
def _quoted(text: str) -> tuple[str, ...]:
    return tuple(_QUOTED.findall(text))


@_once
def _forbids(text: str) -> bool:
    return _NOT_WITHOUT.search(text) is not None


@_once
def _orders(text: str) -> bool:
    return _ORDER.search(text) is not None and not _negations(text)


def _in_order(text: str, other: str) -> str:
    """What may not be done without something needs that first, if the other one says what comes before what."""
    return _NOT_WITHOUT.sub(r"\g<first> before \g<what>", text) if _orders(other) else text


@_once
def _signs(text: str) -> tuple[int, frozenset[str]]:
    """Polarity (how many negations), and what names or counts something."""
    exact = {found.strip("`.") for pattern in (_NUMBER, _DAY, _IDENTIFIER) for found in pattern.findall(text)}
    return _negations(text), frozenset(exact)


@_once
def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))


@_once
def _amounts(text: str) -> frozenset[str]:
    """Numbers, dates and days that stand by themselves, not as a part of a name."""
    return frozenset(found for pattern in (_PLAIN_NUMBER, _DAY) for found in pattern.findall(text))


@_once
def _names(text: str) -> frozenset[str]:
    return frozenset(found.strip("`.") for found in _IDENTIFIER.findall(text)) - _amounts(text)


def _swapped(old: str, new: str) -> bool:
    """Whether one affirms what the other denies: "use tabs, not spaces" and "use spaces, not tabs"."""
    denied_before, denied_now = _denied(old), _denied(new)
    return bool(denied_now & (_things(old) - denied_before) or denied_before & (_things(new) - denied_now))


@_once
def _denied(text: str) -> frozenset[str]:
    """What stands behind a negation, up to the end of its clause."""
    return frozenset(thing for found in _NEGATED.findall(text) for thing in _things(found))


@_once
def _things(text: str) -> frozenset[str]:
    return content(text) | set(_NUMBER.findall(text))


@_once
def _corrects(text: str) -> bool:
    return _CORRECTION.search(text) is not None


@_once
def _bare(text: str) -> str:
    """A statement without its signs."""
    for pattern in (_IDENTIFIER, _NUMBER, _DAY, _NEGATION, _EMPHASIS):
        text = pattern.sub(" ", text)
    return " ".join(text.split())


def _about_the_same(old: str, new: str) -> bool:
    """Whether, signs aside, neither says a word that the other lacks, or one just says more."""
    first, second = _bare(old), _bare(new)
    left, right = content(first), content(second)
    if not left or not right or (left - right and right - left):
        return False
    return len(left & right) >= _SHARE * max(len(left), len(right)) and fuzz.token_sort_ratio(first, second) >= _ALIKE
