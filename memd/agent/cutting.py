"""Texts made shorter without hiding it: in their middle, since beginnings and ends tell most."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from memd.agent.encoding import quoted, tokens
from memd.memory import pastes

_MONSTER = re.compile(r"[!-~]{400,}")  # no person types such a word
_ENDS_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?=[^\s.!?]))*[.!?。！？\n]*")  # not in "3.5" or "a.py"
_SHRINK = 0.85
_VISIBLE = "".join(map(chr, range(33, 127)))
_SHORT = 20  # characters: a word of so many counts as its letters do


def size(text: str) -> int:
    """The tokens of a text as a model is shown it."""
    return tokens(quoted(text))


def shortened(text: str, most: int, *, front: float = 0.5) -> str:
    """The text in at most about `most` tokens, `front` of it from its beginning and the rest from its end."""
    full = size(text)
    if full <= most:
        return text
    room = int(len(text) * most / full)
    while (cut := _without_middle(text, room, front)) and size(cut) > most and room > 0:
        room = int(room * _SHRINK)
    return cut


def without_long_pastes(text: str, most: int) -> str:
    """A person's message with each paste, and each word that nobody types, in about `most` tokens; the rest whole."""
    return "\n".join(block for _, block in _blocks(text, most))


def piece_of(text: str, most: int, start: int, end: int) -> str:
    """So many characters of the same, with what is pasted as citations: cut off from the rest, it may not look so."""
    lines = [(gone, line) for gone, block in _blocks(text, most) for line in block.split("\n")]
    kept: list[str] = []
    at = 0
    for gone, line in lines:
        if (left := line[max(0, start - at) : max(0, end - at)]) or start <= at < end:
            kept.append(f"> {left}" if gone else left)
        at += len(line) + 1
    return "\n".join(kept)


def _blocks(text: str, most: int) -> Iterator[tuple[bool, str]]:
    """What is pasted and what is not, one after the other; whether it is, and as much of it as is shown."""
    pasted = pastes.pasted_lines(text)
    blocks = itertools.groupby(zip(text.splitlines(), pasted, strict=True), key=lambda pair: pair[1])
    for gone, block in blocks:
        part = "\n".join(line for line, _ in block)
        yield gone, shortened(part, most) if gone else _without_monsters(part, most)


def split(text: str, most: int) -> Iterator[str]:
    """The text in pieces of at most about `most` tokens, between sentences where that goes; together they are it."""
    if size(text) <= most:
        yield text
        return
    piece, known, word = "", 0, 0
    for sentence in _ENDS_SENTENCE.finditer(text):
        for part in _in_halves(sentence[0], most):
            begins, ends, is_one = _words(part)
            known += size(part)  # apart, two texts have no fewer tokens than together, unless a long word is between
            if piece and (known > most or word + begins > _SHORT):
                known = size(piece + part)
            if piece and known > most:
                yield piece
                piece, known, word = "", size(part), 0
            piece += part
            word = word + ends if is_one else ends
    if piece:
        yield piece


def _words(text: str) -> tuple[int, int, bool]:
    """How long the words are with which a text begins and ends, as a model is shown it, and whether it is just one."""
    shown = quoted(text)[1:-1]
    begins = len(shown) - len(shown.lstrip(_VISIBLE))
    return begins, len(shown) - len(shown.rstrip(_VISIBLE)), begins == len(shown)


def _without_middle(text: str, room: int, front: float) -> str:
    start = int(room * front)
    end = len(text) - (room - start)
    return f"{text[:start].rstrip()}\n[... {end - start:,} characters left out ...]\n{text[end:].lstrip()}"


def _without_monsters(text: str, most: int) -> str:
    return _MONSTER.sub(lambda found: shortened(found[0], most), text)


def _in_halves(text: str, most: int) -> Iterator[str]:
    if len(text) < 2 or size(text) <= most:  # noqa: PLR2004 - one character has no halves
        yield text
        return
    middle = len(text) // 2
    yield from _in_halves(text[:middle], most)
    yield from _in_halves(text[middle:], most)
