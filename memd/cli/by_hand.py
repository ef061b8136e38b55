"""Changes that somebody makes at the command line: who it is, whether they may, and the one way to carry them out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from memd.cli.here import Here
from memd.cli.project import own_directory, require_own, require_usable, switch, warn_of_problems
from memd.cli.words import shown, switch_reason
from memd.clock import SystemClock
from memd.config import Paths
from memd.errors import MemdError, RefusedError, UsageError
from memd.ledger import Outcome, Run, open_ledger
from memd.memory import journal, secrets, store
from memd.memory.journal import RunNote, What
from memd.memory.location import MemoryDir
from memd.memory.quotes import Speaker
from memd.memory.store import Applied, Plan


def speaker(environ: Mapping[str, str]) -> Speaker:
    """Whose words a command carries. An agent that runs it is not a person, whatever it was told."""
    return Speaker.ASSISTANT if environ.get("CLAUDECODE") else Speaker.HUMAN


def require_person(environ: Mapping[str, str], what: str) -> None:
    """Some decisions are a person's. Raises RefusedError."""
    if speaker(environ) is not Speaker.HUMAN:
        raise RefusedError(f"{what} is for a person to do, not for an agent", hint="run it in a terminal of your own")


def refuse_secrets(text: str) -> None:
    """Raise RefusedError where a text holds a secret, naming the rules and never the value."""
    if found := sorted({finding.rule for finding in secrets.find(text)}):
        raise RefusedError(
            f"this looks like a secret ({', '.join(found)}), and those are never saved",
            hint="say where the secret is kept instead of what it is",
        )


def place_of(surroundings: Here, directory: str) -> MemoryDir:
    """Resolve a project whose memory may be written. Raises RefusedError."""
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    require_on(surroundings, place)
    return place


def require_on(surroundings: Here, place: MemoryDir) -> None:
    """Raise RefusedError where memory is off, or another project's; MemdError where its directory cannot be used."""
    require_own(surroundings, place)
    said = switch(surroundings, place)
    if not said.on:
        raise RefusedError(
            f"memory is off for {shown(str(place.root))}: {switch_reason(said.reason)}",
            hint="nothing was written; `memd project show` tells more",
        )
    require_usable(place)


def require_owner(place: MemoryDir, ledger: Path) -> None:
    """Two projects whose slugs are the same never share memory. Raises RefusedError."""
    if not place.rule.startswith("base:"):
        return
    with open_ledger(ledger, SystemClock()) as opened:
        if opened.owner(place.slug, str(place.root)):
            return
    raise RefusedError(
        f"another project already keeps its memory in {shown(str(place.path))}",
        hint=own_directory(place),
    )


def confirmed(question: str, *, yes: bool) -> bool:
    """Ask, unless the answer was given. Raises UsageError where nobody can answer."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("this asks first, and there is no terminal to ask on", hint="give --yes, or --dry-run to look")
    return click.confirm(question, err=True)


def carry_out(
    paths: Paths,
    memory_dir: Path,
    make_plan: Callable[[int], Plan],
    note: RunNote,
    commit: Callable[[Applied], None] | None = None,
) -> Applied:
    """Make a change as a run that the ledger and the history know by the same number, so that it can be undone."""
    with open_ledger(paths.ledger, SystemClock()) as ledger:
        number = ledger.start_run(note.kind, memory_dir=str(memory_dir), at_least=journal.next_id(paths.history))
        begun = Run(id=number, kind=note.kind, root=note.project, memory_dir=str(memory_dir))
        try:
            applied = store.transact(
                memory_dir, make_plan, run=replace(note, id=number), history=paths.history, commit=commit
            )
        except (MemdError, OSError) as error:
            reason = "refused" if isinstance(error, RefusedError) else type(error).__name__
            ledger.end_run(replace(begun, outcome=Outcome.FAILED, reason=reason))
            raise
        written = tuple(file.path for file in applied.files if file.what != What.LEFT)
        ledger.end_run(replace(begun, outcome=applied.outcome, files=written))
    return applied
