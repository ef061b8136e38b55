"""`memd status`: what the daemon does, what it did last, and how this project stands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from memd import __version__
from memd.cli import daemon_state, held, passed_over, team_line, unfinished
from memd.cli.asked import Asked, asked
from memd.cli.asked import described as asked_described
from memd.cli.asked import lines as asked_lines
from memd.cli.daemon_state import Daemon
from memd.cli.here import Here, loaded_anyhow
from memd.cli.output import json_option, print_json, print_table, project_option
from memd.cli.project import SLUG_TAKEN, describe, is_usable, later, switch, warn_of_owner, warn_of_problems
from memd.cli.runs import REASONS, PastRun, described, in_words, ledger_if_there, outcome_in_words, past_runs
from memd.cli.unfinished import Unfinished
from memd.cli.words import ago, counted, iso, shown, switch_reason, valid
from memd.clock import SystemClock
from memd.config import home
from memd.daemon.failures import Failure, failures, no_room
from memd.errors import ConfigError
from memd.ledger import Counts, Dreamt, Ledger
from memd.memory import scan
from memd.memory.location import MemoryDir
from memd.memory.standing import Waiting
from memd.memory.workspace import Problem
from memd.service.managers import manager

_LAST = 5  # runs shown
_NEVER = Counts(sessions=0, noted=0, queued=0, leased=0, runs=0, last_saved_at=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Everything that the screen shows."""

    daemon: Daemon
    settings_wrong: ConfigError | None  # then the defaults stand for what they say
    unfinished: tuple[Unfinished, ...]
    counts: Counts
    failures: tuple[Failure, ...]
    set_aside: tuple[Path, ...]  # ledgers that were broken
    runs: tuple[PastRun, ...]
    project: dict[str, Any]
    memories: int
    held: int  # proposals of this project that wait for a review
    held_elsewhere: int  # and of others
    later: str | None  # where memory will be once there is a ~/.claude, in words
    asked: Asked  # who proposes memories
    odd: tuple[Problem, ...] = ()  # files in its memory directory that are passed over
    dreamt: Dreamt | None = None  # what is known of its dreams
    shared: team_line.Shared | None = None  # its part in a team's memory

    @property
    def is_well(self) -> bool:
        """Whether nobody needs to read any further."""
        sound = self.settings_wrong is None and self.daemon.is_well and (self.shared is None or self.shared.is_well)
        return (
            sound
            and self.project["enabled"]
            and not (self.failures or self.asked.trouble or self.asked.recall_trouble or self.odd)
        )


@click.command()
@project_option
@json_option
def status(*, directory: str, as_json: bool) -> int:
    """Show whether the daemon runs, what it did last, and whether memory is on here.

    Exit code 3: it does not run; 1: it runs, but does not answer.
    """
    environ = dict(os.environ)
    loaded, wrong = loaded_anyhow(environ)
    found = _standing(Here(environ=environ, loaded=loaded), directory, wrong)
    if as_json:
        print_json(_document(found))
    else:
        _print(found, SystemClock().now().timestamp())
    return found.daemon.exit_code


def _standing(surroundings: Here, directory: str, wrong: ConfigError | None) -> Standing:
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    warn_of_owner(surroundings, place)
    paths = surroundings.paths
    said = switch(surroundings, place)
    is_readable = said.reason != SLUG_TAKEN and is_usable(place)
    memories = scan.scan(place.path, cache=paths.headers) if is_readable else ()
    waiting = held.waiting(paths, None)
    with ledger_if_there(surroundings) as ledger:
        daemon = daemon_state.look(paths, ledger)
        return Standing(
            daemon=daemon,
            settings_wrong=wrong,
            unfinished=unfinished.unfinished(daemon.pending, ledger, SystemClock().now().timestamp()),
            counts=_NEVER if ledger is None else ledger.counts(),
            failures=(*_failures(paths.ledger, ledger), *no_room(paths.state, place.path)),
            set_aside=_broken(paths.ledger),
            runs=tuple(islice(past_runs(surroundings, ledger), _LAST)),
            project=describe(place, said),
            memories=len(memories),
            held=sum(_is_of(one, place) for one in waiting),
            held_elsewhere=sum(not _is_of(one, place) for one in waiting),
            dreamt=None if ledger is None else ledger.dreamt(str(place.path)),
            later=later(surroundings, place),
            asked=asked(surroundings, ledger),
            odd=passed_over.found(place, memories) if is_readable else (),
            shared=team_line.found(surroundings, place, ledger),
        )


