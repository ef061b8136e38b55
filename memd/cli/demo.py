"""`memd demo`: the real daemon on a temporary home, with conversations written before one's eyes."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from memd.errors import MemdError
from memd.memory import location
from memd.memory.layout import INDEX

_SECONDS = 60.0  # how long a memory may take before the demo is called failed
_LOOK = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said, in order; people first."""

    title: str
    said: tuple[str, ...]


CONVERSATIONS = (
    Conversation(
        title="a rule, with its reason",
        said=(
            "the invoice export times out on large accounts, can you take a look?",
            "It loads every row at once. I changed it to stream in pages of 500; the export now takes 4 s.",
            "great. from now on always run `make lint` before you commit, the build server takes 40 minutes to tell me",
            "Will do. `make lint` is clean, committed.",
        ),
    ),
    Conversation(
        title="a deadline, and where things are",
        said=(
            "merges to main are frozen from next Thursday, mobile cuts its release branch then",
            "Noted. The export fix is small enough to go in before that.",
            "the latency dashboard is grafana.example.internal/d/inv-42 if you want to watch it",
            "Thanks, I will compare before and after.",
        ),
    ),
    Conversation(
        title="中文也可以",
        said=(
            "给任务加上超时",
            "加好了，默认 30 秒，日志写的是“任务超时”。",
            "以后日志一律用英文写，检索系统对中文分词不行",
            "好的，已改成英文。",
        ),
    ),
)


NIGHT = (
    ("log", "--type", "feedback", "Always run `make lint` before you commit, also on release branches"),
    ("dream",),
    ("recall", "what has to run before a commit?"),
)


@click.command()
@click.option("--keep", is_flag=True, help="Keep the temporary home to look around in.")
def demo(*, keep: bool) -> None:
    """Show the daemon at work: conversations in a temporary home, memories as they appear.

    Nothing outside that temporary home is read or written, and nothing leaves the machine.
    """
    with contextlib.ExitStack() as stack:
        home = Path(tempfile.mkdtemp(prefix="memd-demo-")).resolve()
        if not keep:
            stack.enter_context(_removed(home))
        environ = _environ(home)
        project = home / "shop"
        project.mkdir()
        stack.enter_context(_daemon(environ, home / "daemon.log"))
        click.echo(f"memd runs, watching {home}/.claude/projects\n")
        memory = location.resolve(project, environ=environ, home=home).path
        for conversation in CONVERSATIONS:
            _hold(conversation, home, project)
            _show_what_comes(memory, home / "daemon.log")
        click.echo(f"{_bold('MEMORY.md')}, the index that the next session starts with:\n")
        click.echo(_indented((memory / INDEX).read_text("utf-8")))
        click.echo(f"{_bold('A note, then a dream')}, which otherwise comes at night:\n")
        for command in NIGHT:
            _run(command, environ, project)
        click.echo(
            "Each of these can be taken back: memd history, memd undo RUN." + (f"\nKept: {home}" if keep else "")
        )


def _environ(home: Path) -> dict[str, str]:
    """Leave nothing of the caller's agents or of memd's own settings in force."""
    inherited = {
        name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"}
    }
    return {
        **inherited,
        "HOME": str(home),
        "MEMD_BACKEND": "offline",
        "MEMD_EXTRACT_QUIET": "1s",
        "MEMD_EXTRACT_MIN_INTERVAL": "0s",
    }


@contextlib.contextmanager
def _removed(home: Path) -> Iterator[None]:
    try:
        yield
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextlib.contextmanager
def _daemon(environ: Mapping[str, str], log: Path) -> Iterator[None]:
    """Run the real daemon for as long as the demo lasts."""
    (Path(environ["HOME"]) / ".claude" / "projects").mkdir(parents=True)
    with log.open("wb") as stream:
        command = [sys.executable, "-P", "-m", "memd.cli.main", "run"]
        process = subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _run(command: Sequence[str], environ: Mapping[str, str], project: Path) -> None:
    """Show a command and what it says. Raises MemdError where it fails."""
    click.echo(f"$ memd {shlex.join(command)}")
    call = [sys.executable, "-P", "-m", "memd.cli.main", *command]
    done = subprocess.run(call, env=environ, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MemdError(f"memd {command[0]} failed", hint=done.stderr[-2000:])
    click.echo(_indented(done.stdout))


def _hold(conversation: Conversation, home: Path, project: Path) -> None:
    """Append a conversation to a transcript, line by line, as the agent would."""
    session = str(uuid.uuid4())
    transcript = home / ".claude" / "projects" / location.slug(str(project)) / f"{session}.jsonl"
    transcript.parent.mkdir(parents=True, exist_ok=True)
    click.echo(_bold(f"A conversation: {conversation.title}"))
    parent = None
    for index, text in enumerate(conversation.said):
        entry = _entry(text, session=session, project=project, parent=parent, human=index % 2 == 0)
        with transcript.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
        parent = str(entry["uuid"])
        click.echo(f"  {'you:  ' if index % 2 == 0 else 'agent:'} {text}")
    click.echo()


def _entry(text: str, *, session: str, project: Path, parent: str | None, human: bool) -> dict[str, object]:
    content: object = text if human else [{"type": "text", "text": text}]
    message = {"role": "user", "content": content}
    if not human:
        message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "type": message["role"],
        "message": message,
        "uuid": str(uuid.uuid4()),
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "userType": "external",
        "entrypoint": "cli",
        "cwd": str(project),
        "sessionId": session,
        "version": "2.1.332",
        **({"promptSource": "typed"} if human else {}),
    }


def _show_what_comes(memory: Path, log: Path) -> None:
    """Wait for the memories of one conversation and print them. Raises MemdError where none came."""
    before = _topics(memory)
    start = time.monotonic()
    while not (after := _topics(memory)).keys() - before.keys():
        if time.monotonic() - start > _SECONDS:
            raise MemdError(f"no memory appeared within {_SECONDS:.0f} s", hint=log.read_text("utf-8")[-2000:])
        time.sleep(_LOOK)
    for name in sorted(after.keys() - before.keys()):
        click.echo(f"{_bold(name)}   ({time.monotonic() - start:.1f} s after the last line)\n")
        click.echo(_indented(after[name]))


def _topics(memory: Path) -> dict[str, str]:
    """Read the topic files; only once the index names them, which is the last thing a pass writes."""
    if not (memory / INDEX).exists():
        return {}
    index = (memory / INDEX).read_text("utf-8")
    return {path.name: path.read_text("utf-8") for path in memory.glob("*.md") if f"({path.name})" in index}


def _bold(text: str) -> str:
    """`click.echo` takes the style away again where stdout is no terminal; NO_COLOR is honoured here."""
    return text if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else click.style(text, bold=True)


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())
