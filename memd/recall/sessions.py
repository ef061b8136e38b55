"""What each running session has been shown, so that nothing is shown twice. One thread's."""

from __future__ import annotations

from dataclasses import replace

from memd.ledger import Ledger, Told
from memd.recall import payload
from memd.recall.payload import Call, Event

MOST = 60 * 1024  # bytes of memories a session
_AGENT = "claude-code"
_AT_HAND = 200  # sessions
_TOOLS = 40  # that count as recently used
_NEW_CONTEXT = frozenset({"startup", "clear", "compact", "fork"})  # what was shown before is not in it


def key_of(call: Call) -> str:
    """The ledger's key for an event's session."""
    return f"{_AGENT}:{call.session_id}"


def id_of(told: Told) -> str:
    """The agent's own name for a session."""
    return told.key.partition(":")[2]


class Sessions:
    """Kept in the ledger, for the next daemon, and at hand, for when the ledger cannot be written."""

    def __init__(self) -> None:
        self._at_hand: dict[str, Told] = {}
        self._unwritten: set[str] = set()

    def begin(self, call: Call, ledger: Ledger) -> Told:
        """What is known of an event's session, the event itself taken in."""
        key = key_of(call)
        told = self._at_hand.get(key) or ledger.told(key)
        if call.event is Event.PRE_COMPACT or (
            call.event is Event.SESSION_START and (call.source or "startup") in _NEW_CONTEXT
        ):
            told = replace(told, surfaced=(), size=0)
        known = dict.fromkeys((*told.tools, *payload.tools(call)))
        return replace(told, variables=dict(call.variables), tools=tuple(known)[-_TOOLS:])

    def end(self, told: Told) -> None:
        """Keep what is known now."""
        if told == self._at_hand.get(told.key):
            return
        self._at_hand.pop(told.key, None)
        self._at_hand[told.key] = told
        self._unwritten.add(told.key)
        if len(self._at_hand) > _AT_HAND:
            del self._at_hand[next(iter(self._at_hand))]

    def write(self, ledger: Ledger) -> None:
        """Keep it in the ledger too. That this cannot be done costs a repetition, after a restart."""
        for key in sorted(self._unwritten & self._at_hand.keys()):
            ledger.tell(self._at_hand[key])
        self._unwritten.clear()


def showing(told: Told, path: str, size: int) -> Told:
    """The same once it was shown a memory of so many bytes."""
    return replace(told, surfaced=(*told.surfaced, path), size=told.size + size)
