"""Whether a memory stands on words that were really said, and by whom (spec §7)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from memd.memory import pastes, words


class Speaker(StrEnum):
    """Whose words an utterance holds."""

    HUMAN = "human"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One message as a pass may see it: injected text, private blocks and secrets already taken out."""

    speaker: Speaker
    text: str
    uuid: str
    at: datetime | None = None  # aware, in the zone that relative dates count from


class EvidenceClass(StrEnum):
    """Whose words a memory stands on; of several quotes, the lowest counts."""

    HUMAN = "human"  # a person typed it
    AGENT = "agent"  # the assistant said it
    OUTSIDE = "outside"  # a tool, a web page, something pasted, a team mate's file


_NOT_DENIED = "".join(
    rf"(?<!{word})"
    for word in (
        *(
            rf"\b{first}{rest} "
            for first, rest in (("[Nn]", "ever"), ("[Nn]", "ot"), ("[Aa]", "void"), ("[Ss]", "top"))
        ),
        *("[Nn]['’][Tt] ", "[Dd]ont ", "不要", "不能", "不得", "不准", "不再", "别", "别再", "禁止", "切勿", "不"),
    )
)
_HIGHEST_FIRST = (EvidenceClass.HUMAN, EvidenceClass.AGENT, EvidenceClass.OUTSIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words a memory stands on, as they were said. Kept in the run's record, never in the memory's file."""

    text: str
    evidence: EvidenceClass
    uuid: str
    at: datetime | None = None


def own_words(text: str) -> str:
    """What a person wrote themselves: the message without code fences, `>` lines and pasted logs, traces and code."""
    return pastes.without_pastes(text)


def locate(quote: str, window: Sequence[Utterance]) -> Quote | None:
    """Where a quote was said, in its highest class; the latest of several places. None: nowhere in the window.

    Compared after NFKC, white space folded. A quote that begins or ends inside a word does not count, nor does one that
    leaves off the "never" or "不要" right before it: that is not what was said.
    """
    wanted = _pattern(quote)
    if wanted is None:
        return None
    for evidence in _HIGHEST_FIRST:
        for utterance in reversed(window):
            if wanted.search(_folded_text_of(utterance, evidence)):
                return Quote(text=quote, evidence=evidence, uuid=utterance.uuid, at=utterance.at)
    return None


def class_of(quotes: Sequence[Quote], window: Sequence[Utterance]) -> EvidenceClass:
    """The lowest class among the quotes; a proposal of the assistant's that a person confirmed counts as theirs."""
    classes = {
        EvidenceClass.HUMAN
        if quote.evidence == EvidenceClass.AGENT and _is_confirmed(quote, quotes, window)
        else quote.evidence
        for quote in quotes
    }
    return max(classes, key=_HIGHEST_FIRST.index, default=EvidenceClass.OUTSIDE)


def folded(text: str) -> str:
    """Text for comparing: NFKC, every run of white space one space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _pattern(quote: str) -> re.Pattern[str] | None:
    text = folded(quote)
    if not text:
        return None
    before = r"(?<![A-Za-z0-9_])" if re.match(r"[A-Za-z0-9_]", text) else ""
    after = r"(?![A-Za-z0-9_])" if re.search(r"[A-Za-z0-9_]\Z", text) else ""
    return re.compile(_NOT_DENIED + before + re.escape(text) + after)


@lru_cache(maxsize=2048)
def _folded_text_of(utterance: Utterance, evidence: EvidenceClass) -> str:
    """Kept, because every quote of a proposal is looked for in every utterance."""
    return folded(_text_of(utterance, evidence))


def _text_of(utterance: Utterance, evidence: EvidenceClass) -> str:
    """The part of an utterance that is of this class."""
    is_human = utterance.speaker == Speaker.HUMAN
    if evidence == EvidenceClass.HUMAN:
        return own_words(utterance.text) if is_human else ""
    if evidence == EvidenceClass.AGENT:
        return utterance.text if utterance.speaker == Speaker.ASSISTANT else ""
    return utterance.text if utterance.speaker == Speaker.TOOL or is_human else ""


def _is_confirmed(proposal: Quote, quotes: Sequence[Quote], window: Sequence[Utterance]) -> bool:
    """Whether the next thing the person said after a proposal is quoted too, and agrees with it or repeats it."""
    places = [place for place, utterance in enumerate(window) if utterance.uuid == proposal.uuid]
    if not places:
        return False
    replies = (utterance for utterance in window[places[-1] + 1 :] if utterance.speaker == Speaker.HUMAN)
    reply = next(replies, None)
    if reply is None or not any(q.uuid == reply.uuid and q.evidence == EvidenceClass.HUMAN for q in quotes):
        return False
    said = folded(own_words(reply.text))
    return words.agrees(said) or words.repeats(said, proposal.text)
