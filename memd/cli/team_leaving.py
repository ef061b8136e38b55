"""`memd team leave`: a project shares its `team/` memories with nobody any more."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import click

from memd import files
from memd.cli import by_hand, team_words
from memd.cli.here import Here, here
from memd.cli.output import project_option
from memd.cli.team_joining import dry_run_option, in_settings
from memd.cli.team_turn import tell_daemon
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.errors import MemdError, RefusedError
from memd.memory import authors, membership, store
from memd.memory.journal import RunNote
from memd.memory.layout import TEAM, TEAM_LIMIT
from memd.memory.location import MemoryDir
from memd.memory.membership import Membership
from memd.memory.workspace import Change
from memd.team import base as bases
from memd.team import clone, snapshot, sync

KEEP, DELETE = "keep", "delete"
_END = 30.0  # seconds that a sync by hand which goes on may take to end


@click.command()
@click.option("--files", "fate", type=click.Choice([KEEP, DELETE]), help="What becomes of the files in team/.")
@project_option
@dry_run_option
@click.option(
    "--yes", is_flag=True, help="Do not ask what becomes of the files: they stay, unless --files says otherwise."
)
def leave(*, fate: str | None, directory: str, dry_run: bool, yes: bool) -> int:
    """Share nothing any more. The files here stay, unless told otherwise; those on the remote do, too."""
    surroundings = here()
    by_hand.require_person(surroundings.environ, "leaving a team's memory")
    place = by_hand.place_of(surroundings, directory)
    one = _membership(surroundings, place)
    standing = sorted(snapshot.look(one.memory_dir, bases.load(one.directory)).blobs)
    click.echo(f"leave     {team_words.place(one)}")
    click.echo(f"files     {counted(len(standing), 'file')} in {shown(str(one.team))}")
    if unsent := sync.waiting(one):
        click.echo(f"unsent    {team_words.named(unsent)}: nobody else will see what was changed there")
    if dry_run:
        return 0
    chosen = fate or (_asked() if standing and not yes and sys.stdin.isatty() else KEEP)
    with _held(surroundings, one):
        if chosen == DELETE:
            _delete(surroundings, one, standing)
        _forget(one, returns=chosen == KEEP)
    click.echo("Left. " + ("Its files are in the history." if chosen == DELETE else "Its files stay, yours alone."))
    return 0


@contextmanager
def _held(surroundings: Here, one: Membership) -> Iterator[None]:
    """Keep others from syncing. The daemon's own sync, which a remote may keep for minutes, ends at once.

    The record goes first, since that is what the daemon looks at; it is there again where leaving fails.
    """
    membership.withdraw(one)
    try:
        tell_daemon(surroundings)
        with clone.held(one.directory, timeout=_END):
            yield
    except BaseException:
        membership.note(one, SystemClock().now())
        raise


def _membership(surroundings: Here, place: MemoryDir) -> Membership:
    """What is to be left. Raises MemdError where there is nothing, RefusedError where the settings decide."""
    one = membership.find(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    root = shown(str(place.root))
    if one is None:
        raise MemdError(f"{root} shares no memories", hint="there is nothing to leave")
    if one.by != "init":
        raise RefusedError(
            f"the settings say that {root} shares its memories",
            hint=f'{in_settings(surroundings)}: "{root}" = {{ remote = "" }} keeps it out',
        )
    return one


def _asked() -> str:
    """What a person wants to become of the files."""
    said: str = click.prompt("The files in team/", type=click.Choice([KEEP, DELETE]), default=KEEP, err=True)
    return said


def _forget(one: Membership, *, returns: bool) -> None:
    """Forget it. For who comes back with the files, what both sides had in common last is kept: names and digests.

    So is who else wrote what.
    """
    base = bases.load(one.directory)
    if not returns or base.remote is None:
        membership.forget(one)
        return
    bases.save(one.directory, replace(base, left=True))
    names = (authors.LEFT,) if authors.leave(one.directory, one.memory_dir) else ()
    membership.forget(one, keeping=(bases.NAME, *names))


def _delete(surroundings: Here, one: Membership, paths: Sequence[str]) -> None:
    """Delete the files as a run that can be undone."""
    with files.open_directory(one.memory_dir) as memory:
        found = {path: files.read_regular(memory, f"{TEAM}/{path}", limit=TEAM_LIMIT) for path in paths}
    changes = [Change(path=f"{TEAM}/{path}", before=data, after=None) for path, data in found.items() if data]
    note = RunNote(kind="team leave", started=SystemClock().now(), project=str(one.project))
    by_hand.carry_out(surroundings.paths, one.memory_dir, lambda memory: store.plan(memory, changes, ()), note)
