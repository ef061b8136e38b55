"""`memd history` and `memd undo`: what was done, and the way back."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import click

from memd import files
from memd.cli import by_hand, team_line
from memd.cli.here import Here, here
from memd.cli.output import RUN_NUMBER, json_option, print_json, print_table
from memd.cli.runs import PastRun, described, in_words, ledger_if_there, outcome_in_words, past_runs, reason_in_words
from memd.cli.within import require_within, within_option
from memd.cli.words import at, short_id, shortened, shown, valid
from memd.clock import SystemClock
from memd.config import Paths
from memd.errors import LockedError, MemdError, RefusedError, UsageError
from memd.ledger import Ledger, Outcome, Run, open_ledger
from memd.memory import history as past
from memd.memory import standing, topic
from memd.memory.authors import Author
from memd.memory.journal import Record
from memd.memory.layout import INDEX
from memd.memory.location import MemoryDir
from memd.memory.workspace import Change

UNDO = "undo"  # the kind of run
_WIDTH = 32  # characters of a project's name in a table


@click.command()
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many, newest first.")
@click.option("--project", "directory", type=click.Path(exists=True, file_okay=False), help="Of this project only.")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@json_option
def history(*, limit: int, directory: str | None, everywhere: bool, as_json: bool) -> None:
    """List what was extracted, skipped and undone, newest first."""
    if everywhere and directory is not None:
        raise UsageError("--project and --all exclude each other", hint="give one of them")
    surroundings = here()
    place = None if everywhere else surroundings.memory_dir(directory or ".")
    with ledger_if_there(surroundings) as ledger:
        runs = tuple(islice(past_runs(surroundings, ledger, of=place), limit))
    lost = team_line.lost_edits(surroundings.paths)
    if as_json:
        print_json({"runs": [{**described(run), **_conflicts(lost.get(run.id, ()))} for run in runs]})
    elif runs:
        _print(runs, lost, everywhere=everywhere)
    else:
        click.echo(_nothing(place))


def _conflicts(lost: Sequence[str]) -> dict[str, Any]:
    return {"conflicts": [valid(path) for path in lost]} if lost else {}


def _print(runs: tuple[PastRun, ...], lost: Mapping[int, tuple[str, ...]], *, everywhere: bool) -> None:
    columns = ["run", "when", "what", "session", "outcome", *(["project"] if everywhere else []), "result"]
    print_table(columns, [_row(run, lost.get(run.id, ()), everywhere=everywhere) for run in runs])
    if dropped := next((run.id for run in runs if run.dream is not None and run.dream.dropped), None):
        click.echo(f"`memd diff {dropped}` shows which notes were dropped", err=True)


def _row(run: PastRun, lost: Sequence[str], *, everywhere: bool) -> list[str]:
    project = [shortened(shown(Path(run.project).name if run.project else "?"), _WIDTH)] if everywhere else []
    session = short_id(run.session) if run.session else "-"
    return [str(run.id), at(run.started), run.kind, session, outcome_in_words(run), *project, _result(run, lost)]


def _result(run: PastRun, lost: Sequence[str]) -> str:
    if not lost or run.undone_by is not None:
        return in_words(run)
    return f"{in_words(run)}; conflict: {', '.join(map(shown, lost))}, yours is kept: memd diff {run.id}"


def _nothing(place: MemoryDir | None) -> str:
    if place is None:
        return "No runs yet."
    return f"No runs yet for {shortened(shown(str(place.root)))}. --all shows those of other projects."


@click.command()
@click.argument("run", type=RUN_NUMBER)
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@within_option
@json_option
def undo(*, run: int, dry_run: bool, yes: bool, directory: str | None, as_json: bool) -> int:
    """Take a run back: files go back to what they were before it. An undo can be undone too.

    What it changes in team/ goes for everybody who shares that memory.
    """
    surroundings = here()
    paths = surroundings.paths
    record = _record(run, paths)
    require_within(surroundings, directory, f"run {run}", memory_dir=record.memory_dir, root=record.run.project)
    everybodys = _everybodys(record, surroundings)
    for line in _announced(record, paths.history, everybodys):
        click.echo(line, err=as_json)
    if not dry_run and _touches_pinned(record, paths.history):
        by_hand.require_person(surroundings.environ, "undoing what concerns a pinned memory")
    if not dry_run and not yes and not _confirmed(for_everybody=bool(everybodys)):
        click.echo("Nothing was changed.", err=True)
        return 1
    number = None if dry_run else _taken_back(record, paths)
    if as_json:
        print_json({"run": run, "undone_as": number, "for_everybody": team_line.described_concerned(everybodys)})
    elif number is not None:
        click.echo(f"Done, as run {number}.")
    return 0


def _announced(record: Record, history: Path, everybodys: Mapping[str, Author | None]) -> Iterator[str]:
    began = at(record.run.started.timestamp())
    yield f"Run {record.id} ({record.run.kind}, {began}) in {shown(record.memory_dir)}:"
    yield from (f"  {line}" for line in _preview(record, history))
    if record.log is not None:
        yield f"  {shown(record.log.path)} keeps its lines: a log is only ever added to"
    if everybodys:
        yield f"  {team_line.warning(everybodys)}"


def _everybodys(record: Record, surroundings: Here) -> Mapping[str, Author | None]:
    """Which of the files that would change are not this person's alone, and who wrote them."""
    memory_dir = Path(record.memory_dir)
    paths = _to_change(record, surroundings.paths.history)
    return team_line.concerned(surroundings, paths, root=Path(record.run.project or "/"), memory_dir=memory_dir)


