"""`memd project exclude` and `include`: which projects memd stays out of, in the person's own settings file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

import click

from memd import config, settings_file
from memd.cli.here import Here, here
from memd.cli.words import shown
from memd.errors import RefusedError
from memd.memory import enabled

_SECTION, _NAME = "projects", "exclude"
_KEY = f"{_SECTION}.{_NAME}"
_WILD = re.compile(r"[*?\[]")

_path = click.argument("directory", metavar="[PATH]", type=click.Path(file_okay=False), default=".")
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be changed; change nothing.")
_yes = click.option("--yes", is_flag=True, help="Accepted as everywhere; there is no question here.")


@click.command()
@_path
@_dry_run
@_yes
def exclude(*, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Keep memd out of a project: no pass over its conversations, no memory in its sessions. Its files stay."""
    surroundings = here()
    root = surroundings.memory_dir(directory).root
    if names := _names(surroundings, root):
        click.echo(f"{shown(str(root))} is excluded already, by {_listed(names)}.")
        return
    _change(surroundings, [*surroundings.settings.projects.exclude, _literal(root)], dry_run=dry_run)
    click.echo(f"memd {'would stay' if dry_run else 'stays'} out of {shown(str(root))}.")


@click.command()
@_path
@_dry_run
@_yes
def include(*, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Let memd into a project again."""
    surroundings = here()
    root = surroundings.memory_dir(directory).root
    names = _names(surroundings, root)
    if not names:
        click.echo(f"{shown(str(root))} is not excluded.")
        return
    own = [name for name in names if _is_for(name, root, surroundings.paths.home)]
    if wider := [name for name in names if name not in own]:
        raise RefusedError(
            f"{shown(str(root))} is excluded together with others, by {_listed(wider)}",
            hint=f"change that in {shown(str(surroundings.paths.config_file))}, then say it for each of the others",
        )
    left = [name for name in surroundings.settings.projects.exclude if name not in own]
    _change(surroundings, left, dry_run=dry_run)
    click.echo(f"memd {'would be' if dry_run else 'is'} back in {shown(str(root))}.")


def _names(surroundings: Here, root: Path) -> list[str]:
    """Return those of the globs that name a project."""
    home = surroundings.paths.home
    return [glob for glob in surroundings.settings.projects.exclude if enabled.excluded(root, [glob], home=home)]


def _is_for(glob: str, root: Path, home: Path) -> bool:
    """Whether a glob names this one project and what lies in it, and no other."""
    expanded = f"{home}/{glob[2:]}" if glob.startswith("~/") else glob
    return expanded.removesuffix("/**").rstrip("/") in {str(root), _literal(root)}


def _literal(root: Path) -> str:
    """Write a path as a glob that matches nothing else."""
    return _WILD.sub(r"[\g<0>]", str(root))


def _listed(globs: Sequence[str]) -> str:
    return ", ".join(shown(repr(glob)) for glob in globs)


def _change(surroundings: Here, globs: Sequence[str], *, dry_run: bool) -> None:
    """Write the list into the settings file and show what changed. Raises RefusedError where that had no effect."""
    file = surroundings.paths.config_file
    source = surroundings.loaded.sources[_KEY]
    if source not in {"default", str(file)}:
        raise RefusedError(f"{source} sets {_KEY}, whatever the settings file says", hint=f"unset {source} first")
    before = settings_file.read(file)
    after = settings_file.with_list(before, _SECTION, _NAME, globs)
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), str(file), n=1, lineterm=""):
        click.echo(shown(line))
    if not dry_run:
        settings_file.write(file, after, before=before)
        config.load(surroundings.environ)
