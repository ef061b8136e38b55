"""Reading a Claude Code transcript: forward from a cursor, and backward from its end."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from memd import collector
from memd.transcripts import own, snapshot, tail
from memd.transcripts.decode import Attachment, Record, decode, records, salvaged
from memd.transcripts.grouping import Messages, made_uuid
from memd.transcripts.lines import lines
from memd.transcripts.model import WHOLE, Cursor, Problems, Reading, TurnState
from memd.transcripts.speakers import ASSISTANT, HUMAN, OTHER, WAKE, Kind, kind
from memd.transcripts.turns import Turn, group_of

HEAD = 256 * 1024  # bytes in which the first snapshot of the prompt stands, if there is one
KNOWN_TYPES = frozenset(
    {
        "user",
        "assistant",
        "attachment",
        "system",
        "queue-operation",
        "last-prompt",
        "mode",
        "permission-mode",
        "tools-used",
        "atis-latch",
        "cost-state",
        "file-history-snapshot",
        "file-history-delta",
        "custom-title",
        "agent-name",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "summary",
        "progress",
    }
)


@dataclass(slots=True, kw_only=True)
class View:
    """What the records so far tell about the session, apart from its messages."""

    turn: Turn = field(default_factory=Turn)
    end: int = 0  # bytes, after the last line break
    session_id: str | None = None
    cwd: str | None = None
    entrypoint: str | None = None
    last_uuid: str | None = None
    prompt: Attachment | None = None  # the last snapshot of it
    named: bool = False  # by memd
    own: bool | None = None  # whether the last prompt makes it memd's own session; None: there was none

    def take(self, record: Record, what: Kind) -> None:
        """Take one record into account; a sub-agent's tells nothing."""
        if record.is_sidechain:
            return
        if session_id := record.session_id:
            self.session_id = session_id
        if (cwd := record.cwd) and cwd != self.cwd and _is_place(cwd):
            self.cwd = cwd
        if entrypoint := record.entrypoint:
            self.entrypoint = entrypoint
        if what is OTHER:
            self._take_aside(record)
            return
        if what is HUMAN or what is WAKE:
            self.own = own.is_own_session(record, named=self.named)
        self.last_uuid = record.uuid or made_uuid(record)
        self.turn.step(record, what)

    def _take_aside(self, record: Record) -> None:
        """A record that is no part of the conversation may tell of the session."""
        if record.attachment is not None and snapshot.is_one(record.attachment):
            self.prompt = record.attachment
        elif (named := own.names(record)) is not None:
            self.named = named

    @property
    def is_certain(self) -> bool:
        """Whether nothing further back could change what the end of the file tells."""
        return self.turn.certain and self.session_id is not None and self.cwd is not None


@dataclass(slots=True, kw_only=True)
class Scan:
    """A reading under way."""

    view: View
    complete: int  # bytes
    complete_count: int = 0
    complete_uuid: str | None = None
    messages: Messages = field(default_factory=Messages)
    bad_lines: int = 0
    oversize_lines: int = 0
    unknown_types: int = 0

    def take_all(self, fd: int, start: int, end: int, *, most: int = WHOLE) -> None:
        """Take the lines between two offsets into account: after `most` bytes of them, up to where a turn is over.

        A turn of twice that is parted.
        """
        taken = 0
        for data, stop in lines(fd, start, end):
            self.take(data, start)
            taken += 0 if data is None else stop - start
            self.view.end = start = stop
            if taken >= most and (taken >= 2 * most or self.view.turn.state is TurnState.COMPLETE):
                break
        if self.view.turn.state is TurnState.COMPLETE:
            self.close(self.view.end)

    def take(self, data: bytes | None, start: int) -> None:
        """Take the line that starts there into account; `data` is None where it is too long."""
        record = None if data is None else decode(data)
        if record is not None:
            self._take_record(record, start)
        elif data is None:
            self.oversize_lines += 1
        else:
            self._take_odd(data, start)

    def close(self, offset: int) -> None:
        """All before `offset` is over."""
        self.complete, self.complete_count = offset, len(self.messages)
        self.complete_uuid = self.view.last_uuid

    def problems(self) -> Problems:
        """What was passed over."""
        return Problems(bad_lines=self.bad_lines, oversize_lines=self.oversize_lines, unknown_types=self.unknown_types)

    def _take_odd(self, data: bytes, start: int) -> None:
        """A line that is not one sound record; no turn ends between the records on it."""
        found = salvaged(data)
        self.bad_lines += found.bad
        for number, record in enumerate(found.records):
            self._take_record(record, start if number == 0 else None)

    def _take_record(self, record: Record, start: int | None) -> None:
        """`start` is where the record's line starts; None where no turn may end before it."""
        what = kind(record)
        if what is OTHER:
            self.unknown_types += record.type not in KNOWN_TYPES
        else:
            if start is not None and (what is HUMAN or self.view.turn.final):
                self._part_turns(record, what, start)
            self.messages.add(record, what)
        self.view.take(record, what)

    def _part_turns(self, record: Record, what: Kind, start: int) -> None:
        """What follows a complete turn closes it; so does a new prompt, unless a tool is still waited for.

        Nothing is added to a closed turn: it may have been dealt with already.
        """
        turn = self.view.turn
        if turn.state is TurnState.COMPLETE or (what is HUMAN and turn.spoken and not turn.pending):
            self.close(start)
            if what is not ASSISTANT or group_of(record) != turn.group:
                self.messages.seal()


