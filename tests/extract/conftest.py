"""A project, a conversation in Claude Code's form, and everything that a pass needs around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.extract.house import House
from memd.ledger import Job, JobRequest
from memd.memory import topic
from memd.memory.topic import TopicType
from tests.fakes import claude_lines as lines
from tests.fakes.shop import Script, Scripted, Shop, opened, pass_house


@dataclass(kw_only=True)
class World(Shop):
    """The project, and passes over its conversations by a backend that does what a test says."""

    house: House
    backend: Scripted

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


@pytest.fixture
def world(home: Path) -> Iterator[World]:
    """An empty project at noon on 2026-04-01."""
    with opened(home) as shop:
        backend = Scripted()
        yield World(**vars(shop), house=pass_house(shop, backend), backend=backend)


def saves(quote: str, name: str = "feedback_rule.md") -> Script:
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
