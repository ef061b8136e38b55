"""What hooks and people say about sessions: it makes a pass come sooner, never wrong; pure but for what it remembers.

Nothing here is kept on the disk. A hint that is lost, with a daemon that ends, costs the quiet time and no more.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.transcripts.ending import EndHint

_LANDING = 10.0  # seconds after a session's end in which its last lines may still come
_PATIENCE = 86400.0  # seconds that a turn may take
_AT_MOST = 1000  # sessions remembered


class Said(NamedTuple):
    """What was said, and when."""

    hint: EndHint
    at: float  # monotonic seconds


class Hints:
    """The last hint of each session, until it is acted on or out of date."""

    def __init__(self) -> None:
        self._said: dict[str, Said] = {}

    def take(self, session_id: str, hint: EndHint, now: float) -> None:
        """Remember what was said just now, in place of what was said before."""
        self._said.pop(session_id, None)
        self._said[session_id] = Said(hint, now)
        if len(self._said) > _AT_MOST:
            del self._said[next(iter(self._said))]

    def of(self, session_id: str, changed_at: float, now: float) -> Said | None:
        """What holds for a session whose transcript last changed at that time (both in monotonic seconds).

        An end is over once the session goes on. A wish is about the turn that it begins: until something has come
        after it, the turn that stands complete is the one before.
        """
        said = self._said.get(session_id)
        if said is None:
            return None
        ended = said.hint is EndHint.SESSION_END
        if now - said.at > _PATIENCE or (ended and changed_at > said.at + _LANDING):
            self.drop(session_id)
            return None
        return said if ended or changed_at > said.at else None

    def drop(self, session_id: str) -> None:
        """Forget what was said: it has been acted on."""
        self._said.pop(session_id, None)
