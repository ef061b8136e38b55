"""`memd recall`: which memories bear on a question."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from memd.cli.here import here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.project import require_own, warn_of_problems
from memd.cli.ranking import ranking
from memd.cli.words import valid
from memd.clock import SystemClock
from memd.recall import find, shown

_SECONDS = 30.0


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--recent-tool", "recent_tools", multiple=True, help="A tool in use: how to use it is left out.")
@project_option
@json_option
def recall(*, query: tuple[str, ...], recent_tools: tuple[str, ...], directory: str, as_json: bool) -> None:
    """Show the memories that bear on QUERY, at most five, the best first.

    Where a model is set up, it chooses; else, and wherever it cannot be asked, the words do.
    """
    around = here()
    place = around.memory_dir(directory)
    warn_of_problems(place)
    require_own(around, place)
    with ranking(around, place.root, recent_tools) as how:
        found = find.find_relevant_memories(
            " ".join(query), place.path, recent_tools=recent_tools, deadline=find.within(_SECONDS), how=how
        )
    if as_json:
        print_json({"memories": [asdict(one) for one in found]})
        return
    if not found:
        click.echo("no memory bears on that", err=True)
    now = SystemClock().now().timestamp()
    texts = ((one.path, shown.text(one.path, place.path, now, around.paths)) for one in found)
    click.echo(
        "\n\n".join(f"# {Path(path).name}\n{valid(text)}" for path, text in texts if text is not None), nl=bool(found)
    )
