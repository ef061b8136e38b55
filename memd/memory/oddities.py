"""What stands in a memory directory and is passed over: links, odd names, files too large or not text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from memd import files
from memd.memory import layout
from memd.memory.layout import NOT_TOPICS
from memd.memory.workspace import Problem
from memd.opener import is_text

MOST = 50  # are told of


def find(memory_dir: Path) -> tuple[Problem, ...]:
    """What a scan or a pass leaves out, by name and kind alone, sorted by path; at most 50. OSError as from opening."""
    try:
        with files.open_directory(memory_dir) as memory:
            entries = sorted(files.walk(memory), key=lambda entry: entry.path)
    except FileNotFoundError:
        return ()
    found = (Problem(path=files.printable(entry.path), what=what) for entry in entries if (what := _odd(entry)))
    return tuple(islice(found, MOST))


def not_text(base: Mapping[str, bytes]) -> Iterator[Problem]:
    """The files, given their bytes by path, that are not UTF-8."""
    for path, data in base.items():
        try:
            data.decode()
        except UnicodeDecodeError:
            yield Problem(path=files.printable(path), what="not UTF-8 text")


def _odd(entry: files.Entry) -> str | None:
    """What is odd about something, None where it is as it should be or nothing of memd's."""
    parts = entry.path.split("/")
    if parts[0] in NOT_TOPICS or any(part.startswith(".") for part in parts):
        return None
    if not entry.regular:
        return entry.what
    if not is_text(entry.path):
        return "its name is not UTF-8"
    limit = layout.limit(entry.path)
    return f"more than {limit // 1024} KB" if entry.path.endswith(".md") and entry.size > limit else None
