"""What a person asks to forget, in a conversation: "forget the make e2e rule", 把提交信息那条规则忘了."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memd.memory import words
from memd.memory.quotes import Heard, Speaker
from memd.memory.topic import Topic

_KIND = r"(?:rules?|memory|memories|notes?|conventions?|preferences?|reminders?|entry)"
_KIND_ZH = r"(?:规则|规矩|规定|约定|记忆|要求|偏好)"
_OPENS = (
    r"(?:(?:\A|[,;:.!?\n(–—-])\s*|\b(?:please|pls|and|so|now|ok|okay|just|then|you\ (?:can|may)|let'?s|we\ can)\s+)"
)
_ASKS = re.compile(
    rf"""{_OPENS}(?:forget|drop|delete|remove|scrap|ditch)\ (?:about\ )?
        (?:the|that|this|my|our)\ (?P<a>(?:(?!\ from\ )[^,;:.!?\n]){{2,60}}?)
        \ {_KIND}\b(?!\ (?:file|table|engine|in|from)\b)
    | {_OPENS}forget\ (?:what\ i\ (?:said|told\ you)\ |everything\ |the\ {_KIND}\ )about
        \ (?P<b>[^,;:.!?\n]{{2,60}})
    | {_OPENS}(?:remove|delete|drop|erase)
        \ (?P<c>[^,;:.!?\n]{{2,60}}?)(?:\ thing|\ stuff)?
        \ from\ (?:your\ )?(?:memory|notes)\b
    | 把(?:关于)?(?P<d>[^,，;；。!！?？\n]{{2,30}}?)(?:的|[这那][条个])*{_KIND_ZH}(?:给)?(?:忘|删|去)(?:了|掉)
    | (?:忘(?:了|掉|记)|删(?:了|掉))(?:关于)?(?P<e>[^,，;；。!！?？\n]{{2,30}}?)(?:的|[这那][条个])*{_KIND_ZH}
    | (?P<f>[^,，;；。!！?？\n]{{2,30}}?)(?:的|[这那][条个])+{_KIND_ZH}
        (?:就|可以)?(?:作废|不要了|删[了掉]|忘[了掉]|不用记)""",
    re.IGNORECASE | re.VERBOSE,
)


@lru_cache(maxsize=256)
def things(text: str) -> tuple[frozenset[str], ...]:
    """The content words of each thing that a text asks to forget by naming it."""
    named = (next(filter(None, found.groups()), "") for found in _ASKS.finditer(text))
    return tuple(content for thing in named if (content := words.content_words(thing)))


def to_forget(memory: Topic, window: Sequence[Heard]) -> bool:
    """Whether a person asked, in their own words, to forget what this memory is about."""
    said = words.content_words(f"{memory.name.replace('-', ' ')}\n{memory.description}\n{memory.body}")
    people = (heard.claimed for heard in window if heard.utterance.speaker == Speaker.HUMAN)
    return any(thing <= said for text in people for thing in things(text))
