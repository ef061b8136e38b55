"""A daemon as a process, over a root of plain-line conversations, with fake workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from memd import config
from memd.clock import SystemClock
from memd.ledger import Ledger, open_ledger

_PROJECT = Path(__file__).parents[2]
_PATIENCE = 45.0  # seconds: a busy machine takes its time


def until(question: Callable[[], Any]) -> Any:  # noqa: ANN401  # whatever the question answers
    """Ask until the answer is true; other processes raise no events here."""
    deadline = time.monotonic() + _PATIENCE
    while not (answer := question()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.03)
    return answer


class DaemonProcess:
    """One daemon that a test started, and what it leaves behind."""

    def __init__(
        self, home: Path, roots: Sequence[Path], mode: str, *, prefix: Sequence[str] = (), limit: float = 60.0,
        **variables: str,
    ) -> None:  # fmt: skip
        self.home = home
        self.log_path = home / f"log-{time.monotonic_ns()}"
        environ = os.environ | {"MEMD_EXTRACT_QUIET": "0.2s", "MEMD_EXTRACT_STALLED": "0.4s"} | variables
        root, *more = map(str, roots)
        command = [*prefix, sys.executable, "-m", "tests.fakes.daemon", root, mode, str(limit), *more]
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=_PROJECT, env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def log(self) -> list[dict[str, Any]]:
        """The events logged so far, the oldest first."""
        lines = self.log_path.read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def logged(self, event: str) -> list[dict[str, Any]]:
        """The events of that name."""
        return [one for one in self.log() if one["event"] == event]

    def journal(self) -> list[list[str]]:
        """What the fake workers noted, in words."""
        path = self.home / "journal"
        return [line.split() for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def noted(self, word: str) -> list[list[str]]:
        """The notes that begin with a word."""
        return [note for note in self.journal() if note[0] == word]

    def ready(self) -> DaemonProcess:
        """Wait until its first sign of life."""
        until(lambda: self.process.poll() is not None or self.meta().get("pid") == self.process.pid)
        assert self.process.poll() is None, self.log_path.read_text("utf-8")
        return self

    def meta(self) -> dict[str, Any]:
        """Its sign of life."""
        paths = config.find_paths(os.environ)
        if not paths.ledger.exists():
            return {}
        with open_ledger(paths.ledger, SystemClock()) as ledger:
            return dict(json.loads(ledger.meta("daemon") or "{}"))

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Signal it and wait: its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=_PATIENCE)

    def survivors(self) -> list[int]:
        """Processes that its workers, and their children, still run as."""
        noted = [int(note[1]) for note in self.journal() if note[0] in {"started", "child"}]
        return [pid for pid in noted if lives(pid)]


def lives(pid: int) -> bool:
    """Whether a process runs and is no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def root(home: Path) -> Path:
    """Where conversations appear; not there yet."""
    return home / "agent" / "projects"


@pytest.fixture
def start(home: Path, root: Path) -> Iterator[Callable[..., DaemonProcess]]:
    """Starts daemons, and ends those that a test left running."""
    with ExitStack() as stack:

        def started(
            mode: str = "drain", *, more: Sequence[Path] = (), limit: float = 60.0, **variables: str
        ) -> DaemonProcess:
            daemon = DaemonProcess(home, (root, *more), mode, limit=limit, **variables)
            stack.callback(daemon.process.wait)
            stack.callback(daemon.process.kill)
            return daemon

        yield started


@pytest.fixture
def ledger() -> Iterator[Callable[[], Ledger]]:
    """Opens the ledger that the daemon uses; at its end, all of them are closed."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_ledger(config.find_paths(os.environ).ledger, SystemClock()))


def talk(root: Path, name: str, *lines: str, project: str = "p") -> Path:
    """Append lines to a conversation."""
    path = root / project / f"{name}.talk"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path
