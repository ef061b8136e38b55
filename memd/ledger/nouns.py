"""The nouns of the ledger. All times are seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

OFF = "off"  # a conversation's state: nobody is to learn anything from it
EXTRACT = "extract"  # the one kind of job that belongs to a conversation
DREAM = "dream"  # of a whole memory directory
RECALL = "recall"  # no job, but a question to a model: which memories bear on something


class Mark(IntEnum):
    """What became of a message that was dealt with."""

    PASSED_OVER = 0  # nobody was to learn from it then; or so old that it is not known
    LOOKED_AT = 1
    OFF_THE_RECORD = 2  # for good, whatever its conversation is by now


class Outcome(StrEnum):
    """How a run ended."""

    SAVED = "saved"  # files were written
    NOTHING = "nothing"  # looked, and found nothing worth saving: a normal result
    HELD = "held"  # something waits for a person's review
    SKIPPED = "skipped"  # a gate said no; the reason says which
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation, as far as memd knows it."""

    key: str  # "claude-code:<session id>"
    agent: str
    session_id: str
    path: str  # of its transcript
    root: str | None = None  # canonical project root, kept from first sight: work trees get deleted
    cwd: str | None = None
    cursor: str | None = None  # how far it was dealt with; the ledger does not look inside
    size: int = 0  # bytes, when last looked at
    mtime_ns: int = 0
    settled: int | None = None  # the size up to which nothing is left to do; None: never dealt with
    first_seen: float = 0.0
    last_pass_at: float | None = None
    noted_reason: str | None = None  # "backfill": older than memd, counted but not due
    state: str = "tracked"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """What somebody wants done."""

    kind: str = EXTRACT
    session_key: str | None = None  # an extraction's conversation
    memory_dir: str | None = None  # where it is known already; a job without a session needs one
    by_hand: bool = False
    again: bool = False
    dry_run: bool = False
    complete_only: bool = False  # leave a last turn that is not complete for later
    watermark: int = 0  # the transcript's size that made it due
    not_before: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work in the queue; `token` and `lease_until` are set while somebody works on it."""

    id: int
    kind: str
    session_key: str | None
    memory_dir: str | None
    place: str  # at most one job at a time is leased for one place
    by_hand: bool
    again: bool
    dry_run: bool
    complete_only: bool
    watermark: int
    state: str  # "queued" or "leased"
    attempts: int  # that counted: failures for good and dead workers, not the weather
    failures: int  # all of them, weather included: what a backoff grows with
    not_before: float
    token: int | None
    lease_until: float | None
    put_off: bool = False  # no cap had room for it, so that it waits alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One piece of work that was begun; `ended` and `outcome` are None while it goes on."""

    id: int
    kind: str = EXTRACT
    session_key: str | None = None
    root: str | None = None
    memory_dir: str | None = None
    started: float = 0.0
    ended: float | None = None
    outcome: str | None = None
    reason: str | None = None
    files: tuple[str, ...] = ()  # relative to the memory directory


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What could be worked on."""

    ready: int  # places with a job that may be claimed now
    leased: int  # jobs somebody works on
    next_at: float | None  # when the next one becomes ready, None: nothing waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Figures for a status line."""

    sessions: int
    noted: int  # conversations older than memd, left for a backfill
    queued: int
    leased: int
    runs: int
    last_saved_at: float | None
