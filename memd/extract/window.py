"""What a pass deals with: the part of a transcript that is new and whose turns are over."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memd.errors import RefusedError
from memd.extract import turns, variables
from memd.extract.house import House
from memd.extract.turns import Turn
from memd.ledger import Session
from memd.ledger.nouns import Mark
from memd.memory import location
from memd.memory.location import MemoryDir
from memd.memory.session_env import SessionEnv
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Cursor, Inside, Message, Reading, TurnState


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The new part of one conversation, and the project that it belongs to."""

    session: Session
    reading: Reading
    place: MemoryDir
    variables: SessionEnv  # what the session was started with, not the daemon
    turns: tuple[Turn, ...]  # of messages that no pass has dealt with yet
    uuids: tuple[str, ...]  # of every message that is dealt with once the cursor has moved
    cursor: Cursor  # where it moves to
    off: tuple[str, ...]  # uuids of messages off the record: they are no part of the turns
    settled: int | None  # bytes up to which nothing is left to do; None: a turn still goes on behind the cursor
    again: bool = False  # an earlier pass may have dealt with some of it
    inside: Inside | None = None  # how far in it earlier passes have come
    more: bool = False  # after this pass the same job waits for the next one

    def up_to(self, rest: Inside | None) -> Window:
        """The same for a pass that saw what comes before `rest`: the cursor stays, and nothing is dealt with yet."""
        if rest is None:
            return self
        cursor = replace(cursors.loads(self.session.cursor), inside=rest)
        return replace(self, cursor=cursor, uuids=(), settled=None, more=True)


def read(
    session: Session,
    house: House,
    *,
    again: bool,
    watermark: int,
    complete_only: bool = False,
) -> Window:
    """Read what came since the session's cursor. Raises OSError where the transcript cannot be read.

    `again` reads from the start and takes what was dealt with before too. `watermark` is the size in bytes at which the
    conversation was judged to be over: behind a file that has grown since, a new turn may be going on.
    `complete_only` leaves a last turn that is not complete for later, grown or not.
    """
    path = Path(session.path)
    kept = cursors.loads(session.cursor)
    reading = house.transcripts.read(path, Cursor() if again else kept)
    started_with = variables.of(session, reading, house)
    place = _place(session, reading, started_with, house)
    messages, cursor, settled = _covered(reading, watermark, complete_only=complete_only)
    uuids = tuple(uuid for message in messages for uuid in message.uuids)
    marks = house.ledger.marks(str(place.root), (*uuids, *_last_before(kept, reading)))
    off = _off(messages, marks, kept, reading)
    return Window(
        session=session,
        reading=reading,
        place=place,
        variables=started_with,
        turns=turns.split(_without(messages, off if again else off.union(marks))),
        uuids=uuids,
        off=tuple(off),
        cursor=_with_place(cursor, kept.inside, reading, len(messages)),
        settled=settled,
        again=again,
        inside=_place_of(kept, again=again),
    )


def _without(messages: Sequence[Message], known: Collection[str]) -> tuple[Message, ...]:
    return tuple(message for message in messages if message.uuid not in known)


def _place_of(kept: Cursor, *, again: bool) -> Inside | None:
    """How far passes of the same kind have come in a long turn."""
    return kept.inside if kept.inside is not None and kept.inside.again == again else None


def _last_before(kept: Cursor, reading: Reading) -> tuple[str, ...]:
    """What stands before the first message that was read."""
    return () if reading.from_start or kept.last_uuid is None else (kept.last_uuid,)


def _off(messages: Sequence[Message], marks: Mapping[str, Mark], kept: Cursor, reading: Reading) -> frozenset[str]:
    """The uuids of what is off the record, the answers to it included."""
    marked = {uuid for uuid, mark in marks.items() if mark is Mark.OFF_THE_RECORD}
    begins = any(uuid in marked for uuid in _last_before(kept, reading))
    return frozenset(
        uuid for message in turns.off_the_record(messages, marked, begins=begins) for uuid in message.uuids
    )


def _with_place(cursor: Cursor, inside: Inside | None, reading: Reading, covered: int) -> Cursor:
    """Keep a place in a turn that goes on again, after it had been given up on: it lies behind the cursor still."""
    behind = reading.messages[covered:]
    kept = inside is not None and any(message.uuid == inside.uuid for message in behind)
    return replace(cursor, inside=inside) if kept else cursor


def _covered(
    reading: Reading, watermark: int, *, complete_only: bool
) -> tuple[tuple[Message, ...], Cursor, int | None]:
    """Take all where the last turn is over, or was given up on and has not moved since; else what is complete."""
    given_up = reading.end.offset <= watermark and not complete_only
    if reading.turn is TurnState.COMPLETE or given_up:
        return reading.messages, reading.end, reading.end.offset
    settled = reading.complete.offset if complete_only else None
    return reading.messages[: reading.complete_count], reading.complete, settled


def _place(session: Session, reading: Reading, started_with: SessionEnv, house: House) -> MemoryDir:
    """Resolve the session's project: the root kept from first sight, since work trees get deleted.

    Raises RefusedError where the transcript names no directory that can exist.
    """
    home, base = house.paths.home, house.settings.memory.base
    if session.root is not None:
        return location.of_root(Path(session.root), started_with, home=home, base=base)
    cwd = session.cwd or reading.cwd
    if cwd is None or not cwd.startswith("/") or "\0" in cwd:
        raise RefusedError(
            f"{session.path} names no absolute path as the directory it was written in",
            hint="without that nobody knows whose memory it belongs to; it is looked at again when it grows",
        )
    worktrees = house.settings.projects.worktrees
    return location.of_session(Path(cwd), started_with, home=home, base=base, worktrees=worktrees)
