"""`memd why` and `memd diff`: what made a memory, and what a run changed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from memd import files
from memd.cli import conversation, held, named, origin, rest
from memd.cli.here import Here, here
from memd.cli.origin import Origins
from memd.cli.output import RUN_NUMBER, json_option, print_json, project_option
from memd.cli.project import require_own, warn_of_problems
from memd.cli.runs import APPENDED, PastRun, in_words, ledger_if_there, past_run
from memd.cli.within import require_within, within_option
from memd.cli.words import at, shown, tame, valid
from memd.errors import LockedError, MemdError, RefusedError, UsageError
from memd.ledger import Outcome
from memd.memory import history, standing, steps
from memd.memory.history import Why
from memd.memory.journal import Record, What
from memd.memory.location import MemoryDir
from memd.memory.quotes import EvidenceClass
from memd.transcripts import claude_code
from memd.transcripts.model import Inside

# What a person did, by the kind of run that has no words.
_BY_HAND = {"pin": "pinned", "unpin": "unpinned", "team share": "shared", "team unshare": "unshared"}
SPEAKERS = {
    EvidenceClass.HUMAN: "a person said",
    EvidenceClass.AGENT: "the agent said",
    EvidenceClass.OUTSIDE: "a tool, a paste, a page or a team mate said",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of where a memory comes from."""

    path: str  # relative to its directory
    is_live: bool
    is_edited: bool  # since memd last wrote it
    origins: Origins
    runs: tuple[Record, ...]  # that had a hand in it, newest first
    found: tuple[Why, ...]  # the words
    left: Mapping[str | None, Inside | None]  # by session, how far passes have come in one that is not over


@click.command()
@click.argument("name", metavar="FILE|SESSION")
@project_option
@json_option
def why(*, name: str, directory: str, as_json: bool) -> None:
    """Show the words that made a memory: who said them, when, and in which conversation.

    Of a conversation, named by its id, the beginning of that, or its transcript: what came of it and why.
    """
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    require_own(surroundings, place)
    try:
        known = _known(named.topic_path(name, place.path), place, surroundings)
    except (UsageError, RefusedError):
        if (told := conversation.find(name, surroundings)) is None:
            raise
        conversation.show(told, as_json=as_json)
        return
    if as_json:
        print_json(_document(known, place.path))
    else:
        _print(known)


def _known(path: str, place: MemoryDir, surroundings: Here) -> Known:
    """Look a memory up in the history, and in the ledger. Raises UsageError where there never was one."""
    kept, memory_dir = surroundings.paths.history, place.path
    runs = tuple(record for record in history.runs(kept) if _touches(record, path, memory_dir))
    is_live = _is_live(memory_dir, path)
    if not is_live and not runs:
        named.read(memory_dir, path)  # says what is there instead
    found = tuple(history.why(path, memory_dir=memory_dir, history=kept))
    with ledger_if_there(surroundings) as ledger:
        left = {one.session: rest.rest(ledger, f"{claude_code.AGENT}:{one.session}") for one in found}
    return Known(
        path=path,
        is_live=is_live,
        is_edited=is_live and _is_edited(runs, path, memory_dir),
        origins=origin.of(surroundings, place),
        runs=runs,
        found=found,
        left=left,
    )


def _is_edited(runs: Sequence[Record], path: str, memory_dir: Path) -> bool:
    """Whether something else stands there than memd left; `runs` that had a hand in it, newest first."""
    with files.open_directory(memory_dir) as memory:
        live = steps.standing(memory, path)
    left = next((file.after for record in runs for file in record.files if file.path == path), None)
    return live != left


def _touches(record: Record, path: str, memory_dir: Path) -> bool:
    return record.memory_dir == str(memory_dir) and any(
        file.path == path and file.what != What.LEFT for file in record.files
    )


def _is_live(memory_dir: Path, path: str) -> bool:
    try:
        with files.open_directory(memory_dir) as memory:
            return files.read_regular(memory, path) is not None
    except FileNotFoundError:
        return False


def _described(one: Why) -> dict[str, Any]:
    return {
        "run": one.run_id,
        "kind": one.kind,
        "at": one.at.isoformat(timespec="seconds"),
        "session": one.session,
        "quotes": [held.quoted(quote) for quote in one.quotes],
    }


def _runs(runs: Sequence[Record], path: str) -> dict[str, Any]:
    return {"runs": [{"id": one.id, "kind": one.run.kind, "what": _what(one, path)} for one in runs]}


def _what(record: Record, path: str) -> str:
    return next(file.what.value for file in record.files if file.path == path)


def _document(known: Known, memory_dir: Path) -> dict[str, Any]:
    return {
        "file": known.path,
        "memory_dir": valid(str(memory_dir)),
        "live": known.is_live,
        "edited_since": known.is_edited,
        **known.origins.described(known.path),
        "known": bool(known.found),
        "why": [_described(one) | rest.described(known.left[one.session]) for one in known.found],
        **_runs(known.runs, known.path),
    }


