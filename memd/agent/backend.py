"""The Protocol between a pass and whoever proposes its memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from memd.agent.conversations import Conversations
from memd.agent.meter import Meter, Usage
from memd.agent.packing import Part
from memd.memory.quotes import EvidenceClass, Utterance
from memd.memory.workspace import Workspace

__all__ = ["Backend", "Dream", "Note", "Task", "Usage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A line of the daily log that no memory holds yet."""

    number: int  # from 1; how `fates` name it
    text: str
    kind: str  # one of the four types, or any word
    evidence: EvidenceClass  # whose words it is
    at: datetime
    session: str = ""
    ripe: bool = False  # whoever wrote it down meant it to become a memory
    again: bool = False  # an earlier dream left it aside; it need not be dealt with, but may speak for others

    @property
    def is_explicit(self) -> bool:
        """Whether a person's words were to become a memory: nothing that stands in their way makes them go."""
        return self.ripe and self.evidence is EvidenceClass.HUMAN


@dataclass(frozen=True, slots=True, kw_only=True)
class Dream:
    """What a dream works on, besides the memories in its workspace; says what became of it as `fates` has it."""

    notes: tuple[Note, ...] = ()
    classes: Mapping[str, EvidenceClass] = field(default_factory=dict)  # whose words each memory stands on, by path
    conversations: Conversations | None = None  # what was said in this project; None: not to be looked into


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What one pass is asked to do."""

    workspace: Workspace
    new: tuple[Utterance, ...]  # cleaned, in order: what may be learnt from
    head: tuple[Utterance, ...] = ()  # how the conversation began, for context only
    asked: Utterance | None = None  # of the agent's, from before: what the first of `new` may be an answer to
    part: Part | None = None  # what of `new` a model is shown; None: as much of it as one look holds
    first: int = 1  # the number of the first of `new` in `part`
    session_id: str = ""  # the conversation's, for a new topic's `originSessionId`
    now: datetime | None = None  # aware; for a new topic's `modified`
    project: Path | None = None  # its root, which an agent may look into; None: nothing but the conversation
    seconds: float = 120.0
    max_turns: int = 5
    meter: Meter = field(default_factory=Meter)  # what it may spend
    protected: frozenset[str] = frozenset()  # a person's memories, by path: they may grow, and nothing of them may go
    dream: Dream | None = None  # for a dream; `new` then holds its notes and the memories as they are


class Backend(Protocol):
    """Somebody who reads a task and changes its workspace."""

    name: str

    def propose(self, task: Task) -> Usage:
        """Work in `task.workspace`; what stands there at the end, or when a limit is reached, is the proposal.

        Raises TransientError, AuthError, BudgetError or MemdError. Whatever is raised: `task.meter` has been told of
        everything that was spent.
        """