def _is_of(one: Waiting, place: MemoryDir) -> bool:
    return one.record.memory_dir == str(place.path)


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
        "daemon": daemon_state.described(found.daemon),
        "settings": {"ok": found.settings_wrong is None, "error": found.settings_wrong and str(found.settings_wrong)},
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
            "unfinished": unfinished.described(found.unfinished),
        },
        "backend": asked_described(found.asked),
        "last_saved": iso(found.counts.last_saved_at),
        "ledger_set_aside": [valid(str(path)) for path in found.set_aside],
        "runs": [described(run) for run in found.runs],
        "project": {
            **found.project,
            "memories": found.memories,
            "held": found.held,
            **_dream_described(found.dreamt),
            **team_line.described(found.shared),
            **passed_over.described(found.odd),
        },
    }


def _print(found: Standing, now: float) -> None:
    click.echo(f"memd {__version__}{_verdict(found)}")
    for label, text in _lines(found, now):
        click.echo(f"{label:<14} {text}")
    if found.runs:
        click.echo()
        columns = ["run", "when", "project", "outcome", "result"]
        print_table(columns, [_row(run, now) for run in found.runs])


def _verdict(found: Standing) -> str:
    """What the first line says, for who reads no further."""
    parts = [_waiting(found)] if found.held + found.held_elsewhere else []
    parts += [team_line.gave_way(found.shared.clashes)] if found.shared is not None and found.shared.clashes else []
    if not parts:
        return ": all is well" if found.is_well else ""
    rest = ["all else is well"] if found.is_well else []
    return f": {'; '.join((*parts, *rest))}"


def _waiting(found: Standing) -> str:
    everywhere = " --all" if found.held_elsewhere else ""
    count = found.held + found.held_elsewhere
    here = f", {found.held} of them of this project" if everywhere and found.held else ""
    return f"{count} held for review{here}: `memd review list{everywhere}`"


def _lines(found: Standing, now: float) -> Iterator[tuple[str, str]]:
    for path in found.set_aside:
        yield "WARNING", f"the ledger was broken; it is set aside as {shown(str(path))}, and memd began anew"
    for failure in found.failures:
        yield "health", f"{'FAIL' if failure.is_grave else 'WARN'}: {failure.text}"
    yield from daemon_state.lines(found.daemon, now, installed=found.daemon.holder is None and _is_installed())
    if found.settings_wrong is not None and not found.daemon.settings_refused:
        yield "settings", f"WRONG: {shown(str(found.settings_wrong))}"
    if found.daemon.paused_at is not None:
        yield "", f"PAUSED {ago(found.daemon.paused_at, now)}: what is due waits for `memd resume`"
    yield "conversations", _conversations(found)
    yield from (("", line) for line in unfinished.lines(found.unfinished, now))
    saved = found.counts.last_saved_at
    yield "last saved", "nothing yet" if saved is None else ago(saved, now)
    yield from asked_lines(found.asked, shares=found.shared is not None)
    yield "project", shown(found.project["root"])
    state = "on" if found.project["enabled"] else "OFF"
    yield "memory", f"{state}: {switch_reason(found.project['reason'])}"
    yield "", f"{counted(found.memories, 'memory', 'memories')} in {shown(found.project['memory_dir'])}"
    if found.later is not None:
        yield "", found.later
    yield from _dream_lines(found.dreamt, now)
    yield from team_line.lines(found.shared, now)
    yield from passed_over.lines(found.odd)


def _is_installed() -> bool:
    """Whether a service is; asked only where none runs."""
    return bool(manager(os.environ, home(os.environ)).own())


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


def _conversations(found: Standing) -> str:
    counts = found.counts
    parts = [f"{counts.sessions} known"]
    parts += [f"{found.daemon.open} open"] if found.daemon.open else []
    parts += [f"{counts.leased} being extracted"] if counts.leased else []
    parts += [f"{counts.queued} waiting"] if counts.queued else []
    parts += [f"{counted(counts.noted, 'older one')} left for `memd backfill`"] if counts.noted else []
    return ", ".join(parts)


def _row(run: PastRun, now: float) -> list[str]:
    project = shown(Path(run.project).name) if run.project else "?"
    return [str(run.id), ago(run.started, now), project, outcome_in_words(run), in_words(run)]
