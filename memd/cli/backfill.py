"""`memd backfill`: the conversations that were there before memd, one after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date, datetime

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memd import logs, worker
from memd.cli import extract
from memd.cli.by_hand import confirmed
from memd.cli.cost import since_option
from memd.cli.estimate import Old, estimate
from memd.cli.here import Here, here
from memd.cli.runs import REASONS
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.daemon.reconcile import BACKFILL
from memd.daemon.tracker import key_of
from memd.errors import BudgetError, LeaseLostError, LockedError, RefusedError, TransientError, UsageError
from memd.extract.house import House
from memd.ledger import JobRequest, Outcome, Run, Session, open_ledger


@click.command()
@since_option(default="10000d", help="Only conversations written to since: a date, or days back (90d).")
@click.option("--dry-run", is_flag=True, help="Show how many there are and what they may cost; do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def backfill(*, since: date, dry_run: bool, yes: bool) -> int:
    """Learn from the conversations that are older than memd, oldest first.

    Says first what that may cost. It can be stopped at any time, and goes on where it was when called again. The caps
    of the settings hold: what a day does not allow is left for the next call.
    """
    surroundings = here()
    with open_ledger(surroundings.paths.ledger, SystemClock()) as ledger:
        log = logs.configure(sys.stderr, json=False)
        house = worker.build(surroundings.environ, surroundings.loaded, ledger, SystemClock(), log)
        old = _old(house, since)
        if not old:
            click.echo("There is no conversation left that is older than memd.")
            return 0
        for line in estimate(old, house):
            click.echo(line)
        if dry_run:
            return 0
        _require_work(surroundings, house)
        if not confirmed("Go through them now?", yes=yes):
            return 1
        worker.recover(house)
        return _go_through(old, house)


def _require_work(surroundings: Here, house: House) -> None:
    if house.ledger.paused_at() is not None:
        raise RefusedError("memd is paused, so nothing is extracted", hint="`memd resume` lets it go on")
    if surroundings.environ.get("MEMD_DISABLE"):
        raise RefusedError("MEMD_DISABLE is set, so nothing is extracted")


def _old(house: House, since: date) -> tuple[Old, ...]:
    """Those that no pass has dealt with and that the daemon leaves alone, oldest first."""
    begin = datetime(since.year, since.month, since.day).astimezone().timestamp()
    end = house.clock.now().timestamp() - house.settings.extract.stalled  # what is newer is still going on
    found: list[Old] = []
    for file in house.transcripts.discover():
        try:
            status = file.path.stat()
        except OSError:
            continue
        if begin <= status.st_mtime <= end and _is_left(house.ledger.session(key_of(file))):
            found.append(Old(file=file, size=status.st_size, mtime=status.st_mtime))
    return tuple(sorted(found, key=lambda one: one.mtime))


def _is_left(known: Session | None) -> bool:
    return known is None or (known.last_pass_at is None and (known.noted_reason == BACKFILL or known.cursor is None))


def _go_through(old: Sequence[Old], house: House) -> int:
    """One after the other; what cannot be done is said, and left."""
    saved = failed = done = 0
    with _progress() as progress:
        task = progress.add_task("backfill", total=len(old))
        for run in _runs(old, house, progress.console):
            done += 1
            progress.advance(task)
            failed += run is None or run.outcome == Outcome.FAILED
            if run is not None and run.outcome == Outcome.SAVED:
                saved += 1
                _say(run)
    left = len(old) - done
    click.echo(f"{counted(done, 'conversation')} looked through, {saved} left memories, {failed} failed, {left} to go")
    if left:
        raise BudgetError("the day's limit is reached", hint="`memd backfill` goes on from here, tomorrow")
    return 1 if failed else 0


def _runs(old: Sequence[Old], house: House, console: Console) -> Iterator[Run | None]:
    """The run of each, None where there could be none; ends early where nothing may be spent any more."""
    for one in old:
        try:
            yield _pass(one, house)
        except BudgetError:
            return
        except (LockedError, LeaseLostError, TransientError, RefusedError, UsageError) as error:
            console.print(f"{shown(one.file.session_id)}: {error}", markup=False, highlight=False)
            yield None


def _pass(one: Old, house: House) -> Run:
    session = extract.session_of(one.file, house, dry_run=False)
    return extract.carry_out(JobRequest(session_key=session.key, watermark=session.size), house)


def _say(run: Run) -> None:
    for file in run.files:
        click.echo(f"run {run.id}  {shown(str(run.memory_dir))}/{file}")
    if not run.files:
        click.echo(f"run {run.id}  {REASONS.get(run.reason or '', 'noted in the daily log')}")


def _progress() -> Progress:
    """On stderr, and only where that is a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)
