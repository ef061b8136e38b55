"""A conversation as a model sees it: data in lines of JSON, which nothing said in it can leave.

Tags that imitate ours, role names and ends of blocks stay inside a JSON string. Angle brackets, what looks like them,
what nobody can see and whatever could pass for a line's end are escaped as well, so that no text of the conversation
holds a tag at all; a JSON reader gets every character back.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from memd.memory.quotes import Utterance

_LOOK_ALIKES = "＜＞﹤﹥‹›〈〉⟨⟩〈〉❬❭❮❯❰❱⧼⧽˂˃ᐸᐳ⋖⋗"  # of angle brackets
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and signs without ink
_HIDDEN_KINDS = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # of letters and pictures; where they join nothing, `evidence.clean` took them out
_BEYOND_PLAIN = re.compile(r"[^ !-;=?-~]")

_LETTERS = b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASCII = bytes(range(128))
_TRAILING = bytes(range(0x80, 0xC0))
_LONG_WORDS = re.compile(rb"[!-~]{25,}")  # keys, hashes, paths: few characters a token


def line(utterance: Utterance, number: int) -> str:
    """One utterance: its number, whose words they are, and the words."""
    return quoted({"n": number, utterance.speaker.value: utterance.text})


def lines(utterances: Iterable[Utterance], first: int = 1) -> str:
    """A conversation, one utterance a line, numbered from `first`, with the dates."""
    return numbered(enumerate(utterances, first))


def numbered(shown: Iterable[tuple[int, Utterance] | str]) -> str:
    """Utterances with their numbers, one a line; a line with the date goes before the first of each day.

    A text among them is a remark of ours on what is left out there.
    """
    told: list[str] = []
    day = None
    for one in shown:
        if isinstance(one, str):
            told.append(quoted({"left out": one}))
            continue
        number, utterance = one
        if (date := day_of(utterance)) not in {None, day}:
            day = date
            told.append(quoted({"date": day}))
        told.append(line(utterance, number))
    return "\n".join(told)


def day_of(utterance: Utterance) -> str | None:
    """The date on which something was said, with its zone; None where nobody knows."""
    return None if utterance.at is None else utterance.at.strftime("%Y-%m-%d %a %z")


def quoted(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """A text or fields as one line of JSON without angle brackets and hidden characters."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _BEYOND_PLAIN.sub(lambda found: _shown(found[0]), plain)


@lru_cache(maxsize=8192)
def _shown(char: str) -> str:
    hidden = unicodedata.category(char) in _HIDDEN_KINDS and char not in _JOINERS
    if not hidden and char not in "<>" and char not in _LOOK_ALIKES and char not in _UNSEEN and not _selects(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def _selects(char: str) -> bool:
    """Whether it picks a variant of the character before it; the two for pictures are common."""
    return "\ufe00" <= char <= "\ufe0d" or "\U000e0100" <= char <= "\U000e01ef" or "\u180b" <= char <= "\u180f"


def tokens(text: str) -> int:
    """About how many tokens a text has, rather too many: what is not plain English takes more than it seems."""
    data = text.encode("utf-8", "replace")
    wide = data.translate(None, _ASCII)
    starts = wide.translate(None, _TRAILING)
    ascii_count = len(data) - len(wide)
    letters = ascii_count - len(data.translate(None, _LETTERS)) + len(wide)
    dense = sum(len(word) for word in _LONG_WORDS.findall(data))
    two = sum(start < 0xE0 for start in starts)  # noqa: PLR2004 - how UTF-8 begins characters of three bytes
    four = sum(start >= 0xF0 for start in starts)  # noqa: PLR2004 - likewise, of four
    three = len(starts) - two - four
    return 1 + round(letters / 3 + (ascii_count - letters) / 1.5 + dense / 4 + two + 1.5 * three + 3 * four)
