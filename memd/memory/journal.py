"""The directory of one run: what it is about to do, and afterwards what it did.

    history/<id>/entry.json      while the run is unfinished: everything needed to finish it
    history/<id>/record.json     once it is finished
    history/<id>/before/<path>   whole files, as they were
    history/<id>/after/<path>    and as the run wants them
    history/<id>/log/bullets     the lines for the daily log

Plain files and not rows: a corrupt ledger must not take undo along. Whoever works on a run holds the lock of its
directory, so that an unfinished run without a holder is one whose process died.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from memd import files
from memd.memory import secret_kept
from memd.memory.decision import Dropped, Held, Review, Tombstone
from memd.memory.dream_report import DreamReport
from memd.memory.quotes import Quote
from memd.memory.workspace import Problem

ENTRY, RECORD = "entry.json", "record.json"
BEFORE, AFTER, LOG = "before", "after", "log"
LIMIT = 64 * files.MEGABYTE  # bytes of anything kept here


class What(StrEnum):
    """What happened to a file."""

    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"
    LEFT = "left"  # somebody else changed it meanwhile, and theirs stands
    PURGED = "purged"  # a person had it taken out of the history: its images are gone


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNote:
    """What a caller says about a run; `cursor` is opaque here and comes back to whoever recovers the run."""

    kind: str  # "extract", "remember", "log", "undo", ...
    started: datetime  # aware
    id: int | None = None  # its number, where the caller took one from the ledger; None: the history's next
    ended: datetime | None = None  # when the proposal was complete; stamps the log's bullets
    session: str | None = None
    project: str | None = None  # the canonical root
    outcome: str | None = None  # None: judged by the files
    cursor: Any = None  # JSON
    quotes: Mapping[str, tuple[Quote, ...]] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # uuids of messages whose quotes went
    held: tuple[Held, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    undoes: int | None = None  # the run that this one takes back
    forgets: tuple[Tombstone, ...] = ()
    purges: bool = False  # what it forgets is to go from the history too
    reviews: Review | None = None
    odd: tuple[Problem, ...] = ()  # what was passed over, in the memory directory and in the proposal
    dream: DreamReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One file of a run, its images named by their SHA-256 (None: no such file)."""

    path: str
    what: What
    before: str | None
    after: str | None
    by_agent: bool = False  # what stood there before was an agent's


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """Where a run's bullets go. `size` is the log's, in bytes, before them."""

    path: str
    size: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run, finished or not."""

    id: int
    memory_dir: str
    outcome: str  # "saved", "held", "nothing", or what the caller said
    run: RunNote
    files: tuple[FileRecord, ...] = ()
    conflicts: tuple[str, ...] = ()  # paths where the live file won
    log: LogRecord | None = None
    keeps_index: bool = False


@contextmanager
def new_run(history: Path, wanted: int | None = None) -> Iterator[tuple[int, int]]:
    """A new run's (id, directory descriptor), locked until the end. Ids are small integers that only grow.

    A caller with a ledger takes the id there, so that runs which wrote nothing have theirs in the same row; where that
    number is in use already (the ledger was lost), the next free one serves. No run ever overwrites another.
    """
    with ExitStack() as stack:
        with files.open_directory(history, create=True) as root, files.locked(root):
            run_id = next_id(history) if wanted is None or (history / str(wanted)).exists() else wanted
            run_fd = stack.enter_context(files.open_below(root, str(run_id), create=True))
            stack.enter_context(files.locked(run_fd))
        yield run_id, run_fd


@contextmanager
def existing_run(history: Path, run_id: int, *, timeout: float = files.LOCK_SECONDS) -> Iterator[int]:
    """The descriptor of a run's directory, locked. LockedError when its process still works on it."""
    with (
        files.open_directory(history) as root,
        files.open_below(root, str(run_id)) as run_fd,
        files.locked(run_fd, timeout=timeout),
    ):
        yield run_fd


def next_id(history: Path) -> int:
    """One more than the highest run there is; the ledger is not asked, as it may have been lost."""
    return max(ids(history), default=0) + 1


def ids(history: Path) -> tuple[int, ...]:
    """The runs there are, oldest first, unfinished and empty ones included."""
    try:
        with os.scandir(history) as found:
            names = [entry.name for entry in found]
    except FileNotFoundError:
        return ()
    return tuple(sorted(int(name) for name in names if name.isascii() and name.isdecimal()))


def is_open(history: Path, run_id: int) -> bool:
    """Whether a run looks unfinished, seen from outside: cheap, for there are many finished ones."""
    run = f"{history}/{run_id}"  # a Path for each of thousands would cost more than the question
    return os.path.exists(f"{run}/{ENTRY}") or not os.path.exists(f"{run}/{RECORD}")  # noqa: PTH110 - see above


def write_entry(run_fd: int, record: Record) -> None:
    """From here on the run happens, now or at the next recovery."""
    files.write_atomic(run_fd, ENTRY, _encoded(record))


def finish(run_fd: int, record: Record) -> None:
    """The run is over: its record stays, its journal entry goes."""
    amend(run_fd, record)
    files.failpoint("store.recorded")
    files.remove(run_fd, ENTRY)
    files.failpoint("store.done")


def amend(run_fd: int, record: Record) -> None:
    """Put another record in a finished run's place."""
    files.write_atomic(run_fd, RECORD, _encoded(record))


def _encoded(record: Record) -> bytes:
    """A record as it may be kept: of what did not go live, nothing secret."""
    run = record.run
    told = replace(
        run,
        quotes={path: tuple(map(secret_kept.quote, said)) for path, said in run.quotes.items()},
        held=tuple(map(secret_kept.held, run.held)),
        dropped=tuple(map(secret_kept.dropped, run.dropped)),
    )
    return msgspec.json.format(msgspec.json.encode(replace(record, run=told)), indent=1)


def read_entry(run_fd: int) -> Record | None:
    """The journal entry of an unfinished run. msgspec.DecodeError where it is damaged."""
    return _read(run_fd, ENTRY)


def read_record(run_fd: int) -> Record | None:
    """The record of a finished run. msgspec.DecodeError where it is damaged."""
    return _read(run_fd, RECORD)


def keep_image(run_fd: int, side: str, path: str, data: bytes | None) -> None:
    """Keep a whole file; None leaves none."""
    if data is None:
        files.remove(run_fd, f"{side}/{path}")
    else:
        files.write_atomic(run_fd, f"{side}/{path}", data)


def image(run_fd: int, side: str, path: str) -> bytes | None:
    """A kept file."""
    return files.read_regular(run_fd, f"{side}/{path}", limit=LIMIT)


def forget_abandoned(history: Path, run_id: int) -> None:
    """Remove a run that died before its entry was written: nothing live was touched."""
    with files.open_directory(history) as root, files.locked(root), existing_run(history, run_id, timeout=0) as run_fd:
        if read_entry(run_fd) is None and read_record(run_fd) is None:
            shutil.rmtree(history / str(run_id), ignore_errors=True)


def digest(data: bytes | None) -> str | None:
    """The name of some bytes in a record."""
    return None if data is None else hashlib.sha256(data).hexdigest()


def _read(run_fd: int, name: str) -> Record | None:
    data = files.read_regular(run_fd, name, limit=LIMIT)
    return None if data is None else msgspec.json.decode(data, type=Record)
