"""The memory directory that a session's own prompt named, and whether memd believes it.

A prompt is not to be trusted like an environment: a repository can have put text into it, or, by way of settings that
Claude Code accepts and memd does not, have chosen the directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memd.memory import git_layout
from memd.memory.claude_settings import DIRECTORY, Scope
from memd.memory.configured_directory import RefusedPathError, configured_directory
from memd.memory.layout import INDEX

RULE = "transcript"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the prompt named, and what is known without it."""

    named: str
    chosen: Path  # by the rules of `location`
    config: Path  # the session's CLAUDE_CONFIG_DIR
    home: Path


def overridden(shown: Shown, root: Path, scopes: Sequence[Scope], problems: list[str]) -> tuple[Path, str] | None:
    """The directory and its rule, where the prompt tells of an override; what is refused leaves a problem."""
    try:
        path = configured_directory(shown.named, shown.home)
    except RefusedPathError as error:
        problems.append(f"the memory directory in the session's prompt is refused: {error}")
        return None
    if path == shown.chosen or _is_usual(path, shown):
        return None
    for objection in _objections(path, root, scopes):
        problems.append(f"the memory directory in the session's prompt ({path}) is refused: {objection}")
        return None
    return path, RULE


def _is_usual(path: Path, shown: Shown) -> bool:
    """Whether it is where Claude Code keeps memory unless told otherwise, now or on a machine of before."""
    if path.name != "memory" or path.parent.parent.name != "projects":
        return False
    return path.parent.parent.parent == shown.config or not path.is_dir()


def _objections(path: Path, root: Path, scopes: Sequence[Scope]) -> Iterator[str]:
    if any(DIRECTORY in scope.values for scope in scopes if not scope.trusted):
        yield f"the project names an {DIRECTORY} of its own"
    if path == root or (root in path.parents and git_layout.find(root) is not None):
        yield "it lies in the project's work tree"
    if _is_in_use(path):
        yield "it holds something else than memory"


def _is_in_use(path: Path) -> bool:
    try:
        return any(path.iterdir()) and not (path / INDEX).is_file()
    except FileNotFoundError:
        return False
    except OSError:
        return True
