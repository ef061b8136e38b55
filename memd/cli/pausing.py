"""`memd pause` and `memd resume`: whether work is done at all; both hold over restarts."""

from __future__ import annotations

import click

from memd.cli.here import here
from memd.cli.output import yes_option
from memd.cli.within import anywhere_option
from memd.clock import SystemClock
from memd.daemon import control
from memd.daemon.requests import Request, Verb
from memd.errors import DaemonNotRunningError
from memd.ledger import open_ledger


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be; change nothing.")
@yes_option
@anywhere_option
def pause(*, dry_run: bool) -> int:
    """Extract nothing until `memd resume`: what is due waits in the queue, and nothing is lost."""
    if not dry_run:
        _tell(Verb.PAUSE)
    click.echo(f"{'would be ' if dry_run else ''}paused: what is due waits for `memd resume`")
    return 0


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be; change nothing.")
@yes_option
@anywhere_option
def resume(*, dry_run: bool) -> int:
    """Go on after `memd pause`, with all that has waited."""
    if not dry_run:
        _tell(Verb.RESUME)
    click.echo("would be resumed" if dry_run else "resumed")
    return 0


def _tell(verb: Verb) -> None:
    """Tell the daemon, or the ledger alone where none runs: the next one will find it there."""
    paths = here().paths
    try:
        control.ask(paths.control, Request(verb=verb))
    except DaemonNotRunningError:
        with open_ledger(paths.ledger, SystemClock()) as ledger:
            (ledger.pause if verb is Verb.PAUSE else ledger.resume)()
