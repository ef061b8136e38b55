"""`memd status`: what the daemon does, what it did last, and how this project stands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import click

from memd import __version__
from memd.cli import held, passed_over
from memd.cli.asked import Asked, asked
from memd.cli.asked import lines as asked_lines
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, print_table, project_option
from memd.cli.project import SLUG_TAKEN, describe, is_usable, switch, warn_of_owner, warn_of_problems
from memd.cli.runs import REASONS, PastRun, described, in_words, ledger_if_there, past_runs
from memd.cli.words import ago, counted, iso, shown, switch_reason, valid
from memd.clock import SystemClock
from memd.daemon import lock
from memd.daemon.failures import Failure, failures
from memd.errors import DaemonNotRunningError
from memd.ledger import Counts, Dreamt, Ledger
from memd.memory import scan
from memd.memory.workspace import Problem

_LAST = 5  # runs shown
_NEVER = Counts(sessions=0, noted=0, queued=0, leased=0, runs=0, last_saved_at=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """What is known of the daemon."""

    holder: str | None  # who it says it is; None: none runs
    trouble: str | None = None  # why it polls instead of being told of changes
    open: int = 0  # conversations with something new in them, not over yet
    paused_at: float | None = None  # since when `memd pause` holds, in seconds since the epoch

    @property
    def watching(self) -> str | None:
        """How it learns of changes."""
        if self.holder is None:
            return None
        return "polling" if self.trouble else "inotify" if sys.platform == "linux" else "fsevents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Everything that the screen shows."""

    daemon: Daemon
    counts: Counts
    failures: tuple[Failure, ...]
    set_aside: tuple[Path, ...]  # ledgers that were broken
    runs: tuple[PastRun, ...]
    project: dict[str, Any]
    memories: int
    held: int  # proposals of this project that wait for a review
    asked: Asked  # who proposes memories
    odd: tuple[Problem, ...] = ()  # files in its memory directory that are passed over
    dreamt: Dreamt | None = None  # what is known of its dreams

    @property
    def is_well(self) -> bool:
        """Whether nobody needs to read any further."""
        daemon = self.daemon
        works = daemon.holder is not None and daemon.trouble is None and daemon.paused_at is None
        return works and self.project["enabled"] and not (self.failures or self.asked.trouble or self.odd)


@click.command()
@project_option
@json_option
def status(*, directory: str, as_json: bool) -> int:
    """Show whether the daemon runs, what it did last, and whether memory is on here. Exit code 3: it does not run."""
    surroundings = here()
    found = _standing(surroundings, directory)
    if as_json:
        print_json(_document(found))
    else:
        _print(found, SystemClock().now().timestamp())
    return 0 if found.daemon.holder else DaemonNotRunningError.exit_code


def _standing(surroundings: Here, directory: str) -> Standing:
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    warn_of_owner(surroundings, place)
    paths = surroundings.paths
    said = switch(surroundings, place)
    is_readable = said.reason != SLUG_TAKEN and is_usable(place)
    memories = scan.scan(place.path, cache=paths.headers) if is_readable else ()
    with ledger_if_there(surroundings) as ledger:
        return Standing(
            daemon=_daemon(paths.lock, ledger),
            counts=_NEVER if ledger is None else ledger.counts(),
            failures=_failures(paths.ledger, ledger),
            set_aside=_broken(paths.ledger),
            runs=tuple(islice(past_runs(surroundings, ledger), _LAST)),
            project=describe(place, said),
            memories=len(memories),
            held=len(held.waiting(paths, place)),
            dreamt=None if ledger is None else ledger.dreamt(str(place.path)),
            asked=asked(surroundings, ledger),
            odd=passed_over.found(place, memories) if is_readable else (),
        )


def _daemon(lock_file: Path, ledger: Ledger | None) -> Daemon:
    """Ask the lock who runs, and the ledger what that one reported last."""
    holder = lock.running(lock_file)
    said = ledger.meta("daemon") if holder and ledger else None
    report = json.loads(said) if said else {}
    return Daemon(
        holder=holder,
        trouble=report.get("trouble"),
        open=report.get("tracked", 0),
        paused_at=ledger.paused_at() if ledger else None,
    )


def _failures(path: Path, ledger: Ledger | None) -> tuple[Failure, ...]:
    if ledger is not None:
        return failures(ledger)
    if not path.exists():
        return ()
    return (Failure(code="ledger_unreadable", text="the ledger cannot be read, so little is known of conversations"),)


def _broken(ledger: Path) -> tuple[Path, ...]:
    found = ledger.parent.glob(f"{ledger.name}.corrupt-*")
    return tuple(sorted(path for path in found if not path.name.endswith(("-wal", "-shm"))))


