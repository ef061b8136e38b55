"""`memd project`: all of the projects that memd knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from memd.cli.excluding import exclude, include
from memd.cli.group import Group
from memd.cli.here import Here, here
from memd.cli.moving import mv
from memd.cli.output import json_option, print_json, print_table
from memd.cli.project import is_usable, show
from memd.cli.runs import ledger_if_there
from memd.cli.words import ago, iso, shown, valid
from memd.clock import SystemClock
from memd.ledger import Ledger
from memd.memory import enabled, layout, location, owners, scan
from memd.memory.location import MemoryDir


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One project, as far as memd has come across it."""

    place: MemoryDir
    memories: int
    shared: int  # of the team, besides
    last_pass: float | None  # seconds since the epoch
    excluded: bool
    gone: bool  # its root is not there any more
    owner: str | None  # another project that has its slug


@click.group(cls=Group)
def project() -> None:
    """Show projects, move their memory, keep memd out of them."""


project.add_command(show)
project.add_command(mv)
project.add_command(exclude)
project.add_command(include)


@project.command("list")
@json_option
def list_projects(*, as_json: bool) -> None:
    """List the projects that memd knows, with where their memory is."""
    surroundings = here()
    with ledger_if_there(surroundings) as ledger:
        found = sorted(_known(surroundings, ledger), key=lambda one: (-(one.last_pass or 0.0), str(one.place.root)))
    if as_json:
        print_json({"projects": [_described(one) for one in found]})
    elif found:
        now = SystemClock().now().timestamp()
        columns = ["root", "memories", "last pass", "memory dir", "remarks"]
        print_table(columns, [_row(one, now) for one in found])
    else:
        click.echo("No projects yet: memd learns of one when its first conversation is over.")


def _known(surroundings: Here, ledger: Ledger | None) -> Iterator[Known]:
    if ledger is None:
        return
    found = ledger.projects()
    passes = dict(found.last_pass)
    for directory in found.directories:
        if Path(directory).is_dir():
            found_root = location.canonical_root(Path(directory), worktrees=surroundings.settings.projects.worktrees)
            passes.setdefault(str(found_root), None)
    for root, last_pass in passes.items():
        place = surroundings.of_root(Path(root))
        owner = owners.of(ledger, surroundings.paths.history, place.slug) if place.rule.startswith("base:") else None
        is_other = owner not in {None, root}
        is_shown = owner in {None, root} and is_usable(place)
        headers = scan.scan(place.path, team=True, cache=surroundings.paths.headers) if is_shown else ()
        shared = sum(layout.is_shared(header.path) for header in headers)
        yield Known(
            place=place,
            memories=len(headers) - shared,
            shared=shared,
            last_pass=last_pass,
            excluded=enabled.excluded(place.root, surroundings.settings.projects.exclude, home=surroundings.paths.home),
            gone=not place.root.is_dir(),
            owner=owner if is_other else None,
        )


def _described(one: Known) -> dict[str, Any]:
    return {
        "root": valid(str(one.place.root)),
        "slug": one.place.slug,
        "memory_dir": valid(str(one.place.path)),
        "rule": one.place.rule,
        "memories": one.memories,
        "team_memories": one.shared,
        "last_pass": iso(one.last_pass),
        "excluded": one.excluded,
        "gone": one.gone,
        "slug_taken_by": one.owner and valid(one.owner),
    }


def _row(one: Known, now: float) -> list[str]:
    remarks = ["excluded"] if one.excluded else []
    remarks += ["gone"] if one.gone else []
    remarks += [f"no memory: {shown(one.owner)} has its slug"] if one.owner else []
    last = "-" if one.last_pass is None else ago(one.last_pass, now)
    root, directory = shown(str(one.place.root)), shown(str(one.place.path))
    count = str(one.memories) + (f" and {one.shared} of the team" if one.shared else "")
    return [root, count, last, directory, ", ".join(remarks)]
