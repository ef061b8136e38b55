"""The agent's tools, behind one call that answers whatever a model asks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memd.agent import evidence, sandbox
from memd.agent.conversations import Conversations
from memd.agent.tools import bash, limits, reading, searching, writing
from memd.agent.tools.arguments import DeniedError, Tool, Values
from memd.agent.tools.roots import SEEN, Roots
from memd.agent.tools.walk import Budget
from memd.errors import MemdError
from memd.memory import secrets
from memd.memory.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool says. A denial is an error that says what is allowed."""

    text: str
    is_error: bool = False


class Toolbox:
    """The tools over one workspace, one project and one conversation.

    `project` is not opened where it is none: the home directory, what contains it, a place of the kernel's. `deadline`
    is on `clock`, in seconds. Bash is among the tools where there is a sandbox for it; `confined` is for who has looked
    already.
    """

    def __init__(
        self,
        *,
        workspace: Workspace,
        project: Path | None,
        transcript_text: str | None,
        deadline: float,
        confined: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = Roots(
            workspace=workspace,
            project=project if project is not None and _is_project(project) else None,
            transcript=None if transcript_text is None else _transcript(transcript_text),
        )
        self._deadline = deadline
        self._clock = clock
        self._confined = sandbox.available() is None if confined is None else confined
        self._tools: dict[str, tuple[Tool, Callable[[Values], str]]] = {
            tool.name: (tool, act) for tool, act in self._all()
        }

    def let_search(self, said: Conversations) -> None:
        """Add GrepConversations, for a dream."""
        tool = searching.GREP_CONVERSATIONS
        self._tools[tool.name] = (tool, lambda values: searching.grep_conversations(said, values, self._budget()))

    def definitions(self) -> tuple[dict[str, Any], ...]:
        """The tools in the Messages API's shape, by name; the same bytes each time."""
        return tuple(self._tools[name][0].definition() for name in sorted(self._tools))

    def run(self, name: str, arguments: object) -> ToolResult:
        """Do what a model asks. Never raises for it: what is not done comes back as an error that teaches."""
        try:
            text = self._done(name, arguments)
        except DeniedError as denied:
            return ToolResult(text=_safe(str(denied)), is_error=True)
        except (OSError, MemdError) as error:
            said = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "it failed"
            return ToolResult(text=f"{name[:40]} could not do that: {said}.", is_error=True)
        return ToolResult(text=_safe(text))

    def _done(self, name: str, arguments: object) -> str:
        known = self._tools.get(str(name))
        if known is None:
            raise DeniedError(f"There is no such tool; there are {', '.join(sorted(self._tools))}. {SEEN}")
        if self._clock() >= self._deadline:
            raise DeniedError("The time for this pass is over; no more tools can be used.")
        tool, act = known
        return act(tool.read(arguments))

    def _all(self) -> list[tuple[Tool, Callable[[Values], str]]]:
        roots = self._roots
        tools: list[tuple[Tool, Callable[[Values], str]]] = [
            (reading.READ, lambda values: reading.read(roots, values)),
            (reading.GREP, lambda values: reading.grep(roots, values, self._budget())),
            (reading.GLOB, lambda values: reading.glob(roots, values, self._budget())),
            (writing.WRITE, lambda values: writing.write(roots, values)),
            (writing.EDIT, lambda values: writing.edit(roots, values)),
        ]
        if self._confined:
            tools.append((bash.BASH, lambda values: bash.bash(roots, values, self._seconds())))
        return tools

    def _seconds(self) -> float:
        return min(self._deadline - self._clock(), limits.COMMAND_SECONDS)

    def _budget(self) -> Budget:
        return Budget(until=min(self._deadline, self._clock() + limits.CALL_SECONDS), clock=self._clock)


def _transcript(text: str) -> str:
    """Cleaned once more, in case; of one that is very long the end, from the beginning of a line."""
    if len(text) > limits.TRANSCRIPT_CHARACTERS:
        text = text[-limits.TRANSCRIPT_CHARACTERS :].partition("\n")[2]
    return evidence.tidy(text)


def _is_project(path: Path) -> bool:
    home = Path("~").expanduser()
    for real in (path, path.resolve()):
        if real in {home, *home.parents, home.resolve(), *home.resolve().parents}:
            return False
        if real.parts[1:2] in {("proc",), ("sys",), ("dev",)}:
            return False
    return True


def _safe(text: str) -> str:
    """A result within its limit and without secrets, whatever it was made of: names of files may hold some, too."""
    return secrets.redact(text)[: limits.RESULT_CHARACTERS + limits.LINE_CHARACTERS]
