"""`memd run`: the daemon, in the foreground."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click

from memd import config, logs, power
from memd.agent import model_service
from memd.clock import SystemClock
from memd.daemon import health, loop
from memd.daemon.code import RESTART, replaced
from memd.daemon.power import probe
from memd.daemon.setup import Setup
from memd.daemon.teams import syncer
from memd.daemon.workers import Staff
from memd.errors import ConfigError
from memd.ledger import Ledger
from memd.service import environment
from memd.team import credentials
from memd.transcripts import agents


@click.command()
@click.option("--once", is_flag=True, help="Extract what is due, complete turns at once, and exit.")
@click.option("--environment", "variables", type=click.Path(path_type=Path), hidden=True)
def run(*, once: bool, variables: Path | None) -> int:
    """Watch conversations and extract memories from those that are over.

    Logs go to stderr, as JSON where that is no terminal. SIGTERM or Ctrl-C ends it.
    """
    if variables is not None and variables.exists():
        os.environ.update(environment.parse(variables.read_text("utf-8")))
    try:
        setup = _setup(once=once)
    except ConfigError as error:
        if environment.under_launchd(os.environ):  # which would start it anew every few seconds, for ever
            click.echo(f"memd: {error}\n  {error.hint or ''}", err=True)
            return 0
        raise
    code = loop.run(setup)
    if code == RESTART and not _is_managed(os.environ):
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - this very program, updated
    return code


def _is_managed(environ: Mapping[str, str]) -> bool:
    """Whether somebody starts the daemon anew who is asked to by its exit code."""
    return "NOTIFY_SOCKET" in environ or environment.under_launchd(environ)


def _setup(*, once: bool) -> Setup:
    """Build the daemon from the environment and the settings. Raises ConfigError."""
    environ = dict(os.environ)
    before = health.as_it_stands(config.find_paths(environ).config_file)
    loaded = config.load(environ)
    clock, log = SystemClock(), logs.configure(sys.stderr, json=not sys.stderr.isatty())
    for warning in loaded.warnings:
        log.warning("unknown_variable", detail=warning)
    if trouble := model_service.key_trouble(loaded.settings, environ):
        log.error("key_unusable", detail=trouble)
    transcripts = agents.watched(loaded.settings.watch.roots, environ, loaded.paths.home)
    for root in transcripts.roots():
        if root.exists() and not os.access(root, os.R_OK | os.X_OK):
            log.error("root_unreadable", path=str(root))
    return Setup(
        settings=loaded.settings,
        paths=loaded.paths,
        transcripts=transcripts,
        clock=clock,
        log=log,
        environ=environ,
        staff=Staff(environ=environ, kept=credentials.VARIABLES),
        syncer=syncer(environ),
        recover=lambda ledger: _recover(loaded.paths, ledger),
        root_of=partial(_root_of, worktrees=loaded.settings.projects.worktrees),
        held_up=probe(loaded.settings, environ),
        sync_held_up=partial(power.sync_probe, loaded.settings),
        once=once,
        replaced=replaced(clock),
        settings_read=before,
        reload=partial(_setup, once=once),
    )


def _recover(paths: config.Paths, ledger: Ledger) -> None:
    """Finish transactions that died half-way. What that takes is imported only then: a daemon at rest stays small."""
    history = paths.history
    if paths.purging.exists():
        from memd.memory import purge  # noqa: PLC0415

        purge.resume(history=history, caches=paths.caches)
    if any(history.glob("*/entry.json")):
        from memd.extract import note  # noqa: PLC0415
        from memd.memory import store  # noqa: PLC0415

        store.recover(history, lambda said: note.recover(ledger, said))


def _root_of(cwd: str, *, worktrees: str) -> str | None:
    """Name the project that a directory belongs to, while it still exists; what no disk can hold belongs to none."""
    from memd.memory import location  # noqa: PLC0415 - as above

    try:
        return str(location.canonical_root(Path(cwd), worktrees=worktrees)) if Path(cwd).is_dir() else None
    except (OSError, ValueError):
        return None
