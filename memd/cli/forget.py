"""`memd forget`: a memory goes, and what it was made from does not bring it back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import click

from memd import files
from memd.cli import by_hand, named
from memd.cli.here import Here, here
from memd.cli.output import project_option
from memd.cli.project import require_own, warn_of_problems
from memd.cli.words import counted, shown
from memd.clock import SystemClock
from memd.errors import RefusedError, UsageError
from memd.memory import forget as tombstones
from memd.memory import history, layout, membership, purge, scan, topic, words
from memd.memory.decision import Tombstone
from memd.memory.journal import Record, RunNote
from memd.memory.location import MemoryDir
from memd.memory.quotes import folded
from memd.memory.store import Plan
from memd.memory.workspace import Change

KIND = "forget"  # of run
_ENOUGH = 0.6  # of a query's words, where no memory has all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grave:
    """The memory that is meant; `data` is None where its file is gone already."""

    path: str
    data: bytes | None
    stone: Tombstone


@click.command()
@click.argument("query", metavar="QUERY|FILE")
@project_option
@click.option("--purge", "purges", is_flag=True, help="Take it out of the history too: then there is no way back.")
@click.option("--dry-run", is_flag=True, help="Show what would go; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(*, query: str, directory: str, purges: bool, dry_run: bool, yes: bool) -> int:
    """Delete a memory, which the conversations it was made from do not bring back.

    It is named by its file, or by words that stand in it. Only `memd undo` brings it back, unless it was purged.
    """
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    require_own(surroundings, place)
    is_team = membership.is_on(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    grave = _found(query, place, tuple(history.runs(surroundings.paths.history)), is_team=is_team)
    if layout.is_shared(grave.path):
        by_hand.require_person(surroundings.environ, "forgetting what a team shares")
    _announce(grave, place, is_team=is_team)
    if dry_run:
        return 0
    if not by_hand.confirmed("Purge it, with no way back?" if purges else "Forget it?", yes=yes):
        click.echo("Nothing was changed.", err=True)
        return 1
    by_hand.require_owner(place, surroundings.paths.ledger)
    if purges:
        paths = surroundings.paths
        with purge.announced(grave.stone, history=paths.history, caches=paths.caches):
            number = _bury(grave, surroundings, place, purges=True)
    else:
        number = _bury(grave, surroundings, place, purges=False)
    click.echo(f"Forgotten, as run {number}.")
    if purges:
        _say_purged(grave.stone, place)
    return 0


def _found(query: str, place: MemoryDir, records: tuple[Record, ...], *, is_team: bool) -> _Grave:
    """Find the one memory that is meant. Raises UsageError for none and for several, RefusedError for a pinned one."""
    path = _named(query, place, records) or _matching(query, place.path, is_team=is_team)
    data = _data(place.path, path)
    if data is not None and topic.parse(data).pinned:
        raise RefusedError(f"{shown(path)} is pinned", hint=f"`memd unpin {shown(path)}` first, if you mean it")
    return _Grave(path=path, data=data, stone=tombstones.tombstone(path, data, records, place.path))


def _named(query: str, place: MemoryDir, records: tuple[Record, ...]) -> str | None:
    """The file of that name, whether it is still there or was; None: the query is no file's name."""
    if "\n" in query or (" " in query and not query.endswith(".md")):
        return None
    path = named.topic_path(query, place.path)
    is_known = any(
        record.memory_dir == str(place.path) and any(file.path == path for file in record.files) for record in records
    )
    return path if is_known or _data(place.path, path) is not None else None


def _data(memory_dir: Path, path: str) -> bytes | None:
    try:
        with files.open_directory(memory_dir) as memory:
            return files.read_regular(memory, path)
    except FileNotFoundError:
        return None


def _matching(query: str, memory_dir: Path, *, is_team: bool) -> str:
    """The one memory of the person's own in which the words stand. Raises UsageError."""
    texts = {header.path: _text(memory_dir, header.path) for header in scan.scan(memory_dir, team=not is_team)}
    said = _whole_words(folded(query).casefold())
    found = [path for path, text in texts.items() if said.search(text)]
    wanted = words.content_words(query)
    shares = {path: len(wanted & words.content_words(text)) / max(len(wanted), 1) for path, text in texts.items()}
    best = max(shares.values(), default=0.0)
    if not found and best >= _ENOUGH:
        found = [path for path, share in shares.items() if share == best]
    if not found:
        raise _nothing(query, memory_dir)
    if len(found) > 1:
        listed = "\n".join(f"  {shown(path)}" for path in found)
        raise UsageError(f"{len(found)} memories speak of {shown(query)!r}:\n{listed}", hint="name one of these files")
    return found[0]


def _nothing(query: str, memory_dir: Path) -> UsageError:
    """Say that no memory is meant; one of the team's goes by its name alone, as it goes for everybody."""
    team = sorted(one.path for one in scan.scan(memory_dir, team=True) if layout.is_shared(one.path))
    said = _whole_words(folded(query).casefold())
    found = [shown(path) for path in team if said.search(_text(memory_dir, path))]
    if not found:
        return UsageError(f"no memory speaks of {shown(query)!r}", hint="`memd list` shows all of them")
    ways = f"`memd forget {found[0]}` for everybody, or `memd team unshare {found[0]}`"
    return UsageError(
        f"no memory of your own speaks of {shown(query)!r}, but {', '.join(found)} does",
        hint=f"it is the team's: {ways} to keep it for yourself",
    )


def _whole_words(query: str) -> re.Pattern[str]:
    """The query where it begins and ends with a word of its own: "use" does not stand in "because"."""
    return re.compile(rf"(?<![a-z0-9_]){re.escape(query)}(?![a-z0-9_])")


def _text(memory_dir: Path, path: str) -> str:
    said = topic.parse(_data(memory_dir, path) or b"")
    return folded(f"{said.name} {said.description} {said.body}").casefold()


def _announce(grave: _Grave, place: MemoryDir, *, is_team: bool) -> None:
    said = topic.parse(grave.data or b"")
    what = said.description or ("it is gone already" if grave.data is None else "no description")
    click.echo(f"{shown(grave.path)} in {shown(str(place.path))}: {shown(what)}")
    if grave.stone.uuids:
        click.echo(f"  {counted(len(grave.stone.uuids), 'message')} it was made from will be left out from now on")
    if is_team and layout.is_shared(grave.path):
        click.echo("  it is the team's: it goes for everybody, and stays in the history of their repository")


def _bury(grave: _Grave, surroundings: Here, place: MemoryDir, *, purges: bool) -> int:
    change = Change(path=grave.path, before=grave.data, after=None)
    note = RunNote(
        kind=KIND,
        started=SystemClock().now(),
        project=str(place.root),
        outcome=None if grave.data is not None else "barred",
        forgets=(grave.stone,),
        purges=purges,
    )

    def plan(memory: int) -> Plan:
        if files.read_regular(memory, grave.path) != grave.data:
            raise RefusedError(f"{shown(grave.path)} was changed at the same moment", hint="look again, then repeat it")
        return Plan(changes=(change,) if grave.data is not None else ())

    return by_hand.carry_out(surroundings.paths, place.path, plan, note).run_id


def _say_purged(stone: Tombstone, place: MemoryDir) -> None:
    click.echo("Purged from the history: what was done to it can no longer be undone.")
    for rel in purge.logs_that_tell(place.path, stone.path):
        click.echo(
            f"{shown(str(place.path / rel))} still has a line about it: memd only ever adds to a log, and so leaves it;"
            " you may take it out in an editor",
            err=True,
        )
