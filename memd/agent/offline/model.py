"""The nouns of the rule engine: sentences that people said, and what is proposed because of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memd.memory.topic import TopicType

CERTAIN = 3  # points from which on something goes live


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as it was typed, and the simplified form in which cues are looked for."""

    text: str  # verbatim
    cue: str  # lower case, half width, no apostrophes; quoted text and code blanked
    chinese: bool

    def clauses(self) -> tuple[str, ...]:
        """The parts of `cue` between commas, colons and dashes."""
        return tuple(part for part in _CLAUSE_END.split(self.cue) if part.strip())


_CLAUSE_END = re.compile(
    r"(?:[,;，；：、()]|:(?!//))+(?=\D)|\s+[-–—]+\s+|——|\b(?:but|because)\b|但是?"
    r"|\bso\b(?= (?:dont|do|please|never|always|just|no|use|keep)\b)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One human message: its own words in sentences, and the assistant's words before it."""

    index: int
    sentences: tuple[Sentence, ...]
    before: tuple[str, ...]  # the assistant's last texts, oldest first
    earlier: tuple[Sentence, ...] = ()  # of the human message before
    shown: tuple[str, ...] = ()  # lines of project rules that tools had printed by then
    at: datetime | None = None

    def __iter__(self) -> Iterator[Sentence]:
        """The sentences in order."""
        return iter(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may be worth a memory, with the words it stands on."""

    kind: TopicType
    message: int  # index of the human message
    rule: tuple[str, ...]  # the sentences that say it, verbatim, in order
    chinese: bool
    points: int = CERTAIN  # how much speaks for it; fewer than CERTAIN make a bullet at most, unless said again
    unmistakable: bool = False  # it goes live, whatever came of its like
    context: tuple[str, ...] = ()  # neighbouring sentences that name what it is about
    proposal: str | None = None  # the assistant's sentence that the person confirmed
    reason: str | None = None
    scope: str | None = None
    repeats: bool = False  # it is said with a word such as "again"
    overrides: bool = False  # it opens with "no wait"
    corrects: bool = False  # it says that something said before has changed
    subject: Candidate | None = None  # what was said before about the same, under an older date
    at: datetime | None = None

    @property
    def certain(self) -> bool:
        """Whether enough speaks for it."""
        return self.points >= CERTAIN

    @property
    def quotes(self) -> tuple[str, ...]:
        """The words it stands on, verbatim, the assistant's proposal first."""
        proposal = (self.proposal,) if self.proposal else ()
        reason = (self.reason,) if self.reason else ()
        before = self.subject.rule if self.subject else ()
        return tuple(dict.fromkeys((*proposal, *before, *self.context, *self.rule, *reason)))

    @property
    def words(self) -> str:
        """All of it as one text, to compare by."""
        return "\n".join(self.quotes)