@dataclass(slots=True, kw_only=True)
class _Window:
    """Some lines before a place in the file."""

    begin: int  # bytes: where the first one starts
    end: int = 0  # bytes: where the last one ends; 0: there is none
    records: list[Record] = field(default_factory=list)


def read(fd: int, since: Cursor, *, name: str, most: int = WHOLE) -> Reading:
    """What came after `since`; `name` is the session's id where the records do not tell it.

    Of more than `most` bytes only the first turns: the next reading goes on at the `end` of this one.
    """
    valid = tail.still_valid(fd, since)
    start = since.offset if valid else 0
    view = look_back(fd, start)
    scan = Scan(view=view, complete=start, complete_uuid=view.last_uuid)
    with collector.resting():
        scan.take_all(fd, start, os.fstat(fd).st_size, most=most)
        messages = scan.messages.finished()
    told = view if start == 0 or (view.prompt and view.own is not None) else _head(fd, start)
    prompt = snapshot.of(view.prompt or told.prompt)
    return Reading(
        session_id=view.session_id or name,
        cwd=view.cwd,
        messages=messages,
        end=tail.cursor_at(fd, view.end, view.last_uuid),
        complete=tail.cursor_at(fd, scan.complete, scan.complete_uuid),
        complete_count=scan.complete_count,
        turn=view.turn.state,
        entrypoint=view.entrypoint,
        own=_is_own(view, told),
        memory_section=prompt.section,
        memory_dir=prompt.directory,
        from_start=start == 0,
        restarted=not valid,
        problems=scan.problems(),
    )


def _is_own(view: View, told: View) -> bool:
    """Whether memd started the session: by its last prompt, else its first, else by what every record says."""
    known = told.own if view.own is None else view.own
    return view.entrypoint == own.ENTRYPOINT if known is None else known


def _is_place(cwd: str) -> bool:
    """Whether it can be a directory of this machine; a relative one would be looked for below the reader's own."""
    return cwd.startswith("/") and "\0" not in cwd


def look_back(fd: int, end: int, *, first: int = tail.FIRST_WINDOW) -> View:
    """The state after the last whole line before `end`, from as little of the file as can tell it.

    `first` is the size of the first window in bytes.
    """
    view, seen = View(), _Window(begin=end)
    for start in tail.windows(end, first):
        earlier = _window(fd, start, seen.begin)
        if earlier.end:
            seen = _Window(begin=earlier.begin, end=seen.end or earlier.end, records=earlier.records + seen.records)
            view = _view(seen)
        if view.is_certain:
            break
    return view


def _head(fd: int, end: int) -> View:
    """What the session's first prompt said about memory, and whether it was memd's."""
    view = View()
    for data, _ in lines(fd, 0, min(end, HEAD)):
        for record in records(data) if data is not None else ():
            view.take(record, kind(record))
        if view.prompt and view.own is not None:
            break
    return view


def _window(fd: int, start: int, stop: int) -> _Window:
    """The records of the lines that start in one window."""
    found = _Window(begin=stop)
    at = max(start - 1, 0)
    for data, end in lines(fd, at, stop):
        if at >= start:
            found.begin, found.end = min(found.begin, at), end
            found.records += records(data) if data is not None else ()
        at = end
    return found


def _view(window: _Window) -> View:
    view = View(end=window.end)
    for record in window.records:
        view.take(record, kind(record))
    return view
