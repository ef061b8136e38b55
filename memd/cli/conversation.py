"""What became of a conversation, for `memd why`: its last passes with their reasons, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from memd.cli import daemon_state, unfinished
from memd.cli.here import Here
from memd.cli.output import print_json
from memd.cli.runs import PastRun, described, in_words, ledger_if_there, outcome_in_words, past_runs
from memd.cli.unfinished import Unfinished
from memd.cli.words import at, shown, valid
from memd.clock import SystemClock
from memd.daemon.reconcile import BACKFILL
from memd.errors import UsageError
from memd.ledger import Ledger, Session
from memd.ledger.nouns import OFF

_LAST = 10  # passes
_SHORTEST = 4  # characters of an id that may stand for one
_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is known of one conversation."""

    session: str  # its id
    known: Session | None  # as the ledger has it
    runs: tuple[PastRun, ...]  # the last passes over it, newest first
    waits: tuple[Unfinished, ...]  # for what, where something in it is still to be dealt with
    is_paused: bool


def find(name: str, surroundings: Here) -> Told | None:
    """Look a conversation up by its transcript, its id or the beginning of that; None: there is none so called.

    Raises UsageError where several begin like that.
    """
    begins = Path(name).name.removesuffix(_SUFFIX)
    if len(begins) < _SHORTEST:
        return None
    with ledger_if_there(surroundings) as ledger:
        ids = _ids(begins, surroundings, ledger)
        if len(ids) > 1:
            raise UsageError(f"{len(ids)} conversations have an id that starts with {shown(begins)}")
        return _told(ids.pop(), surroundings, ledger) if ids else None


def _ids(begins: str, surroundings: Here, ledger: Ledger | None) -> set[str]:
    """The conversations that are meant, as far as the ledger or the history knows them."""
    known = () if ledger is None else (one.session_id for one in ledger.sessions())
    ids = {one for one in known if one.startswith(begins)}
    ids |= {run.session for run in past_runs(surroundings, ledger) if run.session and run.session.startswith(begins)}
    return {begins} if begins in ids else ids


def _told(session: str, surroundings: Here, ledger: Ledger | None) -> Told:
    runs = (run for run in past_runs(surroundings, ledger) if run.session == session)
    daemon = daemon_state.look(surroundings.paths, ledger)
    waits = unfinished.unfinished(daemon.pending, ledger, SystemClock().now().timestamp())
    known = () if ledger is None else ledger.sessions()
    return Told(
        session=session,
        known=next((one for one in known if one.session_id == session), None),
        runs=tuple(islice(runs, _LAST)),
        waits=tuple(one for one in waits if one.session == session),
        is_paused=daemon.paused_at is not None,
    )


def show(told: Told, *, as_json: bool) -> None:
    """Print it."""
    if as_json:
        print_json(_document(told))
        return
    click.echo(f"conversation {shown(told.session)}")
    for line in _lines(told):
        click.echo(f"  {line}")


def _lines(told: Told) -> Iterator[str]:
    now = SystemClock().now().timestamp()
    yield from unfinished.lines(told.waits, now)
    if told.waits and told.is_paused:
        yield "memd is paused: what is due waits for `memd resume`"
    if told.known is not None and told.known.state == OFF:
        yield "off the record: nothing that is said in it becomes a memory (`memd off --undo`)"
    for run in told.runs:
        yield f"run {run.id} ({run.kind}), {at(run.started)}: {outcome_in_words(run)}: {in_words(run)}".rstrip(": ")
    if told.runs:
        return
    if told.known is not None and told.known.noted_reason == BACKFILL:
        yield "older than memd, so that no pass has looked at it: `memd backfill` does"
    elif not told.waits:
        yield "no pass has looked at it yet"


def _document(told: Told) -> dict[str, Any]:
    known = told.known
    return {
        "session": valid(told.session),
        "transcript": known and valid(known.path),
        "project": known and (known.root or known.cwd) and valid(known.root or known.cwd or ""),
        "state": known and known.state,
        "noted": known and known.noted_reason,
        "paused": told.is_paused,
        "unfinished": unfinished.described(told.waits),
        "runs": [described(run) for run in told.runs],
    }
