"""A project, and what its sessions are told at their events."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.memory import location, membership
from memd.memory.membership import Membership
from memd.recall.injection import Injector


@pytest.fixture
def project(home: Path) -> Path:
    path = home.resolve() / "shop"
    path.mkdir()
    return path


@pytest.fixture
def memory(home: Path, project: Path) -> Path:
    """The project's memory directory, empty."""
    path = home / ".claude" / "projects" / location.slug(str(project)) / "memory"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def joined(project: Path, memory: Path) -> Membership:
    """The project's part in a team's memory, which is empty."""
    (memory / "team").mkdir()
    paths = config.find_paths(os.environ)
    planned = membership.planned(paths, root=project, memory_dir=memory, remote="/srv/git", branch="memd")
    return membership.note(planned, datetime(2026, 4, 1, tzinfo=UTC))


@pytest.fixture
def injectors() -> Iterator[Callable[[], Injector]]:
    """Makes what answers events, as each daemon does."""
    made: list[Injector] = []

    def make() -> Injector:
        made.append(Injector(os.environ, SystemClock()))
        return made[-1]

    yield make
    for one in made:
        one.prepare()
        one.close()


@pytest.fixture
def injector(injectors: Callable[[], Injector]) -> Injector:
    return injectors()


def told(
    injector: Injector,
    project: Path,
    event: str,
    *,
    session: str = "s1",
    variables: Mapping[str, str] | None = None,
    **said: object,
) -> str:
    """What the model is told at an event."""
    event_said = json.dumps({"session_id": session, "cwd": str(project), **said}).encode()
    answer = injector.answer(event, event_said, variables or {}, time.monotonic() + 30)
    if not answer:
        return ""
    output = json.loads(answer)["hookSpecificOutput"]
    assert output["hookEventName"] == event
    return str(output["additionalContext"])
