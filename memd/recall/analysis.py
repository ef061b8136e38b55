"""Text made into terms, the same way for memories and for questions. Pure.

Words are NFKC and case-folded; identifiers fall into their parts; CJK text, which has no spaces, becomes single
characters and pairs of neighbours. Endings are the index's matter (Porter's stemmer, in SQLite).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:[.\-/#+@:]*[^\W{_CJK}]+)*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PART = re.compile(r"[^\W\d_]+|\d+")
_IS_CJK = re.compile(f"[{_CJK}]")
_LONGEST = 64  # characters of a term: hashes and encoded data say nothing
_STOP = frozenset(  # a small list: the rest is for the index to weigh
    """
    a an and are as at be but by can do does for from get has have how i if in into is it its just let me my need
    no not now of on or our please pls put should so some than that the their them then there these they this to
    up us use was we were what when where which who why will with would you your
    的 了 吗 呢 吧 我 你 他 她 它 们 是 在 有 和 也 就 都 把 被 这 那 个 一 不 要 会 能 么 什 怎 下 上 给
    """.split()  # noqa: SIM905 - a list of eighty literals would hide the words
)


def terms(text: str) -> Iterator[str]:
    """The terms of a text, in order, repeated as often as they stand there."""
    for token in _TOKEN.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)):
        if token.isascii() and token.isalpha() and token.islower():  # most are, and need no more looking at
            found: Iterable[str] = (token,)
        else:
            found = _cjk(token) if _IS_CJK.match(token) else _latin(token)
        for term in found:
            if term not in _STOP and len(term) <= _LONGEST:
                yield term


def _cjk(run: str) -> Iterator[str]:
    yield from run
    yield from (run[place : place + 2] for place in range(len(run) - 1))


def _latin(token: str) -> Iterator[str]:
    """The parts of a word or identifier: `fooBar`, `foo_bar` and `foo-bar` are all `foo` and `bar`."""
    return (part.casefold() for part in _PART.findall(_HUMP.sub(" ", token)))
