"""What a pass may learn from: the words of a conversation, without what was put in, private or secret.

`packing` takes what `clean` returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from msgspec import structs

from memd.agent import injected, invisible
from memd.memory import scan, secrets
from memd.memory.quotes import Speaker, Utterance
from memd.memory.topic_header import TopicHeader
from memd.transcripts.grouping import RESULT_KEPT
from memd.transcripts.model import Message, Role, ToolCall

TOOL_CHARACTERS = 4_000  # of one tool's result
HEAD = 600  # characters of a conversation's beginning that go with what is new
_HEAD_MESSAGES = 20  # that are looked at for them
_SPEAKERS = {Role.HUMAN: Speaker.HUMAN, Role.ASSISTANT: Speaker.ASSISTANT}
_PATHS = ("file_path", "notebook_path", "path")
# Results that show memory or instruction files, or are memd's own: no experience of this conversation.
_OWN_FILE = re.compile(
    r"(?:^|/)(?:MEMORY|CLAUDE|CLAUDE\.local|AGENTS)\.md$|/projects/[^/]+/memory(?:/|$)", re.IGNORECASE
)
_OWN_COMMAND = re.compile(
    r"(?:^|[\s;&|(/])memd\s|\b(?:MEMORY|CLAUDE|CLAUDE\.local|AGENTS)\.md\b|/projects/[^/\s]+/memory(?:/|\b)",
    re.IGNORECASE,
)


def clean(messages: Sequence[Message], zone: tzinfo | None) -> tuple[Utterance, ...]:
    """The conversation as a pass may see it, in order; messages of which nothing is left are gone.

    `zone` is where relative dates count from, for messages whose time was written in UTC; None: the machine's own.
    """
    return tuple(utterance for message in messages for utterance in _utterances(message, zone))


def beginning(messages: Sequence[Message], zone: tzinfo | None) -> tuple[Utterance, ...]:
    """What was said in a conversation's first messages, whole, for `head`: without what tools said."""
    return tuple(spoken for message in messages[:_HEAD_MESSAGES] for spoken in _spoken(message, zone))


def head(said: Sequence[Utterance], limit: int = HEAD) -> tuple[Utterance, ...]:
    """Of a beginning at most `limit` characters: what people asked first, then what was answered."""
    room = max(limit, 0)
    kept: dict[int, Utterance] = {}
    for speaker in (Speaker.HUMAN, Speaker.ASSISTANT):
        for place, utterance in enumerate(said):
            if utterance.speaker is speaker and room > 0:
                kept[place] = replace(utterance, text=utterance.text[:room])
                room -= len(kept[place].text)
    return tuple(kept[place] for place in sorted(kept))


def manifest(headers: Sequence[TopicHeader], now: float) -> tuple[str, ...]:
    """`scan.manifest` as a model may see it, a line each."""
    clean = [structs.replace(header, description=tidy(header.description)) for header in headers]
    return tuple(tidy(line) for line in scan.manifest(clean, now).splitlines())


def tidy(text: str) -> str:
    """A text without what is invisible, was put in, private or secret; doing it twice changes nothing more.

    To be asked about whole texts, before anything is cut off: half a secret is not recognised, and the end of a text
    may tell that its beginning is private.
    """
    plain = invisible.removed(text)
    return secrets.redact(injected.removed(plain)).strip()


def _utterances(message: Message, zone: tzinfo | None) -> Iterator[Utterance]:
    if message.role not in _SPEAKERS or message.api_error:
        return
    yield from _spoken(message, zone)
    for call in message.tool_calls:
        if result := _result(call):
            yield Utterance(speaker=Speaker.TOOL, text=result, uuid=message.uuid, at=_local(message.at, zone))


def _spoken(message: Message, zone: tzinfo | None) -> Iterator[Utterance]:
    """What a person or the assistant said."""
    speaker = _SPEAKERS.get(message.role)
    if speaker is None or message.api_error:
        return
    if text := tidy(message.text):
        yield Utterance(speaker=speaker, text=text, uuid=message.uuid, at=_local(message.at, zone))


def _result(call: ToolCall) -> str:
    """What a tool said, cut to its length; nothing where it showed memory, instructions or memd's own words."""
    if not call.result or _shows_own(call):
        return ""
    text = tidy(call.result)
    if len(call.result) == RESULT_KEPT and len(text) < 2 * TOOL_CHARACTERS:
        return ""  # its end is missing, perhaps from within a secret, and would be among what is left
    return text[:TOOL_CHARACTERS].rstrip()


def _shows_own(call: ToolCall) -> bool:
    if call.name.startswith("mcp__memd"):
        return True
    paths = [value for key in _PATHS if isinstance(value := call.input.get(key), str)]
    command = call.input.get("command")
    return any(_OWN_FILE.search(path) for path in paths) or (
        isinstance(command, str) and _OWN_COMMAND.search(command) is not None
    )


def _local(at: datetime | None, zone: tzinfo | None) -> datetime | None:
    """A time written in UTC says nothing about where the person was; any other offset does."""
    if at is None or at.utcoffset() is None:
        return None
    if at.utcoffset() != timedelta(0):
        return at
    try:
        return at.astimezone(zone)
    except (OverflowError, ValueError, OSError):  # the edge of the calendar
        return at.astimezone(UTC)
