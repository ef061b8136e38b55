"""Messages put together from records, in file order."""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b

import msgspec

from memd.transcripts import written
from memd.transcripts.decode import Block, Part, Record
from memd.transcripts.model import Message, Role, ToolCall, Wrote
from memd.transcripts.speakers import ASSISTANT, HUMAN, RESULT, Kind, blocks, typed_text
from memd.transcripts.turns import group_of

RESULT_KEPT = 64 * 1024  # characters of a tool's output; whoever learns from it reads less
_PRIVATE = re.compile("private", re.IGNORECASE)  # a tag behind those may say it of them: then all is kept


class _Draft(msgspec.Struct, gc=False):
    """A message that more records may add to."""

    role: Role
    stamp: str | None
    uuids: list[str]
    texts: list[str] = []
    calls: dict[str, Block] = {}
    results: dict[str, tuple[str, bool, Wrote | None]] = {}  # by call: its text, whether it is an error, what it wrote
    interrupted: bool = False
    api_error: bool = False

    def finished(self) -> Message:
        return Message(
            uuid=self.uuids[0],
            uuids=tuple(self.uuids),
            role=self.role,
            text="\n".join(self.texts),
            at=_time(self.stamp),
            tool_calls=tuple(self._call(block) for block in self.calls.values()) if self.calls else (),
            interrupted=self.interrupted,
            api_error=self.api_error,
        )

    def _call(self, block: Block) -> ToolCall:
        result, is_error, wrote = self.results.get(block.id or "", (None, False, None))
        arguments = block.input if isinstance(block.input, dict) else {}
        return ToolCall(
            id=block.id or "", name=block.name or "", input=arguments, result=result, is_error=is_error, wrote=wrote
        )


class Messages:
    """The messages of one reading. A record with a uuid that was there already adds nothing."""

    def __init__(self) -> None:
        self._done: list[Message] = []  # of closed turns
        self._drafts: list[_Draft] = []  # of the turn that is still open
        self._seen: set[str] = set()
        self._groups: dict[str, _Draft] = {}
        self._calls: dict[str, _Draft] = {}

    def __len__(self) -> int:
        """How many there are, the unfinished one included."""
        return len(self._done) + len(self._drafts)

    def add(self, record: Record, kind: Kind) -> None:
        """Put a record where it belongs."""
        uuid = record.uuid or made_uuid(record)
        if uuid in self._seen:
            return
        self._seen.add(uuid)
        if kind is ASSISTANT:
            self._answer(record, uuid)
        elif kind is RESULT:
            self._results(record, uuid)
        elif kind is Kind.INTERRUPT:
            self._interrupt(record, uuid)
        else:
            self._said(record, kind, uuid)

    def seal(self) -> None:
        """The turn is over: what comes now belongs to none of its messages."""
        self._done += [draft.finished() for draft in self._drafts]
        self._drafts.clear()
        self._groups.clear()
        self._calls.clear()

    def finished(self) -> tuple[Message, ...]:
        """All of them, in the order of their first records."""
        return (*self._done, *(draft.finished() for draft in self._drafts))

    def _start(self, record: Record, role: Role, uuid: str) -> _Draft:
        draft = _Draft(role, record.timestamp, [uuid])
        self._drafts.append(draft)
        return draft

    def _said(self, record: Record, kind: Kind, uuid: str) -> None:
        role = Role.HUMAN if kind is HUMAN else Role.ASSISTANT if kind is Kind.API_ERROR else Role.INJECTED
        draft = self._start(record, role, uuid)
        draft.api_error = kind is Kind.API_ERROR
        draft.texts.append(typed_text(record))

    def _answer(self, record: Record, uuid: str) -> None:
        group = group_of(record)
        draft = self._groups.get(group)
        if draft is None:
            draft = self._groups[group] = self._start(record, Role.ASSISTANT, uuid)
        else:
            draft.uuids.append(uuid)
        if record.is_aborted_mid_stream:
            draft.interrupted = True
        for block in blocks(record):
            if block.type == "text" and block.text:
                draft.texts.append(block.text)
            elif block.type == "tool_use" and block.id:
                draft.calls[block.id] = block
                self._calls[block.id] = draft

    def _results(self, record: Record, uuid: str) -> None:
        """Results go to their calls, wherever these stand; one whose call was read earlier is left out."""
        for block in blocks(record):
            call = block.tool_use_id
            draft = self._calls.get(call) if call else None
            if call and draft:
                draft.results[call] = _result_text(block), bool(block.is_error), written.wrote(record)
                if draft.uuids[-1] != uuid:
                    draft.uuids.append(uuid)

    def _interrupt(self, record: Record, uuid: str) -> None:
        """The mark goes to the last message of the turn it breaks; where that was read earlier, it stands alone."""
        draft = self._broken_off()
        if draft is None:
            self._said(record, Kind.ECHO, uuid)
            draft = self._drafts[-1]
        else:
            draft.uuids.append(uuid)
        draft.interrupted = True

    def _broken_off(self) -> _Draft | None:
        """The last message of the turn that is still open."""
        return next((draft for draft in reversed(self._drafts) if draft.role is not Role.INJECTED), None)


def made_uuid(record: Record) -> str:
    """What stands for the uuid of a record that has none, made of its content, so that a copy is known again."""
    return "made-" + blake2b(msgspec.json.encode(record), digest_size=16).hexdigest()


def _result_text(block: Block) -> str:
    """A tool's output as text, as much of it as is kept; pictures are left out."""
    if isinstance(block.content, str):
        return _kept(block.content)
    return _kept("\n".join(_part_text(part) for part in block.content or () if part.type == "text"))


def _kept(text: str) -> str:
    return text if _PRIVATE.search(text, RESULT_KEPT - len("private")) else text[:RESULT_KEPT]


def _part_text(part: Part) -> str:
    return part.text or ""


def _time(stamp: str | None) -> datetime | None:
    """A point in time; None for what is none, or lacks its zone."""
    try:
        time = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return time if time.tzinfo else None
