"""Processes that do the work: started, limited, killed by group, always reaped."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from memd.daemon.events import WorkerEnded
from memd.ledger import HOST_LIMIT

WORKER = (sys.executable, "-P", "-m", "memd.worker")  # -P: whatever lies in the working directory is not memd
MARK = ("MEMD_CHILD", "1")  # in a worker's environment: it is memd's own child
_STOP_GRACE = 1.2  # seconds for all workers when the daemon itself has to end
_KEPT = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "NO_COLOR", "CLAUDE_CONFIG_DIR",
    "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_REMOTE_MEMORY_DIR", "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS", "CREDENTIALS_DIRECTORY",
})  # fmt: skip
_KEPT_FAMILIES = ("MEMD_", "LC_", "XDG_", "SSL_", "ANTHROPIC_", "AWS_", "GOOGLE_", "AZURE_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Staff:
    """Who may work, how many at once, and for how long (seconds)."""

    command: tuple[str, ...] = WORKER
    environ: Mapping[str, str] = field(default_factory=dict)
    concurrency: int = 2
    host_limit: int = HOST_LIMIT
    limit: float = 900.0  # then the whole group is ended: a dream alone may take ten minutes
    grace: float = 5.0  # between asking and forcing
    output: int = 2  # the descriptor of the daemon's log, which workers write to as well
    kept: frozenset[str] = frozenset()  # variables that they need besides


def scrubbed(environ: Mapping[str, str], also: frozenset[str] = frozenset()) -> dict[str, str]:
    """What a worker needs of an environment, with the mark that it is memd's own child."""
    wanted = _KEPT | also
    kept = {name: value for name, value in environ.items() if name.upper() in wanted or name.startswith(_KEPT_FAMILIES)}
    return kept | dict((MARK,))


class Workers:
    """The workers of one daemon."""

    def __init__(self, staff: Staff, ended: Callable[[WorkerEnded], None]) -> None:
        self._staff = staff
        self._ended = ended
        self._minders: dict[Process, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        """How many run now."""
        return len(self._minders)

    async def start(self, *more: str) -> int:
        """Start one, with `more` arguments, in a session and group of its own; its process id. Raises OSError.

        Its stdin is a pipe that only this process holds: its end tells the worker that the daemon is gone.
        """
        process = await asyncio.create_subprocess_exec(
            *self._staff.command, *more,
            stdin=asyncio.subprocess.PIPE, stdout=self._staff.output, stderr=self._staff.output,
            env=scrubbed(self._staff.environ, self._staff.kept), start_new_session=True,
        )  # fmt: skip
        self._minders[process] = asyncio.create_task(self._mind(process))
        return process.pid

    def dismiss(self, pid: int) -> None:
        """End one at once."""
        for process in self._minders:
            if process.pid == pid:
                _signal_group(process, signal.SIGKILL)

    async def stop(self) -> None:
        """End all of them, gently at first, in about a second."""
        minders = list(self._minders.values())
        for process in self._minders:
            _signal_group(process, signal.SIGTERM)
        if minders:
            await asyncio.wait(minders, timeout=_STOP_GRACE)
        for process in self._minders:
            _signal_group(process, signal.SIGKILL)
        await asyncio.gather(*minders)

    async def _mind(self, process: Process) -> None:
        timed_out = not await _ends_within(process, self._staff.limit)
        if timed_out:
            _signal_group(process, signal.SIGTERM)
            if not await _ends_within(process, self._staff.grace):
                _signal_group(process, signal.SIGKILL)
        code = await process.wait()
        _signal_group(process, signal.SIGKILL)  # whatever it started and left behind
        if process.stdin is not None:
            process.stdin.close()
        del self._minders[process]
        self._ended(WorkerEnded(pid=process.pid, code=code, timed_out=timed_out))


async def _ends_within(process: Process, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), seconds)
        return True
    return False


def _signal_group(process: Process, number: signal.Signals) -> None:
    """Signal the worker and all it started; its group has its number, as it leads a session of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
