"""What agents' hooks say at the socket: hints for the loop, and questions that a thread beside it answers.

The first line is `hook EVENT LENGTH UNTIL`; so many bytes of the session's variables follow (`NAME=value`, each ended
by a NUL), and then, to the end, the event as the agent told it. The answer is what the hook prints. UNTIL, which may be
missing, is when the hook gives up, in milliseconds of the monotonic clock: what comes later was never told.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from memd.daemon.advisers import Advisers
from memd.daemon.control import Serve
from memd.daemon.events import Asked, Changed
from memd.daemon.hook_thread import AT_ONCE, Question, Thread
from memd.daemon.requests import LONGEST_NAME, Request, Verb
from memd.daemon.setup import Setup
from memd.transcripts.ending import EndHint

if TYPE_CHECKING:
    from memd.recall.advice import Sought

Post = Callable[[Asked | Changed], None]

LONGEST = 1 << 20  # bytes of an event; nothing is done about a longer one
_VARIABLES = 64 * 1024  # bytes
_SOON = 0.17  # seconds for an answer
_WAY = 0.03  # seconds from here to what the hook prints
_STRANGE = 5.0  # seconds from now: then the hook has another clock than the daemon
_WISH = re.compile(
    r"\bremember\b|\bdon'?t forget\b|\bfrom now on\b|\bnote for (?:next time|the future)\b|记住|记下|记得|别忘|以后都",
    re.IGNORECASE,
)


class _Said(msgspec.Struct):
    """What the loop wants to know of an event; the rest is the thread's."""

    session_id: str
    transcript_path: str | None = None
    prompt: str | None = None
    agent_id: str | None = None


_decoder = msgspec.json.Decoder(_Said)


@contextmanager
def hooks(setup: Setup, post: Post) -> Iterator[Serve]:
    """Serve hooks; needs a running loop."""
    thread = Thread(setup.environ, setup.clock, setup.log)
    advisers = Advisers(setup.staff, setup.log, thread.tell)
    loop = asyncio.get_running_loop()

    def seek(sought: Sought) -> None:
        loop.call_soon_threadsafe(advisers.seek, sought)

    thread.seek = seek
    desk = _HookDesk(thread, post)
    if any((setup.paths.state / "hooks").glob("*/record.json")):  # installed: the first answer is to be in time, too
        desk.thread.start()
    try:
        yield desk.serve
    finally:
        advisers.stop()
        desk.thread.stop()


class _HookDesk:
    """The loop's half."""

    def __init__(self, thread: Thread, post: Post) -> None:
        self.thread = thread
        self._post = post
        self._waiting = 0

    async def serve(self, line: bytes, reader: asyncio.StreamReader) -> bytes:
        """Answer one event, with nothing where it cannot be understood or has to wait: that would be printed."""
        if self._waiting >= AT_ONCE:
            return b""
        self._waiting += 1
        try:
            _, event, length, *leaves = line.decode("ascii").split()
            until = _until(leaves)
            variables = _variables(await reader.readexactly(min(int(length), _VARIABLES)))
            said = await _rest(reader)
            self._hint(event, said)
            return await self._asked(event, said, variables, until)
        except (asyncio.IncompleteReadError, TimeoutError, ValueError):
            return b""
        finally:
            self._waiting -= 1

    def _hint(self, event: str, said: bytes) -> None:
        """Let the loop look at once at what would have been found a little later."""
        try:
            told = _decoder.decode(said)
        except (ValueError, RecursionError):
            return
        if told.agent_id:
            return
        path = told.transcript_path if _is_name(told.transcript_path) else None
        hint = None
        if event == "SessionEnd":
            hint = EndHint.SESSION_END
        elif event == "UserPromptSubmit" and _WISH.search(told.prompt or ""):
            hint = EndHint.REMEMBER
        if hint is not None and _is_name(told.session_id):
            request = Request(verb=Verb.HINT, session=told.session_id, hint=hint, path=path)
            self._post(Asked(request=request, answer=asyncio.get_running_loop().create_future()))
        elif event in {"Stop", "PreCompact"} and path is not None:
            self._post(Changed(paths=frozenset({path})))

    async def _asked(self, event: str, said: bytes, variables: Mapping[str, str], until: float) -> bytes:
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.thread.ask(Question(event=event, said=said, variables=variables, answer=answer, until=until))
        return await asyncio.wait_for(answer, until - time.monotonic())


def _until(leaves: list[str]) -> float:
    """Until when an answer is of use. Raises ValueError."""
    now = time.monotonic()
    said = int(leaves[0]) / 1000 - _WAY if leaves else math.inf
    return min(said, now + _SOON) if abs(said - now) < _STRANGE else now + _SOON


def _is_name(said: str | None) -> bool:
    """Whether a request may carry it."""
    return said is not None and 0 < len(said) <= LONGEST_NAME


def _variables(block: bytes) -> dict[str, str]:
    pairs = (os.fsdecode(one).partition("=") for one in block.split(b"\0") if one)
    return {name: value for name, _, value in pairs}


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """All that is still said. Raises ValueError where that is too much."""
    said = bytearray()
    while more := await reader.read(64 * 1024):
        said += more
        if len(said) > LONGEST:
            raise ValueError("this is too long")
    return bytes(said)
