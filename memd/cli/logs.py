"""`memd logs`: what the daemon wrote, from wherever its service manager keeps it, or where its stderr goes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from memd import config
from memd.cli.within import anywhere_option
from memd.cli.words import shown
from memd.daemon import lock
from memd.errors import MemdError
from memd.service.managers import manager
from memd.service.service import Manager

_PLAIN = frozenset({"timestamp", "level", "event", "exception"})


@click.command()
@click.option("--follow", "-f", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--lines", "-n", type=click.IntRange(0, 1_000_000), default=50, show_default=True, help="How many.")
@click.option("--json", "as_json", is_flag=True, help="As the daemon wrote them, a document a line.")
@anywhere_option
def logs(*, follow: bool, lines: int, as_json: bool) -> int:
    """Print the log of the daemon, from wherever it goes. It never holds what was said in conversations."""
    paths = config.find_paths(os.environ)
    chosen, holder = manager(os.environ, paths.home), lock.running(paths.lock)
    command = chosen.log(lines, follow=follow) if chosen.own() else None
    if command is None or (holder and _is_another(holder, chosen)):
        command = _of_foreground(holder, lines, follow=follow)
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


def _is_another(holder: str, chosen: Manager) -> bool:
    """Whether the daemon that runs was started in another way than as the service."""
    pid = chosen.state().pid
    return pid is not None and not holder.startswith(f"pid {pid} ")


def _of_foreground(holder: str | None, lines: int, *, follow: bool) -> tuple[str, ...]:
    """A command that prints the log of a daemon that no service manager started. Raises MemdError where it is in none.

    Such a daemon writes to where its stderr goes: to a file that whoever started it chose, or to a terminal.
    """
    if holder is None:
        raise MemdError("no service is installed and no daemon runs, so nobody keeps a log", hint="`memd install`")
    said = re.match(r"pid (\d+) ", holder)
    where = _stderr_of(said[1]) if said else None
    if where is None or not Path(where).is_file():
        place = shown(where) if where else "the terminal it was started in"
        raise MemdError(
            f"the daemon ({shown(holder)}) was started by hand: its log goes to {place} and is kept nowhere",
            hint="`memd run 2>>memd.log` keeps it, and then this command shows it; so does `memd install`",
        )
    return ("tail", "-n", str(lines), *(["-F"] if follow else ()), where)


def _stderr_of(pid: str) -> str | None:
    """Where a process's messages go: a file, a terminal, another program; None: the system does not tell."""
    try:
        found = str(Path(f"/proc/{pid}/fd/2").readlink())
    except OSError:
        return None
    return "another program" if found.startswith("pipe:") else found


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
