"""`memd backfill`: the conversations that were there before memd, one after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date, datetime

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memd import logs, worker
from memd.cli import extract, rest
from memd.cli.by_hand import confirmed
from memd.cli.cost import since_option
from memd.cli.estimate import Old, estimate
from memd.cli.here import Here, here
from memd.cli.within import within_option
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.daemon.reconcile import BACKFILL
from memd.daemon.tracker import key_of
from memd.errors import BudgetError, LeaseLostError, LockedError, RefusedError, TransientError, UsageError
from memd.extract.gate import MORE
from memd.extract.house import House
from memd.ledger import JobRequest, Outcome, Run, Session, open_ledger
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Inside

_TITLE = "backfill"


@click.command()
@since_option(default="10000d", help="Only conversations written to since: a date, or days back (90d).")
@within_option
@click.option("--dry-run", is_flag=True, help="Show how many there are and what they may cost; do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def backfill(*, since: date, directory: str | None, dry_run: bool, yes: bool) -> int:
    """Learn from the conversations that are older than memd, oldest first, each to its end.

    Says first what that may cost. It can be stopped at any time, and goes on where it was when called again. The caps
    of the settings hold: what a day does not allow is left for the next call.
    """
    surroundings = here()
    with open_ledger(surroundings.paths.ledger, SystemClock()) as ledger:
        log = logs.configure(sys.stderr, json=False)
        house = worker.build(surroundings.environ, surroundings.loaded, ledger, SystemClock(), log)
        root = None if directory is None else surroundings.memory_dir(directory).root
        old = tuple(one for one in _old(house, since) if root in {None, extract.project_of(one.file, house)})
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
    """Those that no pass has dealt with to the end and that the daemon leaves alone, oldest first."""
    begin = datetime(since.year, since.month, since.day).astimezone().timestamp()
    end = house.clock.now().timestamp() - house.settings.extract.stalled  # what is newer is still going on
    found: list[Old] = []
    for file in house.transcripts.discover():
        try:
            status = file.path.stat()
        except OSError:
            continue
        known = house.ledger.session(key_of(file))
        if begin <= status.st_mtime <= end and _is_left(known):
            found.append(Old(file=file, size=_size_left(known, status.st_size), mtime=status.st_mtime))
    return tuple(sorted(found, key=lambda one: one.mtime))


def _is_left(known: Session | None) -> bool:
    if known is None or _inside(known) is not None:
        return True
    return known.last_pass_at is None and (known.noted_reason == BACKFILL or known.cursor is None)


def _size_left(known: Session | None, size: int) -> int:
    """Of so many bytes, about those that the passes before have not come to."""
    inside = None if known is None else _inside(known)
    return size if inside is None else size - size * inside.part // inside.parts


def _inside(known: Session) -> Inside | None:
    return cursors.loads(known.cursor).inside


def _go_through(old: Sequence[Old], house: House) -> int:
    """One after the other, each to its end; what cannot be done is said, and left."""
    done = failed = 0
    saved: set[str | None] = set()
    with _progress() as progress:
        task = progress.add_task(_TITLE, total=len(old))
        for run, left in _runs(old, house, progress.console):
            failed += run is None or run.outcome == Outcome.FAILED
            if run is not None and run.outcome == Outcome.SAVED:
                saved.add(run.session_key)
                _say(run)
            done += left is None
            progress.update(task, completed=done, description=_which(left))
    left_over = len(old) - done
    looked = f"{counted(done, 'conversation')} looked through"
    click.echo(f"{looked}, {len(saved)} left memories, {failed} failed, {left_over} to go")
    if left_over:
        raise BudgetError("the day's limit is reached", hint="`memd backfill` goes on from here, tomorrow")
    return 1 if failed else 0


def _which(left: Inside | None) -> str:
    return _TITLE if left is None else f"{_TITLE}: part {left.part + 1} of about {left.parts}"


def _runs(old: Sequence[Old], house: House, console: Console) -> Iterator[tuple[Run | None, Inside | None]]:
    """Every run, and what it left of its conversation; no run where there could be none.

    Ends early where nothing may be spent any more.
    """
    for one in old:
        try:
            yield from _passes(one, house)
        except BudgetError:
            return
        except (LockedError, LeaseLostError, TransientError, RefusedError, UsageError) as error:
            console.print(f"{shown(one.file.session_id)}: {error}", markup=False, highlight=False)
            yield None, None


def _passes(one: Old, house: House) -> Iterator[tuple[Run, Inside | None]]:
    """One pass after the other, until nothing of the conversation is left."""
    session = extract.session_of(one.file, house, dry_run=False)
    left: Inside | None = None
    while True:
        run = extract.carry_out(JobRequest(session_key=session.key, watermark=session.size), house)
        before, left = left, rest.rest(house.ledger, session.key) if run.reason == MORE else None
        yield run, left
        if left is None or left == before:
            return


def _say(run: Run) -> None:
    for file in run.files:
        click.echo(f"run {run.id}  {shown(str(run.memory_dir))}/{file}")
    if not run.files:
        click.echo(f"run {run.id}  noted in the daily log")


def _progress() -> Progress:
    """On stderr, and only where that is a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)
