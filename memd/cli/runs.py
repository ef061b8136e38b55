"""The runs there were, put together from the ledger and from `history/`, which outlives it."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import click

from memd.cli.here import Here
from memd.cli.words import iso, shown, valid
from memd.clock import SystemClock
from memd.errors import LedgerError
from memd.extract.gate import KEPT, LEFT_OUT, MORE, Skip
from memd.ledger import Ledger, Outcome, Run, read_ledger
from memd.memory import history
from memd.memory.decision import secret_rules
from memd.memory.dream_report import DreamReport
from memd.memory.journal import Record
from memd.memory.layout import INDEX
from memd.memory.location import MemoryDir

APPENDED = "appended"  # what happened to a daily log
NOTED = "noted"  # how a run ended that only did that
REASONS = {
    Skip.MEMORY_OFF: "memory is off there",
    Skip.OFF_THE_RECORD: "that conversation is off the record",
    Skip.EXCLUDED: "[projects] exclude names the project",
    Skip.OWN_SESSION: "memd itself started that conversation",
    Skip.NOTHING_NEW: "nothing new in it",
    Skip.NO_HUMAN_MESSAGE: "nobody said anything in it",
    Skip.FORGOTTEN: "what was said there is to stay forgotten",
    Skip.AGENT_WROTE_MEMORY: "the agent saved memory itself",
    MORE: "nothing worth saving in a part of a long conversation; the rest follows",
    "rejected": "kept a proposal out for good",
    "barred": "keeps a memory that was gone from coming back",
    "date_done": "a dream was here already",
    "nothing_to_do": "too few conversations since the last dream, and no open notes",
    "no_memory": "there is no memory yet",
    "too_much_lost": "it would have lost more than a quarter of the memory; nothing was changed",
    "more_to_come": "the rest of the backlog waits for the next dream",
    KEPT: "what is worth saving in it is kept already",
    Outcome.NOTHING: "nothing worth saving",
    Outcome.HELD: "held for a review",
    Outcome.SAVED: "",
    Outcome.FAILED: "",
    "worker_died": "the process that worked on it died",
    "transcript_gone": "its transcript is gone",
    "refused": "a safety rule forbade it",
    "UnwritableError": "the memory directory could not be used",
    "LockedError": "another process was at work there",
    "BudgetError": "no more may be spent today",
    "TooSmallCapError": "a cap of [caps] has no room for a single request",
    "AuthError": "the model's service refused the credentials",
    "TransientError": "the model's service could not be used",
    "stopped": "memd was asked to end; it is taken up again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """One run, from whichever of the two knows it. Times are seconds since the epoch."""

    id: int
    kind: str
    session: str | None  # the session id, without its agent
    project: str | None  # the canonical root, or a directory in it where no pass has found that yet
    memory_dir: str | None
    started: float
    ended: float | None
    outcome: str | None  # None: it still goes on, or its process died
    reason: str | None
    files: tuple[tuple[str, str | None], ...]  # path and what happened; None where only the ledger is left to tell
    undoes: int | None = None
    undone_by: int | None = None  # the run that took it back, and was not taken back itself
    dream: DreamReport | None = None
    held: tuple[str, ...] = ()  # proposals that did not go live, by path
    waiting: int = 0  # of these, still to be judged
    secrets: tuple[str, ...] = ()  # why words were left out: the rules' ids
    is_placed: bool = True  # whether its project is a root
    is_recorded: bool = False  # whether the history, too, knows it


@contextmanager
def ledger_if_there(surroundings: Here) -> Iterator[Ledger | None]:
    """Open the ledger for a command that only reads: none is made, and trouble with it stops nothing."""
    with ExitStack() as stack:
        yield _opened(surroundings.paths.ledger, stack)


def _opened(path: Path, stack: ExitStack) -> Ledger | None:
    if not path.exists():
        return None
    try:
        return stack.enter_context(read_ledger(path, SystemClock()))
    except LedgerError as error:
        warn(f"{error}" + (f"; {error.hint}" if error.hint else ""))
        return None


def past_runs(surroundings: Here, ledger: Ledger | None, *, of: MemoryDir | None = None) -> Iterator[PastRun]:
    """Every run, newest first; with `of`, those of that project alone."""
    from_ledger = () if ledger is None else ledger.runs(limit=-1)
    kept = history.runs(surroundings.paths.history)
    both: Iterator[Run | Record] = heapq.merge(from_ledger, kept, key=lambda run: run.id, reverse=True)
    gone: dict[int, int] = {}  # newest first: whoever takes a run back comes before it
    judged: Counter[int] = Counter()  # likewise: how many of a run's proposals
    for _, grouped in groupby(both, key=lambda run: run.id):
        same = list(grouped)
        found = _merged(same, ledger)
        run = replace(found, undone_by=gone.get(found.id), waiting=max(0, found.waiting - judged[found.id]))
        if run.undone_by is None:
            judged.update(one.run.reviews.run for one in same if isinstance(one, Record) and one.run.reviews)
        if run.undoes is not None and run.undone_by is None:
            gone.setdefault(run.undoes, run.id)
        if of is None or _belongs(run, of):
            yield run


def past_run(surroundings: Here, ledger: Ledger | None, number: int) -> PastRun | None:
    """One run by its number; None: there is none."""
    newer = takewhile(lambda run: run.id >= number, past_runs(surroundings, ledger))
    return next((run for run in newer if run.id == number), None)


def _merged(same: list[Run | Record], ledger: Ledger | None) -> PastRun:
    rows = [run for run in same if isinstance(run, Run)]
    records = [run for run in same if isinstance(run, Record)]
    return _from_record(records[0], rows[0] if rows else None) if records else _from_row(rows[0], ledger)


def _from_record(record: Record, row: Run | None) -> PastRun:
    """The record tells what was done to which file; only the ledger knows a reason."""
    files: list[tuple[str, str | None]] = [(file.path, file.what) for file in record.files]
    if record.log is not None:
        files.append((record.log.path, APPENDED))
    said = record.run
    return PastRun(
        id=record.id,
        kind=said.kind,
        session=said.session,
        project=said.project,
        memory_dir=record.memory_dir,
        started=said.started.timestamp(),
        ended=(row and row.ended) or (said.ended or said.started).timestamp(),
        outcome=record.outcome,
        reason=row.reason if row else None,
        files=tuple(files),
        undoes=said.undoes,
        dream=said.dream,
        held=tuple(one.path for one in said.held),
        waiting=sum(one.change.after is not None for one in said.held),
        secrets=tuple(sorted({*_secrets(row), *secret_rules(said.dropped)})),
        is_recorded=True,
    )


def _secrets(row: Run | None) -> tuple[str, ...]:
    """The rules by which a pass left words out, where that is why there is no more."""
    reason = (row and row.reason) or ""
    return tuple(reason.removeprefix(LEFT_OUT).split(",")) if reason.startswith(LEFT_OUT) else ()


def _from_row(row: Run, ledger: Ledger | None) -> PastRun:
    session = ledger.session(row.session_key) if ledger and row.session_key else None
    return PastRun(
        id=row.id,
        kind=row.kind,
        session=row.session_key and row.session_key.partition(":")[2],
        project=row.root or (session.root or session.cwd if session else None),
        memory_dir=row.memory_dir,
        started=row.started,
        ended=row.ended,
        outcome=row.outcome,
        reason=row.reason,
        files=tuple((path, None) for path in row.files),
        secrets=_secrets(row),
        is_placed=row.root is not None,
    )


def _belongs(run: PastRun, place: MemoryDir) -> bool:
    """Whether a run is a project's; of two with the same directory, as their slugs are, that of the one it names."""
    if run.project is None or not run.is_placed:
        is_below = run.project is not None and Path(run.project).is_relative_to(place.root)
        return is_below if run.memory_dir is None else run.memory_dir == str(place.path)
    return run.project == str(place.root) or (run.memory_dir == str(place.path) and place.rule[:5] != "base:")


