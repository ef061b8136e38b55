"""The few of Claude Code's settings that concern memory, each with the scope it was found in."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memd import files
from memd.errors import UnsafePathError
from memd.memory import git_layout

DIRECTORY = "autoMemoryDirectory"
ENABLED = "autoMemoryEnabled"

_SIZE_LIMIT = files.MEGABYTE
_INDEX_LIMIT = 512 * files.MEGABYTE
_LOCAL = ".claude/settings.local.json"
_PROJECT = ".claude/settings.json"
_PLAIN_VERSIONS = frozenset({2, 3})  # version 4 shortens paths
_INDEX_HEADER = 12  # bytes: "DIRC", version, count


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One settings file. `trusted` means that it cannot have come with a repository."""

    name: str  # "managed", "local", "project", "user"
    file: Path
    values: Mapping[str, Any]
    trusted: bool
    problem: str | None = None


def managed_file() -> Path:
    """Where an organisation puts its policy on this system."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/managed-settings.json")
    return Path("/etc/claude-code/managed-settings.json")


def config_dir(environ: Mapping[str, str], home: Path) -> Path:
    """Claude Code's own directory."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")


def scopes(root: Path, *, environ: Mapping[str, str], home: Path, managed: Path) -> tuple[Scope, ...]:
    """All settings files that concern the project at `root`, the strongest first; missing ones are left out."""
    found = [_scope("managed", managed, trusted=True)]
    if root != home.resolve():  # there the project's files would be the user's
        found.append(_scope("local", root / _LOCAL, trusted=not _came_with_repository(root), below=root))
        found.append(_scope("project", root / _PROJECT, trusted=False, below=root))
    found.append(_scope("user", config_dir(environ, home) / "settings.json", trusted=True))
    return tuple(scope for scope in found if scope is not None)


def directory(found: Sequence[Scope]) -> tuple[Any, Scope] | None:
    """The memory directory that the strongest trusted scope names, as it stands there, and that scope."""
    return next(
        ((scope.values[DIRECTORY], scope) for scope in found if scope.trusted and DIRECTORY in scope.values), None
    )


def enabled(found: Sequence[Scope]) -> bool | None:
    """What the strongest scope says about memory being on; None when none does. A repository may opt out."""
    said = (scope.values.get(ENABLED) for scope in found)
    return next((value for value in said if isinstance(value, bool)), None)


def problems(found: Sequence[Scope]) -> tuple[str, ...]:
    """What is wrong with the files themselves, and which of them name a memory directory in vain."""
    broken = tuple(f"{scope.file}: {scope.problem}" for scope in found if scope.problem)
    ignored = tuple(scope.file for scope in found if not scope.trusted and DIRECTORY in scope.values)
    return broken + tuple(f"{DIRECTORY} in {file} is ignored: it may come with the repository" for file in ignored)


def _scope(name: str, file: Path, *, trusted: bool, below: Path | None = None) -> Scope | None:
    """`below` is a directory that others can write to: no link is followed under it."""
    try:
        data = _read(file) if below is None else _read_below(below, file)
        values = None if data is None else json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError, OSError, UnsafePathError) as error:
        return Scope(
            name=name, file=file, values={}, trusted=trusted, problem=f"cannot be read ({type(error).__name__})"
        )
    if values is None:
        return None
    if not isinstance(values, dict):
        return Scope(name=name, file=file, values={}, trusted=trusted, problem="is not a JSON object")
    return Scope(name=name, file=file, values=values, trusted=trusted)


def _read(file: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return None
        with file.open("rb") as stream:
            return stream.read(_SIZE_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _read_below(directory: Path, file: Path) -> bytes | None:
    try:
        with files.open_directory(directory) as descriptor:
            return files.read_regular(descriptor, file.relative_to(directory).as_posix(), limit=_SIZE_LIMIT)
    except FileNotFoundError:
        return None


def _came_with_repository(root: Path) -> bool:
    """Whether the local settings may be the repository's own. Outside git nothing says that they are not."""
    work_tree = git_layout.find(root)
    if work_tree is None or work_tree.top != root:
        return True
    # A bare repository can be embedded in a hostile one, index and all; a `.git` that leads nowhere proves nothing.
    is_odd = work_tree.git_dir == root or not (work_tree.git_dir / "HEAD").is_file()
    return is_odd or _may_be_tracked(work_tree.git_dir)


def _may_be_tracked(git_dir: Path) -> bool:
    """Whether the index holds the file, or is of a kind that cannot be searched."""
    try:
        if any(item.name.startswith("sharedindex.") for item in git_dir.iterdir()):
            return True
        with (git_dir / "index").open("rb") as stream:
            data = stream.read(_INDEX_LIMIT + 1)
    except FileNotFoundError:
        return False  # nothing was ever added
    except OSError:
        return True
    version = int.from_bytes(data[4:8], "big")
    if data[:4] != b"DIRC" or len(data) < _INDEX_HEADER or len(data) > _INDEX_LIMIT or version not in _PLAIN_VERSIONS:
        return True
    return _holds(data.lower())  # a file system may not tell cases apart


def _holds(index: bytes) -> bool:
    """The file itself, or its directory as a link, a submodule, or a sparse index's folded directory."""
    return any(path in index for path in (_LOCAL.encode(), b".claude\0", b".claude/\0"))
