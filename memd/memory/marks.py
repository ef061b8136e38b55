"""Words that are to be recognised again without being kept: a length, a hint and a digest each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

from memd.memory import words
from memd.memory.quotes import folded

_SHORTEST = 12  # columns (a Chinese character fills two): shorter words are said about anything
_FEWEST = 2  # content words, likewise: "sounds good, do that" tells nothing
_HINTED = 4  # characters that the hint is made of; `_SHORTEST` has more
_EDGES = " \t.,;:!?\"'“”‘’()。，；：！？、「」"
_START = re.compile(r"(?<![a-z0-9_])\S")
_INSIDE = re.compile(r"[a-z0-9_]")
_WIDE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Stands for words without telling them. `hint` (12 bits) only saves time."""

    length: int  # characters, folded
    hint: int
    digest: str


def mark(text: str) -> Mark | None:
    """The mark of some words; None for words too few to tell one thing from another."""
    said = _plain(text).strip(_EDGES)
    if len(said) + len(_WIDE.findall(said)) < _SHORTEST or len(words.content_words(said)) < _FEWEST:
        return None
    return Mark(length=len(said), hint=_hint(said), digest=_digest(said))


def marks(texts: Iterable[str]) -> tuple[Mark, ...]:
    """The marks of several, each once."""
    found = (mark(text) for text in texts)
    return tuple(dict.fromkeys(one for one in found if one is not None))


def by_hint(known: Iterable[Mark]) -> dict[int, tuple[Mark, ...]]:
    """Marks as `found` wants them."""
    groups: dict[int, tuple[Mark, ...]] = {}
    for one in dict.fromkeys(known):
        groups[one.hint] = (*groups.get(one.hint, ()), one)
    return groups


def found(text: str, known: Mapping[int, tuple[Mark, ...]]) -> Iterator[Mark]:
    """Those of the known marks whose words stand in `text`, whole words only, whatever their case and spacing."""
    if not known:
        return
    said = _plain(text)
    for place in _START.finditer(said):
        start = place.start()
        for one in known.get(_hint(said[start : start + _HINTED]), ()):
            end = start + one.length
            if end <= len(said) and not _cuts_a_word(said, end) and _digest(said[start:end]) == one.digest:
                yield one


def _plain(text: str) -> str:
    return folded(text).casefold()


def _cuts_a_word(said: str, end: int) -> bool:
    return bool(_INSIDE.match(said, end)) and bool(_INSIDE.match(said, end - 1))


def _hint(said: str) -> int:
    return crc32(said[:_HINTED].encode("utf-8", "replace")) & 0xFFF


def _digest(said: str) -> str:
    return blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()
