"""An agent whose transcripts are plain lines: "human", "done", "tool" or "broken", and whatever follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from memd.transcripts.model import Cursor, ProcessState, Reading, TailState, ToolCall, TranscriptFile, TurnState

_TURNS = {
    "human": TurnState.RUNNING,
    "done": TurnState.COMPLETE,
    "tool": TurnState.PENDING_TOOL,
    "broken": TurnState.BROKEN,
}


class LineTranscripts:
    """Conversations in `<root>/<project>/<session id>.talk`; implements `model.Transcripts`."""

    agent: str = "lines"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.states: dict[str, ProcessState] = {}
        self.tails = 0  # how often somebody looked at the end of a file

    def roots(self) -> tuple[Path, ...]:
        """The one root."""
        return (self.root,)

    def discover(self) -> Iterator[TranscriptFile]:
        """Every conversation, in no order."""
        return (self._file(path) for path in self.root.glob("*/*.talk"))

    def survey(self) -> Iterator[tuple[str, int, int]]:
        """Path, size and date of every conversation."""
        for file in self.discover():
            with suppress(FileNotFoundError):
                status = file.path.stat()
                yield str(file.path), status.st_size, status.st_mtime_ns

    def recognise(self, path: Path) -> TranscriptFile | None:
        """A conversation by its name."""
        return self._file(path) if path.suffix == ".talk" and path.parent.parent == self.root else None

    def tail(self, path: Path) -> TailState:
        """What the last whole line says."""
        self.tails += 1
        data = path.read_text("utf-8")
        whole = data[: data.rfind("\n") + 1]
        last = (whole.splitlines() or [""])[-1].split(" ")[0]
        return TailState(
            session_id=path.stem, cwd=f"/p/{path.parent.name}", turn=_TURNS.get(last, TurnState.NONE), size=len(whole)
        )

    def read(self, path: Path, since: Cursor, *, most: int = 0) -> Reading:
        """Nothing here reads messages."""
        raise NotImplementedError

    def processes(self) -> Mapping[str, ProcessState]:
        """What the test says."""
        return self.states

    def written_path(self, call: ToolCall, cwd: str | None) -> str | None:
        """Nothing here writes."""
        del call, cwd
        return None

    def _file(self, path: Path) -> TranscriptFile:
        return TranscriptFile(agent=self.agent, session_id=path.stem, path=path)
