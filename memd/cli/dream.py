"""`memd dream`: a night's work by hand, now, with or without a daemon."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from memd import logs, worker
from memd.cli import by_hand
from memd.cli.dream_words import Dreamt, described, in_a_line, told
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json
from memd.cli.project import switch
from memd.cli.words import shown
from memd.clock import SystemClock
from memd.dream import lock, proposal
from memd.dream import run as dreams
from memd.dream.gates import Place
from memd.dream.ground import ground
from memd.dream.house import House
from memd.dream.proposal import Proposal, TooMuchLostError
from memd.errors import LockedError, MemdError, RefusedError, UsageError
from memd.ledger import Job, JobRequest, Ledger, Outcome, Run, open_ledger
from memd.ledger.nouns import DREAM
from memd.memory.dream_report import DreamReport, merged


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
        house = _house(surroundings, ledger, talks=not everywhere)
        done = []
        for place in places:
            done.append(_one(place, house, dry_run=dry_run, force=force))
            if not as_json:
                _print(done[-1], dry_run=dry_run, is_one_of_many=everywhere)
    if as_json and (everywhere or done[0].error is None or done[0].runs):
        print_json({"dry_run": dry_run, "dreams": [described(one) for one in done]})
    return _exit_code(done, raises=not everywhere)


def _exit_code(done: Sequence[Dreamt], *, raises: bool) -> int:
    """The worst of them, or raised where it is the only one."""
    failures = [one.error for one in done if one.error is not None]
    if failures and raises:
        raise failures[0]
    return max((error.exit_code for error in failures), default=0)


def _print(one: Dreamt, *, dry_run: bool, is_one_of_many: bool) -> None:
    if is_one_of_many:
        click.echo(in_a_line(one), err=one.error is not None)
    if not is_one_of_many or one.changes:
        for line in told(one, would=dry_run):
            click.echo(line)


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


def _house(surroundings: Here, ledger: Ledger, *, talks: bool) -> House:
    passes = worker.build(
        surroundings.environ, surroundings.loaded, ledger, SystemClock(), logs.configure(sys.stderr, json=False)
    )
    worker.recover(passes)
    began = time.monotonic()
    if not talks:
        return worker.dreamer(passes)
    return worker.dreamer(passes, lambda said: click.echo(f"  {time.monotonic() - began:5.1f} s  {said}", err=True))


def _one(place: Place, house: House, *, dry_run: bool, force: bool) -> Dreamt:
    """Dream about one project. Raises nothing of memd's own: what stopped it is said with what was done by then."""
    house.tell(f"dreaming about {shown(str(place.root))}")
    parts: list[tuple[Run, DreamReport]] = []
    hearing = replace(house, hear=lambda run, report: parts.append((run, report)))
    try:
        return _look(place, house) if dry_run else _dream(place, hearing, parts, force=force)
    except MemdError as error:
        failed = Dreamt(place=place, outcome=str(Outcome.FAILED), reason=type(error).__name__, error=error)
        return _with_parts(failed, parts)


def _with_parts(one: Dreamt, parts: Sequence[tuple[Run, DreamReport]]) -> Dreamt:
    if not parts:
        return one
    return replace(one, runs=tuple(run.id for run, _ in parts), report=merged([report for _, report in parts]))


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
        proposal.require_little_lost(found, ground(place, house))
    except TooMuchLostError:
        return True
    return False


def _dream(place: Place, house: House, parts: Sequence[tuple[Run, DreamReport]], *, force: bool) -> Dreamt:
    with _job(place, house.ledger) as job:
        worker.pull(place.root, place.memory_dir, house, by_hand=True)
        run = dreams.run(job, place, house, force=force)
    saved = any(part.outcome == Outcome.SAVED for part, _ in parts)
    outcome = str(Outcome.SAVED) if saved else str(run.outcome)
    return _with_parts(Dreamt(place=place, outcome=outcome, reason=run.reason), parts)


@contextmanager
def _job(place: Place, ledger: Ledger) -> Iterator[Job]:
    """The place in the queue that keeps passes and other dreams out. Raises LockedError where somebody is at work."""
    job = ledger.take(JobRequest(kind=DREAM, memory_dir=str(place.memory_dir), by_hand=True), lease=worker.LEASE)
    if job is None:
        raise LockedError(
            f"somebody is at work on {shown(str(place.memory_dir))}",
            hint="try again in a moment; `memd status` shows it",
        )
    try:
        yield replace(job, by_hand=True)
    except BaseException as error:
        if job.by_hand:
            ledger.drop_dream(job.id, said=type(error).__name__)
        elif any(one.id == job.id for one in ledger.jobs()):
            ledger.release(job)  # the night's own, which the daemon will do
        raise
