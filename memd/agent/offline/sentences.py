"""Human text, cut into sentences; what the person only pasted or quoted is left out."""

from __future__ import annotations

import re

from memd.agent.offline import foreign
from memd.agent.offline.cues.chinese_variants import common
from memd.agent.offline.model import Sentence
from memd.agent.offline.words import fold, has_chinese
from memd.memory import quotes

MOST = 100  # sentences; a longer message was pasted, and what is asked for stands at its end
LONGEST = 600  # characters; nobody types a longer sentence, so it was pasted

_ENDS = re.compile(
    r"""(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\.\.\.)["')\]]*\s+   # . ! ?
      | (?<=[。！？；!?])|(?<=;)(?=[一-鿿])                                    # Chinese marks need no space after them
      | \n+
      | ;\s+
      | \s+(?=\(?[1-9a-d]\)\s)                                   # 1) first 2) second
      | (?<=[：:])\s*(?=[一1]是)
      | (?<=[啥吗呢么]……)(?!…)
      | [,，]\s*(?=(?:btw|fyi|by\ the\ way|oh\ and|and\ also|also)\b|对了|另外|顺便|话说|顺带)
      | ,\s+(?=and\ (?:i|we|always|never|please|dont|don't|from\ now|when(?:ever)?\ (?:you|i|we)\b
          |the\ \w+\ (?:is|are|lives?))\b)
      | \s+(?=\((?:btw|fyi|i|we|im|i'm)\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WE_ARE = re.compile(r"(?<!\w)we're(?!\w)")
_FRAGMENT = re.compile(
    r"(?:(?:not )?ever(?: again)?|always|never|period|full stop|every (?:single )?time|in general|from now on"
    r"|going forward|for (?:the )?(?:next time|future)"
    r"|(?:以后|每次|今后|一直)(?:都|也)?(?:这样|如此|这么来|照此)?)[.!。！]*",
    re.IGNORECASE,
)
_CONDITION = re.compile(  # no sentence yet: what is to be done then follows
    r"(?:[^:\n]{2,80}:\s+)?(?:(?:oh|and|also|so|please|btw|by the way|from now on|remember|ok(?:ay)?)[\s,:]+)*"
    r"(?:when(?:ever)?|if|before|after|once|any ?time|every time|each time|unless|while|in case)\b[^,，;]*"
    r"|(?:[^:：,，\n]{0,20}[:：,，]\s*)?(?:(?:以后|今后|记住|另外|还有)[,，:：\s]*)?"
    r"(?:(?:每次|每当|每回|凡是?|只要|如果|要是|假如|遇到|一旦)[^,，;；。]*"
    r"|[^,，;；。]{2,24}(?:的时候|之前|以前|之后|(?<!以)后|时))",
    re.IGNORECASE,
)
_QUOTES = re.compile(
    r"""`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|『[^』\n]*』|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){6,}'(?!\w)""",
)
_INTRODUCES = re.compile(
    r"\b(?:says?|said|wrote|writes|pasted?|pasting|ticket|issue|e-?mail|message|log|logs|output|trace|error"
    r"|report(?:ed)?"
    r"|customer|review|comment|readme|docs?|spec|reads?|here(?:s| is)?)\b"
    r"|说|写道|原文|工单|日志|报错|邮件|贴|如下|客户|评论|文档|提示",
    re.IGNORECASE,
)
_FORM = re.compile(  # a ticket or a story that was pasted without a mark: its heading, or two of its labelled lines
    r"^\s*【[^】\n]+】.*\n"
    r"|^(?:[^\s：:]{1,6}[：:].*\n){2}"
    r"|^(?:需求|背景|验收标准|用户故事|描述|现象|复现步骤)[：:]"
    r"|^.*作为(?:一个|一名)?[^，。\n]{1,16}，我(?:希望|想|需要)",
    re.MULTILINE,
)
_LONG_QUOTE = re.compile(
    r"\"[^\"\n]{40,}\"|“[^”\n]{25,}”|\"[^\"\n]*[.!?] [A-Z][^\"\n]*\"|「[^」\n]{25,}」|‘[^’\n]{40,}’"
)


def own_words(text: str) -> str:
    """What the person wrote, without pastes, long quotations, and what an announcement ("the ticket says:") brings."""
    kept: list[str] = []
    for block in re.split(r"\n\s*\n", _LONG_QUOTE.sub("\n", foreign.own_part(quotes.own_words(text)))):
        if kept and (_introduces(kept[-1]) or foreign.hands_over(kept[-1], block)):
            break  # somebody else's, to the end
        kept.append(_without_inline_paste(_before_form(block)))
    return "\n\n".join(kept)


def _introduces(block: str) -> bool:
    last = block.rstrip().rsplit("\n", 1)[-1]
    return last.endswith((":", "：")) and (_INTRODUCES.search(last) is not None or foreign.worked_on(last))


def _before_form(block: str) -> str:
    """A block up to where a pasted form begins in it."""
    form = _FORM.search(block) if has_chinese(block) else None
    return block[: form.start()] if form else block


def _without_inline_paste(block: str) -> str:
    """A block up to a line that announces somebody else's text on the lines below it."""
    lines = block.split("\n")
    for number, line in enumerate(lines[:-1]):
        if _introduces(line):
            return "\n".join(lines[: number + 1])
    return block


def split(text: str) -> tuple[Sentence, ...]:
    """The sentences of a human message, in order, each a verbatim piece of it."""
    own = own_words(text)
    pieces = (own[start:end] for start, end in _joined(own, _spans(own)))
    return tuple(sentence(piece) for piece in pieces if len(piece) <= LONGEST)[-MOST:]


def _spans(text: str) -> list[tuple[int, int]]:
    starts = [0, *(m.end() for m in _ENDS.finditer(text))]
    ends = [*(m.start() for m in _ENDS.finditer(text)), len(text)]
    trimmed = (_trimmed(text, start, end) for start, end in zip(starts, ends, strict=True))
    return [(start, end) for start, end in trimmed if start < end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Fragments such as "ever." belong to the sentence before them, and so does what a condition is one of."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and (_FRAGMENT.fullmatch(text[start:end]) or _is_cut_off(text, joined[-1], start)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _is_cut_off(text: str, before: tuple[int, int], start: int) -> bool:
    """Whether a comma was taken for an end right after a condition: "whenever you bump it, also update the chart"."""
    between = text[before[1] : start].strip()
    return between in {",", "，"} and is_condition(text[before[0] : before[1]])


def is_condition(text: str) -> bool:
    """Whether it says when something is to be done, and not what."""
    return _CONDITION.fullmatch(text.strip(" .。!！,，")) is not None


def sentence(text: str) -> Sentence:
    """`text` with its simplified form."""
    masked = _QUOTES.sub(lambda m: " " * len(m[0]), text)
    cue = _WE_ARE.sub("we are", common(fold(masked))).replace("'", "").strip()  # not the past of "to be"
    return Sentence(text=text, cue=cue, chinese=has_chinese(text))
