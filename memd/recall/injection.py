"""What a running session is told at its events: news at its start, later the memories that bear on what it does."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path, PurePath

from memd.clock import Clock
from memd.errors import MemdError
from memd.ledger import Ledger, Told, open_ledger
from memd.memory.location import MemoryDir
from memd.recall import advice, analysis, news, payload, sessions, shown, welcome, wording
from memd.recall.advice import Sought
from memd.recall.find import How, find_relevant_memories
from memd.recall.payload import Call, Event
from memd.recall.sessions import Sessions, Shown
from memd.recall.shelf import Shelf
from memd.recall.surroundings import Current, Places

_BUSY = 0.05  # seconds that another writer of the ledger is waited for
_PATIENCE = 30.0  # seconds that a listing is believed
_AT_ONCE = 9_000  # characters of one answer: agents cut longer ones off
_BY_TOOL = 2  # memories that a tool call brings up, at most
_SHARED = 2  # words that such a memory and the call must have in common, at least
_COMMANDS = ("/", "<task-notification>")  # prompts that ask nothing of a memory
_TELLING = frozenset({Event.PROMPT, Event.TOOL_USED})  # events at which memories are told
_LATELY = 43_200.0  # seconds
_FORESEEN = 20  # sessions
_SLICE = 0.3  # seconds of work on an index in between


class Injector:
    """Answers events, one after the other, in one thread."""

    def __init__(
        self, environ: Mapping[str, str], clock: Clock, seek: Callable[[Sought], None] = lambda _sought: None
    ) -> None:
        """`seek` is to ask a model without anybody waiting; what it chooses comes to `advised`. Raises ConfigError."""
        self._current = Current(environ)
        self._clock = clock
        self._seek = seek
        self._advice = advice.Kept()
        self._places = Places(environ)
        self._sessions = Sessions()
        self._ledger: tuple[int, Ledger, ExitStack] | None = None  # the file's inode, and what is open
        paths = self._current.loaded().paths
        self._shelf = Shelf(paths.recall, paths.headers, patience=_PATIENCE)
        self._wanted: dict[Path, None] = {}  # whose indexes are to be made, the last one first
        self._asked: dict[str, tuple[str, MemoryDir, Told]] = {}  # what a model is to look for, by session
        self.shown: Shown | None = None  # what the last answer puts before its session

    def close(self) -> None:
        """Let go of what is held open; it is opened again where it is needed."""
        self._shelf.close()
        if self._ledger is not None:
            self._ledger[2].close()
            self._ledger = None

    def answer(self, event: str, said: bytes, variables: Mapping[str, str], until: float) -> bytes:
        """What the hook prints, perhaps nothing; `until` is on the monotonic clock.

        Raises TimeoutError behind it, OSError and MemdError.
        """
        self.shown = None
        call = payload.parse(event, said, variables)
        if call is None:
            return b""
        loaded = self._current.loaded()
        ledger = self._open(loaded.paths.ledger)
        told = self._sessions.begin(call, ledger)
        try:
            place = self._places.of(call, loaded, ledger)
            if place is None or call.is_subagent:
                return b""
            self._wanted[place.path] = None  # at leisure, so that the next answer is in time where this one is not
            if time.monotonic() > until:
                raise TimeoutError
            if call.event is Event.SESSION_START:
                self._advice.keep(told.key, ())
                return self._welcome(call, place, ledger)
            told, text = self._recalled(call, place, told, until)
            return wording.reply(call.event, text)
        finally:
            self._sessions.end(told)

    def _open(self, path: Path) -> Ledger:
        """The ledger, opened anew where another file has taken its place. Raises LedgerError."""
        inode = path.stat().st_ino if path.exists() else 0
        if self._ledger is None or self._ledger[0] != inode:
            self.close()
            stack = ExitStack()
            ledger = stack.enter_context(open_ledger(path, self._clock, busy=_BUSY))
            self._ledger = path.stat().st_ino, ledger, stack
        return self._ledger[1]

    def prepare(self) -> bool:
        """Work for a moment on what the next answers need; whether more of it is left.

        Raises OSError, MemdError and sqlite3.Error.
        """
        while self._asked:
            self._consult(*self._asked.pop(next(iter(self._asked))))
        self._sessions.write(self._open(self._current.loaded().paths.ledger))
        if self._wanted:
            path = next(reversed(self._wanted))
            if self._shelf.prepare(path, team=True, seconds=_SLICE):
                del self._wanted[path]
        return bool(self._wanted)

    def foresee(self) -> None:
        """Get ready for the sessions that were heard of lately: their next prompt is to be answered in time.

        Raises OSError, MemdError and sqlite3.Error.
        """
        loaded = self._current.loaded()
        ledger = self._open(loaded.paths.ledger)
        for told, cwd in reversed(ledger.told_lately(self._clock.now().timestamp() - _LATELY, _FORESEEN)):
            call = Call(event=Event.PROMPT, session_id=sessions.id_of(told), cwd=cwd, variables=told.variables or {})
            if (place := self._places.of(call, loaded, ledger)) is not None:
                self._wanted[place.path] = None

    def _welcome(self, call: Call, place: MemoryDir, ledger: Ledger) -> bytes:
        """What the agent does not know by itself, and what was learned since the last session."""
        loaded = self._current.loaded()
        line = news.tell(ledger, place.path, loaded.paths.history, self._clock.now())
        told = wording.marked(line) if line else ""
        lacking = welcome.lacking(place, loaded, room=_AT_ONCE - len(told) - 1)
        context = "\n".join(part for part in (lacking, told) if part)
        return wording.reply(call.event, context, line)

    def advised(self, session: str, paths: Sequence[str]) -> None:
        """A model has chosen these for a session, which hears of them at its next event."""
        self._advice.keep(session, paths)

    def take_back(self, shown: Shown) -> None:
        """An answer came when nobody waited for it any more: what it showed may be shown yet. Raises LedgerError."""
        self._sessions.take_back(shown, self._open(self._current.loaded().paths.ledger))
        self._advice.keep(shown.key, [*shown.advised, *self._advice.of(shown.key)])

    def _recalled(self, call: Call, place: MemoryDir, told: Told, until: float) -> tuple[Told, str]:
        """The session with what it is shown now, and that."""
        told = _seen_by_itself(call, place, told)
        if call.event not in _TELLING or told.size >= sessions.MOST:
            return told, ""
        query, is_enough = _question(call)
        advised = [(path, text) for path, text in self._advised(told, place) if text is not None]
        known = replace(told, surfaced=(*told.surfaced, *(path for path, _ in advised)))
        found = [(path, text) for path, text in self._by_words(query, place, known, until) if is_enough(text)]
        fitting = list(_fitting([*advised, *found], sessions.MOST - told.size))
        if time.monotonic() > until:
            return told, ""
        sizes = {path: len(text.encode()) for path, text in fitting}
        chosen = [path for path, _ in advised]
        self.shown = Shown(key=told.key, sizes=sizes, advised=tuple(path for path in chosen if path in sizes))
        self._advice.keep(told.key, [path for path in chosen if path not in sizes])
        told = sessions.showing(told, sizes)
        if call.event is Event.PROMPT:
            self._asked[told.key] = query, place, told  # at leisure, too
        return told, wording.marked(wording.memories(fitting)) if fitting else ""

    def _advised(self, told: Told, place: MemoryDir) -> Iterator[tuple[str, str | None]]:
        """What a model chose meanwhile and the session has not seen, as (path, text)."""
        for path in self._advice.of(told.key):
            if path not in told.surfaced and path.startswith(f"{place.path}/"):
                yield path, self._text(path, place)

    def _by_words(self, query: str, place: MemoryDir, told: Told, until: float) -> Iterator[tuple[str, str]]:
        """What the words bring up now, as (path, text)."""
        if not query:
            return
        for one in find_relevant_memories(
            query,
            place.path,
            recent_tools=told.tools,
            already_surfaced=told.surfaced,
            deadline=until,
            how=How(shelf=self._shelf, unasked=True),
        ):
            if (text := self._text(one.path, place)) is not None:
                yield one.path, text

    def _text(self, path: str, place: MemoryDir) -> str | None:
        return shown.text(path, place.path, self._clock.now().timestamp(), self._current.loaded().paths)

    def _consult(self, query: str, place: MemoryDir, told: Told) -> None:
        """Have a model look as well, where that is wished, where something is asked, and where it may be."""
        loaded, root = self._current.loaded(), str(place.root)
        if not loaded.settings.recall.hook_model or not analysis.specific(tuple(analysis.terms(query))):
            return
        from memd.recall import allowance  # noqa: PLC0415 - hardly anybody wishes it, and the daemon stays small

        with suppress(sqlite3.Error, OSError, MemdError):  # the words' answer stands
            ledger = self._open(loaded.paths.ledger)
            paying = allowance.purse(loaded.settings, self._current.environ, ledger, self._clock, root)
            if allowance.may_ask(paying) and self._shelf.topics(place.path, team=True):
                self._seek(_sought(query, place, told))


def _sought(query: str, place: MemoryDir, told: Told) -> Sought:
    return Sought(
        session=told.key,
        query=query,
        memory_dir=str(place.path),
        root=str(place.root),
        tools=told.tools,
        surfaced=told.surfaced,
    )


def _question(call: Call) -> tuple[str, Callable[[str], bool]]:
    """What to look for, and whether a memory's text answers it well enough; an empty question for nothing."""
    if call.event is Event.PROMPT and not call.prompt.startswith(_COMMANDS):
        return call.prompt, lambda _text: True
    if call.event is not Event.TOOL_USED:
        return "", lambda _text: False
    query = " ".join(value.replace(f"{call.cwd}/", "") for value in call.arguments.values())
    asked = frozenset(analysis.terms(query))
    left = [_BY_TOOL]

    def is_enough(text: str) -> bool:
        left[0] -= (good := left[0] > 0 and len(asked & frozenset(analysis.terms(text))) >= _SHARED)
        return good

    return query, is_enough


def _seen_by_itself(call: Call, place: MemoryDir, told: Told) -> Told:
    """A memory that the agent has just read or written is in its context already."""
    path = call.arguments.get("file_path", "") if call.event is Event.TOOL_USED else ""
    if path in told.surfaced or not path.startswith(f"{place.path}/") or ".." in PurePath(path).parts:
        return told
    return sessions.showing(told, {path: 0})


def _fitting(good: list[tuple[str, str]], room: int) -> Iterator[tuple[str, str]]:
    """As many, best first, as an answer and the session have room for; the others come another time."""
    characters = _AT_ONCE
    for path, text in good:
        room -= len(text.encode())
        characters -= len(wording.entry(path, text))
        if room < 0 or characters < 0:
            return
        yield path, text