def described(run: PastRun) -> dict[str, Any]:
    """Put a run into the shape that programs get."""
    return {
        "id": run.id,
        "kind": run.kind,
        "session": run.session,
        "project": run.project and valid(run.project),
        "memory_dir": run.memory_dir and valid(run.memory_dir),
        "started": iso(run.started),
        "ended": iso(run.ended),
        "outcome": run.outcome,
        "reason": run.reason,
        "undoes": run.undoes,
        "undone_by": run.undone_by,
        "files": [{"path": valid(path), "what": what} for path, what in run.files],
        **({} if run.dream is None else {"dream": asdict(run.dream)}),
        **({"held": [valid(path) for path in run.held], "waiting": run.waiting} if run.held else {}),
    }


# What else than "saved" comes of a run of such a kind.
_OF_KIND = {"undo": "undone", "forget": "forgotten", "pin": "pinned", "unpin": "unpinned"}


def outcome_in_words(run: PastRun) -> str:
    """How a run ended, for people: what only added to the log, or took something away, has saved no memory."""
    saved = _saved_in_words(run) if run.outcome == Outcome.SAVED else ""
    if not run.held:
        return saved or run.outcome or "-"
    saved = f"saved {len(_topics(run))}" if saved == Outcome.SAVED else saved
    return f"{saved}, held {len(run.held)}".removeprefix(", ")


