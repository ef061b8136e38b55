"""One text seen in several ways, each with the way back to the text's own offsets."""

from __future__ import annotations

import base64
import binascii
import functools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import re2

_ENCODED = rb"(?:[A-Za-z0-9+/_-]{40,}\s+)*[A-Za-z0-9+/_-]{20,}={0,2}"
_WORD = rb"[A-Za-z0-9+/_=-]+"
# Joiners, fillers and selectors, which are not in category Cf.
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
_BEFORE = " \t>|+\"'"  # what may stand between a broken value's parts: indent, quote marks, pieces of a string literal
_ITEMS = ("- ", "* ")  # a list of its parts
_BEHIND = " \t\r\\+\"'"
_SHORTEST = 16  # characters of a token that is broken over two lines
_MARK = "\x01"  # stands where a value was taken out: no pattern runs across it
_APART = f"\n{_MARK}\n"
_STANDARD = bytes.maketrans(b"-_", b"+/")
_MAX_RUNS = 2_000
_MAX_DECODED = 256 * 1024  # bytes a text, in all
_READABLE = bytes(range(32, 127)) + b"\r\n\t"
_PRINTABLE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """`text` as patterns see it; `origin[i]` is where its character i stands in the whole (None: at i)."""

    text: str
    origin: Sequence[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the whole text of a non-empty span of this view."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1

    def ascii(self) -> bytes:
        """The text as bytes, one a character, so that offsets agree."""
        return self.text.encode("ascii", "replace")


@functools.cache
def _compiled(pattern: str | bytes) -> Any:  # noqa: ANN401 - re2 has no types
    return re2.compile(pattern)


def straight(text: str, marks: Sequence[tuple[int, int]]) -> View:
    """`text` in its compatibility form, `marks` blotted out, invisible characters dropped."""
    if marks:
        text = _blotted(text, marks)
    folded = text if text.isascii() else _folded(text)
    hidden = {c for c in set(folded) if _invisible(c)} if not folded.isascii() else set()
    if not hidden:
        return View(text=folded)
    kept = [i for i, c in enumerate(folded) if c not in hidden]
    return View(text="".join(folded[i] for i in kept), origin=kept)


def _invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or _compiled(_BLANK).match(character) is not None


def _blotted(text: str, marks: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in marks:
        pieces += [text[last:start], _MARK * (end - start)]
        last = end
    return "".join([*pieces, text[last:]])


def _folded(text: str) -> str:
    """Characters whose NFKC form is one ASCII character replaced by it, lone surrogates by a question mark."""
    table = {}
    for character in set(text):
        plain = unicodedata.normalize("NFKC", character)
        if "\ud800" <= character <= "\udfff":
            table[ord(character)] = "?"
        elif plain != character and len(plain) == 1 and plain.isascii():
            table[ord(character)] = plain
    return text.translate(table) if table else text


def joined(view: View) -> tuple[View, tuple[int, ...]]:
    """The view without its line breaks, and where in it lines were joined."""
    pieces: list[str] = []
    origin: list[int] = []
    seams: list[int] = []
    for start, line in _lines(view):
        pieces.append(line)
        origin.extend(range(start, start + len(line)))
        seams.append(len(origin))
    return _from(view, pieces, origin), tuple(seams)


def in_pairs(view: View) -> tuple[View, tuple[int, ...]]:
    """Each two lines between which a long word may be broken as one, and where in it lines were joined.

    What stands on them is then apart from the words on the lines around, which would run into it.
    """
    pieces: list[str] = []
    origin: list[int] = []
    seams: list[int] = []
    for (start, line), (more, rest) in pairwise(_lines(view)):
        if len(line.rsplit(None, 1)[-1]) + len(rest.split(None, 1)[0]) < _SHORTEST:
            continue
        pieces += [line, rest, "\n"]
        seams.append(len(origin) + len(line))
        origin += [*range(start, start + len(line)), *range(more, more + len(rest)), more + len(rest) - 1]
    return _from(view, pieces, origin), tuple(seams)


def _lines(view: View) -> Iterator[tuple[int, str]]:
    """The lines that say something, and where they start, without what a quotation, a list or a literal adds."""
    position = 0
    for line in view.text.split("\n"):
        rest = line.lstrip(_BEFORE)
        rest = rest[2:].lstrip(_BEFORE) if rest.startswith(_ITEMS) else rest
        start = position + len(line) - len(rest)
        position += len(line) + 1
        if rest := rest.rstrip(_BEHIND):
            yield start, rest


def _from(view: View, pieces: Sequence[str], origin: list[int]) -> View:
    back = origin if view.origin is None else [view.origin[i] for i in origin]
    return View(text="".join(pieces), origin=back)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """What the base64 runs of a view say, one behind the other."""

    text: str
    starts: tuple[int, ...]  # of each run's part in `text`
    runs: tuple[tuple[int, int], ...]  # start and end of each run in the view


def decoded(view: View) -> Decoded:
    """The base64 runs that hold text. Bounded in all."""
    pieces: list[str] = []
    starts: list[int] = []
    runs: list[tuple[int, int]] = []
    budget, position = _MAX_DECODED, 0
    for match in _compiled(_ENCODED).finditer(view.ascii()):
        for run, span in _readings(match, budget):
            if (text := _text_in(run)) is not None:
                pieces += [text, _APART]
                starts.append(position)
                runs.append(span)
                position += len(text) + len(_APART)
        budget -= len(match.group())
        if budget <= 0 or len(runs) >= _MAX_RUNS:
            break
    return Decoded(text="".join(pieces), starts=tuple(starts), runs=tuple(runs))


def _readings(match: Any, most: int) -> Iterator[tuple[bytes, tuple[int, int]]]:  # noqa: ANN401 - re2 has no types
    """A run and where it stands; where the whole of it says nothing, each of its lines: one may be no part of it."""
    whole = _alphabet(match.group())[:most]
    parts = list(_compiled(_WORD).finditer(match.group()))
    if len(parts) == 1 or _text_in(whole) is not None:
        yield whole, match.span()
        return
    start = match.start()
    yield from ((_alphabet(part.group())[:most], (start + part.start(), start + part.end())) for part in parts)


def _alphabet(run: bytes) -> bytes:
    return b"".join(run.split()).rstrip(b"=").translate(_STANDARD)


def plain(run: str) -> str | None:
    """What one base64 run says; None where that is no text."""
    return _text_in(run.rstrip("=").encode("ascii", "replace").translate(_STANDARD))


def _text_in(run: bytes) -> str | None:
    whole = run[: len(run) - (1 if len(run) % 4 == 1 else 0)]
    try:
        plain = base64.b64decode(whole + b"=" * (-len(whole) % 4))
    except binascii.Error:
        return None
    start = plain[:512]
    if len(start) - len(start.translate(None, _READABLE)) < _PRINTABLE * len(start):
        return None
    return plain.decode("ascii", "replace")
