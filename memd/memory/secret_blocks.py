"""Secrets that take more than a word: private keys with or without their edges, and what is only encoded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memd.memory import secret_values, secret_views
from memd.memory.secret_cut import Span, compiled, hits

_KEY_BLOCK = 32 * 1024  # characters between a key block's first and last line
_KEY_EDGE = r"-----(BEGIN|END)[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_KEY_BODY = r"[A-Za-z0-9+/=]{24,}"
_LAST_LINE = 80  # characters of a body's last line, which may be shorter than the others
_BETWEEN = 16  # characters between two lines of a body: a break, an indent, a line number

_AUTH = r"(?i)(?:\bauth|_auth|authorization|\bbasic)\\?[\"']?[ \t]*[:= ][ \t]*\\?[\"']?([A-Za-z0-9+/]{8,}={0,2})"
_MANIFEST = r"(?im)\bkind[\"']?:[ \t]*[\"']?Secret[\"']?(?:[\s,}]|$)"
_ENTRY = r"[\w.-]+[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z0-9+/]{8,}={0,2})(?:[\"',}\s]|$)"
_PAIR = re.compile(r"[\w.@+\\-]{1,64}:([!-~]{4,})")  # a user's name and a password, as basic authentication puts them
_READABLE = 4  # characters


def key_blocks(text: str) -> Iterator[Span]:
    """Private keys, from their first line to their last; where one of the two is missing, as far as the body goes."""
    edges = [(match.group(1), match.start(), match.end()) for match in hits(_KEY_EDGE, text)]
    last = 0
    for i, (kind, start, end) in enumerate(edges):
        after = edges[i + 1] if i + 1 < len(edges) else (b"", len(text), len(text))
        if kind == b"BEGIN":
            yield from _from_begin(text, (start, end), after)
        elif i == 0 or edges[i - 1][0] == b"END":
            yield from _to_end(text, (start, end), max(last, start - _KEY_BLOCK))
        last = end


def _from_begin(text: str, begin: tuple[int, int], after: tuple[bytes, int, int]) -> Iterator[Span]:
    start, end = begin
    kind, stop, closing = after
    body = [match.end() for match in compiled(_KEY_BODY).finditer(text[end : min(stop, end + _KEY_BLOCK)])]
    if body:
        closed = kind == b"END" and stop - end <= _KEY_BLOCK
        yield "private-key", start, closing if closed else end + body[-1]


def _to_end(text: str, edge: tuple[int, int], earliest: int) -> Iterator[Span]:
    """The lines of a body right before a key's last line."""
    top, room = edge[0], _LAST_LINE
    for match in reversed(list(compiled(_KEY_BODY).finditer(text[earliest : edge[0]]))):
        if top - (earliest + match.end()) > room:
            break
        top, room = earliest + match.start(), _BETWEEN
    if top < edge[0]:
        yield "private-key", top, edge[1]


def encoded_pairs(text: str) -> Iterator[Span]:
    """What says "name:password" once its base64 is taken off, behind a word that means just that."""
    for match in hits(_AUTH, text):
        pair = _PAIR.fullmatch(secret_views.plain(text[slice(*match.span(1))]) or "")
        if pair is not None and not secret_values.placeholder(pair[1]):
            yield "encoded", *match.span(1)


def manifests(text: str) -> Iterator[Span]:
    """The values of a Kubernetes secret, which are encoded and not encrypted."""
    if next(hits(_MANIFEST, text), None) is None:
        return
    for match in hits(_ENTRY, text):
        said = secret_views.plain(text[slice(*match.span(1))])
        if said is not None and len(said) >= _READABLE and not secret_values.placeholder(said.strip()):
            yield "encoded", *match.span(1)
