"""What is said off the record: it stays out of every pass for good, in forks of its conversation too."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from memd.errors import MemdError
from memd.extract import window
from memd.extract.house import House
from memd.ledger import Session
from memd.transcripts import cursor as cursors


def keep_out(session: Session, house: House) -> None:
    """Mark all that a conversation holds by now and no pass has dealt with; its cursor moves behind it.

    Raises OSError, or RefusedError where it names no project.
    """
    if session.last_pass_at is None:  # older than memd perhaps, and noted where it ended
        session = replace(session, cursor=None)
    read_to = -1
    while True:
        new = window.read(session, house, again=False, watermark=sys.maxsize)
        cursor = cursors.dumps(new.cursor)
        root, uuids = str(new.place.root), (*new.off, *new.uuids)
        house.ledger.keep_out(session.key, root, uuids, cursor=cursor, settled=new.settled)
        if new.cursor.offset == read_to:
            return
        session, read_to = replace(session, cursor=cursor), new.cursor.offset


def catch_up(house: House, *, but: str) -> None:
    """The same for every conversation off the record that has grown: another may be a fork of it, with its words.

    `but` is the key of one that is dealt with otherwise.
    """
    for session in house.ledger.off_sessions():
        with suppress(OSError, MemdError):  # gone, or of no project: nothing that a fork could be known by
            if session.key != but and Path(session.path).stat().st_size != cursors.loads(session.cursor).offset:
                keep_out(session, house)
