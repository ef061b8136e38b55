"""The alarm for a format that has moved on: it sounds when prompts are no longer known, and at nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.transcripts.drift import drifted
from tests.fakes.claude_lines import (
    TURN,
    Line,
    add,
    answer,
    api_error,
    notification,
    packed,
    prompt,
    read,
    sample,
    samples,
    text,
    write,
)

ANSWER = answer("a1", "m1", text("hi"))
PROMPTED = ("headless_hello", "interactive_after_clear", "headless_par")
CHANGES: dict[str, Callable[[Line], Line]] = {
    "people are called by another type": lambda record: record | {"type": "person"},
    "prompts come from elsewhere": lambda record: record | {"promptSource": "keyboard"},
    "turns begin elsewhere": lambda record: record | {"turnOrigin": "person"},
    "words stand elsewhere": lambda record: record | {"message": {"parts": record["message"]["content"]}},
    "blocks have another type": lambda record: record | {"message": {"content": [{"type": "words", "text": "x"}]}},
    "no message at all": lambda record: {key: record[key] for key in record if key != "message"},
    "all is marked as meta": lambda record: record | {"isMeta": True},
}


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.stem)
def test_no_real_conversation_has_drifted(path: Path) -> None:
    assert not drifted(read(path))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("name", PROMPTED)
def test_a_real_conversation_whose_prompts_changed_has(path: Path, name: str, change: Callable[[Line], Line]) -> None:
    records = [json.loads(row) for row in sample(name).read_bytes().splitlines()]
    assert drifted(read(write(path, *records))) is False
    assert drifted(read(write(path, *(change(one) if one["type"] == "user" else one for one in records)))) is True


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ((), None),
        ((prompt("h1", "hello"),), False),
        (TURN, False),
        ((ANSWER,), True),
        ((prompt("h1", "hello", promptSource="new"), ANSWER), True),
        ((prompt("h1", "<command-message>review</command-message>\n<command-name>/review"), ANSWER), None),
        ((prompt("h1", "<command-name>/clear</command-name>"), ANSWER), True),
        ((notification("n1"), ANSWER), None),
        ((api_error("e1"),), None),
        ((answer("a1", "m1", text("hi"), entrypoint="memd"),), None),
        ((answer("a1", "m1", text("hi"), isSidechain=True),), None),
    ],
    ids=[
        "empty", "prompt alone", "turn", "answer alone", "unknown source", "command", "echo", "notification",
        "API error", "memd's own", "sidechain",
    ],
)  # fmt: skip
def test_what_tells_and_what_tells_nothing(path: Path, records: tuple[Line, ...], expected: bool | None) -> None:  # noqa: FBT001 - three answers, not a switch
    assert drifted(read(write(path, *records))) is expected


def test_a_later_part_without_a_prompt_tells_nothing(path: Path) -> None:
    end = read(write(path, *TURN)).end
    add(path, packed(answer("a2", "m2", text("and more"))))
    assert drifted(read(path, end)) is None
    add(path, packed(prompt("h2", "go on")))
    assert drifted(read(path, end)) is False
