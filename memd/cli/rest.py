"""What passes have not come to yet of a conversation that is longer than one of them may send."""

from __future__ import annotations

from typing import Any

from memd.ledger import Ledger
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Inside


def rest(ledger: Ledger | None, session_key: str | None) -> Inside | None:
    """How far passes have come within it; None: nothing of it is left."""
    session = None if ledger is None else ledger.session(session_key or "")
    return None if session is None else cursors.loads(session.cursor).inside


def in_words(inside: Inside) -> str:
    """Say it to people."""
    return f"it is long: part {inside.part} of about {inside.parts} is done, the rest follows"


def described(inside: Inside | None) -> dict[str, Any]:
    """Put it into the shape that programs get."""
    return {} if inside is None else {"rest": {"parts_done": inside.part, "parts": inside.parts}}
