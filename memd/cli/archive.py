"""`memd export` and `memd import`: memories in a file, to keep or to carry elsewhere."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from memd.cli import by_hand, held, left_out
from memd.cli.here import Here, here
from memd.cli.left_out import Shared
from memd.cli.output import json_option, print_json, project_option
from memd.cli.project import require_own, warn_of_problems
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.errors import RefusedError, UsageError
from memd.ledger import open_ledger
from memd.memory import archive, history, merge_in, store, whose
from memd.memory.archive import Project
from memd.memory.journal import RunNote
from memd.memory.location import MemoryDir
from memd.memory.merge_in import Intake
from memd.memory.store import Applied, Plan


@click.command()
@click.argument("target", metavar="FILE.tar.gz|-")
@click.option("--project", "directory", type=click.Path(exists=True, file_okay=False), help="Of this project only.")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects that memd has written for.")
@click.option("--dry-run", is_flag=True, help="Show how much it would be; write nothing.")
@click.option("--yes", is_flag=True, help="Replace a file that is there already.")
@json_option
def export(*, target: str, directory: str | None, everywhere: bool, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Write memories, index and logs to a tar file, or with `-` to standard output.

    What a team shares stays out: it is in the team's repository.
    """
    if everywhere and directory is not None:
        raise UsageError("--project and --all exclude each other", hint="give one of them")
    surroundings = here()
    if target == "-" and sys.stdout.isatty():
        raise UsageError("this is no text for a terminal", hint="name a file, or send it into a pipe")
    if target == "-" and as_json:
        raise UsageError("--json would stand within the archive", hint="name a file")
    places = _everywhere(surroundings) if everywhere else _one(surroundings, directory or ".")
    projects = [Project(name=one.slug, root=str(one.root), files=archive.collect(one.path)) for one in places]
    shared = [one for place in places if (one := left_out.look(surroundings, place)).files]
    if not any(project.files for project in projects):
        raise UsageError(
            "there are no memories to export" + (" but the team's" if shared else ""),
            hint="\n  ".join(map(left_out.told, shared)) or "--project names another project, --all takes all",
        )
    if target == "-" and not dry_run:
        archive.write(projects, sys.stdout.buffer)
    elif not dry_run:
        _write(projects, Path(target).absolute(), replace=yes)
    _say(projects, shared, as_json=as_json)


def _say(projects: list[Project], shared: list[Shared], *, as_json: bool) -> None:
    count = sum(len(project.files) for project in projects)
    if as_json:
        print_json({"files": count, "projects": len(projects), "left_out": [left_out.described(one) for one in shared]})
        return
    click.echo(f"{counted(count, 'file')} of {counted(len(projects), 'project')}", err=True)
    for one in shared:
        click.echo(left_out.told(one), err=True)


def _one(surroundings: Here, directory: str) -> list[MemoryDir]:
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    require_own(surroundings, place)
    return [place] if place.path.is_dir() else []


def _everywhere(surroundings: Here) -> list[MemoryDir]:
    """Every project of which the history or the ledger knows a root, each once."""
    roots = {record.run.project for record in history.runs(surroundings.paths.history)}
    if surroundings.paths.ledger.exists():
        with open_ledger(surroundings.paths.ledger, SystemClock()) as ledger:
            roots |= {session.root for session in ledger.sessions()}
    places = (surroundings.memory_dir(root) for root in sorted(root for root in roots if root))
    return [place for place in {place.path: place for place in places}.values() if place.path.is_dir()]


def _write(projects: list[Project], target: Path, *, replace: bool) -> None:
    """All of it or nothing, for the owner alone."""
    if target.exists() and not replace:
        raise UsageError(f"{shown(str(target))} is there already", hint="--yes replaces it")
    if not target.parent.is_dir():
        raise UsageError(f"there is no directory {shown(str(target.parent))}", hint="make it, or name another")
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            archive.write(projects, stream)
            stream.flush()
            os.fsync(stream.fileno())
        draft.rename(target)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError):
            error.filename = str(target)  # nobody knows of the draft
        raise


