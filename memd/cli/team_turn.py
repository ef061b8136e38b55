"""`memd team sync`: what the daemon does by itself, now and by hand."""

from __future__ import annotations

import io
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import click

from memd import logs
from memd.cli import by_hand, team_words
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.words import shown, valid
from memd.clock import SystemClock
from memd.daemon import control
from memd.daemon.requests import Request, Verb
from memd.errors import DaemonNotRunningError, MemdError
from memd.ledger import open_ledger
from memd.memory import membership
from memd.memory.location import MemoryDir
from memd.memory.membership import Membership
from memd.team import base as bases
from memd.team import snapshot, turn, unshared
from memd.team import sync as syncs
from memd.team.house import House
from memd.team.nouns import SyncReport

_BUSY = 60.0  # seconds that the daemon's own sync may take to end
_PAUSE = 0.25  # seconds between two looks whether it has


@click.command()
@project_option
@click.option("--dry-run", is_flag=True, help="Show what waits to be sent; ask nobody, change nothing.")
@click.option("--yes", is_flag=True, hidden=True, help="Accepted by every command that writes; this one never asks.")
@json_option
def sync(*, directory: str, dry_run: bool, yes: bool, as_json: bool) -> int:  # noqa: ARG001 - as everywhere
    """Send what was changed in team/ and take in what others changed, now.

    Exit code 0: both sides are the same, but for what is held back; 4: somebody else syncs; 5: no access.
    """
    surroundings = here()
    one = joined(surroundings, by_hand.place_of(surroundings, directory))
    if dry_run:
        _look(one, as_json=as_json)
        return 0
    report = run(surroundings, one)
    tell_daemon(surroundings)
    left = unshared.look(one.memory_dir)
    if as_json:
        print_json({**described(report), **team_words.described_unshared(left)})
    else:
        for line in (*team_words.report(report), *team_words.not_shared(left)):
            click.echo(line)
    return team_words.exit_code(report.outcome)


def joined(surroundings: Here, place: MemoryDir) -> Membership:
    """The team memory of a project. Raises MemdError where it has none."""
    found = membership.find(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    if found is None:
        raise MemdError(
            f"{shown(str(place.root))} shares no memories",
            hint="`memd team init --remote URL` shares them through a git repository",
        )
    return found


def run(surroundings: Here, one: Membership) -> SyncReport:
    """Sync, with a word for each step where a person waits; the daemon's own sync is waited for."""
    with open_ledger(surroundings.paths.ledger, SystemClock()) as ledger:
        house = House(
            settings=surroundings.settings,
            paths=surroundings.paths,
            environ=surroundings.environ,
            ledger=ledger,
            clock=SystemClock(),
            log=logs.configure(io.StringIO(), json=True),  # the report says it all
            tell=_tell,
        )
        began = time.monotonic()
        while (report := turn.take(one, house)).elsewhere and time.monotonic() - began < _BUSY:
            time.sleep(_PAUSE)
        return report


def tell_daemon(surroundings: Here) -> None:
    """Let the daemon look anew how it stands with team memories. Where none runs, the next one does."""
    with suppress(DaemonNotRunningError, MemdError):
        control.ask(surroundings.paths.control, Request(verb=Verb.TEAM))


def _tell(said: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"  {shown(said)} ...", err=True)


def _look(one: Membership, *, as_json: bool) -> None:
    base = bases.load(one.directory)
    edits = snapshot.edits(snapshot.look(one.memory_dir, base), base)
    waiting = syncs.waiting(one)
    left = unshared.look(one.memory_dir)
    if as_json:
        held_back = [asdict(held) for held in edits.held]
        print_json(
            {"waiting": [valid(path) for path in waiting], "held": held_back, **team_words.described_unshared(left)}
        )
        return
    click.echo(f"to send   {team_words.named(waiting)}" if waiting else "nothing waits to be sent")
    for held in edits.held:
        click.echo(f"held back {team_words.held_back(held)}")
    for line in team_words.not_shared(left):
        click.echo(line)


def described(report: SyncReport) -> dict[str, Any]:
    """Put a report into the shape that programs get."""
    return {
        "outcome": str(report.outcome),
        "in_order": report.in_order,
        "sent": [valid(path) for path in report.sent],
        "received": [valid(path) for path in report.received],
        "conflicts": [valid(one.path) for one in report.conflicts],
        "held": [asdict(one) for one in report.held],
        "refused": [asdict(one) for one in report.refused],
        "rewritten": report.rewritten,
        "restored": report.restored,
        "repaired": report.repaired,
        "run": report.run_id,
        "reason": report.reason and valid(report.reason),
        "hint": report.hint,
    }
