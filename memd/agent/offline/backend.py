"""The backend that needs no model: rules over what people said."""

from __future__ import annotations

from pathlib import Path

from memd.agent.backend import Task, Usage
from memd.agent.offline import compose, existing, fold, gather, reading
from memd.agent.offline.model import CERTAIN, Candidate
from memd.memory import topic


class Offline:
    """Deterministic, English and Chinese, without a network; what is not unmistakable becomes a bullet."""

    name = "offline"

    def propose(self, task: Task) -> Usage:
        """Write topic files, index lines and bullets into the task's workspace."""
        found = fold.fold(gather.gather(reading.messages(task.new)))
        bullets = [candidate for candidate in found if candidate.points == CERTAIN - 1]
        for candidate in found:
            if candidate.certain:
                _save(task.workspace.memory, candidate)
        if bullets:
            task.workspace.bullets.write_text("".join(map(_bullet, bullets)), encoding="utf-8")
        return Usage()


def _save(memory: Path, candidate: Candidate) -> None:
    known = existing.find(memory, candidate)
    if known is not None:
        existing.update(known, candidate)
        return
    name = topic.filename(candidate.kind, compose.title(candidate), [path.name for path in memory.glob("*.md")])
    (memory / name).write_bytes(
        topic.render(
            compose.title(candidate),
            compose.description(candidate),
            candidate.kind,
            compose.body(candidate),
            evidence=candidate.quotes,
        )
    )
    index = memory / "MEMORY.md"
    old = index.read_text(encoding="utf-8") if index.exists() else ""
    start = old if not old or old.endswith("\n") else f"{old}\n"
    index.write_text(f"{start}{compose.index_line(name, candidate)}\n", encoding="utf-8")


def _bullet(candidate: Candidate) -> str:
    return f"- [{candidate.kind}] {compose.one_line(compose.rule(candidate), 300)}\n"