@click.command("import")
@click.argument("source", metavar="FILE.tar.gz|-")
@project_option
@click.option(
    "--from", "wanted", metavar="NAME", help="Which of an archive's projects: its directory, or the end of it."
)
@click.option("--dry-run", is_flag=True, help="Show what would come in; write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def import_archive(*, source: str, directory: str, wanted: str | None, dry_run: bool, yes: bool) -> int:
    """Take memories from an archive into a project, by the same rules as any other.

    What is there is never overwritten: other words of the same name are kept beside, as FILE_imported.md. Of an archive
    with several projects the one that this is comes in, or the one that --from names.
    """
    surroundings = here()
    by_hand.require_person(surroundings.environ, "an import")
    place = by_hand.place_of(surroundings, directory)
    came = _chosen(_read(source), place, wanted)
    found = merge_in.intake(came.files, place.path, SystemClock().now().timestamp())
    _show(found, place)
    if dry_run:
        return 0
    if not found.plan.changes and not found.logs and not found.decision.held:
        click.echo("Nothing to import.")
        return 0
    if not by_hand.confirmed("Import it?", yes=yes):
        click.echo("Nothing was changed.", err=True)
        return 1
    by_hand.require_owner(place, surroundings.paths.ledger)
    click.echo(f"Imported, as run {_take_in(came, place, surroundings).run_id}.")
    return 0


def _read(source: str) -> tuple[Project, ...]:
    if source == "-":
        return archive.read(sys.stdin.buffer)
    try:
        stream = Path(source).open("rb")  # noqa: SIM115 - only opening it is what may be mistyped
    except OSError as error:
        raise UsageError(f"{shown(source)}: {error.strerror}", hint="name a file that `memd export` made") from error
    with stream:
        return archive.read(stream)


def _chosen(projects: tuple[Project, ...], place: MemoryDir, wanted: str | None) -> Project:
    """The project that is meant: the one named, else the archive's only one, else the one that this is.

    Raises UsageError.
    """
    if wanted is not None:
        chosen = [one for one in projects if _is_called(one, wanted)]
    elif len(projects) == 1:
        chosen = list(projects)
    else:
        chosen = [one for one in projects if one.root == str(place.root) or one.name == place.slug]
    if len(chosen) == 1:
        return chosen[0]
    which = "this one" if wanted is None else shown(wanted)
    names = "".join(f"\n  {shown(one.root or one.name)}" for one in projects)
    how_many = f"{len(chosen)} of them are" if chosen else "none of them is"
    raise UsageError(
        f"the archive holds {counted(len(projects), 'project')}, and {how_many} {which}:{names}",
        hint="--from names the one to take; --project the project to import into",
    )


def _is_called(one: Project, wanted: str) -> bool:
    """Whether a project is meant by its directory, the end of that, or the name it has in the archive."""
    root = one.root.rstrip("/")
    return wanted in {one.name, root} or root.endswith(f"/{wanted.strip('/')}")


def _show(found: Intake, place: MemoryDir) -> None:
    click.echo(f"into {shown(str(place.path))}:", err=True)
    came_as = {at: path for path, at in found.beside.items()}
    for change in found.decision.accepted:
        beside = came_as.get(change.path)
        why = f", beside {shown(beside)}, which says something else" if beside else ""
        click.echo(f"  new      {shown(change.path)}{why}")
    for path in found.same:
        click.echo(f"  same     {shown(path)}")
    for one in found.decision.held:
        click.echo(f"  held     {shown(one.path)}: {held.in_words(one.reason, one.detail)}")
    for lost in found.decision.dropped:
        click.echo(f"  refused  {shown(lost.path)}: {held.in_words(lost.reason, lost.detail)}")
    for path, lines in found.logs.items():
        click.echo(f"  log      {shown(path)}: {counted(lines.count(10), 'line')} more")


def _take_in(came: Project, place: MemoryDir, surroundings: Here) -> Applied:
    """Judge it once more under the lock, and write."""
    now = SystemClock().now()
    found = merge_in.intake(came.files, place.path, now.timestamp())

    def plan(memory: int) -> Plan:
        again = merge_in.intake(came.files, place.path, now.timestamp())
        if again != found:
            raise RefusedError("the memories were changed at the same moment", hint="try again")
        merge_in.append_logs(memory, found.logs)
        return found.plan

    note = RunNote(
        kind=whose.IMPORT,
        started=now,
        project=str(place.root),
        held=found.decision.held,
        dropped=found.decision.dropped,
    )
    return by_hand.carry_out(
        surroundings.paths, place.path, plan, note, lambda done: store.keep_ages(place.path, done, found.ages)
    )
