"""`memd pause` and `memd resume`: whether work is done at all; both hold over restarts."""

from __future__ import annotations

import click

from memd.cli.here import here
from memd.clock import SystemClock
from memd.daemon import control
from memd.daemon.requests import Request, Verb
from memd.errors import DaemonNotRunningError
from memd.ledger import open_ledger


@click.command()
def pause() -> int:
    """Extract nothing until `memd resume`: what is due waits in the queue, and nothing is lost."""
    _tell(Verb.PAUSE)
    click.echo("paused: what is due waits for `memd resume`")
    return 0


@click.command()
def resume() -> int:
    """Go on after `memd pause`, with all that has waited."""
    _tell(Verb.RESUME)
    click.echo("resumed")
    return 0


def _tell(verb: Verb) -> None:
    """Tell the daemon, or the ledger alone where none runs: the next one will find it there."""
    paths = here().paths
    try:
        control.ask(paths.control, Request(verb=verb))
    except DaemonNotRunningError:
        with open_ledger(paths.ledger, SystemClock()) as ledger:
            (ledger.pause if verb is Verb.PAUSE else ledger.resume)()
