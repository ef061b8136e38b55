"""After an installation: whether it works for this person, here and now."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from memd import config, logs, worker
from memd.cli import extract
from memd.cli.here import Here
from memd.cli.installing import Plan
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.daemon import control
from memd.daemon.requests import Request, Verb
from memd.errors import DaemonNotRunningError, MemdError
from memd.extract.proposal import Proposal
from memd.ledger import open_ledger
from memd.memory.layout import INDEX

_PATIENCE = 60.0  # seconds until the daemon answers
_LOOK = 0.2  # seconds between two questions


def verify(plan: Plan) -> int:
    """Ask the daemon, read this person's last conversation, and say what else is to be known."""
    report = _answer(plan)
    click.echo(f"ok      the daemon runs under {plan.manager.name} (pid {report['pid']})")
    click.echo(_conversation(plan.here))
    for line in plan.manager.advice():
        click.echo(f"note    {line}")
    click.echo("\n`memd status` shows what it does, `memd doctor` whether all is well, `memd logs -f` its log.")
    return 0


def _answer(plan: Plan) -> dict[str, Any]:
    began = time.monotonic()
    while True:
        try:
            return control.ask(plan.here.paths.control, Request(verb=Verb.STATUS))
        except DaemonNotRunningError as error:
            if time.monotonic() - began > _PATIENCE:
                raise MemdError(
                    f"the service was started, but its daemon does not answer ({plan.manager.state().detail})",
                    hint="`memd logs` shows why",
                ) from error
            time.sleep(_LOOK)


def _conversation(here: Here) -> str:
    """Read it like `memd extract --last --dry-run`, by the rules alone: to look costs nothing."""
    loaded = config.load(here.environ, {"backend": "offline"})
    log = logs.configure(sys.stderr, json=False)
    try:
        with open_ledger(loaded.paths.ledger, SystemClock()) as ledger:
            house = worker.build(here.environ, loaded, ledger, SystemClock(), log)
            session, proposal = extract.look_at_last(house)
    except MemdError as error:
        return f"note    no conversation could be read: {error}" + (f" ({error.hint})" if error.hint else "")
    except OSError as error:
        return f"WARN    your last conversation could not be read: {error.filename}: {error.strerror}"
    left = f"{_left(proposal)} if it were over now"
    return f"ok      your last conversation can be read ({shown(session.session_id)}): it would leave {left}"


def _left(proposal: Proposal) -> str:
    topics = sum(change.path != INDEX for change in proposal.decision.accepted)
    parts = [counted(topics, "memory", "memories")] if topics else []
    parts += [counted(len(proposal.bullets), "note")] if proposal.bullets else []
    return " and ".join(parts) or "nothing"
