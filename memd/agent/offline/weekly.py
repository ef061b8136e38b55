"""Weekdays that stand in a rule and come again every week: "no releases on Friday", 周五不要发布.

In news a weekday is one day ("on Friday we ship 2.0"); in a rule that lasts, or that forbids something for no occasion
that it names, it is every such day. A date there would be wrong, and worse than none.
"""

from __future__ import annotations

import re

from memd.agent.offline.cues.chinese_variants import simplified
from memd.agent.offline.words import has_chinese

_WEEKDAY = r"(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|mon|tues?|wed|thurs?|thu|fri|sat|sun)"
_DAY_CHINESE = r"(?:周|星期|礼拜)[一二三四五六日天]"
_ONE_DAY = re.compile(  # words beside a weekday that make it a single one
    r"\b(?:next|this(?: coming)?|coming|last|until|till|since|started|joined|of next week|next week(?:'?s)?,?"
    r"(?: on)?)\s+$",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r"\b(?:by|before|after|from|due(?: on| by)?)\s+$", re.IGNORECASE)
_AFTER_ONE_DAY = re.compile(r"\s*,?\s+(?:of )?(?:next week|this week|the \d|\d)", re.IGNORECASE)
_BOUNDARY_CHINESE = re.compile(r"(?:[上下]午|晚上?|下班|\d+点|\s)*(?:之前|以前|前|为止|截止|起|开始)")
_SENTENCE = re.compile(r"[!?。！？\n]|\.(?=\s|$)|[;；]")
_CLAUSE = re.compile(r"[,，:：()（）]|\s[–—-]+\s|\b(?:but|because|since|so)\b", re.IGNORECASE)

_LASTS = re.compile(  # of the whole sentence
    r"\b(?:from (?:now|here|today) on|going forward|in (?:the )?future|as a rule|every (?:single )?week)\b"
    r"|(?:今|往|(?<![一二三四五六日天\d号])以)后(?![端台面])|从今|永远|每(?:周|次|逢|个?星期)|凡是",
    re.IGNORECASE,
)
_ALWAYS = re.compile(r"\b(?:never|always)\b|总是?|每", re.IGNORECASE)
_RULES = re.compile(  # of the weekday's own clause
    r"\b(?:never|always|ever)\b|\bonly\b(?!\s+(?:a|one|got|have|had))"
    r"|\b(?:releases|deploy(?:ment)?s|merges|stand-?ups|retros|backups|reports)\s+(?:are|go|happen|run|land|take place)"
    r"\b"
    r"|总是|一律|固定|从不|绝不|千万(?!级)|只(?:能|准|许|在|有)(?![^,，。]*了\s*$)",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:don'?t|don’t|do not|avoid|not to)\b"
    r"|\b(?:nobody|no one) (?:merges|deploys|pushes|releases|ships)\b"
    r"|\bno\s+(?!longer\b|later\b|more\b)(?:[\w-]+\s+){0,2}?(?:[\w-]+s|merging|pushing|deploying|releasing|shipping"
    r"|(?:deploy|release|merge|push|migration|rollout|maintenance)(?:ment)?)\b"
    r"|不要|不准|不许|不得|禁止|切勿|别|勿|不(?:能|可以?|发|上|部署|合并?|推|改)(?![^,，。]*了\s*$)",
    re.IGNORECASE,
)
_OCCASION = re.compile(
    r"\b(?:freez\w*|frozen|deadline|due|audit\w*|migrat\w+|launch\w*|cut-?over|holiday|maintenance window|outage|demo"
    r"|go-?live|switch\w*|mov(?:es?|ed|ing) (?:to|house|office)|conference|on leave|vacation|off sick|ships?\b(?! on)"
    r"|visit\w*|this week|today|tomorrow|yesterday|tonight|for now|for once|this time|[vV]?\d+\.\d+)\b"
    r"|封版|封网|冻结|截止|上线(?!前|时)|发版|割接|演示|评审|大促|放假|停机|迁移|搬家|请假|出差|验收|这周|本周|下周|今天|明天|这次|暂时|先别",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"{_DAY_CHINESE}\s*(?:到|至|-|~|—)\s*(?:{_DAY_CHINESE}|[一二三四五六日天])"
    rf"|\b{_WEEKDAY}\s*(?:to|through|thru|until|till|-|–)\s*{_WEEKDAY}\b",
    re.IGNORECASE,
)
_MAY = re.compile(r"才(?:能|可以?|准|许|允许)|能")


def recurs(text: str, start: int, end: int) -> bool:
    """Whether the weekday at a place in a text is every such day, as the sentence around it tells."""
    plain = simplified(text)
    first, last = _around(_SENTENCE, plain, start, end)
    sentence = plain[first:last]
    before = plain[first:start]
    ranged = any(first + found.start() <= start and end <= first + found.end() for found in _RANGE.finditer(sentence))
    if not ranged and (_ONE_DAY.search(before) or _AFTER_ONE_DAY.match(plain, end)):
        return False
    if _LASTS.search(sentence):
        return True
    if not ranged and (_BOUNDARY.search(before) or _BOUNDARY_CHINESE.match(plain, end)):
        return _ALWAYS.search(sentence) is not None
    opening, closing = _around(_CLAUSE, plain, start, end)
    clause = plain[max(first, opening) : min(last, closing)]
    if _RULES.search(clause) or (ranged and has_chinese(clause) and _MAY.search(clause)):
        return True
    return _FORBIDS.search(clause) is not None and not _OCCASION.search(sentence)


def _around(ends: re.Pattern[str], text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch around a place, between two of these marks."""
    before = [found.end() for found in ends.finditer(text) if found.end() <= start]
    after = (found.start() for found in ends.finditer(text) if found.start() >= end)
    return max(before, default=0), next(after, len(text))
