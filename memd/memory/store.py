"""The one transaction for every change of a memory directory, by a pass or by hand.

Journal first, then each file by itself, then the index, then the daily log, then the caller's cursor. A crash anywhere
is finished by `recover`, which goes through the same steps again: each finds out for itself whether it was done.
Where somebody else changed a file meanwhile, theirs stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from memd import files
from memd.errors import LockedError, UnsafePathError
from memd.memory import journal, log, steps, topic, whose, witnessed
from memd.memory.journal import FileRecord, LogRecord, Record, RunNote, What
from memd.memory.layout import INDEX
from memd.memory.log import Bullet
from memd.memory.workspace import Change

__all__ = ["Applied", "Plan", "Recovered", "RunNote", "apply", "keep_ages", "plan", "recover", "transact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What a transaction did."""

    run_id: int
    outcome: str
    files: tuple[FileRecord, ...]
    conflicts: tuple[Change, ...]  # not applied, because the live file had changed; each left an open bullet
    bullets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What became of an unfinished run."""

    run_id: int
    run: RunNote | None  # None where the entry could not be read
    left: tuple[str, ...] = ()  # paths left to the person who edited them meanwhile
    problem: str | None = None  # why it is still unfinished


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a transaction is to do, judged against the live files under the lock."""

    changes: tuple[Change, ...]
    conflicts: tuple[Change, ...] = ()
    bullets: tuple[Bullet, ...] = ()
    keeps_index: bool = False  # MEMORY.md is not to be brought in line with the topics


def apply(
    memory_dir: Path,
    changes: Sequence[Change],
    *,
    run: RunNote,
    history: Path,
    bullets: Sequence[Bullet] = (),
    commit: Callable[[Applied], None] | None = None,
) -> Applied:
    """Make `changes` live and append `bullets`, as one run in `history`. MEMORY.md is rebuilt, never taken.

    `commit` moves the caller's cursor; it is called once everything stands. When it raises, or anything else does
    after the journal was written, `recover` finishes the run. LockedError when another process works there.
    """

    def make_plan(memory: int) -> Plan:
        return plan(memory, changes, bullets)

    return transact(memory_dir, make_plan, run=run, history=history, commit=commit)


def transact(
    memory_dir: Path,
    make_plan: Callable[[int], Plan],
    *,
    run: RunNote,
    history: Path,
    commit: Callable[[Applied], None] | None = None,
) -> Applied:
    """Carry out what `make_plan` says when it is given the locked memory directory's descriptor."""
    with steps.locked_memory(memory_dir, create=True) as memory:
        plan = make_plan(memory)
        with journal.new_run(history, run.id) as (run_id, run_fd):
            files.failpoint("store.made_run")
            record = _begin(memory, memory_dir, plan, run, (run_id, run_fd), history)
            record = steps.carry_out(memory, run_fd, record)
            applied = _applied(record, plan)
            if commit is not None:
                commit(applied)
            files.failpoint("store.committed")
            with suppress(OSError):  # all of it stands and the cursor has moved: a recovery will write the record
                journal.finish(run_fd, record)
    return applied


def keep_ages(memory_dir: Path, applied: Applied, ages: Mapping[str, float]) -> None:
    """Let what a transaction wrote be as old as its contents, in seconds since the epoch: age is mtime."""
    with files.open_directory(memory_dir) as memory:
        for file in applied.files:
            if file.path in ages and file.after is not None and file.what != What.LEFT:
                steps.keep_age(memory, file.path, ages[file.path], partial(_is_version, file.after))


def _is_version(digest: str, data: bytes) -> bool:
    return journal.digest(data) == digest


def recover(
    history: Path,
    on_recovered: Callable[[RunNote], None],
    *,
    memory_dir: Path | None = None,
    only: Callable[[RunNote], bool] = lambda _: True,
) -> tuple[Recovered, ...]:
    """Finish what dead processes left unfinished, oldest first. Runs that are still being worked on are passed over.

    `on_recovered` moves the cursor that the note names; it may be called again for the same run after another crash.
    `memory_dir`: only the runs of that directory; `only`: those for which it says so.
    """

    def wanted(entry: Record) -> bool:
        return (memory_dir is None or entry.memory_dir == str(memory_dir)) and only(entry.run)

    open_runs = (run_id for run_id in journal.ids(history) if journal.is_open(history, run_id))
    found = (_recover_one(history, run_id, on_recovered, wanted) for run_id in open_runs)
    return tuple(recovered for recovered in found if recovered is not None)


def plan(memory: int, changes: Sequence[Change], bullets: Sequence[Bullet]) -> Plan:
    """What of these changes can still be made: of a file that somebody changed meanwhile, theirs stands."""
    good: list[Change] = []
    lost: list[Change] = []
    for change in changes:
        if change.path == INDEX or change.before == change.after:
            continue
        standing = steps.standing(memory, change.path)
        if standing == journal.digest(change.before):
            good.append(change)
        elif standing != journal.digest(change.after):
            lost.append(change)
    return Plan(changes=tuple(good), conflicts=tuple(lost), bullets=_with_lost(bullets, lost))


