"""`memd install` and `memd uninstall`: the background service, and the hooks of an agent."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from memd.cli import hooks, installing, removing, verifying
from memd.cli.by_hand import confirmed
from memd.cli.here import Here, here
from memd.errors import MemdError, UsageError
from memd.service import environment
from memd.service.managers import manager

_BACKENDS = ("offline", "anthropic")


def _options(command: Callable[..., int]) -> Callable[..., int]:
    for option in (
        click.option("--hooks", "agent", type=click.Choice(hooks.AGENTS), help="Also the hooks, in whose settings."),
        click.option("--no-service", is_flag=True, help="Leave the background service as it is."),
        click.option("--dry-run", is_flag=True, help="Show what would be done; do nothing."),
        click.option("--yes", is_flag=True, help="Do not ask."),
    ):
        command = option(command)
    return command


@click.command()
@_options
@click.option(
    "--backend", type=click.Choice(_BACKENDS), help="Who proposes memories: rules on this machine, or a model."
)
def install(*, agent: str | None, no_service: bool, dry_run: bool, yes: bool, backend: str | None) -> int:
    """Let the daemon run in the background, from now on and after every login.

    What will be done is shown first. With --hooks an agent tells memd what happens in its sessions, and is told what
    memd remembers. Again, after an update or a change of settings: only what differs is done.
    """
    _require_something(agent, no_service=no_service)
    surroundings = here()
    code = 0
    if not no_service and _can_have_service(surroundings, agent):
        code = _service(surroundings, backend, dry_run=dry_run, yes=yes)
    if agent and code == 0:
        code = hooks.put_in(surroundings, dry_run=dry_run, yes=yes)
    return code


@click.command()
@_options
@click.option(
    "--purge", is_flag=True, help="Also memd's own state and settings: history, what waits for review, costs."
)
def uninstall(*, agent: str | None, no_service: bool, dry_run: bool, yes: bool, purge: bool) -> int:
    """End the daemon and take away what `memd install` put there; memories stay.

    The agent's settings are then as they were; other changes to them stay. With --hooks and --no-service only those.
    """
    _require_something(agent, no_service=no_service)
    if purge and no_service:
        raise UsageError("--purge takes the daemon's state away, so the service has to go, too")
    surroundings = here()
    code = 0
    if agent or (not no_service and hooks.are_in(surroundings)):
        code = hooks.take_out(surroundings, dry_run=dry_run, yes=yes)
    if not no_service and code == 0:
        code = removing.remove(surroundings, purge=purge, dry_run=dry_run, yes=yes)
    return code


def _require_something(agent: str | None, *, no_service: bool) -> None:
    if no_service and agent is None:
        raise UsageError(
            "without the service this needs --hooks and the agent's name", hint=f"known: {', '.join(hooks.AGENTS)}"
        )


def _can_have_service(surroundings: Here, agent: str | None) -> bool:
    """Whether a service is possible; hooks that were asked for are put in without one, too. Raises MemdError."""
    trouble = manager(surroundings.environ, surroundings.paths.home).trouble()
    if trouble is None:
        return True
    if agent is None:
        raise MemdError("no service can be installed here", hint=trouble)
    click.echo(f"warning: no service is installed: {trouble}", err=True)
    return False


def _service(surroundings: Here, backend: str | None, *, dry_run: bool, yes: bool) -> int:
    chosen = backend or _asked(surroundings, ask=not (yes or dry_run))
    plan = installing.plan(surroundings, chosen)
    if plan.is_done and plan.manager.state().running:
        click.echo("The service is installed like this already; nothing was changed.")
        return verifying.verify(plan)
    installing.show(plan)
    if dry_run:
        return 0
    if not confirmed("\nDo this?", yes=yes):
        click.echo("Nothing was changed.", err=True)
        return 1
    installing.carry_out(plan)
    return verifying.verify(plan)


def _asked(surroundings: Here, *, ask: bool) -> str | None:
    """Which backend: rules on this machine, unless a person wants to spend money. None: it is settled already."""
    if surroundings.loaded.sources["backend"] != "default" or not environment.has_credentials(surroundings.environ):
        return None
    if not (ask and sys.stdin.isatty()):
        return "offline"
    click.echo(
        "Who proposes memories?\n"
        "  offline    rules on this machine: what people say unmistakably. Nothing leaves it.\n"
        "  anthropic  a model, with the credentials in this shell. Costs money, within the caps of `memd config show`.",
        err=True,
    )
    answer: str = click.prompt("Backend", type=click.Choice(_BACKENDS), default="offline", err=True)
    return answer
