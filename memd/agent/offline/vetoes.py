"""What is said, but is nothing to learn from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memd.agent.offline import words
from memd.agent.offline.cues.chinese_vetoes import INDIRECT
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues

_CONFESSES = re.compile(
    r"(?i)\b(?:sorry|apolog\w+|my (?:mistake|bad|fault)|should(?:n't| not)? have"
    r"|by (?:mistake|accident)|accidentally|(?:i|had) (?:forgot(?:ten)?|overlooked|missed)|far too (?:much|many"
    r"|long))\b"
    r"|\bi (?:deleted|removed|dropped|overwrote|reset|wiped|force|killed|reverted"
    r"|reformatted|rewrote|restarted|cleaned)\b"
    r"|抱歉|对不起|不好意思|误删|误把|不小心|我以为|失误|应该先问|没有先问|不(?:应该|该)这[么样]|(?:马上|立刻|这就)(?:还原|恢复|撤回|改回)"
    r"|我(?:把|已经?|刚|顺手|直接)[^。]{0,20}(?:删[了掉光]|清[了空]|覆盖|重置|回滚|停[了掉]|重启)"
)
_APOLOGIZES = re.compile(r"抱歉|对不起|不好意思|误[删把改]|不小心|疏忽|失误|我以为|我的错")
_COMPLAINS = re.compile(
    r"怎么[^,。]{0,24}又|怎么又|又[^,。]{1,12}一[遍次]|\bwhy (?:did|are|do|is|does)\b.*\b(?:again|still|keep)\b"
)
_MOCKS = re.compile(r"(?:以后|往后|今后|每次|天天|继续)[^,。]{0,6}(?:这么|这样)(?:干|来|做|搞|弄|整|保持)")
_REQUESTS = re.compile(r"(?:\w+[\s,]+){0,2}(?:can|could|would|will) (?:you|u)\b")
_REDACTED = re.compile(r"\[secret:[^\]]*\]")
_CREDENTIAL = re.compile(  # "with pass heron.41", "登录用 root / Kx#8"
    r"(?i)(?:\b(?:pass(?:word|phrase|code|wd)?|pwd?|pin|login)\b|密码|口令|登录用)(?:\s*(?:is|用|是|为|[:：=]))?\s*"
    r"(?:[\w.@-]+\s*/\s*)?(?=[!-~]*\d)(?=[!-~]*[a-z#$%&!])[!-~]{4,}"
)
_EACH_TIME = re.compile(r"(?:\w+[\s,]+){0,2}(?:whenever|each time|every time|any ?time) you\b")
_CLAUSE = re.compile(r"[,;]\s|[，；。]")
_OPENING = 2  # sentences of a message in which ironic praise stands
_ECHO = 0.6  # share of a rule's words from which on the project's own rules hold it already
_RECAP = 0.75  # the same for the assistant's last answer


def secret(text: str) -> bool:
    """Whether a secret was taken out of the text, or what looks like a password is still in it."""
    return _REDACTED.search(text) is not None or _CREDENTIAL.search(text) is not None


def before_secret(text: str) -> str:
    """The clauses before the one with a secret, verbatim; empty where it stands in the first."""
    places = [found.start() for pattern in (_REDACTED, _CREDENTIAL) if (found := pattern.search(text))]
    ends = [found.start() for found in _CLAUSE.finditer(text[: min(places, default=0)])]
    return text[: ends[-1]] if ends else ""


def make_believe(said: Said) -> bool:
    """Whether the whole message is hypothetical or sarcastic."""
    if any(cues(s).vetoes.hypothetical.search(s.cue) or cues(s).vetoes.sarcasm.search(s.cue) for s in said):
        return True
    return _praises_a_mishap(said) or any(
        cues(s).vetoes.harm.search(s.cue) or cues(s).turns.jests.search(s.cue) for s in said
    )


def _praises_a_mishap(said: Said) -> bool:
    """Praise right after the agent confessed a mistake is meant the other way round, unless the person objects too."""
    mishap = any(cues(s).vetoes.mishap.search(s.cue) for s in said)
    confessed = said.before and _CONFESSES.search(said.before[-1])
    if not (mishap or confessed or any(_COMPLAINS.search(s.cue) for s in said.earlier)):
        return False
    if said.before and _APOLOGIZES.search(said.before[-1]) and any(_MOCKS.search(s.cue) for s in said):
        return not any(cues(s).vetoes.objects.search(s.cue) for s in said)
    cheers = any(cues(s).vetoes.cheers.search(s.cue) for s in said.sentences[:_OPENING])
    return cheers and not any(cues(s).vetoes.objects.search(s.cue) for s in said)


def takes_back_all(following: Said | None) -> bool:
    """Whether the next message says that this one was a joke."""
    return following is not None and any(cues(s).turns.jests.search(s.cue) for s in following)


def asks(sentence: Sentence) -> bool:
    """Whether it is a question, and not a request in a question's form."""
    table = cues(sentence)
    if table.vetoes.polite.search(sentence.cue):
        return False
    if sentence.chinese:
        sentence = replace(sentence, cue=INDIRECT.sub(" ", sentence.cue))
    last = sentence.clauses()[-1].strip() if sentence.clauses() else ""
    orders = (
        table.work.durable.search(sentence.cue) or "always tell me" in sentence.cue
    )  # "when you propose a fix, tell me what it could break"
    ends = (
        (sentence.cue,)
        if orders and last.removeprefix("always ").startswith(("tell me", "show me"))
        else (sentence.cue, last)
    )
    return any(table.vetoes.question.search(end) for end in ends)


def for_others(sentence: Sentence) -> bool:
    """Whether it dictates a text that somebody else will read."""
    if _EACH_TIME.match(sentence.cue):
        return False
    return cues(sentence).vetoes.for_others.search(sentence.cue) is not None


def dictates(sentence: Sentence) -> bool:
    """Whether it orders such a text, be it in a question's form; what follows is the text."""
    return for_others(sentence) and (not asks(sentence) or _REQUESTS.match(sentence.cue) is not None)


def dictated(messages: Sequence[Said]) -> bool:
    """Whether the last message gives the content of a text for others that the one before asked for."""
    if len(messages) < 2:  # noqa: PLR2004 - nothing came before
        return False
    earlier, last = messages[-2:]
    asked = bool(last.before) and last.before[-1].rstrip().endswith(("?", "？"))
    listed = sum(s.text.startswith(("-", "*", "•")) for s in last) > 1
    return (asked or listed) and any(for_others(s) for s in earlier)


def reported(sentence: Sentence) -> bool:
    """Whether it says what a document or another person demands."""
    return cues(sentence).vetoes.reported.search(sentence.cue) is not None


def hearsay(sentence: Sentence) -> bool:
    """Whether a fact is only what some document or program says."""
    return cues(sentence).vetoes.hearsay.search(sentence.cue) is not None


def already_written(text: str, said: Said) -> bool:
    """Whether the project's own rules, as shown earlier, say it already."""
    own = words.content(text)
    book = words.content("\n".join(said.shown))
    return len(own & book) >= max(2, _ECHO * len(own))


def restated(text: str, said: Said) -> bool:
    """Whether it only says again what the assistant just explained."""
    own = words.content(text)
    heard = words.content(said.before[-1]) if said.before else frozenset[str]()
    return len(own & heard) >= max(3, _RECAP * len(own))
