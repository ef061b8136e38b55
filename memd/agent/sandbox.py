"""Running one trusted program on what it is given, under the kernel's own guard.

On Linux a launcher restricts itself (Landlock, a filter of system calls) and becomes the program; on macOS
`sandbox-exec` starts it. The program reads texts through descriptors and may list the directories named; it can write
nothing, start nothing and reach nobody. Where a trial shows that this does not hold, nothing is run.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memd.agent import launcher, programs

PROGRAMS = ("cat", "find", "grep", "head", "ls", "stat", "tail", "wc")

_ENVIRONMENT = {"LC_CTYPE": "C.UTF-8", "PATH": "/nowhere", "TZ": "UTC0"}
_SECONDS, _BYTES = 5.0, 256 << 10
_ALSO_READ = ("/etc/ld.so.cache", "/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8")
_MACOS = "/usr/bin/sandbox-exec"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What a program is given to read, and the name by which its output speaks of it."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """A directory in which a program may see names, and in all below it. `descriptor` is what counts."""

    path: Path
    descriptor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program of PROGRAMS and its arguments; a number stands for one of the texts."""

    program: str
    arguments: tuple[str | int, ...]
    texts: tuple[Text, ...] = ()
    listed: tuple[Directory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a program said, on both of its outputs. `stopped` says why it was ended, None where it ended by itself."""

    output: bytes
    code: int | None
    stopped: str | None = None


def available() -> str | None:
    """Why no program can be run safely here, for `memd doctor`; None where a trial has shown that it can."""
    if sys.platform == "linux":
        if not launcher.landlock_version():
            return "this kernel has no Landlock"
        if not launcher.filters_calls():
            return f"the system calls of {os.uname().machine} are not known"
    elif not Path(_MACOS).exists():
        return f"no sandbox is known on {sys.platform}"
    if missing := [name for name in PROGRAMS if programs.found(name) is None]:
        return f"not found: {', '.join(missing)}"
    try:
        return _trial()
    except OSError as error:
        return f"the sandbox does not start: {os.strerror(error.errno or 0)}"


def gaps() -> tuple[str, ...]:
    """What this kernel's Landlock leaves to the filter of system calls alone, for `memd doctor`."""
    version = launcher.landlock_version() if sys.platform == "linux" else 0
    since = ((3, "truncating files"), (4, "TCP"), (5, "device controls"), (6, "signals and abstract sockets"))
    return tuple(what for first, what in since if 0 < version < first)


def run(command: Command, *, seconds: float = _SECONDS, most: int = _BYTES) -> Outcome:
    """Run it, for at most `seconds` and `most` bytes of output; nothing of it is left afterwards. OSError."""
    with ExitStack() as stack:
        given = [stack.enter_context(_given(text.data)) for text in command.texts]
        names = {_path(file.fileno()): text.name for file, text in zip(given, command.texts, strict=True)}
        paths = tuple(names)
        words = [paths[word] if isinstance(word, int) else word for word in command.arguments]
        descriptors = [file.fileno() for file in given] + [directory.descriptor for directory in command.listed]
        process = stack.enter_context(_started(command, words, descriptors))
        outcome = _collected(process, time.monotonic() + seconds, most)
    return Outcome(output=_renamed(outcome.output, names), code=outcome.code, stopped=outcome.stopped)


def profile(command: Command, program: str) -> str:
    """What `sandbox-exec` is told: everything is closed but what the program at this path needs."""
    rules = [
        "(version 1)",
        "(deny default)",
        f"(allow process-exec (literal {_quoted(program)}))",
        f"(allow file-read* (literal {_quoted(program)}))",
        '(allow file-read* (literal "/") (subpath "/usr/lib") (subpath "/System/Library") (subpath "/dev/fd"))',
        "(allow file-read-metadata)",
        "(allow sysctl-read)",
        *(
            f"(allow file-read-data (require-all (subpath {_quoted(str(at.path))}) (vnode-type DIRECTORY)))"
            for at in command.listed
        ),
    ]
    return "\n".join(rules)


def _quoted(path: str) -> str:
    return json.dumps(path, ensure_ascii=False)


def _trial() -> str | None:
    """A text that is given can be read, a file that is not cannot."""
    secret = Path(launcher.__file__)
    told = run(Command(program="cat", arguments=(0,), texts=(Text(name="trial", data=b"heard"),)))
    if told.output != b"heard":
        return f"a trial failed: {_why(told)}"
    listed = _trial_list(secret.parent)
    if secret.name.encode() not in listed.output:
        return f"a trial failed: {_why(listed)}"
    stolen = run(Command(program="cat", arguments=(str(secret),)))
    seen = run(Command(program="ls", arguments=(str(secret.parent),)))
    return None if stolen.code and seen.code else "a trial got out of the sandbox"


def _why(outcome: Outcome) -> str:
    said = outcome.output[:200].decode(errors="replace").strip()
    return outcome.stopped or said or f"exit code {outcome.code}"


def _trial_list(directory: Path) -> Outcome:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return run(
            Command(
                program="ls",
                arguments=(str(directory),),
                listed=(Directory(path=directory, descriptor=descriptor),),
            )
        )
    finally:
        os.close(descriptor)


@contextmanager
def _given(data: bytes) -> Iterator[IO[bytes]]:
    """A file without a name that holds the text, for reading alone."""
    with _nameless() as file:
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), 0o400)
        file.seek(0)
        yield file


