"""Proposals as a careful model writes them, through the real pass: nearly all go live, with their words kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.memory import topic
from memd.memory.topic import TopicType
from tests.fakes import model_pass
from tests.fakes.anthropic_server import Json, Server, in_turn, serving
from tests.fakes.model_pass import Passes

CORPUS = Path(model_pass.__file__).with_name("honest_proposals.jsonl")
CASES = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
MOST_HELD = 0.05
SPEAKERS = {"h": "human", "a": "assistant", "t": "tool"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(in_turn()) as running:
        yield running


def file_of(proposal: dict[str, Any]) -> bytes:
    """What a model writes into the workspace."""
    said = topic.body(proposal["rule"], proposal.get("why"), proposal.get("how")) if "how" in proposal else None
    return topic.render(
        proposal["name"],
        proposal["description"],
        TopicType(proposal["type"]),
        said or proposal["rule"],
        evidence=proposal["evidence"],
    )


def passed(case: dict[str, Any], here: Passes) -> list[tuple[str, str]]:
    """The fate of every proposal of a case: "live", or why not."""
    fates: list[tuple[str, str]] = []
    place = 0
    for session in case["sessions"]:
        said = [(SPEAKERS[line[0]], line[2:]) for line in session["said"]]
        calls: list[tuple[str, Json]] = [
            ("Write", {"file_path": f"memory/{one['path']}", "content": file_of(one).decode()})
            for one in session["write"]
        ]
        run = here.run(model_pass.conversation(*said, start=place), model_pass.calls_first(*calls))
        place += 100
        note = here.note(run)
        held = {one.path: f"held: {one.reason} {one.detail}" for one in (note.held if note else ())}
        dropped = {one.path: f"dropped: {one.reason} {one.detail}" for one in (note.dropped if note else ())}
        for one in session["write"]:
            path = one["path"]
            fates.append((path, "live" if path in run.files else (held | dropped).get(path, "not proposed")))
    return fates


@pytest.mark.timeout(300)  # some 90 whole passes
def test_of_honest_proposals_hardly_any_wait(server: Server, tmp_path: Path) -> None:
    fates: dict[str, str] = {}
    for case in CASES:
        with model_pass.furnished(tmp_path / case["id"], server) as here:
            fates |= {f"{case['id']}/{n} {path}": fate for n, (path, fate) in enumerate(passed(case, here))}
    waiting = {name: fate for name, fate in fates.items() if fate != "live"}
    print(f"{len(waiting)} of {len(fates)} honest proposals held: {waiting}")  # noqa: T201 - pytest -s shows the figure
    assert len(fates) >= 60
    assert {fate.split(":")[0] for fate in waiting.values()} <= {"held"}, waiting
    assert len(waiting) <= MOST_HELD * len(fates), waiting