def _document(found: Standing) -> dict[str, Any]:
    return {
        "daemon": {
            "running": found.daemon.holder is not None,
            "holder": found.daemon.holder,
            "watching": found.daemon.watching,
            "trouble": found.daemon.trouble,
            "paused": iso(found.daemon.paused_at),
        },
        "health": {
            "ok": not found.failures,
            "failures": [{"code": one.code, "text": one.text} for one in found.failures],
        },
        "conversations": {
            "known": found.counts.sessions,
            "open": found.daemon.open,
            "waiting": found.counts.queued,
            "at_work": found.counts.leased,
            "noted": found.counts.noted,
        },
        "backend": {"name": found.asked.backend, "where": found.asked.where, "trouble": found.asked.trouble},
        "last_saved": iso(found.counts.last_saved_at),
        "ledger_set_aside": [valid(str(path)) for path in found.set_aside],
        "runs": [described(run) for run in found.runs],
        "project": {
            **found.project,
            "memories": found.memories,
            "held": found.held,
            **_dream_described(found.dreamt),
            **passed_over.described(found.odd),
        },
    }


def _print(found: Standing, now: float) -> None:
    click.echo(f"memd {__version__}" + (": all is well" if found.is_well else ""))
    for label, text in _lines(found, now):
        click.echo(f"{label:<14} {text}")
    if found.runs:
        click.echo()
        columns = ["run", "when", "project", "outcome", "result"]
        print_table(columns, [_row(run, now) for run in found.runs])


def _lines(found: Standing, now: float) -> Iterator[tuple[str, str]]:
    for path in found.set_aside:
        yield "WARNING", f"the ledger was broken; it is set aside as {shown(str(path))}, and memd began anew"
    for failure in found.failures:
        yield "health", f"FAIL: {failure.text}"
    yield from _daemon_lines(found.daemon, now)
    if found.daemon.paused_at is not None:
        yield "", f"PAUSED {ago(found.daemon.paused_at, now)}: what is due waits for `memd resume`"
    yield "conversations", _conversations(found)
    saved = found.counts.last_saved_at
    yield "last saved", "nothing yet" if saved is None else ago(saved, now)
    yield from asked_lines(found.asked)
    yield "project", shown(found.project["root"])
    state = "on" if found.project["enabled"] else "OFF"
    yield "memory", f"{state}: {switch_reason(found.project['reason'])}"
    yield "", f"{counted(found.memories, 'memory', 'memories')} in {shown(found.project['memory_dir'])}"
    yield from _held_lines(found)
    yield from _dream_lines(found.dreamt, now)
    yield from passed_over.lines(found.odd)


def _dream_described(known: Dreamt | None) -> dict[str, Any]:
    if known is None or known.said_at is None:
        return {}
    return {"dream": {"last": iso(known.dreamt_at), "said": known.said, "at": iso(known.said_at)}}


def _dream_lines(known: Dreamt | None, now: float) -> Iterator[tuple[str, str]]:
    """When the last dream was, and what came of the last attempt."""
    if known is None or known.said_at is None:
        return
    last = "none yet" if known.dreamt_at is None else ago(known.dreamt_at, now)
    said = REASONS.get(known.said) or known.said.replace("_", " ")
    yield "dream", f"last {last}; {ago(known.said_at, now)}: {said}"


def _held_lines(found: Standing) -> Iterator[tuple[str, str]]:
    if found.held:
        yield "review", f"{found.held} held for review: `memd review list`"


def _daemon_lines(daemon: Daemon, now: float) -> Iterator[tuple[str, str]]:
    if daemon.holder is None:
        yield "daemon", "NOT RUNNING: `memd install` starts it for good, `memd run` in this terminal"
        return
    yield "daemon", f"running, {shown(_since(daemon.holder, now))}"
    why = f": {shown(daemon.trouble.removeprefix('polling: '))}" if daemon.trouble else ""
    yield "watching", f"by {daemon.watching}{why}"


def _conversations(found: Standing) -> str:
    counts = found.counts
    parts = [f"{counts.sessions} known"]
    parts += [f"{found.daemon.open} open"] if found.daemon.open else []
    parts += [f"{counts.leased} being extracted"] if counts.leased else []
    parts += [f"{counts.queued} waiting"] if counts.queued else []
    parts += [f"{counted(counts.noted, 'older one')} left for `memd backfill`"] if counts.noted else []
    return ", ".join(parts)


def _since(holder: str, now: float) -> str:
    """What a daemon wrote about itself ("pid N since T"), for people."""
    number, _, since = holder.partition(" since ")
    try:
        return f"started {ago(datetime.fromisoformat(since).timestamp(), now)} ({number})"
    except ValueError:
        return holder


def _row(run: PastRun, now: float) -> list[str]:
    project = shown(Path(run.project).name) if run.project else "?"
    return [str(run.id), ago(run.started, now), project, run.outcome or "-", in_words(run)]
