"""`memd prompt`: what a session is told about memory."""

from __future__ import annotations

import click

from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.project import for_sessions, warn_of_problems
from memd.cli.words import valid
from memd.memory import authors, membership
from memd.memory import prompt as prompts
from memd.memory.layout import TEAM
from memd.memory.location import MemoryDir


@click.command()
@project_option
@json_option
def prompt(*, directory: str, as_json: bool) -> None:
    """Print what a session is to know about memory, the index included; nothing where memory is off."""
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    said = for_sessions(surroundings, place)
    text = _built(surroundings, place) if said.on else ""
    if as_json:
        document = {"memory_dir": valid(str(place.path)), "enabled": said.on, "reason": said.reason}
        print_json({**document, "prompt": text or None})
    else:
        click.echo(text, nl=False)


def _built(surroundings: Here, place: MemoryDir) -> str:
    paths, settings = surroundings.paths, surroundings.settings
    is_shared = membership.is_on(paths, settings, root=place.root, memory_dir=place.path)
    known = authors.of(paths, place.path) if is_shared else {}
    words = {path.removeprefix(f"{TEAM}/"): authors.in_words(one) for path, one in known.items()}
    return prompts.build(place.path, mode=settings.extract.mode, team=is_shared, authors=words)
