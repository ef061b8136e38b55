"""Conversations for the offline backend, written as short as they can be."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.agent.offline import fold, gather, reading
from memd.agent.offline.backend import Offline
from memd.agent.offline.model import Candidate
from memd.memory import topic
from memd.memory.quotes import Speaker, Utterance
from memd.memory.topic import Topic
from memd.memory.workspace import Workspace

TUESDAY = datetime.fromisoformat("2026-05-12T10:00:00+02:00")
_SPEAKERS = {"A: ": Speaker.ASSISTANT, "T: ": Speaker.TOOL}

Talk = Callable[..., tuple[Utterance, ...]]
Read = Callable[..., list[Candidate]]
Save = Callable[..., dict[str, Topic]]


@pytest.fixture
def talk() -> Talk:
    """Utterances from texts; those of the assistant begin with "A: ", of tools with "T: "."""

    def made(*texts: str) -> tuple[Utterance, ...]:
        return tuple(_utterance(number, text) for number, text in enumerate(texts))

    return made


def _utterance(number: int, text: str) -> Utterance:
    speaker = _SPEAKERS.get(text[:3], Speaker.HUMAN)
    text = text if speaker is Speaker.HUMAN else text[3:]
    return Utterance(speaker=speaker, text=text, uuid=f"u{number}", at=TUESDAY)


@pytest.fixture
def read(talk: Talk) -> Read:
    """The candidates that a conversation on Tuesday, 2026-05-12 makes."""

    def candidates(*texts: str) -> list[Candidate]:
        return fold.fold(gather.gather(reading.messages(talk(*texts))))

    return candidates


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    memory = tmp_path / "memory"
    memory.mkdir()
    return Workspace(memory=memory, bullets=tmp_path / "bullets.md")


@pytest.fixture
def save(talk: Talk, space: Workspace) -> Save:
    """Let the backend work on a conversation; gives the topics by file name."""

    def saved(*texts: str) -> dict[str, Topic]:
        Offline().propose(Task(workspace=space, new=talk(*texts)))
        paths = (path for path in space.memory.glob("*.md") if path.name != "MEMORY.md")
        return {path.name: topic.parse(path.read_bytes()) for path in sorted(paths)}

    return saved
