"""Utterances into human messages, each with what stood before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memd.agent.offline import sentences
from memd.agent.offline.cues.languages import CHINESE, ENGLISH
from memd.agent.offline.cues.tables import Cues
from memd.agent.offline.model import Said, Sentence
from memd.memory import secrets
from memd.memory.quotes import Speaker, Utterance

_RULE_BOOK = re.compile(
    r"(?:CLAUDE|AGENTS|GEMINI)\.md|CONTRIBUTING|README|\.cursorrules|\.editorconfig|conventions?|style ?guide"
    r"|guidelines"
    r"|规范|约定|指南",
    re.IGNORECASE,
)

_OPENING = 60  # characters in which an answer would name the rule book it quotes
_REMEMBERED = 3  # the assistant's turns in which a confirmed choice is looked for


def cues(sentence: Sentence) -> Cues:
    """The tables of the language a sentence is in."""
    return CHINESE if sentence.chinese else ENGLISH


def messages(utterances: Sequence[Utterance]) -> tuple[Said, ...]:
    """The human messages in order."""
    said: list[Said] = []
    before: list[str] = []
    shown: list[str] = []
    for utterance in utterances:
        if utterance.speaker is Speaker.HUMAN:
            own = sentences.split(secrets.redact(utterance.text))
            said.append(
                Said(
                    index=len(said),
                    sentences=own,
                    before=tuple(before[-_REMEMBERED:]),
                    earlier=said[-1].sentences if said else (),
                    shown=tuple(shown),
                    at=utterance.at,
                )
            )
        elif utterance.speaker is Speaker.ASSISTANT:
            before.append(utterance.text)
            if _RULE_BOOK.search(utterance.text[:_OPENING]):
                shown += utterance.text.splitlines()
        elif _RULE_BOOK.search(utterance.text):
            shown += utterance.text.splitlines()
    return tuple(said)
