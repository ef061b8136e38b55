"""What each running session has been shown, so that nothing is shown twice. One thread's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one answer puts before a session."""

    key: str  # the session's
    sizes: Mapping[str, int]  # of memories, by absolute path, in bytes
    advised: tuple[str, ...] = ()  # those of them that a model had chosen


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

    def take_back(self, shown: Shown, ledger: Ledger) -> None:
        """Count as not shown what an answer held that nobody heard."""
        told = self._at_hand.get(shown.key) or ledger.told(shown.key)
        surfaced = tuple(path for path in told.surfaced if path not in shown.sizes)
        self.end(replace(told, surfaced=surfaced, size=max(0, told.size - sum(shown.sizes.values()))))

    def write(self, ledger: Ledger) -> None:
        """Keep it in the ledger too. That this cannot be done costs a repetition, after a restart."""
        for key in sorted(self._unwritten & self._at_hand.keys()):
            ledger.tell(self._at_hand[key])
        self._unwritten.clear()


def showing(told: Told, sizes: Mapping[str, int]) -> Told:
    """The same once it was shown memories, by their paths, of so many bytes."""
    return replace(told, surfaced=(*told.surfaced, *sizes), size=told.size + sum(sizes.values()))
