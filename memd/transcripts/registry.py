"""The processes that Claude Code says it runs; an undocumented format, so a hint only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from memd.transcripts import own, tail
from memd.transcripts.model import ProcessState

MAX_BYTES = 64 * 1024
_CERTAINTY = (ProcessState.GONE, ProcessState.UNKNOWN, ProcessState.ALIVE)  # the last one counts


class _Registered(msgspec.Struct, rename="camel"):
    pid: int
    session_id: str
    proc_start: str | int | None = None  # clock ticks since boot, as in /proc/<pid>/stat
    entrypoint: str | None = None
    name: str | None = None


def processes(directory: Path, proc: Path) -> Mapping[str, ProcessState]:
    """The sessions listed in `directory`, by id. A clean exit removes its file: absence says nothing.

    A session listed twice (resumed after a crash) lives if one of its processes does.
    """
    states: dict[str, ProcessState] = {}
    for entry in _registered(directory):
        both = (state_of(entry.pid, entry.proc_start, proc), states.get(entry.session_id, ProcessState.GONE))
        states[entry.session_id] = max(both, key=_CERTAINTY.index)
    return states


def pid_of(session_id: str, directory: Path, proc: Path) -> int | None:
    """The process that certainly runs the session now; None where that is not known."""
    entries = (entry for entry in _registered(directory) if entry.session_id == session_id)
    return next((one.pid for one in entries if state_of(one.pid, one.proc_start, proc) is ProcessState.ALIVE), None)


def state_of(pid: int, started: str | int | None, proc: Path) -> ProcessState:
    """Whether the process with that number, started at that tick, still runs.

    Without a readable start time (macOS) a running process may be another one: UNKNOWN.
    """
    if not _exists(pid):
        return ProcessState.GONE
    try:
        status = (proc / str(pid) / "stat").read_bytes()
        fields = status[status.rindex(b")") + 1 :].split()
        state, ticks = fields[0], fields[19].decode()
    except (OSError, ValueError, IndexError):
        return ProcessState.UNKNOWN
    if state == b"Z":
        return ProcessState.GONE
    if started is None:
        return ProcessState.UNKNOWN
    return ProcessState.ALIVE if str(started) == ticks else ProcessState.GONE


def _registered(directory: Path) -> Iterator[_Registered]:
    """The well-formed entries of sessions that are not memd's own."""
    for path in _files(directory):
        try:
            with tail.opened(path) as fd:  # which waits for nobody, should a pipe stand there by now
                entry = msgspec.json.decode(os.read(fd, MAX_BYTES), type=_Registered)
        except (OSError, msgspec.DecodeError, RecursionError):
            continue
        if str(entry.pid) == path.stem and entry.pid > 0 and not _is_own(entry):
            yield entry


def _is_own(entry: _Registered) -> bool:
    return entry.entrypoint == own.ENTRYPOINT or entry.name == own.NAME


def _files(directory: Path) -> Iterable[Path]:
    try:
        with os.scandir(directory) as entries:
            return [Path(entry.path) for entry in entries if _is_listing(entry)]
    except OSError:
        return ()


def _is_listing(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
