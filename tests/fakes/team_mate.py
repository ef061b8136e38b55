"""Somebody of a team: a home with a project, memd's real daemon, and files that are saved as an agent saves them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from memd.memory import topic
from memd.memory.topic import TopicType

MEMD = (sys.executable, "-P", "-m", "memd.cli.main")
PATIENCE = 45.0  # seconds: a busy machine takes its time


def until(question: Callable[[], Any], pause: float = 0.02) -> Any:  # noqa: ANN401 - whatever the question answers
    """Ask until the answer is true; other processes raise no events here."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := question()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(pause)
    return answer


@dataclass(slots=True, kw_only=True)
class Daemon:
    """One that runs."""

    process: subprocess.Popen[bytes]
    log: Path

    def logged(self, event: str) -> list[dict[str, Any]]:
        """The events of that name so far."""
        lines = [json.loads(line) for line in self.log.read_text("utf-8").splitlines() if line.startswith("{")]
        return [one for one in lines if one["event"] == event]

    def children(self) -> list[psutil.Process]:
        """Every process that it started, and that those started."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Signal it and wait: exit code and seconds taken."""
        began = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE), time.monotonic() - began


@dataclass(frozen=True, slots=True, kw_only=True)
class Mate:
    """A person's machine."""

    home: Path

    @property
    def project(self) -> Path:
        """Where they work."""
        return self.home / "shop"

    @property
    def team(self) -> Path:
        """What they share."""
        slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(self.project))
        return self.home / ".claude" / "projects" / slug / "memory" / "team"

    def environ(self, **variables: str) -> dict[str, str]:
        """All that memd gets to see."""
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "PYTHONPATH") if name in os.environ}
        return {**kept, "HOME": str(self.home), "TZ": "UTC", "MEMD_BACKEND": "offline", **variables}

    def write(self, name: str, text: str) -> Path:
        """Save a memory of the team's; its path."""
        self.team.mkdir(parents=True, exist_ok=True)
        data = topic.render(name.removesuffix(".md"), text, TopicType.PROJECT, f"{text}.\n\n**Why:** not stated")
        temporary = self.team / f".{name}.tmp"
        temporary.write_bytes(data)
        return temporary.replace(self.team / name)

    def text(self, name: str) -> str:
        """What stands in a file, "" where there is none."""
        with suppress(FileNotFoundError):
            return (self.team / name).read_text("utf-8")
        return ""

    def memd(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one command in the project."""
        return subprocess.run(
            [*MEMD, *arguments], cwd=self.project, env=self.environ(**variables), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def join(self, url: str) -> None:
        """Share what stands in team/."""
        done = self.memd("team", "init", "--remote", url)
        assert done.returncode == 0, done.stderr

    @contextmanager
    def daemon(self, **variables: str) -> Iterator[Daemon]:
        """Run the real daemon while it lasts."""
        log = self.home / f"log-{time.monotonic_ns()}"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [*MEMD, "run"], cwd=self.home, env=self.environ(**variables), stdin=subprocess.DEVNULL,
                stdout=stream, stderr=stream,
            )  # fmt: skip
        running = Daemon(process=process, log=log)
        try:
            until(lambda: running.logged("daemon_ready") or process.poll() is not None)
            assert process.poll() is None, log.read_text("utf-8")
            yield running
        finally:
            process.kill()
            process.wait()


def mate(home: Path) -> Mate:
    """A new machine."""
    made = Mate(home=home)
    made.project.mkdir(parents=True)
    (home / ".claude").mkdir()
    return made
