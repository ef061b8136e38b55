"""`memd edit`: a memory in the person's own editor, and through the one door back."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from memd import files
from memd.cli import by_hand, held, named
from memd.cli.here import Here, here
from memd.cli.output import project_option
from memd.cli.words import shown
from memd.clock import SystemClock
from memd.config import Paths
from memd.errors import MemdError, RefusedError, UnsafePathError, UsageError
from memd.memory import secret_kept, store, validate, whose
from memd.memory.journal import RunNote
from memd.memory.location import MemoryDir
from memd.memory.merge import merged
from memd.memory.store import Plan
from memd.memory.validate import Policy
from memd.memory.workspace import Change

_BY_HAND = Policy(needs_quotes=False, by_person=True, heeds_attacks=False, team=True)
_LIMIT = files.MEGABYTE  # bytes of a draft


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A private copy that somebody edits."""

    path: str  # of the memory
    file: Path  # of the copy
    before: bytes


@click.command()
@click.argument("name", metavar="FILE")
@project_option
@click.option("--dry-run", is_flag=True, help="Edit and check; write nothing.")
@click.option("--yes", is_flag=True, help="Accepted as everywhere.")
def edit(*, name: str, directory: str, dry_run: bool, yes: bool) -> None:  # noqa: ARG001 - see --yes
    """Open a memory in $VISUAL or $EDITOR, and save what comes back as a change of yours that can be undone."""
    surroundings = here()
    by_hand.require_person(surroundings.environ, "editing a memory")
    place = by_hand.place_of(surroundings, directory)
    path = named.topic_path(name, place.path)
    before, _ = named.read(place.path, path)
    editor = _editor(surroundings.environ)
    with _draft(path, before, surroundings.paths) as draft:
        after = _edited(draft, editor)
        if after is None:
            click.echo(f"{shown(path)} is as it was.")
        elif dry_run:
            click.echo(f"{shown(path)} would be changed.")
        else:
            by_hand.require_owner(place, surroundings.paths.ledger)
            number = _save(draft, after, surroundings, place)
            click.echo(f"{shown(path)} is saved (run {number}).")


def _editor(environ: Mapping[str, str]) -> list[str]:
    """Split the editor's command line. Raises UsageError where there is none."""
    command = environ.get("VISUAL") or environ.get("EDITOR") or ("vi" if sys.stdin.isatty() else "")
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words or shutil.which(words[0]) is None:
        raise UsageError(
            f"there is no editor: {shown(command) or '$VISUAL and $EDITOR are not set'}", hint="set EDITOR"
        )
    return words


@contextmanager
def _draft(path: str, before: bytes, paths: Paths) -> Iterator[_Draft]:
    """Lay a private copy out; it stays where something came in between, so that no word is lost."""
    files.private_directory(paths.state / "drafts")
    directory = Path(tempfile.mkdtemp(dir=paths.state / "drafts"))
    draft = _Draft(path=path, file=directory / Path(path).name, before=before)
    draft.file.write_bytes(before)
    draft.file.chmod(0o600)
    try:
        yield draft
    except BaseException:
        if (text := _written(draft)) not in {None, before}:
            _keep(draft, text or b"")
            click.echo(f"Your text is kept in {shown(str(draft.file))}", err=True)
            raise
        shutil.rmtree(directory, ignore_errors=True)
        raise
    shutil.rmtree(directory, ignore_errors=True)


def _keep(draft: _Draft, text: bytes) -> None:
    """Leave the copy for its author, without the secrets for which it may have been refused."""
    with files.open_directory(draft.file.parent) as directory:
        files.write_atomic(directory, draft.file.name, secret_kept.scrubbed(text))


def _written(draft: _Draft) -> bytes | None:
    """Read the copy; None where it is gone or no plain file. Editors replace files, so it is opened anew."""
    try:
        with files.open_directory(draft.file.parent) as directory:
            return files.read_regular(directory, draft.file.name, limit=_LIMIT)
    except (OSError, UnsafePathError):
        return None


def _edited(draft: _Draft, editor: list[str]) -> bytes | None:
    """Have it edited until it may be saved; None: nothing was changed. Raises RefusedError."""
    while True:
        done = subprocess.run([*editor, str(draft.file)], check=False)
        if done.returncode != 0:
            raise MemdError(f"{shown(editor[0])} ended with code {done.returncode}", hint="nothing was changed")
        after = _written(draft)
        if after is None or after == draft.before:
            return None
        trouble = _trouble(draft, after)
        if trouble is None:
            return after
        if not sys.stdin.isatty() or not click.confirm(f"{trouble}. Edit again?", default=True, err=True):
            raise RefusedError(f"{shown(draft.path)} was not changed: {trouble}")


def _trouble(draft: _Draft, after: bytes) -> str | None:
    change = Change(path=draft.path, before=draft.before, after=after)
    decision = validate.check((change,), window=(), policy=_BY_HAND)
    if decision.dropped:
        return held.in_words(decision.dropped[0].reason, decision.dropped[0].detail)
    return None


def _save(draft: _Draft, after: bytes, surroundings: Here, place: MemoryDir) -> int:
    """Make it live; what was changed meanwhile stays where both fit. Raises RefusedError."""

    def plan(memory: int) -> Plan:
        live = files.read_regular(memory, draft.path)
        both = None if live is None else merged(draft.before, live, after)
        if both is None:
            raise RefusedError(f"{shown(draft.path)} was changed or deleted while you edited it")
        return store.plan(memory, (Change(path=draft.path, before=live, after=both),), ())

    note = RunNote(kind=whose.EDIT, started=SystemClock().now(), project=str(place.root))
    return by_hand.carry_out(surroundings.paths, place.path, plan, note).run_id
