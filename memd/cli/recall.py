"""`memd recall`: which memories bear on a question."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from memd.cli.here import here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.words import valid
from memd.clock import SystemClock
from memd.recall import find, shown
from memd.recall.find import How
from memd.recall.shelf import Shelf

_SECONDS = 30.0


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--recent-tool", "recent_tools", multiple=True, help="A tool in use: how to use it is left out.")
@project_option
@json_option
def recall(*, query: tuple[str, ...], recent_tools: tuple[str, ...], directory: str, as_json: bool) -> None:
    """Show the memories that bear on QUERY, at most five, the best first."""
    around = here()
    memory = around.memory_dir(directory).path
    with Shelf(around.paths.recall, around.paths.headers) as shelf:
        found = find.find_relevant_memories(
            " ".join(query),
            memory,
            recent_tools=recent_tools,
            deadline=find.within(_SECONDS),
            how=How(shelf=shelf),
        )
    if as_json:
        print_json({"memories": [asdict(one) for one in found]})
        return
    if not found:
        click.echo("no memory bears on that", err=True)
    now = SystemClock().now().timestamp()
    texts = ((one.path, shown.text(one.path, memory, now)) for one in found)
    click.echo(
        "\n\n".join(f"# {Path(path).name}\n{valid(text)}" for path, text in texts if text is not None), nl=bool(found)
    )
