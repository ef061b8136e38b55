"""`--project` for what a number or an id names anyway, on this whole machine: it is then looked for in one project."""

from __future__ import annotations

from pathlib import Path

import click

from memd.cli.here import Here
from memd.cli.output import Command
from memd.cli.words import shown
from memd.errors import UsageError
from memd.memory.location import MemoryDir


def within_option(command: Command) -> Command:
    """Give a command its `--project`, which narrows: None where nobody asks for that."""
    return click.option(
        "--project", "directory", type=click.Path(exists=True, file_okay=False), help="Of this project only."
    )(command)


def anywhere_option(command: Command) -> Command:
    """The same for what is no project's: accepted as everywhere."""
    option = click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False),
        hidden=True,
        expose_value=False,
        help="Accepted by every command; this one is about all projects.",
    )
    return option(command)


def require_within(
    surroundings: Here, directory: str | None, what: str, *, memory_dir: str | None, root: str | None
) -> None:
    """Raise UsageError where somebody asked for one project, and what was found is another's."""
    if directory is None:
        return
    place = surroundings.memory_dir(directory)
    if not _is_of(place, memory_dir, root):
        whose = shown(root or memory_dir or "a project that is not known")
        raise UsageError(f"{what} is not of {shown(str(place.root))} but of {whose}", hint="leave --project out")


def _is_of(place: MemoryDir, memory_dir: str | None, root: str | None) -> bool:
    """Of what has no memory directory yet, `root` may be where its conversation takes place."""
    if root is None:
        return memory_dir == str(place.path)
    return root == str(place.root) or (memory_dir is None and Path(root).is_relative_to(place.root))
