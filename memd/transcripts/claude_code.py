"""Claude Code's transcripts: where they are, which files are conversations, what they hold."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path

from memd.opener import is_text
from memd.transcripts import reading, registry, tail
from memd.transcripts.decode import records
from memd.transcripts.lines import lines
from memd.transcripts.model import WHOLE, Cursor, ProcessState, Reading, TailState, ToolCall, TranscriptFile

AGENT = "claude-code"
SUFFIX = ".jsonl"
SUBAGENT_PREFIX = "agent-"
WRITERS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
PEEK = 64 * 1024  # bytes of a file's start that tell a sub-agent's from a main conversation's


def config_dir(environ: Mapping[str, str], home: Path) -> Path:
    """Where Claude Code keeps its files: `CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    configured = environ.get("CLAUDE_CONFIG_DIR")
    return Path(configured) if configured else home / ".claude"


class ClaudeCode:
    """The transcripts below one configuration directory; implements `model.Transcripts`."""

    agent: str = AGENT

    def __init__(self, config_dir: Path, *, proc: Path = Path("/proc")) -> None:
        """`proc` is where the system shows its processes; a path that does not exist is tolerated."""
        self._projects = config_dir / "projects"
        self._sessions = config_dir / "sessions"
        self._proc = proc

    def roots(self) -> tuple[Path, ...]:
        """The directory of all projects; it may not exist yet."""
        return (self._projects,)

    def discover(self) -> Iterator[TranscriptFile]:
        """Every main transcript there is now, told by name and kind alone."""
        return (_transcript(Path(path)) for path, _, _ in self.survey())

    def survey(self) -> Iterator[tuple[str, int, int]]:
        """Path, size in bytes and date (ns) of what `discover` finds; in the time that the system itself takes."""
        try:
            with os.scandir(self._projects) as projects:
                for project in projects:
                    if is_text(project.name):
                        yield from _mains(project.path)
        except OSError:
            return

    def recognise(self, path: Path) -> TranscriptFile | None:
        """The main transcript at `path`; None for anything else, sub-agents' files in a wrong place included."""
        if not _is_named_main(path.name) or "\0" in str(path):
            return None
        try:
            if not self._is_project(path.parent):
                return None
            with tail.opened(path) as fd:
                return None if _is_sidechain_only(fd) else _transcript(path)
        except OSError:
            return None

    def tail(self, path: Path) -> TailState:
        """How the last turn stands. Raises OSError where the file cannot be read."""
        with tail.opened(path) as fd:
            view = reading.look_back(fd, os.fstat(fd).st_size)
        return TailState(
            session_id=view.session_id, cwd=view.cwd, turn=view.turn.state, size=view.end, last_uuid=view.last_uuid
        )

    def read(self, path: Path, since: Cursor, *, most: int = WHOLE) -> Reading:
        """What came after `since`; of more than `most` bytes only the first turns.

        Raises OSError where the file cannot be read; never on its content.
        """
        with tail.opened(path) as fd:
            return reading.read(fd, since, name=path.stem, most=most)

    def processes(self) -> Mapping[str, ProcessState]:
        """The sessions in Claude Code's registry. One that is not there ended cleanly, or never was: unknown."""
        return registry.processes(self._sessions, self._proc)

    def written_path(self, call: ToolCall, cwd: str | None) -> str | None:
        """The absolute path that a file-writing call wrote, tidied without looking at the disk; else None."""
        path = call.input.get(WRITERS[call.name]) if call.name in WRITERS else None
        if not isinstance(path, str) or not path:
            return None
        joined = posixpath.join(cwd or "", path)
        if not posixpath.isabs(joined) or "\0" in joined:
            return None
        return "/" + posixpath.normpath(joined).lstrip("/")  # normpath keeps a double slash at the start

    def _is_project(self, directory: Path) -> bool:
        """Whether a directory is one of the projects', also when the event names it by another route."""
        parent = directory.parent
        return parent == self._projects or os.path.realpath(parent) == os.path.realpath(self._projects)


def _mains(directory: str) -> list[tuple[str, int, int]]:
    """Path, size and date of the main transcripts in a directory; none where it cannot be read.

    By the directory's descriptor: the system then finds each file by its name alone, which saves an eighth.
    """
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        with os.scandir(descriptor) as entries:
            return [
                (f"{directory}/{entry.name}", status.st_size, status.st_mtime_ns)
                for entry in entries
                if _is_named_main(entry.name) and (status := _status_of_regular(entry)) is not None
            ]
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _status_of_regular(entry: os.DirEntry[str]) -> os.stat_result | None:
    """None for links and the like, and for what is gone by now."""
    try:
        return entry.stat(follow_symlinks=False) if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return None


def _is_named_main(name: str) -> bool:
    """Names that are no text are not Claude Code's, and nothing could write them down."""
    return (
        name.endswith(SUFFIX)
        and name != SUFFIX
        and not name.startswith((SUBAGENT_PREFIX, "."))
        and (name.isascii() or is_text(name))
    )


def _transcript(path: Path) -> TranscriptFile:
    return TranscriptFile(agent=AGENT, session_id=path.stem, path=path)


def _is_sidechain_only(fd: int) -> bool:
    """Whether the first entries are all a sub-agent's: its files start with one and hold nothing else."""
    marks = (
        bool(record.is_sidechain)
        for data, _ in lines(fd, 0, min(os.fstat(fd).st_size, PEEK))
        for record in (records(data) if data is not None else ())
        if record.uuid
    )
    return next(marks, False) and all(marks)  # as a rule the first one tells
