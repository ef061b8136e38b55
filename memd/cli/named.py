"""The file that a person means by a name on the command line."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

from memd import files
from memd.cli.words import shown
from memd.errors import UnsafePathError, UsageError
from memd.memory.layout import INDEX

_DAY = re.compile(r"(\d{4})-(\d{2})-\d{2}\.md", re.ASCII)
_NEAREST = 3  # names offered for one that is not there


def below(name: str, memory_dir: Path) -> str:
    """Return the path below the memory directory that a person means. Raises UnsafePathError."""
    path = name if name.endswith(".md") else f"{name}.md"
    if not path.startswith("/"):
        return path
    try:
        return Path(path).relative_to(memory_dir).as_posix()
    except ValueError as error:
        raise UnsafePathError(
            f"{shown(name)} is not in the memory directory {shown(str(memory_dir))}",
            hint="`memd list` shows what is there; --project names another project",
        ) from error


def readable(name: str, memory_dir: Path) -> str:
    """Like `below`, and a date names the log of that day, unless a memory is called so. Raises UnsafePathError."""
    path = below(name, memory_dir)
    found = _DAY.fullmatch(path)
    if found is None or (memory_dir / path).exists():
        return path
    return f"logs/{found[1]}/{found[2]}/{path}"


def read(memory_dir: Path, path: str) -> tuple[bytes, float]:
    """Read a file with its mtime. Raises UnsafePathError, and UsageError where there is none."""
    files.split(path)
    try:
        with (
            files.open_directory(memory_dir) as directory,
            files.open_regular(directory, path) as descriptor,
            os.fdopen(os.dup(descriptor), "rb") as stream,
        ):
            return stream.read(), os.fstat(descriptor).st_mtime
    except FileNotFoundError as error:
        raise UsageError(
            f"no {shown(path)} in {shown(str(memory_dir))}", hint=_nearest(path, memory_dir) or "`memd list` shows all"
        ) from error


def _nearest(path: str, memory_dir: Path) -> str:
    try:
        with files.open_directory(memory_dir) as directory:
            known = files.list_files(directory, levels=4)
    except FileNotFoundError:
        return "there are no memories of this project yet"
    near = difflib.get_close_matches(path, [name for name in known if name.endswith(".md")], n=_NEAREST)
    return f"did you mean {' or '.join(shown(name) for name in near)}?" if near else ""


def topic_path(name: str, memory_dir: Path) -> str:
    """Like `below`, for commands that are about a memory. Raises UsageError for the index and the logs."""
    path = below(name, memory_dir)
    files.split(path)
    if path == INDEX or path.startswith("logs/"):
        raise UsageError(
            f"{shown(path)} is not a memory", hint="`memd list` shows the memories; the index follows them by itself"
        )
    return path
