"""A home in which memd runs beside the real Claude Code CLI."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memd.memory import location
from tests.fakes.claude_cli import wait_until

STALLED = 4.0  # seconds, as set below
SOON = 30.0  # seconds within which whatever is due has to have happened


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A person's home, and one project."""

    home: Path
    project: Path  # a git work tree

    @property
    def memory(self) -> Path:
        """The project's memory directory; the CLI makes it when it first runs there."""
        return self.home / ".claude" / "projects" / location.slug(str(self.project)) / "memory"

    def environment(self) -> dict[str, str]:
        """Everything memd's processes get to see, with waits that suit a test."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TZ": "UTC",
            "MEMD_BACKEND": "offline",
            "MEMD_EXTRACT_QUIET": "2s",
            "MEMD_EXTRACT_STALLED": f"{STALLED:.0f}s",
            "MEMD_EXTRACT_MIN_INTERVAL": "1s",
        }

    def memd(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one command in the project."""
        return subprocess.run(
            [sys.executable, "-m", "memd.cli.main", *arguments],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @contextmanager
    def daemon(self, **variables: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
        """Run the daemon, once it listens and answers; its process and its log. It has to end as it is asked to."""
        log = self.home / "daemon.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "memd.cli.main", "run"],
                cwd=self.home,
                env=self.environment() | variables,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
            )
        try:
            wait_until((self.home / ".local/state/memd/control.sock").exists, timeout=SOON, what="one that listens")
            wait_until(lambda: self.memd("status").returncode == 0, timeout=SOON, what="a running daemon")
            yield process, log
            process.terminate()
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()
            process.wait()


def repository(directory: Path) -> Path:
    """A new git repository."""
    directory.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=directory, check=True)  # noqa: S607 - whichever git there is
    return directory
