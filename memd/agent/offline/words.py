"""What two texts have in common, in English and Chinese, without a dictionary."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from memd.agent.offline.cues.chinese_variants import simplified

_TOKEN = re.compile(r"[a-z0-9][a-z0-9_+#./-]*[a-z0-9+#]|[a-z0-9]|[\u4e00-\u9fff]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_STOP = frozenset(
    """a about after again all also am an and any anything are as at back be because been before being but by can cant
    could did do does doing done dont every everything for forget from get give given go going got had has have
    he her here hers him his how i id if ill im in into is isnt it its ive just keep know let lets like lot made
    make me mean more most much must my need needs never no nope not note nothing now of off ok okay on once one
    only onto or our out over pls please put rather really remember said same save say says scratch see she
    should so some something still stop such sure take tell than thanks that thats the their them then there
    theres these they thing things this those thx to too told under until up us use used using very want was way
    we well were weve what whats when where which while who why will with wont would yeah yep yes yet you your
    youre always ever each both either""".split()  # noqa: SIM905 - read more easily than a list
)
_STOP_CHINESE = frozenset(
    "的了是在我你他她它们这那和与就都也要不别有没把被给让对吗呢吧啊呀哦嗯很太再又还先后前上下来去到会能可以用请一个"
)


def fold(text: str) -> str:
    """`text` in half width, lower case and simplified characters, with straight quotes."""
    text = simplified(unicodedata.normalize("NFKC", text).lower())
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("\u201c", '"').replace("\u201d", '"')


def has_chinese(text: str) -> bool:
    """Whether there is at least one Chinese character in it."""
    return _CHINESE.search(text) is not None


def stem(word: str) -> str:
    """An English word without its commonest endings; good enough to compare by."""
    for ending in ("ings", "ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004 - shorter stems mean nothing
            return _undoubled(word[: -len(ending)]).rstrip("ei")
    return word.rstrip("e") if len(word) > 3 else word  # noqa: PLR2004 - likewise


def _undoubled(stump: str) -> str:
    """`committ` as `commit`; `add` and `call` keep both letters in every form."""
    return stump[:-1] if stump[-1] == stump[-2] and stump[-1] in "bgmnprt" else stump


def content(text: str) -> frozenset[str]:
    """The words that carry meaning: English stems, Chinese pairs of characters, identifiers whole and in parts."""
    found: set[str] = set()
    for token in _TOKEN.findall(fold(text).replace("'", "")):
        if has_chinese(token):
            found.update(_pairs(token))
        else:
            parts = re.split(r"[_./-]+", token)
            found.update(stem(part) for part in (token, *parts) if part and part not in _STOP)
    return frozenset(found)


def _pairs(run: str) -> set[str]:
    kept = [c for c in run if c not in _STOP_CHINESE]
    if len(kept) == 1:
        return set(kept)
    return {a + b for a, b in pairwise(run) if a not in _STOP_CHINESE and b not in _STOP_CHINESE}


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """The share of the smaller set's words that the other has too; 0.0 where one is empty."""
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


def length(text: str, *, chinese: bool) -> int:
    """How much is said, in words; two Chinese characters count as one."""
    return sum(map(str.isalnum, text)) // 2 if chinese else len(text.split())