def _record(run: int, paths: Paths) -> Record:
    """Find the run to be undone. Raises MemdError that says why it cannot be."""
    try:
        return past.load(run, history=paths.history)
    except MemdError as error:
        raise _why_not(run, paths) from error


def _why_not(run: int, paths: Paths) -> MemdError:
    """Why the history does not hold a run that somebody wants undone."""
    known = None
    if paths.ledger.exists():
        with open_ledger(paths.ledger, SystemClock()) as ledger:
            known = ledger.run(run)
    if known is None:
        return UsageError(f"there is no run {run} to undo", hint="`memd history --all` lists all runs")
    if known.outcome is None:
        return LockedError(f"run {run} is not finished", hint="what was broken off is finished when memd runs next")
    if known.files:
        return RefusedError(f"run {run} cannot be undone: what it changed is no longer in {shown(str(paths.history))}")
    return RefusedError(f"run {run} changed no files: {reason_in_words(known.reason or known.outcome, known.outcome)}")


def _preview(record: Record, history: Path) -> list[str]:
    """Say what will happen to each file, judged by what stands there now. Raises RefusedError."""
    changes = past.changes(record, history=history)
    live = _live(Path(record.memory_dir), changes)
    topics = [change for change in changes if change.path != INDEX] or changes
    if not topics and (record.run.reviews or record.run.forgets):
        return ["take back what was decided; no file changes"]
    if not topics:
        raise RefusedError(f"run {record.id} changed no files", hint="a log is only ever added to, also by an undo")
    if by := standing.undone_by(past.runs(history)).get(record.id):
        raise RefusedError(f"run {record.id} is undone already, by run {by}", hint=f"`memd undo {by}` brings it back")
    if all(_is_done(change, live[change.path]) for change in topics):
        raise RefusedError(past.nothing_left(record, history), hint="`memd history` shows what came after it")
    return [_will(change, live[change.path], record, history) for change in changes]


def _touches_pinned(record: Record, history: Path) -> bool:
    return any(map(_is_pinned, _to_change(record, history).values()))


def _to_change(record: Record, history: Path) -> Mapping[str, bytes | None]:
    """The files that an undo changes, as they stand now."""
    changes = past.changes(record, history=history)
    live = _live(Path(record.memory_dir), changes)
    return {one.path: live[one.path] for one in changes if not _is_done(one, live[one.path])}


def _is_done(change: Change, live: bytes | None) -> bool:
    back = past.backwards(change, live)
    return back is not None and back.after == live


def _live(memory_dir: Path, changes: tuple[Change, ...]) -> Mapping[str, bytes | None]:
    try:
        with files.open_directory(memory_dir) as memory:
            return {change.path: files.read_regular(memory, change.path) for change in changes}
    except FileNotFoundError:
        return dict.fromkeys((change.path for change in changes), None)


def _will(change: Change, live: bytes | None, record: Record, history: Path) -> str:
    path = shown(change.path)
    if change.path == INDEX and live not in {change.before, change.after}:
        return f"rebuild  {path} from the memories that stay"
    back = past.backwards(change, live)
    if back is None:
        raise RefusedError(
            f"run {record.id} cannot be undone: {_changed_since(record, change.path, history)}",
            hint="undo that first, or edit the file by hand",
        )
    if back.after == live:
        return f"keep     {path}, which is as it was before"
    if back.after is None:
        return f"remove   {path}" + (", though it is pinned" if _is_pinned(live) else "")
    return f"restore  {path}" if back.after == change.before else f"edit     {path}; what was changed since stays"


def _is_pinned(live: bytes | None) -> bool:
    return live is not None and topic.parse(live).pinned


def _changed_since(record: Record, path: str, history: Path) -> str:
    for later in past.runs(history):
        if later.id <= record.id:
            break
        if later.memory_dir == record.memory_dir and any(file.path == path for file in later.files):
            return f"run {later.id} changed {shown(path)} since"
    return f"{shown(path)} was edited since"


def _confirmed(*, for_everybody: bool) -> bool:
    """Ask. Raises UsageError where nobody can answer."""
    if not sys.stdin.isatty():
        raise UsageError("undo asks first, and there is no terminal to ask on", hint="give --yes, or --dry-run to look")
    return click.confirm("Undo it for everybody who shares it?" if for_everybody else "Undo it?", err=True)


def _taken_back(record: Record, paths: Paths) -> int:
    with open_ledger(paths.ledger, SystemClock()) as ledger:
        return _take_back(record, paths.history, ledger)


def _take_back(record: Record, history: Path, ledger: Ledger) -> int:
    """Undo, as a run that the ledger and the history know by the same number."""
    number = ledger.start_run(UNDO, memory_dir=record.memory_dir, at_least=past.next_id(history))
    begun = Run(id=number, kind=UNDO, root=record.run.project, memory_dir=record.memory_dir)
    try:
        applied = past.undo(record.id, history=history, now=SystemClock().now(), undo_id=number)
    except (MemdError, OSError) as error:
        reason = "refused" if isinstance(error, RefusedError) else type(error).__name__
        ledger.end_run(replace(begun, outcome=Outcome.FAILED, reason=reason))
        raise
    ledger.end_run(replace(begun, outcome=applied.outcome, files=tuple(file.path for file in applied.files)))
    return number
