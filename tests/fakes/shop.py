"""One person's project, with its conversations, its memory and a ledger: what passes and dreams work in."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memd import config, logs
from memd.agent.backend import Backend, Task, Usage
from memd.config import Loaded
from memd.extract.house import House
from memd.ledger import Ledger, Session, open_ledger
from memd.memory import location
from memd.transcripts import agents
from tests.fakes import claude_lines as lines
from tests.fakes.clock import FakeClock

Script = Callable[[Task], None]


@dataclass
class Scripted:
    """A backend that does what a test says, and remembers what it was given."""

    script: Script = lambda _: None
    tasks: list[Task] = field(default_factory=list)
    name: str = "scripted"

    def propose(self, task: Task) -> Usage:
        """Run the script."""
        self.tasks.append(task)
        self.script(task)
        return Usage()


@dataclass(kw_only=True)
class Shop:
    """The project `shop` at noon on 2026-04-01, a Wednesday."""

    home: Path
    loaded: Loaded
    ledger: Ledger
    clock: FakeClock
    log: io.StringIO

    @property
    def project(self) -> Path:
        """Where the person works."""
        return self.home / "shop"

    @property
    def memory(self) -> Path:
        """Where the project's memory is."""
        return self._kept / "memory"

    @property
    def _kept(self) -> Path:
        return self.home / ".claude" / "projects" / location.slug(str(self.project))

    def transcript(self, session: str = lines.SESSION) -> Path:
        """The file of a conversation."""
        return self._kept / f"{session}.jsonl"

    def write(self, *records: lines.Line, session: str = lines.SESSION) -> Session:
        """Append lines to a conversation, and let the ledger know of it."""
        path = self.transcript(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        here = [{**record, "cwd": str(self.project), "sessionId": session} for record in records]
        lines.add(path, lines.packed(*here))
        key, size = f"claude-code:{session}", path.stat().st_size
        known = Session(
            key=key, agent="claude-code", session_id=session, path=str(path), cwd=str(self.project), size=size
        )
        self.ledger.note_session(known)
        return known

    def events(self) -> list[str]:
        """The names of what was logged."""
        return [json.loads(line)["event"] for line in self.log.getvalue().splitlines()]


@contextmanager
def opened(home: Path) -> Iterator[Shop]:
    """The project, empty; what adds to it is built from `vars` of this."""
    loaded, clock = config.load({"HOME": str(home)}), FakeClock()
    (home / "shop").mkdir(parents=True, exist_ok=True)
    (home / ".claude").mkdir(exist_ok=True)
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        yield Shop(home=home, loaded=loaded, ledger=ledger, clock=clock, log=io.StringIO())


def pass_house(of: Shop, backend: Backend) -> House:
    """What a pass works with there."""
    environ = {"HOME": str(of.home)}
    return House(
        settings=of.loaded.settings,
        paths=of.loaded.paths,
        environ=environ,
        ledger=of.ledger,
        clock=of.clock,
        transcripts=agents.watched((), environ, of.home),
        backend=backend,
        log=logs.configure(of.log, json=True),
    )
