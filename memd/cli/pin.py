"""`memd pin` and `memd unpin`: whether anybody but a person may touch a memory."""

from __future__ import annotations

import click

from memd import files
from memd.cli import by_hand, named
from memd.cli.here import here
from memd.cli.output import project_option
from memd.cli.words import shown
from memd.clock import SystemClock
from memd.errors import RefusedError
from memd.memory import pin as pins
from memd.memory import store, topic
from memd.memory.journal import RunNote
from memd.memory.store import Plan
from memd.memory.workspace import Change


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
@click.option("--yes", is_flag=True, help="Accepted as everywhere; there is no question here.")
def pin(*, name: str, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Keep a memory as it is: no pass and no agent may touch it."""
    _set(name, directory, on=True, dry_run=dry_run)


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
@click.option("--yes", is_flag=True, help="Accepted as everywhere; there is no question here.")
def unpin(*, name: str, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Let passes touch a memory again."""
    _set(name, directory, on=False, dry_run=dry_run)


def _set(name: str, directory: str, *, on: bool, dry_run: bool) -> None:
    surroundings = here()
    by_hand.require_person(surroundings.environ, "pinning")
    place = by_hand.place_of(surroundings, directory)
    path = named.topic_path(name, place.path)
    before, mtime = named.read(place.path, path)
    after = pins.pinned(before, on=on)
    if after is None:
        raise RefusedError(
            f"{shown(path)} has no header in which a pin could stand: {', '.join(topic.parse(before).problems)}",
            hint=f"`memd edit {shown(path)}` to give it one",
        )
    state = "pinned" if on else "not pinned"
    if after == before or dry_run:
        click.echo(f"{shown(path)} {'is' if after == before else 'would be'} {state}")
        return
    by_hand.require_owner(place, surroundings.paths.ledger)

    def plan(memory: int) -> Plan:
        if files.read_regular(memory, path) != before:
            raise RefusedError(f"{shown(path)} was changed at the same moment", hint="try again")
        return Plan(changes=(Change(path=path, before=before, after=after),), keeps_index=True)

    note = RunNote(kind="pin" if on else "unpin", started=SystemClock().now(), project=str(place.root))
    applied = by_hand.carry_out(
        surroundings.paths, place.path, plan, note, lambda done: store.keep_ages(place.path, done, {path: mtime})
    )
    click.echo(f"{shown(path)} is {state} (run {applied.run_id})")
