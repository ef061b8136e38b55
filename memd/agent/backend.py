"""The Protocol between a pass and whoever proposes its memories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memd.memory.quotes import Utterance
from memd.memory.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What one pass is asked to do."""

    workspace: Workspace
    new: tuple[Utterance, ...]  # cleaned, in order: what may be learnt from
    head: tuple[Utterance, ...] = ()  # how the conversation began, for context only
    session_id: str = ""  # the conversation's, for a new topic's `originSessionId`
    now: datetime | None = None  # aware; for a new topic's `modified`
    seconds: float = 120.0
    max_turns: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a pass cost, in the service's own numbers."""

    model: str | None = None
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Backend(Protocol):
    """Somebody who reads a task and changes its workspace."""

    name: str

    def propose(self, task: Task) -> Usage:
        """Work in `task.workspace`. Raises TransientError, AuthError, BudgetError or MemdError."""
