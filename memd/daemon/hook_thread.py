"""The thread beside the loop in which hooks are answered: memory and its indexes are looked at here.

The loop never waits for a disk, and whoever asks never waits for the loop.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.clock import Clock
from memd.errors import MemdError

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

    from memd.recall.advice import Sought
    from memd.recall.injection import Injector
    from memd.recall.sessions import Shown

AT_ONCE = 8  # events that wait for an answer; further ones go without
_END = 0.2  # seconds for the thread to end
_IDLE = 600.0  # seconds after which what the thread holds open is closed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """An event, and who waits for what its hook is to print."""

    event: str
    said: bytes
    variables: Mapping[str, str]
    answer: asyncio.Future[bytes]
    until: float  # on the monotonic clock


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Advice:
    """What a model chose for a session."""

    session: str
    paths: tuple[str, ...]


class Thread:
    """It begins with the first question."""

    def __init__(self, environ: Mapping[str, str], clock: Clock, log: FilteringBoundLogger) -> None:
        self._environ = environ
        self._clock = clock
        self._log = log
        self.seek: Callable[[Sought], None] = lambda _sought: None  # called in the thread
        self._questions: queue.SimpleQueue[Question | _Advice | Shown | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._injector: Injector | None = None  # the thread's own

    def start(self) -> None:
        """Begin, if it has not begun. It ends with the process: a file system that hangs must not keep the daemon."""
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._run, args=(loop,), name="recall", daemon=True)
            self._thread.start()

    def ask(self, question: Question) -> None:
        """Put a question into its queue; where it is behind with those, there is no answer."""
        self.start()
        if self._questions.qsize() < AT_ONCE:  # a file system that hangs must not fill the memory
            self._questions.put(question)
        else:
            question.answer.set_result(b"")

    def tell(self, session: str, paths: tuple[str, ...]) -> None:
        """A model has chosen these for a session."""
        self._questions.put(_Advice(session=session, paths=paths))

    def stop(self) -> None:
        """Let it end after what it is doing now, which is not waited for long."""
        self._questions.put(None)
        if self._thread is not None:
            self._thread.join(_END)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            with suppress(MemdError, OSError, sqlite3.Error):
                self._made()
                if self._questions.empty():
                    self._made().foresee()
            self._serve(loop)
        finally:
            self._close()

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        wait: float = 0.0
        while True:
            try:
                question = self._questions.get(timeout=wait)
            except queue.Empty:
                wait = self._settle(waited=wait)
                continue
            if question is None:
                return
            wait = 0.0
            match question:
                case Question():
                    said = self._answer(question)
                    shown = self._injector.shown if said and self._injector is not None else None
                    try:
                        loop.call_soon_threadsafe(self._deliver, question.answer, said, shown)
                    except RuntimeError:  # the loop is over
                        return
                case _Advice(session=session, paths=paths):
                    self._made().advised(session, paths)
                case unheard:
                    with suppress(OSError, MemdError, sqlite3.Error):  # then it is not shown again, which is no harm
                        self._made().take_back(unheard)

    def _close(self) -> None:
        """Let go of all here: SQLite's things are their thread's, and must not be left to another one's end."""
        with suppress(OSError, MemdError, sqlite3.Error):
            if self._injector is not None:
                self._injector.close()

    def _made(self) -> Injector:
        if self._injector is None:
            from memd.recall.injection import Injector  # noqa: PLC0415 - a daemon without hooks stays small

            self._injector = Injector(self._environ, self._clock, self.seek)
        return self._injector

    def _settle(self, *, waited: float) -> float:
        """Nobody asks just now: how long to wait for the next question."""
        try:
            if waited == _IDLE:
                self._made().close()
            elif self._made().prepare():
                return 0.0
        except (OSError, MemdError, sqlite3.Error) as error:
            self._log.warning("index_not_made", error=type(error).__name__)
        return _IDLE

    def _answer(self, question: Question) -> bytes:
        try:
            if time.monotonic() < question.until:
                return self._made().answer(question.event, question.said, question.variables, question.until)
        except TimeoutError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever one event brings, the next one is answered
            self._log.warning("hook_failed", hook=question.event, error=type(error).__name__)
            return b""
        self._log.info("hook_unanswered", hook=question.event)
        return b""

    def _deliver(self, answer: asyncio.Future[bytes], said: bytes, shown: Shown | None) -> None:
        """The loop's: hand an answer over; what nobody waits for any more was not shown to anybody."""
        if not answer.done():
            answer.set_result(said)
        elif shown is not None:
            self._questions.put(shown)
