"""`memd project show`: which project this is, where its memory is, and whether it is on."""

from __future__ import annotations

import json
from typing import Any

import click

from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json
from memd.cli.runs import ledger_if_there
from memd.cli.words import shown, switch_reason, valid
from memd.errors import MemdError, RefusedError
from memd.memory import claude_settings, enabled, git_layout, location, owners, usable
from memd.memory.enabled import Enabled
from memd.memory.location import MemoryDir

SLUG_TAKEN = "slug-taken"
_WITHOUT_CLAUDE = ("base:XDG_DATA_HOME", "base:~/.local/share")  # the rules for who has no ~/.claude


@click.command()
@click.argument("directory", metavar="[PATH]", type=click.Path(file_okay=False), default=".")
@json_option
def show(*, directory: str, as_json: bool) -> None:
    """Print a project's root, its memory directory with the rule that chose it, and whether memory is on."""
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    warn_of_owner(surroundings, place)
    described = describe(place, for_sessions(surroundings, place))
    if as_json:
        print_json(described)
        return
    state = "on" if described["enabled"] else "off"
    click.echo(f"root        {shown(described['root'])}")
    click.echo(f"slug        {described['slug']}")
    click.echo(f"memory dir  {shown(described['memory_dir'])}")
    if said := later(surroundings, place):
        click.echo(f"            {said}")
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


def later(surroundings: Here, place: MemoryDir) -> str | None:
    """Where memory will be as soon as there is a ~/.claude; None: there is one, or it makes no difference."""
    if place.rule not in _WITHOUT_CLAUDE or place.belongs is not None:
        return None
    claude = claude_settings.config_dir(surroundings.environ, surroundings.paths.home)
    path = shown(str(claude / "projects" / place.slug / place.path.name))
    if place.path.exists():
        return f"once Claude Code has run, `memd project mv . .` takes it to {path}"
    return f"will be in {path} once Claude Code has run"


def for_sessions(surroundings: Here, place: MemoryDir) -> Enabled:
    """Tell whether memory is on for a session that starts here and now; while work is paused, as the hooks have it."""
    with ledger_if_there(surroundings) as ledger:
        is_paused = ledger is not None and ledger.paused_at() is not None
    return Enabled(on=False, reason="paused") if is_paused else switch(surroundings, place)


def switch(surroundings: Here, place: MemoryDir) -> Enabled:
    """Tell whether a person may have something remembered here and now, paused or not."""
    home = surroundings.paths.home
    scopes = claude_settings.scopes(
        place.root, environ=surroundings.environ, home=home, managed=claude_settings.managed_file()
    )
    disabled_by = None
    if enabled.excluded(place.root, surroundings.settings.projects.exclude, home=home):
        disabled_by = "excluded"
    elif slug_owner(surroundings, place):
        disabled_by = SLUG_TAKEN
    return enabled.enabled(
        environ=surroundings.environ,
        settings_say=claude_settings.enabled(scopes),
        disabled_by=disabled_by,
    )


def slug_owner(surroundings: Here, place: MemoryDir) -> str | None:
    """Name the other project that keeps its memory where this one's would be, since their slugs are the same."""
    if not place.rule.startswith("base:"):
        return None
    with ledger_if_there(surroundings) as ledger:
        owner = owners.of(ledger, surroundings.paths.history, place.slug)
    return None if owner == str(place.root) else owner


def warn_of_owner(surroundings: Here, place: MemoryDir) -> None:
    """Say on stderr that another project has this one's slug, and how to give it a directory of its own."""
    if owner := slug_owner(surroundings, place):
        click.echo(f"warning: {_taken(place, owner)}\n  {own_directory(place)}", err=True)


def require_own(surroundings: Here, place: MemoryDir) -> None:
    """Raise RefusedError where what lies there is another project's memory."""
    if owner := slug_owner(surroundings, place):
        raise RefusedError(_taken(place, owner), hint=own_directory(place))


def _taken(place: MemoryDir, owner: str) -> str:
    return f"{shown(str(place.path))} is the memory of {shown(owner)}, whose slug is the same"


def own_directory(place: MemoryDir) -> str:
    """Say how a project gets a memory directory of its own."""
    root, directory = shown(str(place.root)), shown(json.dumps(str(location.suggested(place)), ensure_ascii=False))
    settings = f'put "{claude_settings.DIRECTORY}": {directory} into {root}/.claude/settings.local.json'
    if git_layout.find(place.root) is not None:
        return f"{settings}, and keep that file out of git"
    # Without git nothing tells a person's file from one that came along, so that memd does not follow it.
    return f"start sessions there with {enabled.OVERRIDE}={directory}, or make it a git repository and {settings}"


def is_usable(place: MemoryDir) -> bool:
    """Whether a memory directory can be read, or is not there yet; says so on stderr where it cannot."""
    trouble = usable.trouble(place.path)
    if trouble:
        click.echo(f"warning: {shown(trouble)}; no memory can be read or written there", err=True)
    return trouble is None


def require_usable(place: MemoryDir) -> None:
    """Raise MemdError where a memory directory cannot be read."""
    if trouble := usable.trouble(place.path):
        raise MemdError(shown(trouble), hint="move it out of the way, or give yourself the right to read it")


def warn_of_problems(place: MemoryDir) -> None:
    """Say on stderr what was refused on the way to the memory directory."""
    if not place.root.is_dir():
        click.echo(f"warning: {shown(str(place.root))} is not there", err=True)
    for problem in place.problems:
        click.echo(f"warning: {shown(problem)}", err=True)
