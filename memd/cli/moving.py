"""`memd project mv`: a project's directory has another name now, and its memory follows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import click

from memd import files
from memd.cli import team_turn
from memd.cli.by_hand import confirmed
from memd.cli.here import Here, here
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.config import Paths
from memd.errors import RefusedError, UsageError
from memd.ledger import Ledger, open_ledger
from memd.ledger.places import Place
from memd.memory import layout, membership, moving, owners, scan, usable
from memd.memory.location import MemoryDir
from memd.team import clone


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
        owners.remember(ledger, surroundings.paths.history)
        carries = _carries(was, now, ledger)
        _announce(was, now, carries=carries)
        if dry_run:
            return 0
        if not confirmed("Move it?", yes=yes):
            click.echo("Nothing was moved.", err=True)
            return 1
        count = _move(surroundings, was, now, ledger, carries=carries)
    noted = f", {counted(count, 'conversation')} noted as {shown(str(now.root))}'s" if count else ""
    click.echo(f"Done: {shown(str(now.path))}{noted}.")
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
        click.echo(f"memory   {shown(str(was.path))} -> {shown(str(now.path))} ({_holding(was.path)})")
    else:
        click.echo(f"memory   {shown(str(now.path))}, where it is already")
    if was.root.is_dir() and was.root != now.root:
        click.echo(f"warning: {shown(str(was.root))} is still there; its next session begins without memory", err=True)


def _holding(memory_dir: Path) -> str:
    """What moves, in a few words."""
    paths = [header.path for header in scan.scan(memory_dir, team=True)]
    shared = sum(map(layout.is_shared, paths))
    own = [counted(len(paths) - shared, "memory", "memories")] if len(paths) > shared else []
    teams = [counted(shared, "memory of the team", "memories of the team")] if shared else []
    return " and ".join((*own, *teams)) or "no memory yet, but other files"


def _move(surroundings: Here, was: MemoryDir, now: MemoryDir, ledger: Ledger, *, carries: bool) -> int:
    """Move files, history, ledger and the part in a team's memory, each only together with the next."""
    paths = surroundings.paths
    moving.require_finished(paths.history, was.path)

    def carry() -> None:
        if carries:
            moving.move(was.path, now.path)
        moving.relabel(paths.history, old=was.path, new=now.path, root=now.root)
        membership.move(paths, old=was.path, new=now.path, root=now.root, now=SystemClock().now())

    with _unsynced(paths, was.path):
        moved = ledger.move_project(_place(was), _place(now), carry)
    team_turn.tell_daemon(surroundings)
    return moved


@contextmanager
def _unsynced(paths: Paths, memory_dir: Path) -> Iterator[None]:
    """Nobody syncs what is shared there meanwhile. Raises LockedError where somebody goes on doing so."""
    with ExitStack() as stack:
        for one in membership.known(paths):
            if one.memory_dir == memory_dir:
                stack.enter_context(clone.held(one.directory, timeout=files.LOCK_SECONDS))
        yield


def _place(place: MemoryDir) -> Place:
    return Place(root=str(place.root), slug=place.slug, memory_dir=str(place.path))