def _nameless() -> IO[bytes]:
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("text"), "w+b")
    return tempfile.TemporaryFile()


def _path(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}" if sys.platform == "linux" else f"/dev/fd/{descriptor}"


@contextmanager
def _started(command: Command, words: list[str], descriptors: list[int]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        _confined(command, words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_ENVIRONMENT,
        cwd="/",
        pass_fds=descriptors,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:  # it cannot have started others: the sandbox forbids that
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stdout:
            process.stdout.close()


def _confined(command: Command, words: list[str]) -> list[str]:
    program = programs.found(command.program)
    if program is None or command.program not in PROGRAMS:
        raise FileNotFoundError(2, os.strerror(2), command.program)
    if sys.platform != "linux":
        return [_MACOS, "-p", profile(command, program), program, *words]
    needs = programs.needs(program)
    policy = {
        "program": program,
        "argv": [command.program, *words],
        "execute": [program, *([needs.loader] if needs.loader else [])],
        "read": [*needs.libraries, *(path for path in _ALSO_READ if Path(path).exists())],
        "list": [directory.descriptor for directory in command.listed],
    }
    return [sys.executable, "-I", "-S", launcher.__file__, json.dumps(policy)]


def _collected(process: subprocess.Popen[bytes], until: float, most: int) -> Outcome:
    """All it says, until it ends or a limit is reached."""
    output = b""
    stopped: str | None = None
    with selectors.DefaultSelector() as ready:
        pipe = process.stdout
        if pipe is None:
            raise OSError("no output")
        ready.register(pipe, selectors.EVENT_READ)
        while stopped is None:
            if not ready.select(max(until - time.monotonic(), 0)):
                stopped = "time"
            elif chunk := os.read(pipe.fileno(), 65536):
                output += chunk
                stopped = "output" if len(output) > most else None
            else:
                break
    return Outcome(output=output[:most], code=None if stopped else _code(process, until), stopped=stopped)


def _code(process: subprocess.Popen[bytes], until: float) -> int | None:
    """Its exit status, once its output is closed."""
    try:
        return process.wait(max(until - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return None


def _renamed(output: bytes, names: dict[str, str]) -> bytes:
    for path, name in names.items():
        literal = name.encode().replace(b"\\", rb"\\")
        output = re.sub(re.escape(path.encode()) + rb"(?![0-9])", literal, output)
    return output
