"""File names of new topics: ASCII, readable, and by no other's name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

from anyascii import anyascii

_STEM_LIMIT = 64
_WORDS_LIMIT = 48  # characters of a title that a file name shows
_ASCII = 128


def filename(kind: str, title: str, taken: Collection[str] = ()) -> str:
    """A readable, new name such as `feedback_no_db_mocks.md` or `feedback_xian_pao_ce_shi.md` (先跑测试).

    Of what cannot be spelled in ASCII a short hash stands in it.
    """
    words, is_whole = _ascii_words(title)
    mark = "" if is_whole and words else hashlib.sha256(_folded(title).encode("utf-8", "replace")).hexdigest()[:8]
    words = words[: _STEM_LIMIT - len(kind) - len(mark) - 2]
    stem = "_".join(part for part in (kind, words, mark) if part)
    used = {name.lower() for name in taken}
    name, count = f"{stem}.md", 1
    while name in used:
        count += 1
        name = f"{stem[: _STEM_LIMIT - 8]}_{count}.md"
    return name


def _folded(title: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def _ascii_words(title: str) -> tuple[str, bool]:
    """A title in ASCII as `a_b_c`, and whether nothing but accents and punctuation was lost."""
    folded = _folded(title)
    text = unicodedata.normalize("NFKD", folded) if _is_latin(folded) else folded
    spelled = [(char, _spelled(char)) for char in text]
    lost = any(char.isalnum() and not plain.strip() for char, plain in spelled)
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’]", "", "".join(plain for _, plain in spelled)))
    kept = ""
    for word in words:
        if kept and len(kept) + 1 + len(word) > _WORDS_LIMIT:
            break
        kept = f"{kept}_{word}" if kept else word[:_WORDS_LIMIT]
    return kept, not lost


def _is_latin(text: str) -> bool:
    """Whether accents are all that keeps a text from ASCII: taken apart, other scripts are no longer spelled right."""
    return all(ord(char) < _ASCII for char in unicodedata.normalize("NFKD", text) if char.isalnum())


def _spelled(char: str) -> str:
    """A character in ASCII; one that is a syllable (Chinese, Korean) is a word of its own."""
    if ord(char) < _ASCII:
        return char
    plain = anyascii(char) if unicodedata.category(char)[0] in "LMN" else " "  # letters, marks on them, numbers
    return f" {plain.lower()} " if plain[:1].isupper() else plain
