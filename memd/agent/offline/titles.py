"""A short name for a memory, out of its own words: `lint-before-commit`; in Chinese a readable clause."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from memd.agent.offline import words
from memd.memory.index_lines import shortened

_MOST = 6  # content words
_LONGEST = 8  # words of any kind
_FEWEST = 2  # content words, before the next clause is taken too
_WIDTH_CHINESE = 24  # characters
_SHORT_CHINESE = 4  # characters of a clause that names nothing

_EMPTY = frozenset(
    """a an the this that these those it its is are was were be been being am i im ive id ill my mine me we our us you
    your youre he she they them his her their do does did has have had will would should could can may might just always
    please also very really quite so too then there theres here thats some which who whom whose what whats where how
    need needs needed want wants wanted get gets got let lets sure shall now already again still rather even thing
    things stuff way kind sort like bit lot""".split()  # noqa: SIM905 - read more easily than a list
)
_LINKS = frozenset(
    """before after in on for with without under over to from of by at into about against across around not no never
    instead than per when whenever while until unless if and or as vs only every all any each because since between
    through via during""".split()  # noqa: SIM905 - likewise
)
_TYING = _LINKS - frozenset(("not", "no", "never", "only", "every", "all", "any", "each"))
_MAY_OPEN = frozenset(
    (
        "before",
        "after",
        "in",
        "on",
        "for",
        "with",
        "without",
        "under",
        "not",
        "no",
        "never",
        "only",
        "every",
        "all",
        "any",
    )
)
_MAY_CLOSE = frozenset(("only",))
_DENIED = re.compile(r"\b(?:do not|don'?t)\b", re.IGNORECASE)
_NOT_THE_POINT = re.compile(
    r"\b(?:(?:ha[sd]|have|needs?|got|going|supposed) to(?: be)?|(?:this|that|such|any|the|what) (?:kind|sort) of)\b"
    r"|\b(?:from (?:now|here) on(?: out)?|going forward)\b,?|^\W*(?:correction|update)\s*:"
    r"|\bi(?:['’]?ve| have)? (?:already )?(?:told|asked) you(?: [\w ]{0,24}times?| already)? to(?= )"
    r"|^\W*\w+ (?:just )?(?:posted|said|says|told us|mentioned|confirmed)(?: that)?\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:when|whenever|if|before|after|any|every|each|for|while|once|in case|wherever)\b", re.IGNORECASE
)
_OCCASION = re.compile(r"(?:[^,;:]* )?(?:we|news|update|decided|settled|agreed|meeting)\b[^,;:]*:\s", re.IGNORECASE)
_OCCASION_CHINESE = re.compile(r".{0,8}(?:拍|定|谈|碰|开)(?:板|妥|完|好)?(?:了|过)板?")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_DENIED_USE = re.compile(r"\b(?:do not|don'?t|dont|never|stop|avoid) us(?:e|ing)\b", re.IGNORECASE)
_CLAUSES = re.compile(r"[,;:()]\s+|[.!?]\s+|\s[–—-]+\s|[，；：。！？（）…]|\s(?=(?:if|because|since|so)\s)")
_ADDRESS = re.compile(
    r"[a-z]+://\S+|[\w.-]*\w\.[a-z]{2,}/\S*|(?:[\w-]+\.){2,}[a-z]{2,}|\w+@\S+|\\\\\S+", re.IGNORECASE | re.ASCII
)
_LINK_VERB = re.compile(r"(?:\s|都|就)*(?:是|在|传在|放在|存在|用)\s*$")
_EDGES_CHINESE = " 、，,"


def title(text: str) -> str:
    """A name out of a tidied text without dates: a slug of English words, or a clause of Chinese."""
    if words.has_chinese(text):
        return _chinese(text)
    return _slug(text) or shortened(_CLAUSES.split(text)[0], 60) or "note"


def _slug(text: str) -> str:
    chosen: list[str] = []
    text = _DENIED.sub("dont", _DENIED_USE.sub("no", _NOT_THE_POINT.sub("", text)))
    sentence, *others = _SENTENCES.split(text)
    for clause in [*_pointed(sentence), *(part for other in others for part in _CLAUSES.split(other))]:
        chosen = _limited([*chosen, *_words(clause)])
        if _weight(chosen) >= _FEWEST:
            break
    if _weight(chosen) < _FEWEST:
        chosen += [part for found in _ADDRESS.findall(text) for part in _parts(_last_segment(found))][:3]
    return "-".join(_trimmed(chosen))


def _pointed(sentence: str) -> list[str]:
    """Clauses, with an opening condition or occasion behind the one that says what it is about."""
    first, *rest = clauses = _CLAUSES.split(sentence)
    if rest and (_CONDITION.match(first) or _OCCASION.match(sentence)) and _weight(list(_plain(rest[0]))) >= _FEWEST:
        return [*rest, first]
    return clauses


def _words(clause: str) -> Iterator[str]:
    """A clause's words, without those that are mere grammar; nothing after an address."""
    before = _ADDRESS.split(clause)
    for token in before[0].split() if _weight(list(_plain(before[0]))) else " ".join(before).split():
        yield from (part for part in _parts(token) if part not in _EMPTY)


def _plain(text: str) -> Iterator[str]:
    yield from (part for token in text.split() for part in _parts(token) if part not in _EMPTY)


def _parts(token: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", token).lower().replace("'", "").replace("’", "")
    return re.findall(r"[a-z0-9]+", plain)


def _last_segment(address: str) -> str:
    return address.rstrip("/").rsplit("/", 1)[-1].rsplit("\\", 1)[-1]


def _weight(chosen: list[str]) -> int:
    return sum(1 for word in chosen if word not in _LINKS)


def _limited(chosen: list[str]) -> list[str]:
    """At most six content words; a longer name ends before a preposition, where it says enough by then."""
    numbers = [place for place, word in enumerate(chosen) if word.isdigit() and _weight(chosen[:place]) >= _FEWEST]
    if numbers:  # a limit or a version changes, what it is about does not
        return chosen[: numbers[0]]
    if _weight(chosen) <= _MOST and len(chosen) <= _LONGEST:
        return chosen
    head = chosen[:_LONGEST]
    while _weight(head) > _MOST:
        head = head[:-1]
    breaks = [place for place, word in enumerate(head) if word in _LINKS and _weight(head[:place]) >= _FEWEST + 1]
    return head[: breaks[-1]] if breaks else head


def _trimmed(chosen: list[str]) -> list[str]:
    kept = [word for word, after in pairwise([*chosen, ""]) if word not in _TYING or after not in _TYING]
    while kept and kept[-1] in _LINKS - _MAY_CLOSE:
        kept.pop()
    while kept and kept[0] in _LINKS - _MAY_OPEN:
        kept.pop(0)
    return kept


def _chinese(text: str) -> str:
    clauses = [clause.strip(_EDGES_CHINESE) for clause in _CLAUSES.split(text) if clause.strip(_EDGES_CHINESE)]
    if len(clauses) > 1 and _OCCASION_CHINESE.fullmatch(clauses[0]):
        clauses = clauses[1:]
    kept = ""
    for clause in clauses:
        kept = f"{kept} {_named(clause)}".strip()
        if len(kept) > _SHORT_CHINESE:
            break
    return shortened(kept, _WIDTH_CHINESE) or "备忘"


def _named(clause: str) -> str:
    """A clause with an address cut down to its last part."""
    found = _ADDRESS.search(clause)
    if found is None:
        return clause
    return f"{_LINK_VERB.sub('', clause[: found.start()])} {_last_segment(found[0])}".strip(_EDGES_CHINESE)