def _print(known: Known) -> None:
    if told := known.origins.told(known.path):
        click.echo(told)
    _print_words(known.path, known.found, known.runs)
    for session, inside in known.left.items():
        if inside is not None:
            click.echo(f"Session {shown(session or '')} is not over yet: {rest.in_words(inside)}.")
    if not known.is_live:
        click.echo(f"{shown(known.path)} is no longer there.")
    elif known.is_edited and known.runs:
        click.echo("Somebody changed the file since memd last wrote it.")


def _print_words(path: str, found: Sequence[Why], runs: Sequence[Record]) -> None:
    for one in found:
        session = f", session {shown(one.session)}" if one.session else ""
        click.echo(f"run {one.run_id} ({one.kind}), {at(one.at.timestamp())}{session}")
        for quote in one.quotes:
            when = f", {at(quote.at.timestamp())}" if quote.at else ""
            click.echo(f"  {SPEAKERS[quote.evidence]}{when}: “{shown(quote.text)}”")
    known, by = {one.run_id for one in found}, standing.undone_by(runs)
    purged = _purge_of(runs)
    for record in runs:
        if record.id not in known and (purged is None or record.id > purged):
            click.echo(_wordless(record, path, by.get(record.id)))
    if purged is not None:
        click.echo(f"run {purged} forgot it and took its words out of the history, as a person asked (--purge).")
    elif not found and not runs:
        click.echo(f"The origin of {shown(path)} is not known: no run of memd's that is still in the history wrote it.")
    elif not found and _is_unexplained(runs, by):
        click.echo(f"The origin of {shown(path)} is not known.")


def _purge_of(runs: Sequence[Record]) -> int | None:
    """The last run that had the words taken out of the history; what came before it tells nothing any more."""
    return next((record.id for record in runs if record.run.purges), None)


def _is_unexplained(runs: Sequence[Record], undone_by: Mapping[int, int]) -> bool:
    """Whether a run is among them of which nothing says why it changed the memory."""
    return any(
        record.run.undoes is None
        and record.id not in undone_by
        and not record.run.forgets
        and record.run.kind not in _BY_HAND
        for record in runs
    )


def _wordless(record: Record, path: str, undone_by: int | None) -> str:
    """What a run did to a memory without anybody's words that still stand for it, and why that is so."""
    run, what = record.run, _what(record, path)
    if run.undoes is not None:
        return f"run {record.id} took run {run.undoes} back, and so {what} it"
    if undone_by is not None:
        return f"run {record.id} ({run.kind}) {what} it, and was taken back by run {undone_by}: its words hold no more"
    if run.forgets:
        return f"run {record.id} forgot it, as a person asked, and so {what} it"
    if run.kind in _BY_HAND:
        return f"run {record.id}: a person {_BY_HAND[run.kind]} it"
    return f"run {record.id} ({run.kind}) {what} it; no words are kept of that"


@click.command()
@click.argument("run", type=RUN_NUMBER)
@within_option
@json_option
def diff(*, run: int, directory: str | None, as_json: bool) -> None:
    """Print what a run changed, as a unified diff."""
    surroundings = here()
    kept = surroundings.paths.history
    with ledger_if_there(surroundings) as ledger:
        known = past_run(surroundings, ledger, run)
    if known is None:
        raise UsageError(f"there is no run {run} in the history", hint="`memd history --all` lists all runs")
    require_within(surroundings, directory, f"run {run}", memory_dir=known.memory_dir, root=known.project)
    text = history.diff(run, history=kept) if _is_kept(known) else ""
    dropped = _dropped(known)
    if as_json:
        changed = [{"path": valid(path), "what": what} for path, what in known.files if what != APPENDED]
        print_json(
            {
                "run": run,
                "memory_dir": known.memory_dir and valid(known.memory_dir),
                "files": changed,
                "diff": valid(text),
                **({"dropped": list(dropped)} if dropped else {}),
            }
        )
        return
    if not text:
        click.echo(f"Run {run} ({known.kind}, {at(known.started)}) changed no files: {in_words(known)}.", err=True)
    click.echo(tame(text) if sys.stdout.isatty() else text, nl=False)
    for line in dropped:
        click.echo(f"# {line}")


def _dropped(run: PastRun) -> tuple[str, ...]:
    """The notes that a dream made nothing of."""
    if run.dream is None or not run.dream.dropped or run.memory_dir is None:
        return ()
    from memd.cli import dream_words  # noqa: PLC0415 - of dreams alone, and this is to be quick

    said = dream_words.dropped(run.dream, Path(run.memory_dir))
    return ("notes of the log that were dropped:", *said) if said else ()


def _is_kept(run: PastRun) -> bool:
    """Whether the history says what a run changed; it need not, of one that changed nothing. Raises MemdError."""
    if run.is_recorded:
        return True
    if run.outcome is None:
        raise LockedError(f"run {run.id} is not finished", hint="what was broken off is finished when memd runs next")
    if run.files or run.outcome == Outcome.SAVED:
        raise MemdError(
            f"what run {run.id} changed is no longer in the history: {in_words(run)}",
            hint="[history] keep says for how long it is kept",
        )
    return False
