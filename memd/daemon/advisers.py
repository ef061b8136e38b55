"""Processes in which a model chooses memories for sessions: few, short, and over when the daemon is."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from memd.daemon.workers import Staff, scrubbed
from memd.recall import advice
from memd.recall.advice import Sought

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger

Told = Callable[[str, tuple[str, ...]], None]  # of a session's key and the paths that were chosen for it

_COMMAND = (sys.executable, "-P", "-m", "memd.recall.adviser")
_AT_ONCE = 2  # further ones are not asked: the words have answered already
_SECONDS = 30.0  # for one
_LONGEST = 64 * 1024  # bytes of an answer


class Advisers:
    """Those of one daemon. The loop's; needs it to run."""

    def __init__(self, staff: Staff, log: FilteringBoundLogger, told: Told) -> None:
        self._staff = staff
        self._log = log
        self._told = told
        self._at_work: set[asyncio.Task[None]] = set()

    def seek(self, sought: Sought) -> None:
        """Ask a model, if not too many are being asked."""
        if len(self._at_work) < _AT_ONCE:
            task = asyncio.get_running_loop().create_task(self._ask(sought))
            self._at_work.add(task)
            task.add_done_callback(self._at_work.discard)

    def stop(self) -> None:
        """End them; they are gone when the loop is."""
        for task in self._at_work:
            task.cancel()

    async def _ask(self, sought: Sought) -> None:
        try:
            paths = await self._answer(sought)
        except (OSError, TimeoutError, ValueError) as error:
            self._log.warning("no_advice", error=type(error).__name__)
            return
        if paths:
            self._told(sought.session, paths)

    async def _answer(self, sought: Sought) -> tuple[str, ...]:
        process = await asyncio.create_subprocess_exec(
            *_COMMAND, stdin=PIPE, stdout=PIPE, stderr=self._staff.output,
            env=scrubbed(self._staff.environ), start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(_SECONDS):
                return await _conversation(process, advice.spelled(sought))
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own
            await process.wait()


async def _conversation(process: Process, question: bytes) -> tuple[str, ...]:
    """What is answered to a line; its input stays open meanwhile. Raises OSError and ValueError."""
    if process.stdin is None or process.stdout is None:
        raise OSError("a process without pipes")
    process.stdin.write(question)
    await process.stdin.drain()
    answer = await process.stdout.read(_LONGEST)
    process.stdin.close()
    return advice.chosen(answer)
