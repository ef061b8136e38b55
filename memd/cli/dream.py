"""`memd dream`: a night's work by hand, now, with or without a daemon."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from memd import logs, worker
from memd.cli import by_hand
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json
from memd.cli.project import switch
from memd.cli.runs import REASONS
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.dream import lock, proposal
from memd.dream import run as dreams
from memd.dream.gates import Place
from memd.dream.house import House
from memd.dream.proposal import Proposal, TooMuchLostError
from memd.errors import LockedError, MemdError, RefusedError, UsageError
from memd.ledger import Job, JobRequest, Ledger, Outcome, Run, open_ledger
from memd.ledger.nouns import DREAM
from memd.memory import history
from memd.memory.dream_report import DreamReport, Step
from memd.memory.workspace import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    """What came of one project's dream."""

    place: Place
    outcome: str
    reason: str | None = None
    run: int | None = None
    report: DreamReport | None = None
    changes: tuple[Change, ...] = ()  # of a dry run
    error: MemdError | None = None


@click.command()
@click.option("--project", "directory", type=click.Path(exists=True, file_okay=False), help="Of this project.")
@click.option("--all", "everywhere", is_flag=True, help="Of every project that memd knows.")
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option("--force", is_flag=True, help="Even where more than a quarter of the memory would be lost.")
@click.option("--yes", is_flag=True, hidden=True, help="Accepted by every command that writes; this one never asks.")
@json_option
def dream(  # one parameter an option
    *,
    directory: str | None,
    everywhere: bool,
    dry_run: bool,
    force: bool,
    yes: bool,  # noqa: ARG001 - as everywhere
    as_json: bool,
) -> int:
    """Distil what has piled up: notes into memories, duplicates into one, what is over into the history.

    Schedule and number of conversations do not matter then; whether memory is on does, and so does another dream.
    """
    if everywhere and directory is not None:
        raise UsageError("--project and --all exclude each other", hint="give one of them")
    surroundings = here()
    with open_ledger(surroundings.paths.ledger, SystemClock()) as ledger:
        if ledger.paused_at() is not None and not dry_run:
            raise RefusedError("memd is paused, so nobody dreams", hint="`memd resume` lets it go on")
        places = _everywhere(surroundings, ledger) if everywhere else (_here(surroundings, directory or "."),)
        house = _house(surroundings, ledger)
        done = [_one(place, house, dry_run=dry_run, force=force, alone=not everywhere) for place in places]
    if as_json:
        print_json({"dry_run": dry_run, "dreams": [_described(one) for one in done]})
    else:
        for one in done:
            _print(one, dry_run=dry_run, named=everywhere)
    return max((one.error.exit_code for one in done if one.error is not None), default=0)


def _here(surroundings: Here, directory: str) -> Place:
    place = by_hand.place_of(surroundings, directory)
    if not place.path.is_dir():
        raise MemdError(f"there is no memory of {shown(str(place.root))} yet", hint="`memd project show` tells where")
    by_hand.require_owner(place, surroundings.paths.ledger)
    return Place(root=place.root, memory_dir=place.path)


def _everywhere(surroundings: Here, ledger: Ledger) -> tuple[Place, ...]:
    """Every project whose memory is there and on."""
    found = (surroundings.of_root(Path(root)) for root in sorted(ledger.projects().last_pass))
    return tuple(
        Place(root=place.root, memory_dir=place.path)
        for place in found
        if place.path.is_dir() and switch(surroundings, place).on
    )


def _house(surroundings: Here, ledger: Ledger) -> House:
    passes = worker.build(
        surroundings.environ, surroundings.loaded, ledger, SystemClock(), logs.configure(sys.stderr, json=False)
    )
    worker.recover(passes)
    began = time.monotonic()
    return worker.dreamer(passes, lambda said: click.echo(f"  {time.monotonic() - began:5.1f} s  {said}", err=True))


def _one(place: Place, house: House, *, dry_run: bool, force: bool, alone: bool) -> Dreamt:
    """Dream about one project; of several, one that fails does not stop the rest."""
    click.echo(f"dreaming about {shown(str(place.root))}", err=True)
    try:
        return _look(place, house) if dry_run else _dream(place, house, force=force)
    except MemdError as error:
        if alone:
            raise
        click.echo(f"memd: {error}", err=True)
        return Dreamt(place=place, outcome=str(Outcome.FAILED), reason=type(error).__name__, error=error)


