"""Running one program to its end: bounded in time and in output, and never longer than its caller lives."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_CHUNK = 65536
_ERRORS = 16 * 1024  # bytes of stderr that are kept; the last ones tell most
_BLOCK = 512  # bytes, the unit of `ulimit -f`

# A shell that becomes the program. Beside it waits another one for the end of a pipe that the caller alone holds open:
# when the caller dies, however that happens, the whole group is ended; so is what the program leaves behind.
_GUARDED = """
lifeline=$1; largest=$2; shift 2
[ "$largest" = 0 ] || ulimit -f "$largest"
( read -r _; kill -KILL -$$ ) <"/dev/fd/$lifeline" >/dev/null 2>&1 &
exec "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program with its arguments and what it may use."""

    words: Sequence[str]
    environ: Mapping[str, str]
    cwd: Path
    stdin: bytes = b""
    seconds: float
    most: int  # bytes of output
    largest: int = 0  # bytes of any one file that it writes; 0: any


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a program ended."""

    code: int  # negative: a signal
    out: bytes
    said: str  # the end of what it wrote to stderr
    stopped: str | None = None  # "time" or "output" where a limit ended it


def run(command: Command) -> Done:
    """Run it. OSError where it cannot be started, FileNotFoundError where there is no such program."""
    until = time.monotonic() + command.seconds
    with ExitStack() as stack:
        process = stack.enter_context(_started(command))
        talk = _Talk(rest=memoryview(command.stdin))
        stopped = _listen(process, talk, command.most, until)
        code = -signal.SIGKILL if stopped else _code(process, until)
    if code is None:
        code, stopped = -signal.SIGKILL, "time"
    return Done(code=code, out=bytes(talk.out), said=talk.said.decode(errors="replace"), stopped=stopped)


@contextmanager
def _started(command: Command) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own: it has no terminal to ask at, and can be ended with all that it started."""
    shell = _shell(command)
    with _lifeline() as held:
        process = subprocess.Popen(
            [*shell, str(held), str(-(-command.largest // _BLOCK)), *command.words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.cwd,
            env=dict(command.environ),
            start_new_session=True,
            pass_fds=(held,),
        )
        try:
            yield process
        finally:
            _end(process)


@contextmanager
def _lifeline() -> Iterator[int]:
    """The end of a pipe whose other end only this process holds."""
    reading, writing = os.pipe()
    try:
        yield reading
    finally:
        os.close(reading)
        os.close(writing)


def _shell(command: Command) -> tuple[str, ...]:
    """What becomes the program, which is looked for first: the shell would say in words that there is none."""
    if shutil.which(command.words[0], path=os.pathsep.join(os.get_exec_path(command.environ))) is None:
        raise FileNotFoundError(command.words[0])
    return "/bin/sh", "-c", _GUARDED, "sh"


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


@dataclass(slots=True, kw_only=True)
class _Talk:
    """What is left to be said to a program, and what it has said so far."""

    rest: memoryview  # of stdin
    out: bytearray = field(default_factory=bytearray)
    said: bytearray = field(default_factory=bytearray)


def _listen(process: subprocess.Popen[bytes], talk: _Talk, most: int, until: float) -> str | None:
    """Feed it and take what it says, until it closes both outputs. Which limit was reached, if one was."""
    with selectors.DefaultSelector() as ready:
        for pipe, events in _pipes(process):
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, events)
        while ready.get_map():
            found = ready.select(max(until - time.monotonic(), 0))
            if not found:
                return "time"
            for key, _ in found:
                if not _move(key.fileobj, process, talk):  # type: ignore[arg-type]  # what was registered
                    ready.unregister(key.fileobj)
            if len(talk.out) > most:
                return "output"
    return None


def _pipes(process: subprocess.Popen[bytes]) -> Iterator[tuple[IO[bytes], int]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise OSError("no pipes")
    yield process.stdin, selectors.EVENT_WRITE
    yield process.stdout, selectors.EVENT_READ
    yield process.stderr, selectors.EVENT_READ


def _move(pipe: IO[bytes], process: subprocess.Popen[bytes], talk: _Talk) -> bool:
    """Move some bytes; whether there may be more."""
    if pipe is process.stdin:
        return _feed(pipe, talk)
    chunk = os.read(pipe.fileno(), _CHUNK)
    if pipe is process.stdout:
        talk.out += chunk
    else:
        talk.said = (talk.said + chunk)[-_ERRORS:]
    return bool(chunk)


def _feed(pipe: IO[bytes], talk: _Talk) -> bool:
    try:
        talk.rest = talk.rest[os.write(pipe.fileno(), talk.rest[:_CHUNK]) :] if talk.rest else talk.rest
    except BrokenPipeError:  # it does not want to know; its exit status tells why
        talk.rest = memoryview(b"")
    if not talk.rest:
        pipe.close()
    return bool(talk.rest)


def _code(process: subprocess.Popen[bytes], until: float) -> int | None:
    try:
        return process.wait(max(until - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired:
        return None
