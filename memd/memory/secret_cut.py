"""Cutting a value out of the text behind a place, and judging it: what the rules about places have in common."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import re2

from memd.memory import secret_values

Span = tuple[str, int, int]  # rule, start, end

_MORE = 44  # characters beyond the longest value: its quotes, and the punctuation behind it
_MAX_PLACES = 1_000  # of one kind in a text; what follows is withheld


@functools.cache
def compiled(pattern: str | bytes) -> Any:  # noqa: ANN401 - re2 has no types
    """Compile once."""
    return re2.compile(pattern)


class TooDenseError(Exception):
    """More places than honest text has."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def hits(pattern: str, text: str) -> Iterator[Any]:
    """Matches, with offsets that hold in `text`. Raises TooDenseError past the limit.

    Over bytes, one a character, where pattern or text are ASCII: several times faster than over text.
    """
    as_bytes = pattern.isascii() or text.isascii()
    matcher = compiled(pattern.encode() if as_bytes else pattern)
    for count, match in enumerate(matcher.finditer(text.encode("ascii", "replace") if as_bytes else text)):
        if count >= _MAX_PLACES:
            raise TooDenseError(match.start())
        yield match


def value_at(text: str, start: int, most: int = secret_values.MAX_PASSWORD) -> tuple[int, int, bool]:
    """Start and end of the value at `start`, and whether it was quoted (then without its quotes).

    Of a value with more than `most` characters only a start that is longer than that.
    """
    reach = start + most + _MORE
    if text.startswith("\\", start) and text[start + 1 : start + 2] in {'"', "'"}:
        start += 1
    quote = text[start : start + 1]
    if quote and quote in "\"'`":
        return start + 1, _quoted_end(text, start + 1, quote, reach), True
    length = compiled(r"[!#-&(-_a-~]*").match(text[start:reach]).end()
    return start, _trimmed(text, start, start + length), False


def _quoted_end(text: str, start: int, quote: str, reach: int) -> int:
    end = text.find(quote, start, reach)
    if end < 0 or any(character.isspace() for character in text[start:end]):
        return start
    return end - 1 if text[end - 1 : end] == "\\" else end


def _trimmed(text: str, start: int, end: int) -> int:
    """The end of an unquoted value without the next pair of a list and the sentence's own punctuation."""
    cut = compiled(r"[&;,][ \t]*[A-Za-z_][A-Za-z0-9_-]*[=:]|\\[nrt\"']|</").search(text[start:end])
    end = start + cut.start() if cut is not None else end
    return start + len(text[start:end].rstrip(",;.:)]}>\\"))


def judged(text: str, start: int, *, strong: bool, bare: bool = False, env: bool = False) -> Iterator[Span]:
    """The value at `start`, where it looks like what the word before it says: a password (`strong`) or a key."""
    most = secret_values.MAX_PASSWORD if strong else secret_values.MAX_CREDENTIAL
    start, end, quoted = value_at(text, start, most)
    value = text[start:end]
    if not quoted and not env and secret_values.name(value):
        return
    if strong and (secret_values.password(value, quoted=quoted, bare=bare) or (env and secret_values.env_word(value))):
        yield "password", start, end
    elif not strong and secret_values.credential(value, quoted=quoted):
        yield "credential", start, end
