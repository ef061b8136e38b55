"""A daemon that does nothing but hold its lock and answer at its socket, in a thread of this process."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memd import logs
from memd.clock import SystemClock
from memd.daemon import control
from memd.daemon.events import Asked
from memd.daemon.lock import single_instance


@contextmanager
def answering(state: Path, **said: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - any document
    """While this lasts, status is answered with `said`, which is what this yields, too."""
    report = {"pid": os.getpid(), "at": SystemClock().now().timestamp(), "tracked": 0, "open": [], **said}
    with single_instance(state / "daemon.lock", SystemClock()), listening(state, lambda: report):
        yield report


@contextmanager
def listening(state: Path, report: Callable[[], Mapping[str, Any] | None]) -> Iterator[None]:
    """Answer at the socket alone; None: keep whoever asks waiting."""
    ready, loops = threading.Event(), []

    def post(asked: Asked) -> None:
        said = report()
        if said is not None:
            asked.answer.set_result({"ok": True, **said})

    async def serve() -> None:
        end = asyncio.Event()
        loops.append((asyncio.get_running_loop(), end))
        async with control.listening(state / "control.sock", post, logs.configure(sys.stderr, json=True)):
            ready.set()
            await end.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    ready.wait(20)
    try:
        yield
    finally:
        loop, end = loops[0]
        loop.call_soon_threadsafe(end.set)
        thread.join(20)
