"""`memd project mv`: a project's directory has another name now, and its memory follows."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from memd.cli.by_hand import confirmed
from memd.cli.here import Here, here
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.errors import RefusedError, UsageError
from memd.ledger import Ledger, open_ledger
from memd.ledger.places import Place
from memd.memory import moving, scan, usable
from memd.memory.location import MemoryDir


@click.command()
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path(exists=True, file_okay=False))
@click.option("--dry-run", is_flag=True, help="Show what would be moved; move nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def mv(*, old: str, new: str, dry_run: bool, yes: bool) -> int:
    """Give a project's memory to the directory that the project is in now.

    OLD is where it was and may be gone; NEW is there. Memory, history and what is known of its conversations move. Both
    may be the same: memory that was kept before there was a ~/.claude goes there.
    """
    surroundings = here()
    was, now = _old(surroundings, old), surroundings.memory_dir(new)
    if was.root == now.root and now.belongs is not None:
        now = replace(now, path=now.belongs, belongs=None)
    with open_ledger(surroundings.paths.ledger, SystemClock()) as ledger:
        carries = _carries(was, now, ledger)
        _announce(was, now, carries=carries)
        if dry_run:
            return 0
        if not confirmed("Move it?", yes=yes):
            click.echo("Nothing was moved.", err=True)
            return 1
        count = _move(surroundings, was, now, ledger, carries=carries)
    click.echo(f"Done: {shown(str(now.path))}, {counted(count, 'conversation')} noted as {shown(str(now.root))}'s.")
    return 0


def _old(surroundings: Here, path: str) -> MemoryDir:
    """Resolve the project that was at `path`; a directory that is gone is taken by its name alone."""
    real = Path(os.path.realpath(path))
    return surroundings.memory_dir(real) if real.is_dir() else surroundings.of_root(real)


def _carries(was: MemoryDir, now: MemoryDir, ledger: Ledger) -> bool:
    """Tell whether there are files to move. Raises UsageError and RefusedError where nothing may be."""
    if was.root == now.root and was.path == now.path:
        raise UsageError(f"both are the project {shown(str(now.root))}")
    for place in (was, now):
        owner = ledger.owner_of(place.slug) if place.rule.startswith("base:") else None
        if owner not in {None, str(was.root), str(now.root)}:
            raise RefusedError(f"{shown(str(place.path))} is the memory of another project, {shown(str(owner))}")
    has_memory = usable.holds_memory(was.path)
    if was.path == now.path or not (has_memory or _is_known(was, ledger)):
        if was.path != now.path:
            raise UsageError(
                f"memd knows no project at {shown(str(was.root))}", hint="`memd project list` shows those it knows"
            )
        return False
    if has_memory and usable.holds_memory(now.path):
        raise RefusedError(
            f"both {shown(str(was.path))} and {shown(str(now.path))} hold memory",
            hint="bring the files together by hand; memd does not guess which of two is right",
        )
    return has_memory


def _is_known(place: MemoryDir, ledger: Ledger) -> bool:
    found = ledger.projects()
    known = {*found.last_pass, *found.directories}
    return any(Path(one).is_relative_to(place.root) for one in known)


def _announce(was: MemoryDir, now: MemoryDir, *, carries: bool) -> None:
    click.echo(f"project  {shown(str(was.root))} -> {shown(str(now.root))}")
    if carries:
        count = counted(len(scan.scan(was.path)), "memory", "memories")
        click.echo(f"memory   {shown(str(was.path))} -> {shown(str(now.path))} ({count})")
    else:
        click.echo(f"memory   {shown(str(now.path))}, where it is already")
    if was.root.is_dir() and was.root != now.root:
        click.echo(f"warning: {shown(str(was.root))} is still there; its next session begins without memory", err=True)


def _move(surroundings: Here, was: MemoryDir, now: MemoryDir, ledger: Ledger, *, carries: bool) -> int:
    """Move files, history and ledger, each only together with the next."""
    history = surroundings.paths.history
    moving.require_finished(history, was.path)

    def carry() -> None:
        if carries:
            moving.move(was.path, now.path)
        moving.relabel(history, old=was.path, new=now.path, root=now.root)

    return ledger.move_project(_place(was), _place(now), carry)


def _place(place: MemoryDir) -> Place:
    return Place(root=str(place.root), slug=place.slug, memory_dir=str(place.path))
