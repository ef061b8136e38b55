"""A sentence as it stands in a note: no address, no filler; the words that matter stay as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memd.agent.offline import fillers, words
from memd.memory.index_lines import shortened

_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"\s+(?=[,.;!?](?:\s|$))")
_FRAGMENT = re.compile(r"[.!]\s+(?=(?:not ever|ever|always|never|everywhere)\W*$)", re.IGNORECASE)
_SPEAKER = re.compile(r"(?P<kept>`[^`\n]*`|\"[^\"\n]*\")|(?<![\w.`'/-])i(?=(?:['’](?:m|ve|d|ll))?(?:[\s,]|$))")
_PLAIN_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?(?=[\s,.:;!?]|$)")
_VOWEL = re.compile(r"[aeiouy]")  # a word without one is a name: npm
_ABBREVIATED = 2  # letters of "ci", "qa", "ui"
_SHORT_WORDS = frozenset(
    """am an as at be by do go he if in is it me my no of on or so to up us we""".split()  # noqa: SIM905 - read more easily
)
_ENDED = re.compile(r"[.!?。！？…][\"”'’)）」]*$")
_ADDRESS = re.compile(r"(?:[/#@:\\]\S*|\w\.\w\S*)$", re.ASCII)  # what a full stop would become part of
_HARSH = re.compile(  # of what somebody does not know
    r"\b(?:(?:totally|completely|absolutely|really|pretty) )?(?:an? )?(?:clueless|hopeless|useless|rubbish"
    r"|terrible|awful|idiot"
    r"|dumb|stupid|moron) (?:about|at|with|in|when it comes to)\b",
    re.IGNORECASE,
)
_OPEN_END = " ,;:，；：、–—-"
_CLAUSE_END = re.compile(r"[,;:]\s|[.!?]\s|\s[–—-]+\s|[，；：。！？]")
_CLAUSE_AT_LEAST = 0.4  # of the room, before a cut between words is better


def tidy(text: str) -> str:
    """A sentence without filler, and empty where it is nothing else; how it begins and ends stays open."""
    chinese = words.has_chinese(text)
    bare = _unwrapped(_FRAGMENT.sub(", ", text.strip()))
    before = None
    while before != bare:
        before = bare
        bare = _without_lead(bare, chinese=chinese)
        bare = (fillers.TAILS_CHINESE if chinese else fillers.TAILS_ENGLISH).sub("", bare)
    bare = _HARSH.sub("not familiar with", bare)
    within = fillers.WITHIN_CHINESE if chinese else fillers.WITHIN_ENGLISH
    bare = within.sub(lambda found: found["kept"] or "", bare)
    bare = _SPEAKER.sub(lambda found: found["kept"] or "I", bare)
    return _BEFORE_MARK.sub("", _SPACES.sub(" ", bare)).strip(_OPEN_END)


def _unwrapped(text: str) -> str:
    """Without the parentheses around the whole of it."""
    return text[1:].rstrip(".").removesuffix(")") if text.startswith("(") and text.count("(") == 1 else text


def _without_lead(text: str, *, chinese: bool) -> str:
    text = fillers.without_announcement(text)
    for lead in fillers.LEADS_CHINESE if chinese else fillers.LEADS_ENGLISH:
        found = lead.match(text)
        if found:
            text = text[found.end() :].lstrip()
    return text


def capital(text: str) -> str:
    """With a capital, where it begins with a plain English word."""
    found = _PLAIN_WORD.match(text)
    if found is None or words.has_chinese(text) or not _VOWEL.search(found[0]):
        return text
    if len(found[0]) == _ABBREVIATED and found[0] not in _SHORT_WORDS:
        return text
    return text[:1].upper() + text[1:]


def whole(text: str) -> str:
    """A sentence with a capital, and with a mark at its end unless an address stands there."""
    text = capital(text)
    if not text or _ENDED.search(text) or _ADDRESS.search(text):
        return text
    return f"{text}。" if words.has_chinese(text) else f"{text}."


def joined(sentences: Iterable[str]) -> str:
    """Sentences as a paragraph."""
    text = ""
    for sentence in map(whole, sentences):
        glue = "" if not text or text.endswith(("。", "！", "？", "；")) else " "
        text = f"{text}{glue}{sentence}"
    return text


def cut(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters, cut at the end of a clause where one is near."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    ends = [found.start() for found in _CLAUSE_END.finditer(line) if found.start() <= limit]
    if ends and ends[-1] >= _CLAUSE_AT_LEAST * limit:
        return line[: ends[-1]]
    return shortened(line, limit)
