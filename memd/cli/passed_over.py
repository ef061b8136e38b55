"""What stands in a memory directory and is no memory, for `memd status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memd.cli.words import shown
from memd.memory import oddities
from memd.memory.location import MemoryDir
from memd.memory.scan import TopicHeader
from memd.memory.workspace import Problem

_SHOWN = 5


def found(place: MemoryDir, memories: Sequence[TopicHeader]) -> tuple[Problem, ...]:
    """By name and kind, and as far as the headers tell."""
    no_text = (one for one in memories if "not-utf8" in one.problems)
    return (*oddities.find(place.path), *(Problem(path=shown(one.path), what="not UTF-8 text") for one in no_text))


def described(odd: Sequence[Problem]) -> dict[str, Any]:
    """Put them into the shape that programs get."""
    return {"passed_over": [{"path": one.path, "what": one.what} for one in odd]}


def lines(odd: Sequence[Problem]) -> Iterator[tuple[str, str]]:
    """Labelled lines for people."""
    for number, one in enumerate(odd[:_SHOWN]):
        yield "" if number else "passed over", f"{one.path}: {one.what}"
    if len(odd) > _SHOWN:
        yield "", f"and {len(odd) - _SHOWN} more"
