"""What a pass deals with: the part of a transcript that is new and whose turns are over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memd.errors import RefusedError
from memd.extract import turns, variables
from memd.extract.house import House
from memd.extract.turns import Turn
from memd.ledger import Session
from memd.memory import location
from memd.memory.location import MemoryDir
from memd.memory.session_env import SessionEnv
from memd.transcripts import cursor as cursors
from memd.transcripts.model import WHOLE, Cursor, Message, Reading, TurnState


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
    settled: int | None  # bytes up to which nothing is left to do; None: a turn still goes on behind the cursor
    again: bool = False  # an earlier pass may have dealt with some of it
    span: int = 0  # bytes of the transcript that were read


def read(
    session: Session,
    house: House,
    *,
    again: bool,
    watermark: int,
    complete_only: bool = False,
    most: int = WHOLE,
) -> Window:
    """Read what came since the session's cursor. Raises OSError where the transcript cannot be read.

    `again` reads from the start and takes what was dealt with before too. `watermark` is the size in bytes at which the
    conversation was judged to be over: behind a file that has grown since, a new turn may be going on.
    `complete_only` leaves a last turn that is not complete for later, grown or not. Of more than `most` bytes only the
    first turns are read.
    """
    path = Path(session.path)
    since = Cursor() if again else cursors.loads(session.cursor)
    reading = house.transcripts.read(path, since, most=most)
    started_with = variables.of(session, reading, house)
    place = _place(session, reading, started_with, house)
    messages, cursor, settled = _covered(reading, watermark, complete_only=complete_only)
    uuids = tuple(uuid for message in messages for uuid in message.uuids)
    known = frozenset() if again else house.ledger.processed(str(place.root), uuids)
    fresh = tuple(message for message in messages if message.uuid not in known)
    return Window(
        session=session,
        reading=reading,
        place=place,
        variables=started_with,
        turns=turns.split(fresh),
        uuids=uuids,
        cursor=cursor,
        settled=settled,
        again=again,
        span=max(0, reading.end.offset - (0 if reading.restarted else since.offset)),
    )


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
