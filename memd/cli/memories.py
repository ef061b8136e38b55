"""`memd list`, `memd show` and `memd log`: reading the memories of a project, and adding a line to its log."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memd.cli import by_hand, named, origin
from memd.cli.group import Spoken
from memd.cli.here import here
from memd.cli.origin import Origins
from memd.cli.output import json_option, print_json, print_table, project_option
from memd.cli.project import require_own, require_usable, warn_of_problems
from memd.cli.words import and_shared, shown, valid
from memd.clock import SystemClock
from memd.errors import UsageError
from memd.memory import age, authors, layout, scan, topic
from memd.memory import log as daily_log
from memd.memory.journal import RunNote
from memd.memory.layout import INDEX
from memd.memory.log import Bullet
from memd.memory.scan import TopicHeader
from memd.memory.store import Plan
from memd.memory.topic import TopicType

_LONGEST = 2000  # characters of a log line: more is a document


@click.command("list")
@project_option
@json_option
def list_memories(*, directory: str, as_json: bool) -> None:
    """List a project's memories, newest first."""
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    require_own(surroundings, place)
    require_usable(place)
    headers = scan.scan(place.path, team=True, cache=surroundings.paths.headers)
    origins = origin.of(surroundings, place)
    now = SystemClock().now().timestamp()
    if as_json:
        memories = [_described(header, origins, place.path, now) for header in headers]
        print_json({"memory_dir": valid(str(place.path)), "memories": memories})
    elif headers:
        rows = [_row(header, origins, now) for header in headers]
        print_table(["type", "file", "age", "description"], rows, prose=["description"])
        shared = sum(layout.is_shared(header.path) for header in headers)
        click.echo(f"\n{and_shared(len(headers) - shared, shared)} in {shown(str(place.path))}")
    else:
        click.echo(f"No memories yet. They will be in {shown(str(place.path))}")


def _described(header: TopicHeader, origins: Origins, memory_dir: Path, now: float) -> dict[str, Any]:
    return {
        "path": valid(str(memory_dir / header.path)),
        "file": valid(header.path),
        "type": header.type,
        "name": valid(header.name),
        "description": valid(header.description),
        "mtime_ms": int(header.mtime * 1000),
        "age": age.memory_age(authors.written(origins.authors.get(header.path), header.mtime), now),
        "pinned": header.pinned,
        "problems": list(header.problems),
        **origins.described(header.path),
    }


def _row(header: TopicHeader, origins: Origins, now: float) -> tuple[str, str, str, str]:
    marks = ["pinned"] if header.pinned else []
    marks += [mark] if (mark := origins.mark(header.path)) else []
    marks += [code.replace("-", " ") for code in header.problems]
    said = shown(header.description) + (f" [{', '.join(marks)}]" if marks else "")
    when = age.memory_age(authors.written(origins.authors.get(header.path), header.mtime), now)
    return header.type or "?", shown(header.path), when, said.strip()


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@json_option
def show(*, name: str, directory: str, as_json: bool) -> None:
    """Print one memory, MEMORY.md or a day's log (2026-04-01).

    The `.md` may be left out, and where the log is: logs/2026/04/2026-04-01.md.
    """
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    require_own(surroundings, place)
    require_usable(place)
    path = named.readable(name, place.path)
    data, mtime = named.read(place.path, path)
    now = SystemClock().now().timestamp()
    origins = origin.of(surroundings, place)
    written = authors.written(origins.authors.get(path), mtime)
    if as_json:
        more = {
            "age": age.memory_age(written, now),
            "path": valid(str(place.path / path)),
            **origins.described(path),
        }
        print_json(_whole(path, data, mtime) | more)
        return
    if told := origins.told(path):
        click.echo(told, err=True)
    if _is_topic(path) and (note := age.freshness_note(written, now)):
        click.echo(note, err=True)
    # A program gets the file's own bytes; a terminal must not take orders from them.
    click.echo(_tamed(data) if sys.stdout.isatty() else data, nl=False)


def _whole(path: str, data: bytes, mtime: float) -> dict[str, Any]:
    said = topic.parse(data) if _is_topic(path) else None
    return {
        "file": path,
        "type": said and said.type,
        "name": said and valid(said.name),
        "description": said and valid(said.description),
        "mtime_ms": int(mtime * 1000),
        "pinned": bool(said and said.pinned),
        "problems": list(said.problems) if said else [],
        "text": data.decode("utf-8", errors="replace"),
    }


def _is_topic(path: str) -> bool:
    return path not in {INDEX, f"{layout.TEAM}/{INDEX}"} and not path.startswith("logs/")


def _tamed(data: bytes) -> str:
    text = data.decode("utf-8", errors="replace")
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


@click.command(cls=Spoken)
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "kind", type=click.Choice([one.value for one in TopicType]), help="What it may become.")
@project_option
@click.option("--dry-run", is_flag=True, help="Print the line; write nothing.")
@click.option("--yes", is_flag=True, help="Accepted as everywhere; there is no question here.")
def log(*, text: tuple[str, ...], kind: str | None, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Add a line to today's log of a project. TEXT may be `-`: then it is read from standard input."""
    surroundings = here()
    bullet = _bullet(" ".join(text), kind, surroundings.environ)
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    by_hand.require_on(surroundings, place)
    now = SystemClock().now()
    path = daily_log.path_for(now)
    if not dry_run:
        by_hand.require_owner(place, surroundings.paths.ledger)
        note = RunNote(kind="log", started=now, project=str(place.root))
        by_hand.carry_out(surroundings.paths, place.path, lambda _: Plan(changes=(), bullets=(bullet,)), note)
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
    by_hand.refuse_secrets(said)
    speaker = by_hand.speaker(environ)
    return Bullet(type=kind or "note", text=said, source=f"memd log, {speaker.value}")
