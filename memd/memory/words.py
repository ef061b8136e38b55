"""The words of a text that carry its content, English and Chinese, and what agreement sounds like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from memd.memory import speech
from memd.memory.stems import stem

_CJK_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_LATIN = re.compile(r"[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’][a-z]+)?")
_RUNS = re.compile(rf"{_CJK_RUN.pattern}|{_LATIN.pattern}")
_PULL_REQUEST = re.compile(r"\b(?:pull|merge) request", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|\d{1,2}:\d{2}|\d{4}年\d{1,2}月\d{1,2}日")

# Words that say nothing about what a memory is about: grammar, and how memories are commonly phrased.
_EMPTY = frozenset(
    """a an the this that these those it its is are was were be been being am do does did don doesn didn not no nor and
    or but if then else when while as at by for from in into of off on onto out over to up with without within about
    after before until since than so such too very just only also both each every any all some more most other own same
    i me my mine we us our ours you your yours he him his she her they them their who whom which what where why how
    can could will would shall should may might must have has had having get gets got let lets use used using uses
    always never please user users prefer prefers preferred preference want wants wanted like likes ask asked asks said
    say says told tell rule apply applies reason stated make makes made there here new one per via etc ie eg s t re
    ve ll d m""".split()  # noqa: SIM905 - read more easily than a list
)
_EMPTY_CJK = frozenset(
    """用户 希望 喜欢 偏好 要求 表示 说明 应该 应当 必须 需要 可以 不要 不能 不得 总是 始终 一律 永远 我们 你们 他们
    的 了 是 在 和 与 要 再 先 也 都 就 这个 那个 以及 或者 因为 所以 如果 时候 进行 使用 原因 说过 一个 没有""".split()  # noqa: SIM905 - likewise
)
_AGREEMENT = re.compile(
    r"""(?:yes|yeah|yep|yup|sure|ok|okay|right|correct|exactly|agreed|perfect|great|nice|good|absolutely|definitely|deal|
    lgtm|sounds\ (?:good|great|right)|go\ (?:ahead|for\ it|with\ (?:that|it))|do\ (?:it|that)|let'?s\ do\ (?:it|that)|
    that(?:'?s|\ is)\ (?:right|correct|it|fine|good|great|perfect|what\ i\ want)|that\ works|works\ for\ me|
    i\ (?:agree|like\ (?:it|that))|keep\ (?:it|that|doing)|please\ do|makes?\ sense|fine|👍|\+1)(?![\w'])
    |好(?![像久几多奇难不])|对(?![不方于比话象应待策])|行(?![不为动业李程])|可以|是的|没错|同意|就这(?:样|么)|嗯|不错|正确|赞成|听你的|没问题|ok的|正合我意|照做""",
    re.VERBOSE | re.IGNORECASE,
)
_TURN = re.compile(
    r"""\b(?:but|however|except|although|though|unless|instead|rather|wait)\b | [?？吗]
    | (?:^|[,.;:!，。；：！、—–-])\s*(?:please\s+|and\s+)?(?:no|not|don'?t|do\ not|never|stop|can'?t|won'?t)\b
    | 但|不过|可是|然而|除非|等等|先等|等一下 | (?:^|[,.;:!\s，。；：！、])(?:请|先)?(?:不(?!错)|别|没(?!错|问题))""",
    re.VERBOSE | re.IGNORECASE,
)
_RESERVE = re.compile(
    r"""\b(?:but|however|except|although|though|unless|instead|rather|wait|no|not|don'?t|doesn'?t|isn'?t|can'?t|won'?t
        |never|stop)\b
    |但|不过|可是|然而|除非|不(?!错)|别|没(?!错|问题)|等等|吗""",
    re.VERBOSE | re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:only|just|solely|merely|as long as|provided)\b|只|仅", re.IGNORECASE)
_PROPOSES = re.compile(
    r"""\b(?:i'?ll|i'?d|i\ (?:will|would|suggest|propose|recommend|can|could|plan|am\ going|put|kept|went|chose|made)
    |we\ (?:could|should|can)|let'?s|let\ me|shall|should|want\ me\ to|would\ you\ like|going\ to
    |my\ (?:plan|proposal))\b
    |我(?:会|来|将|建议|打算|可以|想|把|先)|建议|要不要|是否|我们(?:可以|应该)|不如|那就""",
    re.VERBOSE | re.IGNORECASE,
)
_SPREAD = 2  # times as many words may lie between those of a statement
_BARE = 3  # content words: a question with fewer ("Shall I?") asks about what stands before it


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that carry content, and every pair of neighbouring Chinese characters. Dates do not count."""
    return frozenset(content_in_order(text))


def content_in_order(text: str) -> tuple[str, ...]:
    """The same as they stand in the text, again where they come again."""
    plain = _PULL_REQUEST.sub("pr", _DATE.sub(" ", unicodedata.normalize("NFKC", text)))
    return tuple(word for found in _RUNS.finditer(plain) for word in _content_of(found[0]))


def together(content: Collection[str], text: str) -> float:
    """How many of these content words stand close together in a text, 0 to 1."""
    found = [(place, word) for place, word in enumerate(_in_order(text)) if word in content]
    reach = _SPREAD * len(content) + 4
    best, start = 0, 0
    for end in range(len(found)):
        while found[end][0] - found[start][0] > reach:
            start += 1
        best = max(best, len({word for _, word in found[start : end + 1]}))
    return best / max(len(content), 1)


def agrees(reply: str) -> bool:
    """Whether a reply begins with a word of agreement, and then neither turns ("but", "only ...") nor asks."""
    found = _AGREEMENT.match(reply.lstrip(" ,.!，。！、"))
    return bool(found) and not _TURN.search(reply) and not _LIMITED.search(reply)


def proposal(message: str) -> str:
    """What of an assistant's message a bare "ok" answers: its last question or proposal, with what that refers to."""
    said = speech.sentences(message)
    asked = [place for place, one in enumerate(said) if speech.is_question(one)]
    offers = [place for place, one in enumerate(said) if _PROPOSES.search(one)]
    if not said:
        return ""
    last = max((*asked, *offers), default=len(said) - 1)
    if last not in asked or len(content_words(said[last])) >= _BARE:
        return said[last]
    before = max((place for place in offers if place < last), default=last - 1)
    return "\n".join(said[place] for place in sorted({max(before, 0), last}))


def repeats(reply: str, choice: str) -> bool:
    """Whether a reply holds at least half of a choice's content words, and does not deny it."""
    wanted = content_words(choice)
    return bool(wanted) and 2 * len(wanted & content_words(reply)) >= len(wanted) and not _RESERVE.search(reply)


@lru_cache(maxsize=2048)
def _in_order(text: str) -> tuple[str, ...]:
    return content_in_order(text)


@lru_cache(maxsize=16_384)
def _content_of(run: str) -> tuple[str, ...]:
    """What one word, or one run of Chinese characters, adds."""
    if _CJK_RUN.match(run):
        return tuple(pair for pair in _pairs(run) if pair not in _EMPTY_CJK)
    word = run.lower().replace("’", "'").removesuffix("'s")
    if len(word) < 2 or word in _EMPTY or word.split("'")[0] in _EMPTY:  # noqa: PLR2004 - a letter is no word
        return ()
    return (stem(word),)


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[place : place + 2] for place in range(len(run) - 1)]
