"""A project, a conversation in Claude Code's form, and everything that a pass needs around them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memd import config, logs
from memd.agent.backend import Task, Usage
from memd.extract.house import House
from memd.ledger import Job, JobRequest, Ledger, Session, open_ledger
from memd.memory import location, topic
from memd.memory.topic import TopicType
from memd.transcripts import agents
from tests.fakes import claude_lines as lines
from tests.fakes.clock import FakeClock

Proposer = Callable[[Task], None]


@dataclass
class ScriptedBackend:
    """Does what a test says, and remembers what it was given."""

    proposer: Proposer = lambda _: None
    tasks: list[Task] = field(default_factory=list)
    name: str = "scripted"

    def propose(self, task: Task) -> Usage:
        """Run the script."""
        self.tasks.append(task)
        self.proposer(task)
        return Usage()


@dataclass
class World:
    """One project with one conversation."""

    home: Path
    house: House
    backend: ScriptedBackend
    clock: FakeClock
    log: io.StringIO

    @property
    def project(self) -> Path:
        """Where the person works."""
        return self.home / "shop"

    @property
    def memory(self) -> Path:
        """Where the project's memory is."""
        return self.home / ".claude" / "projects" / location.slug(str(self.project)) / "memory"

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self.house.ledger

    def transcript(self, session: str = lines.SESSION) -> Path:
        """The file of a conversation."""
        return self.home / ".claude" / "projects" / location.slug(str(self.project)) / f"{session}.jsonl"

    def write(self, *records: lines.Line, session: str = lines.SESSION) -> None:
        """Append lines to a conversation, and let the ledger know of it."""
        path = self.transcript(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        here = [{**record, "cwd": str(self.project), "sessionId": session} for record in records]
        with path.open("ab") as stream:
            stream.write(lines.packed(*here))
        self.ledger.note_session(
            Session(
                key=f"claude-code:{session}",
                agent="claude-code",
                session_id=session,
                path=str(path),
                cwd=str(self.project),
                size=path.stat().st_size,
            )
        )

    def job(
        self, session: str = lines.SESSION, *, by_hand: bool = False, again: bool = False, complete_only: bool = False
    ) -> Job:
        """A claimed job for a conversation."""
        size = self.transcript(session).stat().st_size
        request = JobRequest(
            session_key=f"claude-code:{session}",
            watermark=size,
            by_hand=by_hand,
            again=again,
            complete_only=complete_only,
        )
        number = self.ledger.enqueue(request)
        job = self.ledger.claim(lease=60.0, only=number)
        assert job is not None
        return job

    def files(self) -> dict[str, str]:
        """Every Markdown file of the memory, logs included, by its relative path."""
        found = sorted(self.memory.rglob("*.md"))
        return {path.relative_to(self.memory).as_posix(): path.read_text("utf-8") for path in found}

    def events(self) -> list[str]:
        """The names of what was logged."""
        return [json.loads(line)["event"] for line in self.log.getvalue().splitlines()]


@pytest.fixture
def world(home: Path) -> Iterator[World]:
    """An empty project at noon on 2026-04-01."""
    environ = {"HOME": str(home)}
    loaded = config.load(environ)
    clock, backend, log = FakeClock(), ScriptedBackend(), io.StringIO()
    (home / "shop").mkdir()
    (home / ".claude").mkdir()
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        house = House(
            settings=loaded.settings,
            paths=loaded.paths,
            environ=environ,
            ledger=ledger,
            clock=clock,
            transcripts=agents.watched((), environ, home),
            backend=backend,
            log=logs.configure(log, json=True),
        )
        yield World(home=home, house=house, backend=backend, clock=clock, log=log)


def saves(quote: str, name: str = "feedback_rule.md") -> Proposer:
    """A script that proposes one memory that says what was said."""

    def propose(task: Task) -> None:
        data = topic.render(
            name="rule",
            description=quote,
            type=TopicType.FEEDBACK,
            body=topic.body(quote),
            evidence=(quote,),
        )
        (task.workspace.memory / name).write_bytes(data)

    return propose
