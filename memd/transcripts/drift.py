"""Whether the format has moved on and the reader has not: somebody was answered, and nobody had spoken; pure."""

from __future__ import annotations

from collections.abc import Iterable

from memd.transcripts.model import Message, Reading, Role
from memd.transcripts.speakers import NOTIFICATION

_EXPLAINS = ("<command-message>", NOTIFICATION)  # a command that is a prompt, or a task's end: they too are answered


def drifted(reading: Reading) -> bool | None:
    """Whether a conversation holds answers but no recognised human message.

    False: a person was recognised. None: it tells nothing, since nobody answered, it began with a command or a
    notification, it is memd's own, or only its later part was read. One True may be an accident; several in a row,
    with no False between them, are a new format.
    """
    if any(message.role is Role.HUMAN for message in reading.messages):
        return False
    if not reading.from_start or reading.own:
        return None
    return _is_unexplained(reading.messages)


def _is_unexplained(messages: Iterable[Message]) -> bool | None:
    """Whether nothing before the first answer says what it answers; None where there is no answer, or a reason."""
    for message in messages:
        if message.role is Role.ASSISTANT and not message.api_error:
            return True
        if message.text.startswith(_EXPLAINS):
            return None
    return None
