"""A conversation that is over, in a person's project."""

from __future__ import annotations

import os
from pathlib import Path

from tests.fakes import claude_lines as lines

RULE = "from now on always run `make lint` before you commit, the build server takes 40 minutes to tell me"


def converse(
    memory: Path, project: Path, said: str = RULE, *, session: str = lines.SESSION, mtime: float | None = None
) -> Path:
    """Write its transcript beside the project's memory directory."""
    path = memory.parent / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    records = (
        lines.prompt(f"h-{session}", said),
        lines.answer(f"a-{session}", f"m-{session}", lines.text("Will do.")),
    )
    path.write_bytes(lines.packed(*({**record, "cwd": str(project), "sessionId": session} for record in records)))
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path
