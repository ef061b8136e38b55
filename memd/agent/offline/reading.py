"""Utterances into human messages, each with what stood before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memd.agent.offline import sentences
from memd.agent.offline.chinese import CHINESE
from memd.agent.offline.cues import Cues
from memd.agent.offline.english import ENGLISH
from memd.agent.offline.model import Said, Sentence
from memd.memory.quotes import Speaker, Utterance

_RULE_BOOK = re.compile(
    r"CLAUDE\.md|AGENTS\.md|CONTRIBUTING|README|GEMINI\.md|\.cursorrules|\.editorconfig|conventions?|style ?guide|guidelines|规范|约定|指南",
    re.IGNORECASE,
)


def cues(sentence: Sentence) -> Cues:
    """The tables of the language a sentence is in."""
    return CHINESE if sentence.chinese else ENGLISH


def messages(utterances: Sequence[Utterance]) -> tuple[Said, ...]:
    """The human messages in order."""
    said: list[Said] = []
    before, shown = "", []
    for utterance in utterances:
        if utterance.speaker is Speaker.HUMAN:
            own = sentences.split(utterance.text)
            said.append(Said(index=len(said), sentences=own, before=before, shown=tuple(shown), at=utterance.at))
        elif utterance.speaker is Speaker.ASSISTANT:
            before = utterance.text
        elif _RULE_BOOK.search(utterance.text):
            shown += utterance.text.splitlines()
    return tuple(said)