def _saved_in_words(run: PastRun) -> str:
    only_noted = run.dream is None and all(what == APPENDED for _, what in run.files)
    return _OF_KIND.get(run.kind) or (NOTED if only_noted else Outcome.SAVED)


def in_words(run: PastRun) -> str:
    """Say what came of a run: its files, or why there are none; and whether it still holds."""
    parts = (_result(run), _held_in_words(run), left_out(run.secrets) if run.secrets else "")
    taken_back = f" [taken back by run {run.undone_by}]" if run.undone_by is not None else ""
    return "; ".join(part for part in parts if part) + taken_back


def _held_in_words(run: PastRun) -> str:
    still = "`memd review list`" if run.waiting else "judged since"
    return f"held {', '.join(map(shown, run.held))} ({still})" if run.held else ""


def left_out(rules: Sequence[str]) -> str:
    """Say that words were left out, and by which rules; never the words."""
    return f"left out: looks like a secret ({', '.join(rules)})"


def _result(run: PastRun) -> str:
    if run.undoes is not None:
        return f"took run {run.undoes} back"
    if run.dream is not None:
        return _dream_in_words(run.dream)
    if run.files:
        return _files_in_words(run) + ("; of a long conversation, the rest follows" if run.reason == MORE else "")
    if run.outcome is None:
        return "still at work"
    if run.held and run.outcome == Outcome.HELD:
        return ""
    return reason_in_words(run.outcome if run.secrets else run.reason or run.outcome)


def reason_in_words(code: str, outcome: str | None = Outcome.NOTHING) -> str:
    """Why a run that ended so saved nothing, or not all."""
    if code.startswith(LEFT_OUT):
        said = REASONS.get(outcome or "", "")
        return f"{said}; {left_out(code.removeprefix(LEFT_OUT).split(','))}".removeprefix("; ")
    return REASONS.get(code, code.replace("_", " "))


def _dream_in_words(report: DreamReport) -> str:
    """Count what became of topics and notes; `memd history` is read in a minute."""
    kinds = Counter(step.did.value for step in report.steps)
    parts = [f"{count} {did}" for did, count in kinds.items()]
    parts += [f"notes: {', '.join(f'{count} {how}' for how, count in report.notes.items())}"] if report.notes else []
    return "; ".join(parts) or "index mended"


def _files_in_words(run: PastRun) -> str:
    """Name the memories, by what happened to them; index and log only where they are all there is."""
    topics = _topics(run) or run.files
    kinds = dict.fromkeys(what for _, what in topics)
    names = {kind: ", ".join(shown(path) for path, what in topics if what == kind) for kind in kinds}
    return "; ".join(f"{kind} {paths}" if kind else paths for kind, paths in names.items())


def _topics(run: PastRun) -> list[tuple[str, str | None]]:
    return [(path, what) for path, what in run.files if path != INDEX and what != APPENDED]


def warn(message: str) -> None:
    """Say something on stderr that does not stop the command, once."""
    context = click.get_current_context(silent=True)
    said: set[str] = set() if context is None else context.meta.setdefault("memd.warned", set())
    if message not in said:
        said.add(message)
        click.echo(f"warning: {message}", err=True)
