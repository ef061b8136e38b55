"""`memd logs`: what the daemon wrote, from wherever its service manager keeps it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import click

from memd import config
from memd.cli.words import shown
from memd.errors import MemdError
from memd.service.managers import manager

_PLAIN = frozenset({"timestamp", "level", "event", "exception"})


@click.command()
@click.option("--follow", "-f", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--lines", "-n", type=click.IntRange(0, 1_000_000), default=50, show_default=True, help="How many.")
@click.option("--json", "as_json", is_flag=True, help="As the daemon wrote them, a document a line.")
def logs(*, follow: bool, lines: int, as_json: bool) -> int:
    """Print the log of the daemon that runs as a service. It never holds what was said in conversations."""
    chosen = manager(os.environ, config.find_paths(os.environ).home)
    command = chosen.log(lines, follow=follow)
    if command is None or not chosen.own():
        raise MemdError("no service is installed, so nobody keeps a log", hint="`memd run` logs to its own terminal")
    environ = {**chosen.environ, "LC_ALL": "C"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environ) as reader:
        try:
            count = _copy(reader.stdout or (), as_json=as_json)
        except (KeyboardInterrupt, BrokenPipeError):
            reader.terminate()
            raise
    if not count:
        click.echo(
            "Nothing is in the log, or this system keeps a user's journal where only root may read it.", err=True
        )
        return 1
    return reader.returncode


def _copy(said: Iterable[str], *, as_json: bool) -> int:
    count = 0
    for line in said:
        count += 1
        click.echo(line.rstrip("\n") if as_json else readable(line))
        sys.stdout.flush()
    return count


def readable(line: str) -> str:
    """A line of the log for people; what is none of memd's stays as it is."""
    try:
        said: Any = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict) or "event" not in said:
        return shown(line.rstrip("\n"))
    when, level = str(said.get("timestamp", ""))[:19], said.get("level", "")
    rest = " ".join(f"{name}={_value(value)}" for name, value in said.items() if name not in _PLAIN)
    return shown(f"{when.replace('T', ' ')} {level:<7} {said['event']} {rest}".rstrip())


def _value(value: object) -> str:
    return value if isinstance(value, str) and value and " " not in value else json.dumps(value, ensure_ascii=False)
