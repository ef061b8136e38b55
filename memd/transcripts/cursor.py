"""A cursor as the ledger and the journal keep it: a line of JSON."""

from __future__ import annotations

import msgspec

from memd.transcripts.model import Cursor


def dumps(cursor: Cursor) -> str:
    """Write a cursor down."""
    return msgspec.json.encode(cursor).decode()


def loads(text: str | None) -> Cursor:
    """Read a cursor back; None, or what an unknown version wrote, is the start of the file.

    The start is always safe: what was dealt with is known by uuid and not learnt twice.
    """
    try:
        return msgspec.json.decode(text or "{}", type=Cursor)
    except msgspec.MsgspecError:
        return Cursor()
