"""Making a commit's files live: in one journalled transaction, and only where nobody edited meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from memd import files
from memd.errors import MemdError, TransientError, UnsafePathError
from memd.failpoints import failpoint
from memd.ledger import Outcome, Run
from memd.memory import journal, store, topic, usable
from memd.memory.authors import Author
from memd.memory.journal import RunNote, What
from memd.memory.layout import TEAM
from memd.memory.log import Bullet
from memd.memory.membership import Membership
from memd.memory.steps import keep_age
from memd.memory.store import Applied, Plan
from memd.memory.workspace import Change
from memd.team import incoming, objects
from memd.team.base import Base
from memd.team.git import Repository
from memd.team.house import House
from memd.team.nouns import Conflict, Refused
from memd.team.objects import blob_name

KIND = "team"  # of run


class ChangedMeanwhileError(TransientError):
    """Somebody edits in `team/`, or something else stands in a file's place there."""

    def __init__(self, paths: Collection[str]) -> None:
        """`paths` are below team/."""
        super().__init__(f"{files.printable(min(paths))} was edited meanwhile", hint="the next sync takes it in")
        self.paths = frozenset(paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a commit wants to stand in `team/`."""

    commit: str
    files: Mapping[str, str]  # the blob by path below team/
    fresh: Mapping[str, bytes] = field(default_factory=dict)  # contents by blob, of those that are not there yet
    refused: tuple[Refused, ...] = ()
    others: frozenset[str] = frozenset()  # paths of the commit that are not to be live


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What is to be done to `team/`, and what is left as it is though the commit has it otherwise."""

    changes: Mapping[str, str | None]  # the blob by path; None: it goes
    aside: frozenset[str] = frozenset()
    crowded_out: frozenset[str] = frozenset()  # of those, where the commit has a directory


def wanted(repository: Repository, commit: str, base: Base) -> Wanted:
    """Look through a commit's files; those that stand there already were looked through before."""
    entries = objects.listing(repository, commit)
    judged = incoming.judge(entries, base.files)
    fresh = [entry for entry in judged.good if base.files.get(entry.path) != entry.oid]
    contents = objects.blobs(repository, fresh)
    reasons = ((entry.path, incoming.content(entry.path, contents[entry.oid])) for entry in fresh)
    bad = {path: Refused(path=files.printable(path), reason=why) for path, why in reasons if why is not None}
    good = {entry.path: entry.oid for entry in judged.good if entry.path not in bad}
    return Wanted(
        commit=commit,
        files=good,
        fresh=contents,
        refused=(*judged.refused, *bad.values()),
        others=frozenset(entry.path for entry in entries if entry.path not in good),
    )


def steps(wanted: Wanted, base: Base, untouchable: frozenset[str]) -> Steps:
    """What has to be done. What is held back here, and what may not be live there, is left alone."""
    changes: dict[str, str | None] = {}
    aside: set[str] = set()
    crowded = {path for path in base.files if incoming.is_crowded_out(path, wanted.others)}
    for path in sorted({*wanted.files, *base.files}):
        new = wanted.files.get(path)
        if new == base.files.get(path):
            continue
        if path in untouchable or path in crowded or (new is None and path in wanted.others):
            aside.add(path)
        else:
            changes[path] = new
    return Steps(changes=changes, aside=frozenset(aside), crowded_out=frozenset(aside & crowded))


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What became of it."""

    run_id: int | None = None
    done: Mapping[str, str | None] = field(default_factory=dict)  # as in Steps
    left: frozenset[str] = frozenset()  # paths left to somebody who saved theirs in the very moment


def make(
    house: House, membership: Membership, todo: Steps, wanted: Wanted, base: Base, conflicts: Sequence[Conflict]
) -> Made:
    """Do it, all or nothing. ChangedMeanwhileError, and nothing was done, where a file is not as in the base.

    UnwritableError or OSError where the directory cannot be written; what was begun then is finished by a recovery.
    """

    def plan(memory: int) -> Plan:
        changes = tuple(_changes(memory, todo, wanted, base))
        return Plan(changes=changes, bullets=tuple(_flags(changes, conflicts, begun.id)))

    begun = _begin(house, membership)
    try:
        with usable.explained(membership.memory_dir):
            applied = store.transact(
                membership.memory_dir,
                plan,
                run=_note(house, begun, todo),
                history=house.paths.history,
                commit=lambda applied: house.ledger.end_run(_ended(begun, applied)),
            )
    except (MemdError, OSError) as error:
        with suppress(sqlite3.Error):
            house.ledger.end_run(replace(begun, outcome=_failure(error), reason=type(error).__name__))
        raise
    left = frozenset(file.path.removeprefix(f"{TEAM}/") for file in applied.files if file.what == What.LEFT)
    done = {path: blob for path, blob in todo.changes.items() if path not in left}
    return Made(run_id=applied.run_id, done=done, left=left & todo.changes.keys())


def keep_ages(memory_dir: Path, authors: Mapping[str, Author], blobs: Mapping[str, str | None]) -> None:
    """Let files be as old as their last edit, wherever that was made: age is mtime. `blobs`: what was made live."""
    with suppress(OSError, UnsafePathError), files.open_directory(memory_dir) as memory:
        for path, blob in blobs.items():
            at = authors[path].at if path in authors else None
            if at is not None and blob is not None:
                keep_age(memory, f"{TEAM}/{path}", at, partial(_is_blob, blob))


def _is_blob(blob: str, data: bytes) -> bool:
    return blob_name(data) == blob


def _failure(error: Exception) -> Outcome:
    return Outcome.SKIPPED if isinstance(error, ChangedMeanwhileError) else Outcome.FAILED


def _begin(house: House, membership: Membership) -> Run:
    at_least = journal.next_id(house.paths.history)
    memory_dir = str(membership.memory_dir)
    number = house.ledger.start_run(KIND, memory_dir=memory_dir, at_least=at_least)
    started = house.clock.now().timestamp()
    return Run(id=number, kind=KIND, root=str(membership.project), memory_dir=memory_dir, started=started)


def _note(house: House, begun: Run, todo: Steps) -> RunNote:
    """Say what a recovery needs to close this run in the ledger."""
    expected = replace(begun, outcome=Outcome.SAVED, files=tuple(f"{TEAM}/{path}" for path in todo.changes))
    now = house.clock.now()
    cursor: dict[str, Any] = {"cursor": None, "uuids": [], "run": asdict(expected)}
    return RunNote(id=begun.id, kind=KIND, started=now, ended=now, project=begun.root, outcome="saved", cursor=cursor)


def _ended(begun: Run, applied: Applied) -> Run:
    written = tuple(file.path for file in applied.files if file.what != What.LEFT)
    return replace(begun, outcome=Outcome.SAVED, files=written)


def _changes(memory: int, todo: Steps, wanted: Wanted, base: Base) -> Iterator[Change]:
    """The changes, from what stands there now; only where that is what the base says."""
    different = set()
    for path, blob in todo.changes.items():
        try:
            data = files.read_regular(memory, f"{TEAM}/{path}")
        except (UnsafePathError, PermissionError):
            different.add(path)
            continue
        found = None if data is None else blob_name(data)
        if found == base.files.get(path):
            after = None if blob is None else wanted.fresh[blob]
            yield Change(path=f"{TEAM}/{path}", before=data, after=after)
        elif found != blob:
            different.add(path)
    if different:
        raise ChangedMeanwhileError(different)
    failpoint("team.planned")


def _flags(changes: Sequence[Change], conflicts: Sequence[Conflict], run_id: int) -> Iterator[Bullet]:
    """An open line for each edit that lost, so that the next dream looks at it."""
    lost = {conflict.path: conflict.ours for conflict in conflicts}
    for change in changes:
        path = change.path.removeprefix(f"{TEAM}/")
        if change.before is not None and lost.get(path) == blob_name(change.before):
            said = topic.parse(change.before)
            text = f"{said.description or said.name} (so said {change.path} here; a team mate's edit of it stands)"
            yield Bullet(type=said.type or "note", text=text, source=f"team, run {run_id}")
