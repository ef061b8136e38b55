"""The lock of a memory directory's dreams, which Claude Code's own dream takes, too.

`.consolidate-lock`: its mtime says when the last one began, its body who works now: a process number, or nothing.
Taken by writing one's number and reading it again; given back by emptying it. A dream that failed puts the mtime back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memd import files
from memd.dream import holder
from memd.errors import LockedError, UnsafePathError
from memd.failpoints import failpoint
from memd.memory.layout import DREAM_LOCK

NAME = DREAM_LOCK
OLDEST = 3600.0  # seconds after which a lock is nobody's any more
_LIMIT = 4096  # bytes
_SLACK = 2.0  # seconds by which two clocks that tell when a process began may differ
_PID = re.compile(rb"\s*(\d{1,9})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The lock as it stands there."""

    mtime: float | None  # seconds since the epoch; None: there is no such file
    body: bytes = b""

    @property
    def pid(self) -> int | None:
        """Who works, or worked; None: nobody."""
        found = _PID.match(self.body)
        return int(found[1]) if found else None

    @property
    def done_at(self) -> float | None:
        """When the last dream that came to its end began, whoever's it was."""
        return None if self.body.strip() else self.mtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A lock that is ours."""

    memory_dir: Path
    pid: int
    started: float
    before: float | None  # its mtime before us

    def require(self, memory: int) -> None:
        """Raise LockedError where somebody else took it over meanwhile. `memory` is the directory's descriptor."""
        if _read(memory).pid != self.pid:
            raise LockedError(f"another dream took over in {self.memory_dir}", hint="nothing was changed")


StartedAt = Callable[[int], float | None]


def read(memory_dir: Path) -> State:
    """The lock of a directory; one that is not there has none. UnsafePathError where something odd stands there."""
    try:
        with files.open_directory(memory_dir) as memory:
            return _read(memory)
    except FileNotFoundError:
        return State(mtime=None)


def _read(memory: int) -> State:
    body = files.read_regular(memory, NAME, limit=_LIMIT)
    if body is None:
        return State(mtime=None)
    return State(mtime=os.stat(NAME, dir_fd=memory, follow_symlinks=False).st_mtime, body=body)


def is_taken(state: State, now: float, started_at: StartedAt | None = holder.started_at) -> bool:
    """Whether somebody works there. `started_at` None: process numbers tell nothing here, so only age counts."""
    if not state.body.strip() or state.mtime is None or abs(now - state.mtime) > OLDEST:
        return False
    if started_at is None or state.pid is None:
        return True  # somebody's, though not in a form that we know
    began = started_at(state.pid)
    return began is not None and began <= state.mtime + _SLACK


def require_free(memory_dir: Path, now: float) -> None:
    """Raise LockedError where somebody dreams there."""
    state = read(memory_dir)
    if is_taken(state, now, _judge(memory_dir)):
        raise _locked(memory_dir, state)


def _judge(memory_dir: Path) -> StartedAt | None:
    return None if holder.on_network(memory_dir) else holder.started_at


def _locked(memory_dir: Path, state: State) -> LockedError:
    who = f"process {state.pid}" if state.pid else "another process"
    return LockedError(
        f"{who} dreams in {memory_dir}", hint=f"wait for its end; {NAME} there is nobody's after an hour"
    )


@contextmanager
def held(memory_dir: Path, now: float) -> Iterator[Held]:
    """Hold the lock for a dream that began at `now`. Raises LockedError where somebody else does."""
    mine = _take(memory_dir, now)
    failpoint("dream.locked")
    try:
        yield mine
    except BaseException:
        _give_back(mine, failed=True)
        raise
    _give_back(mine, failed=False)


def _take(memory_dir: Path, now: float) -> Held:
    pid = os.getpid()
    with files.open_directory(memory_dir) as memory, files.locked(memory):  # between dreams of memd's that is enough
        state = _read(memory)
        if is_taken(state, now, _judge(memory_dir)):
            raise _locked(memory_dir, state)
        _put(memory, str(pid).encode(), now)
        if _read(memory).pid != pid:  # between memd's and another's it is not
            raise _locked(memory_dir, _read(memory))
    before = state.mtime if state.done_at is not None else None
    return Held(memory_dir=memory_dir, pid=pid, started=now, before=before)


def _put(memory: int, body: bytes, mtime: float) -> None:
    """In its place, not by a new file: whoever waits for it may look at the one that was there."""
    with files.open_regular(memory, NAME, os.O_RDWR | os.O_CREAT) as descriptor:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, body, 0)
        os.utime(descriptor, (mtime, mtime))


def _give_back(mine: Held, *, failed: bool) -> None:
    """Say that nobody works there, unless somebody else does by now, or all of it is gone."""
    try:
        with files.open_directory(mine.memory_dir) as memory, files.locked(memory):
            if _read(memory).pid != mine.pid:
                return
            if failed and mine.before is None:
                files.remove(memory, NAME)
            else:
                _put(memory, b"", mine.started if not failed or mine.before is None else mine.before)
    except (FileNotFoundError, UnsafePathError):
        return
