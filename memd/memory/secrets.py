"""Secrets in a text: where they stand, and the text without them. Linear time; values never leave this module."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from memd.memory import secret_places, secret_values, secret_views
from memd.memory.secret_rules import RULES, SHAPES, Shape
from memd.memory.secret_views import View

_MARK = rb"\[secret:([a-z0-9-]+)\]"
_ROUNDS = 12  # taking values out can lay new ones bare; after this many the whole text is withheld

Span = tuple[str, int, int]  # rule, start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Where a secret stands; never the secret itself."""

    rule: str
    line: int  # counted from 1
    start: int  # characters, in the text as given
    end: int


def find(text: str) -> tuple[Finding, ...]:
    """Every secret in `text`, in order and without overlaps. Never raises on any string."""
    found: list[Finding] = []
    line, counted = 1, 0
    for rule, start, end in _merged(_spans(text)):
        line += text.count("\n", counted, start)
        counted = start
        found.append(Finding(rule=rule, line=line, start=start, end=end))
    return tuple(found)


def lines(text: str) -> frozenset[int]:
    """The lines, counted from 1, that hold a part of a secret. Keys have many, each of which says nothing by itself."""
    found = ((finding.line, text.count("\n", finding.start, finding.end)) for finding in find(text))
    return frozenset(number for first, more in found for number in range(first, first + more + 1))


def redact(text: str) -> str:
    """`text` with `[secret:<rule>]` in place of every value; what it returns has no findings."""
    for _ in range(_ROUNDS):
        found = find(text)
        if not found:
            return text
        text = _without(text, found)
    left = find(text)
    return f"[secret:{left[0].rule}]" if left else text


def _without(text: str, found: Sequence[Finding]) -> str:
    pieces: list[str] = []
    last = 0
    for finding in found:
        pieces += [text[last : finding.start], f"[secret:{finding.rule}]"]
        last = finding.end
    return "".join([*pieces, text[last:]])


def _spans(text: str) -> Iterator[Span]:
    view = secret_views.straight(text, _marks(text))
    yield from _mapped(view, _in_view(view))
    if "\n" in view.text:
        yield from _across_lines(*secret_views.joined(view))
        yield from _across_lines(*secret_views.in_pairs(view))
    inside = secret_views.decoded(view)
    for _, start, _ in _in_view(View(text=inside.text)) if inside.text else ():
        yield ("encoded", *view.span(*inside.runs[bisect_right(inside.starts, start) - 1]))


def _mapped(view: View, spans: Iterator[Span]) -> Iterator[Span]:
    for rule, start, end in spans:
        yield (rule, *view.span(start, end))


def _in_view(view: View) -> Iterator[Span]:
    yield from _shapes(view)
    yield from secret_places.spans(view.text)


def _across_lines(whole: View, seams: Sequence[int]) -> Iterator[Span]:
    """Shapes that only show when lines are joined."""
    for rule, start, end in _shapes(whole):
        at = bisect_right(seams, start)
        if at < len(seams) and seams[at] < end:
            yield (rule, *whole.span(start, end))


def _shapes(view: View) -> Iterator[Span]:
    data = view.ascii()
    low = data.lower()
    known = {word for word in _keywords() if word in low}
    for shape, keywords, pattern in _table():
        if not known.isdisjoint(keywords):
            yield from _matches(shape, pattern, data)


def _matches(shape: Shape, pattern: Any, data: bytes) -> Iterator[Span]:  # noqa: ANN401 - re2 has no types
    for match in pattern.finditer(data):
        start, end = match.span(1)
        value = data[start : end if end - start < 1000 else start + 1000]  # noqa: PLR2004 - enough to judge by
        if len(set(value)) >= shape.distinct and not secret_values.sample(value.decode("ascii")):
            yield shape.rule, start, end


@functools.cache
def _table() -> tuple[tuple[Shape, tuple[bytes, ...], Any], ...]:
    return tuple(
        (shape, tuple(k.encode() for k in shape.keywords), re2.compile(shape.pattern.encode())) for shape in SHAPES
    )


@functools.cache
def _keywords() -> frozenset[bytes]:
    return frozenset(word for _, keywords, _ in _table() for word in keywords)


@functools.cache
def _mark() -> Any:  # noqa: ANN401 - re2 has no types
    return re2.compile(_MARK)


def _marks(text: str) -> tuple[tuple[int, int], ...]:
    """Where values were taken out before; a mark with an unknown rule is plain text."""
    if "[secret:" not in text:
        return ()
    plain = text.encode("ascii", "replace")  # one byte a character
    return tuple(match.span() for match in _mark().finditer(plain) if match.group(1).decode() in RULES)


def _merged(spans: Iterator[Span]) -> Iterator[Span]:
    """Overlapping spans as one, under the name of the one that starts first and is longest."""
    current: Span | None = None
    for span in sorted(spans, key=lambda s: (s[1], -s[2])):
        if current is not None and span[1] < current[2]:
            current = (current[0], current[1], max(current[2], span[2]))
            continue
        if current is not None:
            yield current
        current = span
    if current is not None:
        yield current
