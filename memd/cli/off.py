"""`memd off`: a conversation that nothing is to be learnt from."""

from __future__ import annotations

import sys

import click

from memd import logs, worker
from memd.cli import extract
from memd.cli.here import here
from memd.cli.words import shown
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.ledger.nouns import OFF

_ON = "tracked"


@click.command()
@click.argument("conversation", metavar="SESSION|PATH")
@click.option("--undo", is_flag=True, help="From now on, learn from it again; what was said meanwhile stays out.")
def off(*, conversation: str, undo: bool) -> int:
    """Take a conversation off the record: nothing that is said in it from its last pass on becomes a memory.

    What was saved from it before stays; `memd history` finds it, `memd undo` takes it back.
    """
    place = here()
    with open_ledger(place.paths.ledger, SystemClock()) as ledger:
        house = worker.build(place.environ, place.loaded, ledger, SystemClock(), logs.configure(sys.stderr, json=False))
        session = extract.seen(extract.find(conversation, house), house)
        ledger.note_session(session)
        ledger.set_state(session.key, _ON if undo else OFF)
    click.echo(f"conversation {shown(session.session_id)} is {'on' if undo else 'off'} the record")
    return 0
