"""Turns of a conversation, and whether the agent itself saved memory in them."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memd.transcripts.model import Message, Role, ToolCall, Wrote

WrittenPath = Callable[[ToolCall], str | None]

_REMEMBER = "mcp__memd__remember"
_REMEMBER_COMMAND = re.compile(r"(?:\A|[\s;&|(/])memd\s+remember\s")
_REMEMBER_TOOL = re.compile(r"mcp__\w[\w-]*__remember")  # perhaps memd's, under another name
_SAVED = re.compile(r"\b(?:saved|updated): (?P<file>\S+\.md)\b[^\n]* \(run \d+\)")  # what memd says then alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A human message and what followed it up to the next one; the first may lack its human message."""

    messages: tuple[Message, ...]

    @property
    def has_human(self) -> bool:
        """Whether a person said something in it."""
        return any(message.role is Role.HUMAN for message in self.messages)


def split(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """Cut a conversation before each human message."""
    turns: list[list[Message]] = []
    for message in messages:
        if message.role is Role.HUMAN or not turns:
            turns.append([])
        turns[-1].append(message)
    return tuple(Turn(messages=tuple(turn)) for turn in turns)


def off_the_record(messages: Iterable[Message], marked: Container[str], *, begins: bool = False) -> Iterator[Message]:
    """Those that are marked by one of their uuids, and whatever answers them up to a person's next words.

    `begins`: what lies before the first one is off the record.
    """
    out = begins
    for message in messages:
        is_marked = any(uuid in marked for uuid in message.uuids)
        out = is_marked or (out and message.role is not Role.HUMAN)
        if out:
            yield message


def has_memory_writes_since(
    messages: Sequence[Message], since_uuid: str | None, *, memory_dir: Path, written_path: WrittenPath
) -> bool:
    """Tell whether the main agent saved memory after `since_uuid`: by a tool call whose result was no error.

    `since_uuid` None, or one that is no longer there, means all messages. Daily logs are not memory. A call without
    a result did nothing that is known. What it had memd remember counts where that went live.
    """
    calls = (call for message in _after(messages, since_uuid) for call in message.tool_calls)
    done = (call for call in calls if call.result is not None and not call.is_error)
    return any(_is_memory(written_path(call), memory_dir) or _is_remembered(call, memory_dir) for call in done)


def memory_writes(
    messages: Sequence[Message], *, memory_dir: Path, written_path: WrittenPath
) -> dict[str, tuple[Wrote, ...]]:
    """What the main agent's calls show of the memory files that they wrote, oldest first.

    Paths are relative to the memory directory. A call without a result did nothing that is known.
    """
    found: dict[str, tuple[Wrote, ...]] = {}
    for call in (call for message in messages for call in message.tool_calls):
        path = written_path(call) if call.result is not None and not call.is_error else None
        if path is not None and _is_memory(path, memory_dir):
            inside = Path(os.path.realpath(path)).relative_to(os.path.realpath(memory_dir)).as_posix()
            found[inside] = (*found.get(inside, ()), call.wrote or _by_input(call))
    return found


def _by_input(call: ToolCall) -> Wrote:
    """What a call itself says that it writes, where its result shows nothing."""
    content = call.input.get("content")
    return Wrote(after=content if isinstance(content, str) else None)


def _after(messages: Sequence[Message], uuid: str | None) -> Sequence[Message]:
    found = [index for index, message in enumerate(messages) if uuid is not None and uuid in message.uuids]
    return messages[found[-1] + 1 :] if found else messages


def _is_remembered(call: ToolCall, memory_dir: Path) -> bool:
    """Whether memd itself saved something at the agent's call; what is held for review, it did not.

    People may have given memd's server another name. Such a tool's word counts where the memory is there.
    """
    said = _SAVED.search(call.result or "")
    if said is None:
        return False
    command = call.input.get("command")
    if call.name == _REMEMBER or (isinstance(command, str) and _REMEMBER_COMMAND.search(command)):
        return True
    file = str(memory_dir / said["file"])
    is_there = os.path.isfile(file)  # noqa: PTH113 - which raises where a name is too long
    return bool(_REMEMBER_TOOL.fullmatch(call.name)) and is_there and _is_memory(file, memory_dir)


def _is_memory(path: str | None, memory_dir: Path) -> bool:
    """Compare resolved paths: an agent may name the directory through a link."""
    if path is None:
        return False
    inside = Path(os.path.realpath(path))
    root = Path(os.path.realpath(memory_dir))
    return inside.is_relative_to(root) and inside.relative_to(root).parts[:1] != ("logs",)