def _look(place: Place, house: House) -> Dreamt:
    """What a dream would do; nothing is written, so that nobody has to be kept out."""
    lock.require_free(place.memory_dir, house.ledger.now())
    found = dreams.look(place, house)
    too_much = _too_much(found, place, house)
    outcome = Outcome.SAVED if found.decision.accepted else Outcome.NOTHING
    return Dreamt(
        place=place,
        outcome=str(outcome),
        reason=dreams.TOO_MUCH if too_much else None,
        report=found.report,
        changes=found.decision.accepted,
    )


def _too_much(found: Proposal, place: Place, house: House) -> bool:
    try:
        proposal.require_little_lost(found, proposal.ground(place, house))
    except TooMuchLostError:
        return True
    return False


def _dream(place: Place, house: House, *, force: bool) -> Dreamt:
    with _job(place, house.ledger) as job:
        run = dreams.run(job, place, house, force=force)
    if run.outcome == Outcome.SKIPPED:
        return Dreamt(place=place, outcome=str(run.outcome), reason=run.reason)
    return Dreamt(place=place, outcome=str(run.outcome), run=run.id, report=_report(run, house))


@contextmanager
def _job(place: Place, ledger: Ledger) -> Iterator[Job]:
    """The place in the queue that keeps passes and other dreams out. Raises LockedError where somebody is at work."""
    waits = any(one.kind == DREAM and one.memory_dir == str(place.memory_dir) for one in ledger.jobs())
    number = ledger.enqueue(JobRequest(kind=DREAM, memory_dir=str(place.memory_dir), by_hand=True))
    job = ledger.claim(lease=worker.LEASE, only=number)
    if job is None:
        if not waits:
            ledger.drop_dream(number)
        raise LockedError(
            f"somebody is at work on {shown(str(place.memory_dir))}",
            hint="try again in a moment; `memd status` shows it",
        )
    try:
        yield job
    except BaseException as error:
        if not waits:
            ledger.drop_dream(number, said=type(error).__name__)
        elif any(one.id == number for one in ledger.jobs()):
            ledger.release(job)  # the night's own, which the daemon will do
        raise


def _report(run: Run, house: House) -> DreamReport | None:
    """What the history says; a dream that found nothing at all left nothing there."""
    try:
        return history.load(run.id, history=house.paths.history).run.dream
    except MemdError:
        return None


def _described(one: Dreamt) -> dict[str, Any]:
    return {
        "project": str(one.place.root),
        "memory_dir": str(one.place.memory_dir),
        "outcome": one.outcome,
        "reason": one.reason,
        "run": one.run,
        "report": None if one.report is None else asdict(one.report),
        "diff": "".join(map(_diff, one.changes)),
    }


def _print(one: Dreamt, *, dry_run: bool, named: bool) -> None:
    if named:
        click.echo(f"\n{shown(str(one.place.root))}")
    if one.error is not None:
        return
    if one.outcome == Outcome.SKIPPED or (one.report is None and one.run is not None):
        click.echo(REASONS.get(one.reason or "", one.reason) if one.reason else "Nothing to do: all is in order.")
        return
    for line in lines(one.report or DreamReport(), would=dry_run):
        click.echo(line)
    if one.reason == dreams.TOO_MUCH:
        click.echo("That is more than a quarter of the memory: it would be refused without --force.")
    for change in one.changes:
        click.echo()
        click.echo(_diff(change), nl=False)
    if one.run is not None and one.report is not None and one.report.steps:
        click.echo(f"`memd diff {one.run}` shows every line, `memd undo {one.run}` takes it back.")


def lines(report: DreamReport, *, would: bool = False) -> Iterator[str]:
    """Tell what a dream did, in a minute's reading."""
    old, new = report.before, report.after
    yield f"memories {old.topics} → {new.topics}, bytes {old.bytes:,} → {new.bytes:,}" + (
        f" (part {report.part} of {report.of})" if report.of > 1 else ""
    )
    yield from map(_step, report.steps)
    if report.notes:
        total = sum(report.notes.values())
        yield f"{counted(total, 'note')} of the log: " + ", ".join(f"{n} {how}" for how, n in report.notes.items())
    if report.reasons:
        yield "dropped: " + ", ".join(f"{n} {why}" for why, n in report.reasons.items())
    if not report.steps:
        yield "no memory would change" if would else "no memory changed"


def _step(step: Step) -> str:
    into = f" into {shown(step.into)}" if step.into else ""
    return f"  {step.did:<8} {shown(step.path)}{into}" + (f": {shown(step.why)}" if step.why else "")


def _diff(change: Change) -> str:
    old = "/dev/null" if change.before is None else f"a/{change.path}"
    new = "/dev/null" if change.after is None else f"b/{change.path}"
    lines = unified_diff(_lines(change.before), _lines(change.after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode(errors="replace").splitlines(keepends=True)
