"""What the last pass over a long conversation made of its messages: the next one cleans those alone that are new."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from itertools import chain

from memd.agent import evidence
from memd.memory.quotes import Utterance
from memd.transcripts.model import Message

MOST = 20_000_000  # characters of messages remembered

Made = dict[str, tuple[Message, tzinfo | None, tuple[Utterance, ...]]]  # by uuid
Cleaned = dict[str, Made]  # by the conversation's key


def clean(
    messages: Sequence[Message], zone: tzinfo | None, key: str, known: Cleaned, *, most: int = MOST
) -> tuple[Utterance, ...]:
    """As `evidence.clean`, and `known` has it until the conversation is dropped, unless all in it is too long."""
    before = known.pop(key, {})
    made = {message.uuid: (message, zone, _one(message, zone, before)) for message in messages}
    if sum(map(_length, chain([made], known.values()))) <= most:
        known[key] = made
    return tuple(utterance for message in messages for utterance in made[message.uuid][2])


def drop(key: str, known: Cleaned) -> None:
    """Forget a conversation of which nothing is left."""
    known.pop(key, None)


def _one(message: Message, zone: tzinfo | None, before: Made) -> tuple[Utterance, ...]:
    same = before.get(message.uuid)
    return same[2] if same is not None and same[:2] == (message, zone) else evidence.clean([message], zone)


def _length(made: Made) -> int:
    return sum(len(message.text) for message, _, _ in made.values())
