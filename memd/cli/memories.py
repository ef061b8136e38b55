"""`memd list`, `memd show` and `memd log`: reading the memories of a project, and adding a line to its log."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memd import files
from memd.cli.here import here
from memd.cli.output import json_option, print_json, print_table, project_option
from memd.cli.project import switch, warn_of_problems
from memd.cli.words import counted, shown, switch_reason, valid
from memd.clock import SystemClock
from memd.errors import RefusedError, UnsafePathError, UsageError
from memd.ledger import open_ledger
from memd.memory import age, scan, secrets, topic
from memd.memory import log as daily_log
from memd.memory.index import NAME
from memd.memory.location import MemoryDir
from memd.memory.log import Bullet
from memd.memory.scan import TopicHeader
from memd.memory.topic import TopicType

_LONGEST = 2000  # characters of a log line: more is a document
_NEAREST = 3  # names offered for one that is not there


@click.command("list")
@project_option
@json_option
def list_memories(*, directory: str, as_json: bool) -> None:
    """List a project's memories, newest first."""
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    headers = scan.scan(place.path, cache=surroundings.paths.headers)
    now = SystemClock().now().timestamp()
    if as_json:
        memories = [_described(header, place.path, now) for header in headers]
        print_json({"memory_dir": valid(str(place.path)), "memories": memories})
    elif headers:
        print_table(["type", "file", "age", "description"], [_row(header, now) for header in headers])
        click.echo(f"\n{counted(len(headers), 'memory', 'memories')} in {shown(str(place.path))}")
    else:
        click.echo(f"No memories yet. They will be in {shown(str(place.path))}")


def _described(header: TopicHeader, memory_dir: Path, now: float) -> dict[str, Any]:
    return {
        "path": valid(str(memory_dir / header.path)),
        "file": valid(header.path),
        "type": header.type,
        "name": valid(header.name),
        "description": valid(header.description),
        "mtime_ms": int(header.mtime * 1000),
        "age": age.memory_age(header.mtime, now),
        "pinned": header.pinned,
        "problems": list(header.problems),
    }


def _row(header: TopicHeader, now: float) -> tuple[str, str, str, str]:
    marks = ["pinned"] if header.pinned else []
    marks += [code.replace("-", " ") for code in header.problems]
    said = shown(header.description) + (f" [{', '.join(marks)}]" if marks else "")
    return header.type or "?", shown(header.path), age.memory_age(header.mtime, now), said.strip()


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@json_option
def show(*, name: str, directory: str, as_json: bool) -> None:
    """Print one memory, MEMORY.md or a day's log (logs/2026/04/2026-04-01.md); `.md` may be left out."""
    place = here().memory_dir(directory)
    warn_of_problems(place)
    path = _below(name, place.path)
    data, mtime = _read(place.path, path)
    now = SystemClock().now().timestamp()
    if as_json:
        print_json(_whole(path, data, mtime, now) | {"path": valid(str(place.path / path))})
        return
    if _is_topic(path) and (note := age.freshness_note(mtime, now)):
        click.echo(note, err=True)
    # A program gets the file's own bytes; a terminal must not take orders from them.
    click.echo(_tamed(data) if sys.stdout.isatty() else data, nl=False)


def _below(name: str, memory_dir: Path) -> str:
    """Return the path below the memory directory that a person means. Raises UnsafePathError."""
    path = name if name.endswith(".md") else f"{name}.md"
    if not path.startswith("/"):
        return path
    try:
        return Path(path).relative_to(memory_dir).as_posix()
    except ValueError as error:
        raise UnsafePathError(
            f"{shown(name)} is not in the memory directory {shown(str(memory_dir))}",
            hint="`memd list` shows what is there; --project names another project",
        ) from error


def _read(memory_dir: Path, path: str) -> tuple[bytes, float]:
    """Read a file with its mtime. Raises UnsafePathError, and UsageError where there is none."""
    files.split(path)
    try:
        with (
            files.open_directory(memory_dir) as directory,
            files.open_regular(directory, path) as descriptor,
            os.fdopen(os.dup(descriptor), "rb") as stream,
        ):
            return stream.read(), os.fstat(descriptor).st_mtime
    except FileNotFoundError as error:
        raise UsageError(
            f"no {shown(path)} in {shown(str(memory_dir))}", hint=_nearest(path, memory_dir) or "`memd list` shows all"
        ) from error


