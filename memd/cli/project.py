"""`memd project`: which project this is, where its memory is, and whether it is on."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json
from memd.cli.words import shown, switch_reason, valid
from memd.memory import claude_settings, enabled
from memd.memory.enabled import Enabled
from memd.memory.location import MemoryDir


@click.group()
def project() -> None:
    """Show which project a directory belongs to."""


@project.command()
@click.argument("directory", metavar="[PATH]", type=click.Path(file_okay=False), default=".")
@json_option
def show(*, directory: str, as_json: bool) -> None:
    """Print a project's root, its memory directory with the rule that chose it, and whether memory is on."""
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    described = describe(place, switch(surroundings, place))
    if as_json:
        print_json(described)
        return
    state = "on" if described["enabled"] else "off"
    click.echo(f"root        {shown(described['root'])}")
    click.echo(f"slug        {described['slug']}")
    click.echo(f"memory dir  {shown(described['memory_dir'])}")
    click.echo(f"rule        {described['rule']}")
    click.echo(f"memory      {state}: {switch_reason(described['reason'])}")


def describe(place: MemoryDir, said: Enabled) -> dict[str, Any]:
    """Put a project into the shape that programs get."""
    return {
        "root": valid(str(place.root)),
        "slug": place.slug,
        "memory_dir": valid(str(place.path)),
        "rule": place.rule,
        "enabled": said.on,
        "reason": said.reason,
    }


def switch(surroundings: Here, place: MemoryDir) -> Enabled:
    """Tell whether memory is on for a session that starts here and now."""
    home = surroundings.paths.home
    scopes = claude_settings.scopes(
        place.root, environ=surroundings.environ, home=home, managed=claude_settings.managed_file()
    )
    excluded = enabled.excluded(place.root, surroundings.settings.projects.exclude, home=home)
    return enabled.enabled(
        environ=surroundings.environ,
        settings_say=claude_settings.enabled(scopes),
        disabled_by="excluded" if excluded else None,
    )


def warn_of_problems(place: MemoryDir) -> None:
    """Say on stderr what was refused on the way to the memory directory."""
    if not place.root.is_dir():
        click.echo(f"warning: {shown(str(place.root))} is not there", err=True)
    for problem in place.problems:
        click.echo(f"warning: {shown(problem)}", err=True)
