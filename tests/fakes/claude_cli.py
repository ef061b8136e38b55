"""Drives a real Claude Code CLI, headless, in a temporary home, against a scripted server on loopback.

Nothing of the surrounding environment but the search path reaches it: no credentials, no settings, no real home.
Permissions are those of `dontAsk`: a write into the memory directory is allowed without a rule, all else needs
`--allowedTools`; the flags that skip permissions refuse to work for root.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.fakes.anthropic_server import Server

NEEDED = "needs the real CLI: MEMD_TEST_CLAUDE_CLI=<path of its binary>"

_RUN_TIMEOUT = 90  # seconds; a run against loopback takes two or three


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that ended by itself."""

    code: int
    session: str  # the id that also names the transcript; empty where the CLI told none
    answer: str
    stderr: str


@dataclass(slots=True, kw_only=True)
class Running:
    """A run that is still going, with the processes of its tools that outlived it."""

    process: subprocess.Popen[bytes]
    orphans: list[psutil.Process] = field(default_factory=list)

    def tools(self) -> list[psutil.Process]:
        """The processes below the CLI."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def names(self) -> set[str]:
        """What the tools' processes are called."""
        found = set()
        for process in self.tools():
            with suppress(psutil.NoSuchProcess):
                found.add(process.name())
        return found

    def kill(self) -> None:
        """SIGKILL the CLI alone, as the kernel or a person would: what its tools started lives on for now."""
        self.orphans += self.tools()
        self.process.kill()
        self.process.wait()


def installed() -> Path | None:
    """The CLI that `MEMD_TEST_CLAUDE_CLI` names; None where the variable is not set or names no file."""
    path = Path(os.environ.get("MEMD_TEST_CLAUDE_CLI", ""))
    return path.absolute() if path.is_file() else None


def run(cli: Path, home: Path, cwd: Path, prompt: str, *args: str, server: Server) -> Finished:
    """Put one prompt to the CLI and wait for its answer; `args` go before the prompt."""
    done = subprocess.run(
        _command(cli, prompt, args),
        cwd=cwd,
        env=environment(home, server),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_RUN_TIMEOUT,
        check=False,
        text=True,
    )
    result = _result(done.stdout)
    return Finished(
        code=done.returncode,
        session=str(result.get("session_id", "")),
        answer=str(result.get("result", "")),
        stderr=done.stderr,
    )


@contextmanager
def start(cli: Path, home: Path, cwd: Path, prompt: str, *args: str, server: Server) -> Iterator[Running]:
    """Put one prompt to the CLI without waiting; at the end of the block nothing of it is left, orphans included."""
    process = subprocess.Popen(
        _command(cli, prompt, args),
        cwd=cwd,
        env=environment(home, server),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    running = Running(process=process)
    try:
        yield running
    finally:
        running.kill()
        _end(running.orphans)


def environment(home: Path, server: Server) -> dict[str, str]:
    """The whole environment of a run: `home` is its home, `server` its only peer."""
    scratch = home / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "SHELL": "/bin/bash",
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "sk-not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def transcript(home: Path, session: str) -> Path | None:
    """The file a session is written to, whatever project it belongs to; None while there is none."""
    return next((home / ".claude" / "projects").glob(f"*/{session}.jsonl"), None)


def entries(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a transcript, parsed."""
    whole = path.read_bytes().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.splitlines() if line]


def blocks(path: Path, kind: str) -> list[dict[str, Any]]:
    """The content blocks of one kind ("text", "tool_use", "tool_result"), in file order."""
    messages = (entry["message"] for entry in entries(path) if entry.get("type") in {"user", "assistant"})
    contents = (message["content"] for message in messages if isinstance(message["content"], list))
    return [block for content in contents for block in content if block["type"] == kind]


def waiting(session: str) -> tuple[str, ...]:
    """The arguments of a run with a known id that may call Bash."""
    return ("--session-id", session, "--allowedTools", "Bash")


def wait_for_tool(running: Running, home: Path, session: str, name: str, *, timeout: float = 30) -> Path:
    """Wait until a process called `name` runs for a tool call that is on record; return the transcript.

    The CLI refuses a bare `sleep`; `tail -f /dev/null` never ends either.
    """

    def pending() -> bool:
        path = transcript(home, session)
        return path is not None and bool(blocks(path, "tool_use")) and name in running.names()

    wait_until(pending, timeout=timeout, what=f"a tool call that runs {name}")
    path = transcript(home, session)
    assert path is not None
    return path


def wait_until(condition: Callable[[], object], *, timeout: float, what: str) -> None:
    """Look again and again until `condition` holds; raise `TimeoutError` after `timeout` seconds, naming `what`."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {timeout} s: {what}")
        time.sleep(0.05)


def _command(cli: Path, prompt: str, args: tuple[str, ...]) -> list[str]:
    # "--" because the CLI's variadic flags would take the prompt for one of their values
    return [str(cli), "-p", "--output-format", "json", "--permission-mode", "dontAsk", *args, "--", prompt]


def _result(stdout: str) -> dict[str, Any]:
    try:
        value = json.loads(stdout)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _end(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=5)
