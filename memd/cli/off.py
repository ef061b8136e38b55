"""`memd off`: a conversation that nothing is to be learnt from."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from memd import logs, worker
from memd.cli import extract
from memd.cli.here import here
from memd.cli.output import yes_option
from memd.cli.within import require_within, within_option
from memd.cli.words import shown
from memd.clock import SystemClock
from memd.errors import MemdError
from memd.extract import off_record
from memd.extract.house import House
from memd.ledger import open_ledger
from memd.ledger.nouns import OFF

_ON = "tracked"


def _take(key: str, house: House) -> str:
    house.ledger.set_state(key, OFF)
    session = house.ledger.session(key)
    with suppress(OSError, MemdError):  # whatever cannot be read now is kept out by the next pass
        if session is not None:
            off_record.keep_out(session, house)
    return "off the record"


def _back(key: str, house: House) -> str:
    """Keep out what was said meanwhile, then only begin anew. Raises MemdError and OSError: it stays off the record."""
    session = house.ledger.session(key)
    if session is None or session.state != OFF:
        return "on the record"
    off_record.keep_out(session, house)
    house.ledger.set_state(key, _ON)
    return "on the record again, from here on; what was said in it meanwhile stays out"


@click.command()
@click.argument("conversation", metavar="SESSION|PATH")
@click.option("--undo", is_flag=True, help="From now on, learn from it again; what was said meanwhile stays out.")
@click.option("--dry-run", is_flag=True, help="Say which conversation is meant; change nothing.")
@yes_option
@within_option
def off(*, conversation: str, undo: bool, dry_run: bool, directory: str | None) -> int:
    """Take a conversation off the record: nothing that is said in it from its last pass on becomes a memory.

    What was saved from it before stays; `memd history` finds it, `memd undo` takes it back. What is off the record is
    so for good, in forks of the conversation too: after --undo, learning begins with what is said from then on.
    """
    place = here()
    with open_ledger(place.paths.ledger, SystemClock()) as ledger:
        house = worker.build(place.environ, place.loaded, ledger, SystemClock(), logs.configure(sys.stderr, json=False))
        found = extract.find(conversation, house)
        session = extract.seen(found, house)
        root = extract.project_of(found, house)
        require_within(
            place,
            directory,
            f"conversation {shown(session.session_id)}",
            memory_dir=None,
            root=str(root) if root else None,
        )
        if dry_run:
            click.echo(f"conversation {shown(session.session_id)} would be {'on' if undo else 'off'} the record")
            return 0
        ledger.note_session(session)
        now = _back(session.key, house) if undo else _take(session.key, house)
    click.echo(f"conversation {shown(session.session_id)} is {now}")
    return 0