def _with_lost(bullets: Sequence[Bullet], lost: Sequence[Change]) -> tuple[Bullet, ...]:
    """The bullets, those of saves that did not happen turned into open ones."""
    rest = list(bullets)
    opened: list[Bullet] = []
    for change in lost:
        saved = next((bullet for bullet in rest if bullet.text.endswith(_arrow(change.path))), None)
        if saved is not None:
            rest.remove(saved)
            opened.append(replace(saved, text=saved.text.removesuffix(_arrow(change.path)).rstrip()))
        elif change.after is not None:
            proposed = topic.parse(change.after)
            opened.append(Bullet(type=proposed.type or "note", text=proposed.description or proposed.name))
    return (*rest, *opened)


def _arrow(path: str) -> str:
    return f"→ {path}"


def _begin(memory: int, memory_dir: Path, plan: Plan, run: RunNote, place: tuple[int, int], history: Path) -> Record:
    """Keep the images and write the journal: from here on the run happens, now or at a recovery."""
    run_id, run_fd = place
    agents = whose.by_agents(memory, plan.changes, witnessed.load(history, memory_dir))
    for change in plan.changes:
        journal.keep_image(run_fd, journal.BEFORE, change.path, change.before)
        journal.keep_image(run_fd, journal.AFTER, change.path, change.after)
    record = Record(
        id=run_id,
        memory_dir=str(memory_dir),
        outcome=run.outcome or _outcome(plan, run),
        run=run,
        files=tuple(steps.file_record(change, by_agent=change.path in agents) for change in plan.changes),
        conflicts=tuple(change.path for change in plan.conflicts),
        log=_keep_bullets(memory, run_fd, plan, run),
        keeps_index=plan.keeps_index,
    )
    files.failpoint("store.wrote_images")
    journal.write_entry(run_fd, record)
    files.failpoint("store.journalled")
    return record


def _keep_bullets(memory: int, run_fd: int, plan: Plan, run: RunNote) -> LogRecord | None:
    now = run.ended or run.started
    lines = log.render(plan.bullets, now)
    if not lines:
        return None
    path = log.path_for(now)
    size = len(steps.log_bytes(memory, path))
    journal.keep_image(run_fd, journal.LOG, steps.BULLETS, lines)
    return LogRecord(path=path, size=size, lines=lines.count(b"\n"))


def _outcome(plan: Plan, run: RunNote) -> str:
    if plan.changes or plan.bullets:
        return "saved"
    return "held" if run.held else "nothing"


def _applied(record: Record, plan: Plan) -> Applied:
    return Applied(
        run_id=record.id,
        outcome=record.outcome,
        files=record.files,
        conflicts=plan.conflicts,
        bullets=record.log.lines if record.log else 0,
    )


def _recover_one(
    history: Path, run_id: int, on_recovered: Callable[[RunNote], None], wanted: Callable[[Record], bool]
) -> Recovered | None:
    entry = None
    try:
        with journal.existing_run(history, run_id, timeout=0) as run_fd:
            entry = journal.read_entry(run_fd)
            if entry is not None:
                return _finish(run_fd, entry, on_recovered) if wanted(entry) else None
        journal.forget_abandoned(history, run_id)
    except (LockedError, FileNotFoundError, NotADirectoryError):
        return None  # somebody works on it, or has just cleared it away
    except (msgspec.DecodeError, UnsafePathError) as error:
        return Recovered(run_id=run_id, run=None, problem=f"The journal of run {run_id} cannot be read: {error}")
    except OSError as error:
        said = entry.run if entry else None
        return Recovered(run_id=run_id, run=said, problem=f"Run {run_id} could not be finished: {error.strerror}")
    return None


def _finish(run_fd: int, entry: Record, on_recovered: Callable[[RunNote], None]) -> Recovered:
    files.failpoint("store.recovering")
    files.clean_temporaries(run_fd, levels=4)
    try:
        record = journal.read_record(run_fd) or _carried_out(run_fd, entry)
    except LockedError as error:
        return Recovered(run_id=entry.id, run=entry.run, problem=str(error))
    files.failpoint("store.recovered_files")
    on_recovered(record.run)
    files.failpoint("store.told_recovered")
    journal.finish(run_fd, record)
    left = tuple(file.path for file in record.files if file.what == What.LEFT)
    return Recovered(run_id=record.id, run=record.run, left=left)


def _carried_out(run_fd: int, entry: Record) -> Record:
    try:
        with steps.locked_memory(Path(entry.memory_dir)) as memory:
            return steps.carry_out(memory, run_fd, entry)
    except (FileNotFoundError, NotADirectoryError):  # the whole memory directory is gone: a person's decision
        return replace(entry, files=tuple(replace(file, what=What.LEFT) for file in entry.files), log=None)
