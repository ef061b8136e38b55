"""`memd review`: what was held, and a person's yes or no."""

from __future__ import annotations

from pathlib import Path

import click

from memd.cli import by_hand, held
from memd.cli.group import Group
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, yes_option
from memd.cli.project import require_own
from memd.cli.within import require_within, within_option
from memd.cli.words import at, counted, shown, tame
from memd.clock import SystemClock
from memd.config import Paths
from memd.errors import RefusedError, UsageError
from memd.memory import history
from memd.memory import review as reviews
from memd.memory.decision import Verdict
from memd.memory.journal import Record, RunNote
from memd.memory.standing import Waiting
from memd.memory.store import Plan

KIND = "review"  # of run
_SPEAKERS = {"human": "you", "agent": "the agent", "outside": "a tool, a paste or a page"}


@click.group(cls=Group)
def review() -> None:
    """Look at memories that were held back, and let them in or keep them out."""


@review.command("list")
@click.option("--project", "directory", type=click.Path(exists=True, file_okay=False), help="Of this project only.")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@json_option
def list_held(*, directory: str | None, everywhere: bool, as_json: bool) -> None:
    """List what waits for a decision, newest first, with the words behind it."""
    if everywhere and directory is not None:
        raise UsageError("--project and --all exclude each other", hint="give one of them")
    surroundings = here()
    place = None if everywhere else surroundings.memory_dir(directory or ".")
    if place is not None:
        require_own(surroundings, place)
    found = held.waiting(surroundings.paths, place)
    if as_json:
        print_json({"held": [held.described(one) for one in found]})
        return
    for one in found:
        _print(one)
    click.echo(f"{counted(len(found), 'memory', 'memories')} held for review.")


@review.command()
@click.argument("number", metavar="ID")
@within_option
@json_option
def show(*, number: str, directory: str | None, as_json: bool) -> None:
    """Print one held memory as it would be saved."""
    one = _one_within(number, directory, here())
    if as_json:
        print_json(held.described(one))
        return
    _print(one)
    click.echo(tame((one.held.change.after or b"").decode("utf-8", errors="replace")))


@review.command()
@click.argument("number", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@yes_option
@within_option
@json_option
def accept(*, number: str, dry_run: bool, directory: str | None, as_json: bool) -> None:
    """Make a held memory live, as it was proposed."""
    _decide(number, Verdict.ACCEPTED, directory, dry_run=dry_run, as_json=as_json)


@review.command()
@click.argument("number", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Show what would be rejected; change nothing.")
@yes_option
@within_option
@json_option
def reject(*, number: str, dry_run: bool, directory: str | None, as_json: bool) -> None:
    """Keep a held memory out for good: the same words are not held again."""
    _decide(number, Verdict.REJECTED, directory, dry_run=dry_run, as_json=as_json)


def _decide(number: str, verdict: Verdict, directory: str | None, *, dry_run: bool, as_json: bool) -> None:
    surroundings = here()
    by_hand.require_person(surroundings.environ, "a review")
    one = _one_within(number, directory, surroundings)
    run = None if dry_run else _carried_out(one, verdict, surroundings)
    if as_json:
        print_json({"id": one.id, "verdict": verdict.value, "run": run, "file": one.held.path})
        return
    would = "would be " if dry_run else ""
    click.echo(f"{one.id} {would}{verdict.value}: {shown(one.held.path)}" + (f" (run {run})" if run else ""))


def _carried_out(one: Waiting, verdict: Verdict, surroundings: Here) -> int:
    """Write the decision down as a run of its own, with what it changes."""
    record = one.record
    accepted = verdict is Verdict.ACCEPTED
    note = RunNote(
        kind=KIND,
        started=SystemClock().now(),
        session=record.run.session,
        project=record.run.project,
        outcome=None if accepted else verdict.value,
        quotes={one.held.path: one.held.quotes} if accepted and one.held.quotes else {},
        reviews=reviews.verdict(one, verdict),
    )

    def plan(memory: int) -> Plan:
        _one(one.id, surroundings.paths)  # judged by somebody else meanwhile?
        return reviews.acceptance(one, memory) if accepted else Plan(changes=())

    return by_hand.carry_out(surroundings.paths, _directory(record, surroundings), plan, note).run_id


def _directory(record: Record, surroundings: Here) -> Path:
    """The memory directory that a proposal was made for. Raises RefusedError where memory is off there."""
    if record.run.project:
        by_hand.require_on(surroundings, surroundings.memory_dir(record.run.project))
    return Path(record.memory_dir)


def _one_within(number: str, directory: str | None, surroundings: Here) -> Waiting:
    one = _one(number, surroundings.paths)
    require_within(
        surroundings, directory, shown(number), memory_dir=one.record.memory_dir, root=one.record.run.project
    )
    return one


def _one(number: str, paths: Paths) -> Waiting:
    """Find what a person means. Raises UsageError, and RefusedError for what was judged before."""
    found = next((one for one in held.waiting(paths, None) if one.id == number), None)
    if found is not None:
        return found
    run, _, place = number.partition(".")
    for record in history.runs(paths.history):
        said = record.run.reviews
        if said and (str(said.run), str(said.number)) == (run, place):
            raise RefusedError(f"{number} was {said.verdict.value} by run {record.id}", hint=f"`memd undo {record.id}`")
    raise UsageError(f"nothing of that number is held: {shown(number)}", hint="`memd review list --all` lists all")


def _print(one: Waiting) -> None:
    record = one.record
    when = at((record.run.ended or record.run.started).timestamp())
    session = f", session {shown(record.run.session)}" if record.run.session else ""
    verb = "new" if one.held.change.before is None else "changed"
    said = held.described(one)
    click.echo(f"{one.id}  {shown(one.held.path)} ({verb}, {said['type'] or '?'}), {when}{session}")
    click.echo(f"  held because {held.in_words(one.held.reason, one.held.detail)}")
    click.echo(f"  {shown(said['description'])}")
    for quote in one.held.quotes:
        click.echo(f"  {_SPEAKERS[quote.evidence]}: “{shown(quote.text)}”")
    click.echo()
