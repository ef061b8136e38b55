"""What is kept of a proposal that did not go live: who held it and why, and its text without a single secret.

A run's record is the only place where such a text stays. Rules grow, and a file may hold a secret that a person wrote
there: so all of it is looked at once more when it is written down, also where it was looked at before.
"""

from __future__ import annotations

from dataclasses import replace

from memd.memory import secrets
from memd.memory.decision import Dropped, Held
from memd.memory.quotes import Quote
from memd.memory.workspace import Change


def held(one: Held) -> Held:
    """A held proposal as it may be kept; where nothing of it is secret, the same to the byte."""
    before, after = (None if side is None else scrubbed(side) for side in (one.change.before, one.change.after))
    change = Change(path=_text(one.change.path), before=before, after=after)
    quotes = tuple(quote(said) for said in one.quotes)
    return replace(one, path=_text(one.path), change=change, quotes=quotes, detail=_text(one.detail))


def dropped(one: Dropped) -> Dropped:
    """What is kept of a dropped change: a file's name can be a secret too."""
    return replace(one, path=_text(one.path), detail=_text(one.detail))


def quote(said: Quote) -> Quote:
    """Somebody's words as they may be kept."""
    return replace(said, text=_text(said.text))


def scrubbed(data: bytes) -> bytes:
    """A file without secrets; the same bytes where there are none, whatever they are."""
    text = data.decode("utf-8", errors="surrogateescape")
    kept = _text(text)
    return data if kept == text else kept.encode("utf-8", errors="surrogateescape")


def _text(text: str) -> str:
    return secrets.redact(text)
