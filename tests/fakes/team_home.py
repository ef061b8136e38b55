"""One person's machine: a home with a project whose memory has a `team/`, synced in this process or in one of its own.

    python -m tests.fakes.team_home HOME REMOTE [PATIENCE]

syncs once and prints the report as JSON.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memd import config, logs
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.memory import topic
from memd.memory.layout import INDEX
from memd.memory.membership import Membership
from memd.memory.topic import TopicType
from memd.team import sync
from memd.team.house import House
from memd.team.nouns import SyncReport

ROOT = Path(__file__).parent.parent.parent
BRANCH = "memd"


def long_text() -> str:
    """Twenty lines, of which edits can be told apart."""
    return "\n".join(f"Line {number} of what we agreed on." for number in range(20))


def memory(name: str, text: str, description: str = "What we agreed on") -> bytes:
    """A memory that a team may share."""
    return topic.render(name, description, TopicType.PROJECT, text)


@dataclass(slots=True, kw_only=True)
class Machine:
    """A home, and the remote that it syncs with."""

    home: Path
    remote: str
    patience: float = 30.0
    branch: str = BRANCH
    variables: Mapping[str, str] = field(default_factory=dict)  # that a sync in this process has besides

    @property
    def environ(self) -> dict[str, str]:
        """What its processes get."""
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "TZ": "UTC", **self.variables}

    @property
    def paths(self) -> config.Paths:
        """Where memd keeps its things there."""
        return config.find_paths(self.environ)

    @property
    def memory_dir(self) -> Path:
        """The project's memory."""
        return self.home / "memory"

    @property
    def team(self) -> Path:
        """What is shared."""
        return self.memory_dir / "team"

    @property
    def membership(self) -> Membership:
        """Its part in the team's memory."""
        return Membership(
            project=self.home / "project",
            memory_dir=self.memory_dir,
            remote=self.remote,
            branch=self.branch,
            directory=self.paths.state / "team" / "key",
        )

    def write(self, path: str, data: bytes) -> None:
        """Save a file as an editor does."""
        file = self.team / path
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f".{file.name}.tmp")
        temporary.write_bytes(data)
        temporary.replace(file)

    def remove(self, path: str) -> None:
        """Delete a file."""
        (self.team / path).unlink()

    def files(self) -> dict[str, bytes]:
        """What stands in `team/`, but for the index."""
        found = (one for one in self.team.rglob("*") if one.is_file() and one.name != INDEX)
        return {str(one.relative_to(self.team)): one.read_bytes() for one in found}

    def index(self) -> str:
        """What the team's index says."""
        return (self.team / INDEX).read_text()

    def sync(self) -> SyncReport:
        """One sync in this process."""
        loaded = config.load(self.environ)
        with open_ledger(loaded.paths.ledger, SystemClock()) as ledger:
            house = House(
                settings=loaded.settings,
                paths=loaded.paths,
                environ=self.environ,
                ledger=ledger,
                clock=SystemClock(),
                log=logs.configure(io.StringIO(), json=True),
                patience=self.patience,
            )
            return sync.run(house, self.membership)

    def start(self, failpoint: str | None = None) -> subprocess.Popen[str]:
        """One sync in a process of its own; `failpoint` as in MEMD_FAILPOINT."""
        return subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.team_home", str(self.home), self.remote, str(self.patience)],
            cwd=ROOT,
            env=self.environ | ({"MEMD_FAILPOINT": failpoint} if failpoint else {}),
            stdout=subprocess.PIPE,
            text=True,
        )

    def killed(self, failpoint: str) -> bool:
        """Whether a sync with this failpoint died there."""
        process = self.start(f"{failpoint}:kill")
        process.communicate()
        return process.returncode == -signal.SIGKILL


@contextmanager
def stopped(mate: Machine, failpoint: str) -> Iterator[subprocess.Popen[str]]:
    """A sync that waits at a failpoint while something else is done, and then goes on to its end."""
    process = mate.start(f"{failpoint}:stop")
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise AssertionError(f"{failpoint} was never passed")
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.communicate()


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The report of a sync in a process of its own; empty where it died."""
    out, _ = process.communicate()
    found: dict[str, Any] = json.loads(out) if process.returncode == 0 else {}
    return found


def _main(home: str, remote: str, patience: str = "30") -> None:
    report = Machine(home=Path(home), remote=remote, patience=float(patience)).sync()
    print(json.dumps(asdict(report)))  # noqa: T201 - for the test to read


if __name__ == "__main__":
    _main(*sys.argv[1:])
