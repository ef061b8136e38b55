"""A toolbox over a project, a memory directory and secrets beside them."""

from __future__ import annotations

import hashlib
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memd.agent.tools import Toolbox, ToolResult
from memd.memory import workspace
from memd.memory.workspace import Workspace

TOPIC = "---\nname: {name}\ndescription: a description\ntype: feedback\n---\n{body}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A toolbox, and what it works on. `root` holds all of it."""

    root: Path
    workspace: Workspace
    tools: Toolbox

    @property
    def project(self) -> Path:
        """The project's directory."""
        return self.root / "project"

    def said(self, name: str, **arguments: object) -> str:
        """What a tool says that does what it was asked."""
        result = self.run(name, **arguments)
        assert not result.is_error, result.text
        return result.text

    def denied(self, name: str, **arguments: object) -> str:
        """What a tool says that does not."""
        result = self.run(name, **arguments)
        assert result.is_error, result.text
        return result.text

    def run(self, name: str, **arguments: object) -> ToolResult:
        """A tool's result; `_i` stands for `-i`."""
        return self.tools.run(name, {"-i" if key == "_i" else key: value for key, value in arguments.items()})


@contextmanager
def bench(
    root: Path,
    *,
    project: Mapping[str, str] | None = None,
    memory: Mapping[str, str] | None = None,
    transcript: str | None = "User: hello\nAssistant: hi\n",
    confined: bool = False,
) -> Iterator[Bench]:
    """A bench with these files, by their relative paths."""
    for place, texts in (("project", project or {}), ("memory", memory or {})):
        (root / place).mkdir(exist_ok=True)
        for rel, text in texts.items():
            path = root / place / rel
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    with workspace.make(root / "memory", root / "state") as work:
        tools = Toolbox(
            workspace=work,
            project=root / "project",
            transcript_text=transcript,
            deadline=time.monotonic() + 60,
            confined=confined,
        )
        yield Bench(root=root, workspace=work, tools=tools)


def everything(root: Path, *, but: Path) -> dict[str, tuple[int, str]]:
    """Modes and contents of all below a directory, without what lies below another."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path == but or but in path.parents:
            continue
        mode = path.lstat().st_mode
        small = stat.S_ISREG(mode) and path.lstat().st_size < 1 << 20
        contents = hashlib.sha256(path.read_bytes()).hexdigest() if small else ""
        found[path.relative_to(root).as_posix()] = (mode, contents)
    return found
