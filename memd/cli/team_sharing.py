"""`memd team share` and `memd team unshare`: a memory that is there already is handed to the team, or taken back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from memd import files
from memd.cli import by_hand, held, named, team_turn, team_words
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.team_joining import dry_run_option, yes_option
from memd.cli.words import shown, valid
from memd.clock import SystemClock
from memd.daemon import lock
from memd.errors import RefusedError, UsageError
from memd.memory import (
    authors,
    history,
    layout,
    membership,
    sharing,
    store,
    topic,
    topic_name,
    validate,
    whose,
    witnessed,
)
from memd.memory.journal import RunNote
from memd.memory.layout import INDEX, TEAM
from memd.memory.location import MemoryDir
from memd.memory.quotes import Quote
from memd.memory.store import Applied, Plan
from memd.memory.topic import TopicType
from memd.memory.validate import Policy
from memd.memory.whose import SHARE, UNSHARE
from memd.memory.workspace import Change

_OWN = Policy(needs_quotes=False, by_person=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    """One memory and where it goes; paths are relative to the memory directory."""

    kind: str  # of run
    old: str
    new: str
    data: bytes
    mtime: float  # seconds since the epoch: its age goes along

    @property
    def type(self) -> TopicType | None:
        """What it holds."""
        return topic.parse(self.data).type


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@dry_run_option
@click.option("--yes", is_flag=True, hidden=True, help="Accepted by every command that writes; this one never asks.")
@json_option
def share(*, name: str, directory: str, dry_run: bool, yes: bool, as_json: bool) -> None:  # noqa: ARG001 - see --yes
    """Hand a memory of yours over to the team: it goes into team/, and from there to everybody.

    A `user` memory stays private, and nothing with a secret goes. `memd undo` and `memd team unshare` take it back.
    """
    surroundings = here()
    by_hand.require_person(surroundings.environ, "sharing a memory")
    place = by_hand.place_of(surroundings, directory)
    one = team_turn.joined(surroundings, place)
    move = _outwards(name, place)
    if not as_json:
        click.echo(f"{shown(move.old)} -> {shown(move.new)}, for whoever may read {team_words.place(one)}")
        if move.type is TopicType.FEEDBACK:
            click.echo("It says how to work: from now on that is told to everybody's agent.")
    _finish(move, None if dry_run else _carried_out(move, surroundings, place), as_json=as_json)
    if not dry_run:
        _say_how_it_goes_out(surroundings)


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@dry_run_option
@yes_option
@json_option
def unshare(*, name: str, directory: str, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Take a memory out of team/, and keep it for yourself: it goes for everybody else.

    `memd undo` and `memd team share` bring it back.
    """
    surroundings = here()
    by_hand.require_person(surroundings.environ, "taking a memory from the team")
    place = by_hand.place_of(surroundings, directory)
    move = _inwards(name, place)
    is_shared = membership.is_on(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    who = authors.in_words(authors.of(surroundings.paths, place.path).get(move.old))
    click.echo(
        f"{shown(move.old)} -> {shown(move.new)}, for you alone{f' (written {who})' if who else ''}", err=as_json
    )
    if is_shared:
        click.echo("  it goes for everybody, and stays in the history of their repository", err=as_json)
    if not dry_run and is_shared and not by_hand.confirmed("Take it from the team?", yes=yes):
        click.echo("Nothing was changed.", err=True)
        return 1
    _finish(move, None if dry_run else _carried_out(move, surroundings, place), as_json=as_json)
    if not dry_run and is_shared:
        _say_how_it_goes_out(surroundings)
    return 0


def _outwards(name: str, place: MemoryDir) -> _Move:
    """A private memory on its way to the team. Raises UsageError, and RefusedError where it may not be the team's."""
    old = named.topic_path(name, place.path)
    if layout.is_shared(old):
        raise UsageError(f"{shown(old)} is the team's already", hint="`memd team status` shows how it stands")
    data, mtime = named.read(place.path, old)
    move = _Move(kind=SHARE, old=old, new=f"{TEAM}/{_fitting(old, data)}", data=data, mtime=mtime)
    why = sharing.broken(move.new.removeprefix(f"{TEAM}/"), data)
    if why is not None:
        raise RefusedError(f"{shown(old)} cannot be shared: {why}", hint="it stays yours alone")
    return _free(move, place)


def _inwards(name: str, place: MemoryDir) -> _Move:
    """A memory of the team's on its way back. Raises UsageError, and RefusedError where it cannot be a private one."""
    path = named.topic_path(name, place.path)
    old = path if layout.is_shared(path) else f"{TEAM}/{path}"
    data, mtime = named.read(place.path, old)
    below = old.removeprefix(f"{TEAM}/")
    if below == INDEX:
        raise UsageError(f"{shown(old)} is not a memory", hint="`memd list` shows the memories")
    move = _Move(kind=UNSHARE, old=old, new=_fitting(below, data), data=data, mtime=mtime)
    judged = validate.check((Change(path=move.new, before=None, after=data),), window=(), policy=_OWN)
    broken = [(one.reason, one.detail) for one in judged.dropped] + [(one.reason, one.detail) for one in judged.held]
    if broken:
        raise RefusedError(f"{shown(old)} cannot become yours: {held.in_words(*broken[0])}")
    return _free(move, place)


def _fitting(path: str, data: bytes) -> str:
    """The same name, or one that any memory may have."""
    if sharing.is_plain(path):
        return path
    said = topic.parse(data)
    return topic_name.filename(said.type or TopicType.PROJECT, said.name or Path(path).stem)


def _free(move: _Move, place: MemoryDir) -> _Move:
    with files.open_directory(place.path) as memory:
        if files.read_regular(memory, move.new) in {None, move.data}:
            return move
    raise RefusedError(
        f"{shown(move.new)} is there already, and says something else",
        hint=f"bring both together with `memd edit`, or `memd forget {shown(move.new)}`",
    )


def _carried_out(move: _Move, surroundings: Here, place: MemoryDir) -> int:
    """Do it; the run's number. The words that it stands on go along, in the history."""
    by_hand.require_owner(place, surroundings.paths.ledger)

    def plan(memory: int) -> Plan:
        there = files.read_regular(memory, move.new)
        if files.read_regular(memory, move.old) != move.data or there not in {None, move.data}:
            raise RefusedError(f"{shown(move.old)} was changed at the same moment", hint="look again, then repeat it")
        comes = () if there == move.data else (Change(path=move.new, before=None, after=move.data),)
        return Plan(changes=(*comes, Change(path=move.old, before=move.data, after=None)))

    quotes = {move.new: _words(move.old, surroundings, place)}
    note = RunNote(kind=move.kind, started=SystemClock().now(), project=str(place.root), quotes=quotes)
    runs = surroundings.paths.history
    is_persons = move.old in whose.foreign(place.path, history=runs)
    known = witnessed.load(runs, place.path).persons

    def settle(done: Applied) -> None:
        store.keep_ages(place.path, done, {move.new: move.mtime})
        if is_persons:
            witnessed.note(runs, place.path, persons=(*known, move.new))

    return by_hand.carry_out(surroundings.paths, place.path, plan, note, settle).run_id


def _words(path: str, surroundings: Here, place: MemoryDir) -> tuple[Quote, ...]:
    known = history.why(path, memory_dir=place.path, history=surroundings.paths.history)
    return tuple(dict.fromkeys(quote for one in known for quote in one.quotes))


def _say_how_it_goes_out(surroundings: Here) -> None:
    if lock.running(surroundings.paths.lock) is None:
        click.echo("No daemon runs here: `memd team sync` lets the others know.", err=True)


def _finish(move: _Move, run: int | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"from": valid(move.old), "to": valid(move.new), "type": move.type, "run": run})
    elif run is not None:
        click.echo(f"{'Shared' if move.kind == SHARE else 'Taken back'}, as run {run}.")
