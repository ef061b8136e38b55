"""What a model is asked beside a hook, and what it chose: a hook's own answer never waits for it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_SESSIONS = 200  # whose choices are kept


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt for which memories are sought."""

    session: str  # the conversation's key in the ledger
    query: str
    memory_dir: str
    root: str  # of the project
    tools: tuple[str, ...] = ()  # in use
    surfaced: tuple[str, ...] = ()  # absolute paths of what the session was shown


_decoder = msgspec.json.Decoder(Sought)
_paths = msgspec.json.Decoder(tuple[str, ...])


def spelled(sought: Sought) -> bytes:
    """One line."""
    return msgspec.json.encode(sought) + b"\n"


def parse(line: bytes) -> Sought:
    """What `spelled` made. Raises ValueError."""
    return _decoder.decode(line)


def chosen(line: bytes) -> tuple[str, ...]:
    """The paths that a process answers with; none where it says nothing. Raises ValueError."""
    return _paths.decode(line) if line.strip() else ()


class Kept:
    """What a model chose for sessions that have not heard of it yet."""

    def __init__(self) -> None:
        self._by_session: dict[str, tuple[str, ...]] = {}

    def keep(self, session: str, paths: Sequence[str]) -> None:
        """Keep these for a session, and nothing from before."""
        self._by_session.pop(session, None)
        if paths:
            self._by_session[session] = tuple(paths)
        if len(self._by_session) > _SESSIONS:
            del self._by_session[next(iter(self._by_session))]

    def of(self, session: str) -> tuple[str, ...]:
        """What is kept for a session."""
        return self._by_session.get(session, ())
