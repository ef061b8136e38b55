"""Text made into terms, the same way for memories and for questions. Pure.

Words are NFKC and case-folded; identifiers fall into their parts; CJK text, which has no spaces, becomes single
characters and pairs of neighbours. Endings are the index's matter (Porter's stemmer, in SQLite).

"Go on" and "fix it" are no questions: words that people say whatever they are working on bring nothing up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:[.\-/#+@:]*[^\W{_CJK}]+)*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PART = re.compile(r"[^\W\d_]+|\d+")
_IS_CJK = re.compile(f"[{_CJK}]")
_SHORT = 3  # words
_LONGEST = 64  # characters of a term: hashes and encoded data say nothing
_STOP = frozenset(  # a small list: the rest is for the index to weigh
    """
    a an and are as at be but by can do does for from get has have how i if in into is it its just let me my need
    no not now of on or our please pls put should so some than that the their them then there these they this to
    up us use was we were what when where which who why will with would you your
    的 了 吗 呢 吧 我 你 他 她 它 们 是 在 有 和 也 就 都 把 被 这 那 个 一 不 要 会 能 么 什 怎 下 上 给
    """.split()  # noqa: SIM905 - a list of eighty literals would hide the words
)

_VAGUE = frozenset(  # what people say whatever they are working on: it ranks, but is no reason to show anything
    """
    about add again ahead all alright also any anything apply approve approved awesome back better bit bug
    change changes check code confirm confirmed continue cool correct create delete didn doesn don done else
    error errors everything exactly explain fail failed failing fails file files fine finish first fix fixed go
    going good got great hello help here hey hi hmm hold issue keep know last leave lgtm like ll look looks make
    maybe more move nah new next nice nope ok okay old one only open perfect please problem proceed re really
    redo remove rename retry revert right run same say see set show simplify sorry start step still stop
    summarise summarize sure tell thank thanks thing things think this time today tomorrow try two undo update
    ve very wait want way well won work works write wrong yeah yep yes yup
    一下 一个 一样 一步 下一 不对 不是 不用 不行 不错 什么 代码 可以 哪里 嗯嗯 回滚 好了 好吧 好的 完成 对吗 对的
    帮忙 帮我 开始 当然 怎么 怎样 懂了 报错 换个 撤销 改下 改成 文件 方案 明白 是的 有点 检查 没事 没有 没错 添加
    看下 看看 知道 确认 等等 算了 继续 解释 试下 试试 谢谢 辛苦 运行 这个 这样 那个 那就 重新 重来 重试 错了 问题
    随便 需要 非常
    """.split()  # noqa: SIM905 - as above
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


def specific(asked: Collection[str]) -> frozenset[str]:
    """Those terms of a question of which a memory has to have one; none where nothing is asked.

    A single letter or character of a longer text is none: it stands in too many words. A short question's are those
    that say what it is about; in a longer one it is enough that there are such.
    """
    words = _words(asked)
    telling = frozenset(term for term in words if term not in _VAGUE and not term.isdecimal())
    return telling if is_short(asked) or not telling else words


def is_short(asked: Collection[str]) -> bool:
    """Whether a question has hardly any words, so that much may have one of them by chance."""
    return len(_words(asked)) <= _SHORT


def _words(asked: Collection[str]) -> frozenset[str]:
    return frozenset(term for term in asked if len(term) > 1 or term.isdecimal()) or frozenset(asked)


def _cjk(run: str) -> Iterator[str]:
    yield from run
    yield from (run[place : place + 2] for place in range(len(run) - 1))


def _latin(token: str) -> Iterator[str]:
    """The parts of a word or identifier: `fooBar`, `foo_bar` and `foo-bar` are all `foo` and `bar`."""
    return (part.casefold() for part in _PART.findall(_HUMP.sub(" ", token)))