def _nearest(path: str, memory_dir: Path) -> str:
    try:
        with files.open_directory(memory_dir) as directory:
            known = files.list_files(directory, levels=4)
    except FileNotFoundError:
        return "there are no memories of this project yet"
    near = difflib.get_close_matches(path, [name for name in known if name.endswith(".md")], n=_NEAREST)
    return f"did you mean {' or '.join(shown(name) for name in near)}?" if near else ""


def _whole(path: str, data: bytes, mtime: float, now: float) -> dict[str, Any]:
    said = topic.parse(data) if _is_topic(path) else None
    return {
        "file": path,
        "type": said and said.type,
        "name": said and valid(said.name),
        "description": said and valid(said.description),
        "mtime_ms": int(mtime * 1000),
        "age": age.memory_age(mtime, now),
        "pinned": bool(said and said.pinned),
        "problems": list(said.problems) if said else [],
        "text": data.decode("utf-8", errors="replace"),
    }


def _is_topic(path: str) -> bool:
    return path != NAME and not path.startswith("logs/")


def _tamed(data: bytes) -> str:
    text = data.decode("utf-8", errors="replace")
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


@click.command()
@click.argument("text")
@click.option("--type", "kind", type=click.Choice([one.value for one in TopicType]), help="What it may become.")
@project_option
@click.option("--dry-run", is_flag=True, help="Print the line; write nothing.")
@click.option("--yes", is_flag=True, help="Accepted as everywhere; there is no question here.")
def log(*, text: str, kind: str | None, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Add a line to today's log of a project. TEXT may be `-`: then it is read from standard input."""
    surroundings = here()
    bullet = _bullet(text, kind, surroundings.environ)
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    said = switch(surroundings, place)
    if not said.on:
        raise RefusedError(
            f"memory is off for {shown(str(place.root))}: {switch_reason(said.reason)}",
            hint="nothing was written; `memd project show` tells more",
        )
    now = SystemClock().now()
    path = daily_log.path_for(now)
    if not dry_run:
        _require_owner(place, surroundings.paths.ledger)
        path = daily_log.append(place.path, [bullet], now)
    click.echo(daily_log.line(bullet, now), nl=False)
    click.echo(f"{'would be added to' if dry_run else 'added to'} {shown(str(place.path / path))}", err=True)


def _bullet(text: str, kind: str | None, environ: Mapping[str, str]) -> Bullet:
    """Make a bullet that says who speaks. Raises UsageError, and RefusedError for a secret."""
    said = sys.stdin.buffer.read().decode("utf-8", errors="replace") if text == "-" else valid(text)
    if not any(char.isprintable() and not char.isspace() for char in said):
        raise UsageError("there is no text to log", hint='say it: memd log "the staging database is read-only"')
    if len(said) > _LONGEST:
        raise UsageError(
            f"{len(said):,} characters are too many for a log line (limit {_LONGEST:,})",
            hint="say it in a sentence, and where the rest is to be found",
        )
    if found := sorted({finding.rule for finding in secrets.find(said)}):
        raise RefusedError(
            f"this looks like a secret ({', '.join(found)}), and those are never saved",
            hint="say where the secret is kept instead of what it is",
        )
    # An agent that runs this command is not a person, whatever it was told.
    speaker = "assistant" if environ.get("CLAUDECODE") else "human"
    return Bullet(type=kind or "note", text=said, source=f"memd log, {speaker}")


def _require_owner(place: MemoryDir, ledger: Path) -> None:
    """Two projects whose slugs are the same never share memory. Raises RefusedError."""
    if not place.rule.startswith("base:"):
        return
    with open_ledger(ledger, SystemClock()) as opened:
        if opened.owner(place.slug, str(place.root)):
            return
    raise RefusedError(
        f"another project already keeps its memory in {shown(str(place.path))}",
        hint=f"give {shown(str(place.root))} a directory of its own: "
        "autoMemoryDirectory in its .claude/settings.local.json",
    )
