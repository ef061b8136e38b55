"""What `memd install` is about to do to the service: worked out first, shown, then done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from memd import files, settings_file
from memd.agent import model_service
from memd.cli import disclosure
from memd.cli.here import Here
from memd.cli.runs import ledger_if_there
from memd.cli.words import shown
from memd.config import load
from memd.daemon import lock
from memd.errors import ConfigError, LockedError, MemdError
from memd.service import entry, environment, places
from memd.service.managers import manager
from memd.service.service import Manager, Service
from memd.team import credentials

_PRIVATE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is to be done."""

    here: Here  # with the settings that will hold
    manager: Manager
    service: Service
    files: Mapping[Path, bytes]  # the service's, whole
    variables: Mapping[str, str]
    settings: tuple[str, str] | None  # the settings file before and after; None: it stays
    missing: tuple[Path, ...]  # directories to be made

    @property
    def changed(self) -> tuple[Path, ...]:
        """The files that do not stand there like that yet."""
        return tuple(path for path, data in self.files.items() if _held(path) != data)

    @property
    def service_environ(self) -> dict[str, str]:
        """What the daemon will find in its environment, as far as memd reads it."""
        return {"HOME": str(self.service.home), **self.variables}

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do but perhaps to start it."""
        return not (self.changed or self.settings or self.missing)


def plan(here: Here, backend: str | None) -> Plan:
    """Work it out. `backend`: what a person chose; None: the settings stay. Raises MemdError where it cannot be."""
    chosen = manager(here.environ, here.paths.home)
    if trouble := chosen.trouble():
        raise MemdError("no service can be installed here", hint=trouble)
    if why := entry.thrown_away(here.environ):
        raise MemdError(why, hint="install it to stay: `uv tool install memd`, `pipx install memd`, or into a venv")
    settings, here = _with_backend(here, backend)
    service = places.service(here.loaded, here.environ, _roots(here))
    variables = _variables(here, service.environment_file)
    written = chosen.files(service) | {service.environment_file: environment.spelled(variables).encode()}
    return Plan(
        here=here,
        manager=chosen,
        service=service,
        files=written,
        variables=variables,
        settings=settings,
        missing=tuple(path for path in (*service.writable, service.temporary) if not path.is_dir()),
    )


def show(found: Plan) -> None:
    """Say what will be done, by which means, and what the service may do then."""
    click.echo("memd install will")
    for path in found.missing:
        click.echo(f"  make   {shown(str(path))}")
    for path in found.changed:
        click.echo(f"  write  {shown(str(path))}{_about(path, found)}")
    if found.settings:
        click.echo(f"  set    {_set(found.settings)} in {shown(str(found.here.paths.config_file))}")
    for step in found.manager.steps():
        click.echo(f"  run    {step}")
    click.echo(f"\nThe service runs   {shown(' '.join((*found.service.command, 'run')))}")
    for number, path in enumerate(found.service.writable):
        click.echo(f"{'and may write to   ' if not number else ' ' * 19}{shown(str(path))}")
    for line in disclosure.lines(found.here.settings, found.service_environ):
        click.echo(line)
    asks_ssh = found.service.home / ".ssh" not in found.service.hidden
    if asks_ssh and (place := credentials.passing_agent(found.here.environ)):
        click.echo(f"note    ssh's agent at {shown(place)} ends with this login, so the service does not get it")


def carry_out(found: Plan) -> None:
    """Do it. Raises MemdError where the service does not start."""
    _nobody_else_runs(found)
    for path in found.missing:
        files.private_directory(path)
    if found.settings:
        before, after = found.settings
        settings_file.write(found.here.paths.config_file, after, before=before)
    for path in found.changed:
        with files.open_directory(path.parent, create=True) as directory:
            files.write_atomic(directory, path.name, found.files[path], mode=_PRIVATE)
    found.manager.start()


def _nobody_else_runs(found: Plan) -> None:
    holder, own = lock.running(found.here.paths.lock), found.manager.state().pid
    if holder and not (own and holder.startswith(f"pid {own} ")):
        raise LockedError(
            f"a memd daemon runs already, started in another way ({shown(holder)})",
            hint="end that one first (Ctrl-C where it runs, or `kill` and its number), then install again",
        )


def _held(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _with_backend(here: Here, backend: str | None) -> tuple[tuple[str, str] | None, Here]:
    if backend is None or backend == here.settings.backend:
        return None, here
    before = settings_file.read(here.paths.config_file)
    after = settings_file.with_value(before, "backend", backend)
    return (before, after), Here(environ=here.environ, loaded=load(here.environ, {"backend": backend}))


def _roots(here: Here) -> tuple[str, ...]:
    with ledger_if_there(here) as ledger:
        return () if ledger is None else tuple({one.root for one in ledger.sessions() if one.root})


def _variables(here: Here, file: Path) -> dict[str, str]:
    """What the shell has now; of credentials and the way to the network also what an earlier call took."""
    held = environment.parse((_held(file) or b"").decode(errors="replace"))
    kept = {name: value for name, value in held.items() if environment.is_secret(name)}
    both = {**kept, **here.environ}
    if credentials.passing_agent(both):  # which is of no use to the service, as the one that it has may be
        both["SSH_AUTH_SOCK"] = kept.get("SSH_AUTH_SOCK", "")
    model = model_service.asks_a_model(here.settings, both)
    if trouble := model_service.key_trouble(here.settings, both):
        raise ConfigError(trouble, hint="set it anew in this shell")
    shares = bool(places.remotes(here.loaded))
    return environment.carried(both, model=model, provider=here.settings.models.provider, shares=shares)


def _set(settings: tuple[str, str]) -> str:
    before, after = (text.splitlines() for text in settings)
    return ", ".join(line for line in after if line not in before)


def _about(path: Path, found: Plan) -> str:
    if path != found.service.environment_file:
        return ""
    names = ", ".join(_names(found.variables)) or "empty"
    return f"  (mode 0600: {names})"


def _names(variables: Mapping[str, str]) -> Iterator[str]:
    for name, value in variables.items():
        yield name if environment.is_secret(name) else f"{name}={shown(value)}"
