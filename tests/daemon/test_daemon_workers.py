"""Processes with limits; what is told of them, and what they are told."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from memd.daemon.events import WorkerEnded
from memd.daemon.workers import Staff, Workers, scrubbed
from tests.daemon.conftest import lives, until

Ends = Callable[[], Awaitable[WorkerEnded]]


def employ(
    code: str, story: Callable[[Workers, Ends], Awaitable[None]], *, limit: float = 30.0, output: int = 2
) -> None:
    """Tell a story to workers that run a line of Python."""

    async def told() -> None:
        events: asyncio.Queue[WorkerEnded] = asyncio.Queue()
        command = (sys.executable, "-S", "-c", code)
        workers = Workers(Staff(command=command, limit=limit, grace=0.2, output=output), events.put_nowait)
        await story(workers, lambda: asyncio.wait_for(events.get(), 20))
        await workers.stop()
        assert len(workers) == 0

    asyncio.run(told())


@pytest.mark.parametrize(("code", "expected"), [("pass", 0), ("raise SystemExit(7)", 7)])
def test_an_end_is_told_with_its_code(code: str, expected: int) -> None:
    async def story(workers: Workers, ends: Ends) -> None:
        pid = await workers.start()
        assert await ends() == WorkerEnded(pid=pid, code=expected)
        assert not psutil.pid_exists(pid)

    employ(code, story)


def test_a_polite_worker_ends_at_its_limit_by_itself() -> None:
    async def story(workers: Workers, ends: Ends) -> None:
        pid = await workers.start()
        assert await ends() == WorkerEnded(pid=pid, code=3, timed_out=True)

    polite = "import signal, sys; signal.signal(15, lambda *_: sys.exit(3))\nwhile True: signal.pause()"
    employ(polite, story, limit=1.0)


def test_a_child_that_a_worker_left_behind_is_ended(tmp_path: Path) -> None:
    async def story(workers: Workers, ends: Ends) -> None:
        await workers.start()
        await ends()
        child = int((tmp_path / "child").read_text("ascii"))
        until(lambda: not lives(child))

    leave = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(p.pid))"
    )
    employ(leave, story)


def test_a_worker_leads_a_group_of_its_own_with_a_pipe_for_its_input(tmp_path: Path) -> None:
    async def story(workers: Workers, ends: Ends) -> None:
        pid = await workers.start()
        await ends()
        assert (tmp_path / "out").read_text("ascii") == f"{pid} {pid} True\n"

    tell = "import os, stat; print(os.getpgrp(), os.getsid(0), stat.S_ISFIFO(os.fstat(0).st_mode))"
    with (tmp_path / "out").open("wb") as out:
        employ(tell, story, output=out.fileno())


def test_a_command_that_cannot_be_started_is_an_error() -> None:
    async def told() -> None:
        workers = Workers(Staff(command=("/nowhere/worker",)), lambda _: None)
        with pytest.raises(FileNotFoundError):
            await workers.start()
        assert len(workers) == 0

    asyncio.run(told())


def test_a_dismissed_worker_is_gone() -> None:
    async def story(workers: Workers, ends: Ends) -> None:
        pid = await workers.start()
        workers.dismiss(pid + 1)
        workers.dismiss(pid)
        assert await ends() == WorkerEnded(pid=pid, code=-9)

    employ("import signal; signal.pause()", story)


def test_a_worker_gets_the_environment_it_needs_and_no_more() -> None:
    needed = {"PATH": "/bin", "HOME": "/h", "https_proxy": "p", "MEMD_EXTRACT_QUIET": "1s", "ANTHROPIC_API_KEY": "k",
              "XDG_STATE_HOME": "/s", "CLAUDE_CONFIG_DIR": "/c"}  # fmt: skip
    noise = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "LD_PRELOAD": "x", "PYTHONSTARTUP": "y",
             "NOTIFY_SOCKET": "/n", "GITHUB_TOKEN": "t", "BASH_ENV": "z"}  # fmt: skip
    assert scrubbed(needed | noise) == needed | {"MEMD_CHILD": "1"}
    assert "MEMD_CHILD" not in os.environ
