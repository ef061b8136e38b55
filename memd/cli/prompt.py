"""`memd prompt`: what a session is told about memory."""

from __future__ import annotations

import click

from memd.cli.here import here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.project import switch, warn_of_problems
from memd.cli.words import valid
from memd.memory import prompt as prompts


@click.command()
@project_option
@json_option
def prompt(*, directory: str, as_json: bool) -> None:
    """Print what a session is to know about memory, the index included; nothing where memory is off."""
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    said = switch(surroundings, place)
    text = prompts.build(place.path, mode=surroundings.settings.extract.mode) if said.on else ""
    if as_json:
        document = {"memory_dir": valid(str(place.path)), "enabled": said.on, "reason": said.reason}
        print_json({**document, "prompt": text or None})
    else:
        click.echo(text, nl=False)
