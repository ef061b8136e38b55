"""All agents whose transcripts are read, as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memd.transcripts import claude_code
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import (
    WHOLE,
    Cursor,
    ProcessState,
    Reading,
    TailState,
    ToolCall,
    TranscriptFile,
    Transcripts,
)


class Agents:
    """Several readers behind one `model.Transcripts`; the root that a file lies under tells who reads it."""

    agent: str = "all"

    def __init__(self, readers: Sequence[Transcripts]) -> None:
        """`readers` is not empty; a file under no root is the first one's."""
        self._readers = tuple(readers)

    def roots(self) -> tuple[Path, ...]:
        """Every root of every reader."""
        return tuple(root for reader in self._readers for root in reader.roots())

    def discover(self) -> Iterator[TranscriptFile]:
        """Every main transcript there is now."""
        for reader in self._readers:
            yield from reader.discover()

    def survey(self) -> Iterator[tuple[str, int, int]]:
        """Path, size and date of every main transcript."""
        for reader in self._readers:
            yield from reader.survey()

    def recognise(self, path: Path) -> TranscriptFile | None:
        """The main transcript at `path`, or None."""
        return self._of(path).recognise(path)

    def tail(self, path: Path) -> TailState:
        """How the last turn stands. Raises OSError."""
        return self._of(path).tail(path)

    def read(self, path: Path, since: Cursor, *, most: int = WHOLE) -> Reading:
        """What came after `since`, of more than `most` bytes only the first turns. Raises OSError."""
        return self._of(path).read(path, since, most=most)

    def processes(self) -> Mapping[str, ProcessState]:
        """The sessions that any agent's registry knows."""
        return {session: state for reader in self._readers for session, state in reader.processes().items()}

    def written_path(self, call: ToolCall, cwd: str | None) -> str | None:
        """The path that a file-writing call of any agent wrote: their tools' names do not clash."""
        found = (reader.written_path(call, cwd) for reader in self._readers)
        return next((path for path in found if path is not None), None)

    def _of(self, path: Path) -> Transcripts:
        owners = (reader for reader in self._readers if any(map(path.is_relative_to, reader.roots())))
        return next(owners, self._readers[0])


def watched(roots: Sequence[str], environ: Mapping[str, str], home: Path) -> Agents:
    """Claude Code's own directory, and each further one laid out like it (`roots`; a leading `~/` is the home)."""
    own = claude_code.config_dir(environ, home)
    further = (home / root[2:] if root.startswith("~/") else Path(root) for root in roots)
    return Agents([ClaudeCode(directory) for directory in dict.fromkeys((own, *further))])
