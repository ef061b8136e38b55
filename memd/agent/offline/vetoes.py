"""What is said, but is nothing to learn from."""

from __future__ import annotations

import re

from memd.agent.offline import words
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues

_REDACTED = re.compile(r"\[secret:[^\]]*\]")
_CREDENTIAL = re.compile(
    r"(?i)(?:passw(?:or)?d|passwd|pwd|secret|token|api[_-]?key|密码|口令|密钥)\s*(?:=|:|is|是|为|：)\s*\S{5,}|://[^\s/:@]+:[^\s/@]+@|\bgh[pousr]_\w{8,}|\bAKIA\w{8,}|\bsk-\w{8,}|BEGIN [A-Z ]*PRIVATE KEY"
)
_ECHO = 0.6  # share of a rule's words that a line of the project's own rules may hold


def secret(text: str) -> bool:
    """Whether the text holds a secret, or the place where one was taken out."""
    return _REDACTED.search(text) is not None or _CREDENTIAL.search(text) is not None


def make_believe(said: Said) -> bool:
    """Whether the whole message is hypothetical or sarcastic."""
    return any(cues(s).hypothetical.search(s.cue) or cues(s).sarcasm.search(s.cue) for s in said)


def takes_back_all(following: Said | None) -> bool:
    """Whether the next message says that this one was a joke."""
    return following is not None and any(cues(s).jests.search(s.cue) for s in following)


def asks(sentence: Sentence) -> bool:
    """Whether it is a question, and not a request in a question's form."""
    table = cues(sentence)
    return table.question.search(sentence.cue) is not None and not table.polite.search(sentence.cue)


def for_others(sentence: Sentence) -> bool:
    """Whether it dictates a text that somebody else will read."""
    return cues(sentence).for_others.search(sentence.cue) is not None


def reported(sentence: Sentence) -> bool:
    """Whether it says what a document or another person demands."""
    return cues(sentence).reported.search(sentence.cue) is not None


def already_written(text: str, said: Said) -> bool:
    """Whether the project's own rules, as shown earlier, say it already."""
    own = words.content(text)
    return any(len(own & line) >= max(2, _ECHO * len(own)) for line in map(words.content, said.shown))
