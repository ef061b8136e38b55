"""Run the offline backend over labelled conversations: `extract_quality.py CASES.jsonl RESULTS.jsonl`."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memd.agent.backend import Task
from memd.agent.offline.backend import Offline
from memd.memory import topic
from memd.memory.quotes import Speaker, Utterance
from memd.memory.workspace import Workspace

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.ASSISTANT, "tool": Speaker.TOOL}


def utterances(case: Mapping[str, Any]) -> Iterator[Utterance]:
    """A case's turns, all said at its time."""
    now = datetime.fromisoformat(case["now"])
    for number, turn in enumerate(case["turns"]):
        yield Utterance(speaker=_SPEAKERS[turn["role"]], text=turn["text"], uuid=str(number), at=now)


def memories(case: Mapping[str, Any]) -> list[dict[str, str]]:
    """What the backend saves of a case, as the files would stand after the pass (their quotes moved out)."""
    with tempfile.TemporaryDirectory() as directory:
        memory = Path(directory) / "memory"
        memory.mkdir()
        space = Workspace(memory=memory, bullets=Path(directory) / "bullets.md")
        Offline().propose(Task(workspace=space, new=tuple(utterances(case))))
        return [_memory(path) for path in sorted(memory.glob("*.md")) if path.name != "MEMORY.md"]


def _memory(path: Path) -> dict[str, str]:
    data = path.read_bytes()
    return {"type": str(topic.parse(data).type), "text": (topic.updated(data) or data).decode()}


def run(cases: Path, results: Path) -> None:
    """A line of results for every case."""
    lines = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines() if line.strip()]
    done = [{"id": case["id"], "memories": memories(case)} for case in lines]
    results.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in done), encoding="utf-8")


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
