"""Messages put together from records, in file order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

import msgspec

from memd.transcripts.decode import Block, Part, Record
from memd.transcripts.model import Message, Role, ToolCall
from memd.transcripts.speakers import Kind, blocks, typed_text
from memd.transcripts.turns import group_of

_ROLES = {Kind.HUMAN: Role.HUMAN, Kind.ASSISTANT: Role.ASSISTANT, Kind.API_ERROR: Role.ASSISTANT}


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A message that more records may add to."""

    role: Role
    at: datetime | None
    uuids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    interrupted: bool = False
    api_error: bool = False

    def finished(self) -> Message:
        return Message(
            uuid=self.uuids[0],
            uuids=tuple(self.uuids),
            role=self.role,
            text="\n".join(self.texts),
            at=self.at,
            tool_calls=tuple(self.calls.values()),
            interrupted=self.interrupted,
            api_error=self.api_error,
        )


class Messages:
    """The messages of one reading. A record with a uuid that was there already adds nothing."""

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        self._seen: set[str] = set()
        self._groups: dict[str, _Draft] = {}
        self._calls: dict[str, _Draft] = {}
        self._sealed = 0  # how many of the drafts belong to closed turns

    def __len__(self) -> int:
        """How many there are, the unfinished one included."""
        return len(self._drafts)

    def add(self, record: Record, kind: Kind) -> None:
        """Put a record where it belongs."""
        uuid = uuid_of(record)
        if uuid in self._seen:
            return
        self._seen.add(uuid)
        if kind is Kind.ASSISTANT:
            self._answer(record, uuid)
        elif kind is Kind.RESULT:
            self._results(record, uuid)
        elif kind is Kind.INTERRUPT:
            self._interrupt(record, uuid)
        else:
            self._start(record, kind, uuid)

    def seal(self) -> None:
        """The turn is over: what comes now belongs to none of its messages."""
        self._groups.clear()
        self._calls.clear()
        self._sealed = len(self._drafts)

    def finished(self) -> tuple[Message, ...]:
        """All of them, in the order of their first records."""
        return tuple(draft.finished() for draft in self._drafts)

    def _start(self, record: Record, kind: Kind, uuid: str) -> _Draft:
        draft = _Draft(role=_ROLES.get(kind, Role.INJECTED), at=_time(record.timestamp), uuids=[uuid])
        draft.api_error = kind is Kind.API_ERROR
        if kind is not Kind.ASSISTANT and record.message:
            draft.texts.append(typed_text(record.message))
        self._drafts.append(draft)
        return draft

    def _answer(self, record: Record, uuid: str) -> None:
        group = group_of(record)
        draft = self._groups.get(group)
        if draft is None:
            draft = self._groups[group] = self._start(record, Kind.ASSISTANT, uuid)
        else:
            draft.uuids.append(uuid)
        draft.interrupted = draft.interrupted or bool(record.is_aborted_mid_stream)
        for block in blocks(record.message) if record.message else ():
            self._add_block(draft, block)

    def _add_block(self, draft: _Draft, block: Block) -> None:
        if block.type == "text" and block.text:
            draft.texts.append(block.text)
        elif block.type == "tool_use" and block.id:
            arguments = block.input if isinstance(block.input, dict) else {}
            draft.calls[block.id] = ToolCall(id=block.id, name=block.name or "", input=arguments)
            self._calls[block.id] = draft

    def _results(self, record: Record, uuid: str) -> None:
        """Results go to their calls, wherever these stand; one whose call was read earlier is left out."""
        for block in blocks(record.message) if record.message else ():
            draft = self._calls.get(block.tool_use_id or "")
            if draft is None or block.tool_use_id is None:
                continue
            call = draft.calls[block.tool_use_id]
            draft.calls[call.id] = _answered(call, block)
            if uuid not in draft.uuids:
                draft.uuids.append(uuid)

    def _interrupt(self, record: Record, uuid: str) -> None:
        """The mark goes to the last message of the turn it breaks; where that was read earlier, it stands alone."""
        draft = self._broken_off()
        if draft is None:
            draft = self._start(record, Kind.ECHO, uuid)
        else:
            draft.uuids.append(uuid)
        draft.interrupted = True

    def _broken_off(self) -> _Draft | None:
        """The last message of the turn that is still open."""
        return next(
            (draft for draft in reversed(self._drafts[self._sealed :]) if draft.role is not Role.INJECTED), None
        )


def uuid_of(record: Record) -> str:
    """The record's uuid; where it has none, one made of its content, so that a copy is known again."""
    return record.uuid or "made-" + blake2b(msgspec.json.encode(record), digest_size=16).hexdigest()


def _answered(call: ToolCall, block: Block) -> ToolCall:
    return ToolCall(
        id=call.id, name=call.name, input=call.input, result=_result_text(block), is_error=bool(block.is_error)
    )


def _result_text(block: Block) -> str:
    """A tool's output as text; pictures are left out."""
    if isinstance(block.content, str):
        return block.content
    return "\n".join(_part_text(part) for part in block.content or () if part.type == "text")


def _part_text(part: Part) -> str:
    return part.text or ""


def _time(stamp: str | None) -> datetime | None:
    """A point in time; None for what is none, or lacks its zone."""
    try:
        time = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return time if time.tzinfo else None
