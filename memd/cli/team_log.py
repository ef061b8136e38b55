"""`memd team log`: who changed what in a team's memory, and when."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from memd.cli import by_hand
from memd.cli.here import here
from memd.cli.output import json_option, print_json, print_table, project_option
from memd.cli.team_turn import joined
from memd.cli.words import at, iso, shown
from memd.clock import SystemClock
from memd.memory.layout import TEAM
from memd.team import base as bases
from memd.team import past
from memd.team.git import Repository
from memd.team.past import Did, Step

_SHORT = 8  # digits of a commit's name


@click.command()
@click.argument("file", required=False)
@click.option("--limit", type=click.IntRange(min=1, max=10_000), default=20, help="At most so many (default: 20).")
@project_option
@json_option
def log(*, file: str | None, limit: int, directory: str, as_json: bool) -> None:
    """List who changed which files of the team's memory, newest first; with FILE, that one alone.

    As of the last sync. Names and times are what everybody's git was told.
    """
    surroundings = here()
    one = joined(surroundings, by_hand.place_of(surroundings, directory))
    tip = bases.load(one.directory).commit
    path = None if file is None else file.removeprefix(f"{TEAM}/")
    steps: tuple[Step, ...] = ()
    if tip is not None:
        repository = Repository(path=one.repository, environ=surroundings.environ)
        steps = past.steps(repository, tip, most=limit, path=path, now=SystemClock().now().timestamp())
    if as_json:
        print_json({"changes": [_described(step) for step in steps]})
    elif steps:
        print_table(["when", "who", "what", "commit"], [_row(step) for step in steps])
    else:
        click.echo("Nothing yet." if path is None else f"Nothing of {shown(path)} yet.")


def _row(step: Step) -> list[str]:
    when = "?" if step.at is None else at(step.at)
    return [when, shown(step.author), "; ".join(map(_did, step.files)), step.commit[:_SHORT]]


def _did(one: Did) -> str:
    old = f" {shown(one.old)} ->" if one.old is not None else ""
    return f"{one.what}{old} {shown(one.path)}"


def _described(step: Step) -> dict[str, Any]:
    return {
        "commit": step.commit,
        "author": step.author,
        "at": iso(step.at),
        "files": [asdict(one) for one in step.files],
    }
