"""The nouns of a conversation, whichever agent wrote it down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import msgspec

WHOLE = 256 * 1024 * 1024  # bytes of one reading, about as much memory; sessions of 4 GB have been seen


class Role(StrEnum):
    """Who put a message into the conversation."""

    HUMAN = "human"  # a person typed it, or an SDK caller sent it as the prompt
    ASSISTANT = "assistant"
    INJECTED = "injected"  # hooks, summaries, commands' echo, notifications: never evidence


class Wrote(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a call's result shows of the Markdown file that it wrote: whole texts, None where that is not shown."""

    before: str | None = None
    after: str | None = None  # but for what the agent itself puts into the header when it saves
    is_new: bool | None = None  # there was no such file; None: nothing is told of what there was
    by_person: bool = False  # a person changed what was proposed before they let it be written


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A tool the agent used, with its result where there is one.

    A struct, as `Message` is: a long conversation has very many, and these are made five times as fast.
    """

    id: str
    name: str
    input: Mapping[str, Any]
    result: str | None = None  # None: no result on file (pending, or the process died)
    is_error: bool = False
    wrote: Wrote | None = None  # None: no result, or one that shows nothing of the kind


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message, put together from all the lines that carry its parts."""

    uuid: str  # of its first line
    uuids: tuple[str, ...]  # of every line that went into it, tool results included
    role: Role
    text: str
    at: datetime | None = None  # aware; None when the line has no usable time
    tool_calls: tuple[ToolCall, ...] = ()
    interrupted: bool = False  # the person broke this turn off
    api_error: bool = False  # the agent's own report of a failed request: never evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Whether the bytes before a cursor are still the ones that were read."""

    device: int
    inode: int
    head: str  # hash of the first 4 KiB, or of as much as lay before the offset
    tail: str  # hash of the last 4 KiB before the offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """How far behind a cursor passes have come that looked at a part only: the rest of a long conversation follows."""

    uuid: str  # of the message at which the next part begins,
    characters: int = 0  # behind so many characters of what is shown of it,
    before: str = ""  # and a hash of those: of another text, no part was looked at
    part: int = 1  # how many parts were looked at
    parts: int = 1  # of about so many
    again: bool = False  # by a pass that takes what others dealt with, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a transcript has been dealt with."""

    offset: int = 0  # bytes; always at the start of a line
    last_uuid: str | None = None
    fingerprint: Fingerprint | None = None
    inside: Inside | None = None


class TurnState(StrEnum):
    """How the last turn of a transcript stands."""

    NONE = "none"  # nobody has spoken yet
    COMPLETE = "complete"  # final assistant message, nothing pending
    RUNNING = "running"  # the assistant has not answered (fully) yet
    PENDING_TOOL = "pending_tool"  # a tool call without result
    BROKEN = "broken"  # interrupted by the person, or ended by an API error


@dataclass(frozen=True, slots=True, kw_only=True)
class TailState:
    """What the end of a transcript tells, read from its end alone."""

    session_id: str | None
    cwd: str | None
    turn: TurnState
    size: int  # bytes, up to and including the last line break
    last_uuid: str | None = None


class MemorySection(StrEnum):
    """What the session's own prompt said about memory."""

    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problems:
    """What was passed over while reading; never fatal."""

    bad_lines: int = 0
    oversize_lines: int = 0
    unknown_types: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is new in a transcript since a cursor, in file order."""

    session_id: str
    cwd: str | None  # the last one seen in the file, from the entries themselves
    messages: tuple[Message, ...]
    end: Cursor  # after everything read: the last line break, or less where there is very much
    complete: Cursor  # after the last complete turn; the start where none is complete
    complete_count: int  # how many of `messages` lie before `complete`
    turn: TurnState
    entrypoint: str | None = None  # "cli", "sdk-cli", or the mark of a session memd started itself
    own: bool = False  # memd started it itself, by whichever mark
    memory_section: MemorySection = MemorySection.UNKNOWN
    memory_dir: str | None = None  # the directory that this part of the prompt names
    from_start: bool = True  # nothing in the file lies before it
    restarted: bool = False  # the file was replaced or cut: read from its start
    problems: Problems = field(default_factory=Problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """A main conversation's file (sub-agents' files are never one)."""

    agent: str
    session_id: str
    path: Path


class ProcessState(StrEnum):
    """Whether the process that writes a session still lives."""

    ALIVE = "alive"
    GONE = "gone"
    UNKNOWN = "unknown"


class Transcripts(Protocol):
    """One agent's way of writing conversations down."""

    agent: str

    def roots(self) -> tuple[Path, ...]:
        """The directories under which transcripts appear; they may not exist yet."""

    def discover(self) -> Iterator[TranscriptFile]:
        """Every main transcript there is now."""

    def survey(self) -> Iterator[tuple[str, int, int]]:
        """Path, size in bytes and date (ns) of what `discover` finds: as cheap as it can be, for very many."""

    def recognise(self, path: Path) -> TranscriptFile | None:
        """The transcript at `path`; None for anything that is not a main conversation."""

    def tail(self, path: Path) -> TailState:
        """How the last turn stands, from the end of the file. Raises OSError where it cannot be read."""

    def read(self, path: Path, since: Cursor, *, most: int = WHOLE) -> Reading:
        """What came after `since`; of more than `most` bytes only the first turns.

        Raises OSError where the file cannot be read; never on its content.
        """

    def processes(self) -> Mapping[str, ProcessState]:
        """The sessions the agent's own registry knows, by session id; a hint only."""

    def written_path(self, call: ToolCall, cwd: str | None) -> str | None:
        """The absolute path that a file-writing tool call wrote, or None for any other call."""
