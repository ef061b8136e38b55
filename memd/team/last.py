"""How the last sync of a team memory went, and since when: kept beside its repository."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from memd import files
from memd.errors import UnsafePathError
from memd.memory.layout import LEVELS, TEAM, may_be_shared
from memd.memory.membership import Membership
from memd.team.nouns import HeldBack, Outcome, Refused, SyncReport

NAME = "last.json"

_VERSION = 1
_LIMIT = 4 * files.MEGABYTE
_MOMENT = 0.05  # seconds, longer than any file system's dates are apart
_CONFLICTS = 20  # that are remembered

FRESH = 7 * 86400.0  # seconds that a conflict is spoken of

UNSURE = (-1, 0.0)  # of a file that is to be looked at again, whatever stands there, and if nothing does
Shape = Mapping[str, tuple[int, float]]  # size (bytes) and date (seconds since the epoch), by path below team/


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A conflict, when it was (seconds since the epoch), and the run of the history that holds the edit that lost."""

    path: str
    at: float
    run: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """What is known of the syncs so far. Times are seconds since the epoch."""

    version: int = _VERSION
    at: float  # when the last one ended
    outcome: Outcome
    reason: str | None = None
    hint: str | None = None
    good_at: float | None = None  # when both sides were last known to be the same
    whole_at: float | None = None  # when the last one ended that looked at every file
    failing_since: float | None = None  # when the first of those ended that have failed in a row
    failures: int = 0  # how many
    held: tuple[HeldBack, ...] = ()
    refused: tuple[Refused, ...] = ()
    clashes: tuple[Clash, ...] = ()  # the newest first
    changed_at: float | None = None  # when something last went out or came in
    sent: int = 0  # how many files did then
    received: int = 0
    rewritten_at: float | None = None  # when the remote's history was last found to be another
    repaired: str | None = None  # where a damaged repository was put aside
    shape: Mapping[str, tuple[int, float]] = field(default_factory=dict)  # of team/, as far as it was taken in


def after(before: Last | None, report: SyncReport, *, at: float, shape: Shape, whole: bool = True) -> Last:
    """What is known after one more sync; `whole`: one that looked at every file."""
    old = before or Last(at=at, outcome=report.outcome)
    is_good, changed = report.in_order, bool(report.sent or report.received)
    clashes = tuple(Clash(path=one.path, at=at, run=report.run_id) for one in report.conflicts)
    return replace(
        old,
        at=at,
        outcome=report.outcome,
        reason=report.reason,
        hint=report.hint,
        good_at=at if is_good else old.good_at,
        whole_at=at if whole else old.whole_at,
        failing_since=None if is_good else (old.failing_since or at),
        failures=0 if is_good else old.failures + 1,
        held=report.held if is_good or report.held else old.held,
        refused=report.refused if is_good or report.refused else old.refused,
        clashes=(*clashes, *old.clashes)[:_CONFLICTS],
        changed_at=at if changed else old.changed_at,
        sent=len(report.sent) if changed else old.sent,
        received=len(report.received) if changed else old.received,
        rewritten_at=at if report.rewritten else old.rewritten_at,
        repaired=report.repaired or old.repaired,
        shape=shape,
    )


def open_clashes(known: Last | None, now: float, *, dreamt_at: float, undone: Collection[int]) -> tuple[Clash, ...]:
    """The conflicts of a week that nobody has looked at: no dream since, and the run was not taken back."""
    clashes = () if known is None else known.clashes
    return tuple(one for one in clashes if now - one.at < FRESH and one.at > dreamt_at and one.run not in undone)


def load(membership: Membership) -> Last | None:
    """What is known; None where nothing is, or nothing that can be read."""
    try:
        with files.open_directory(membership.directory) as directory:
            data = files.read_regular(directory, NAME, limit=_LIMIT)
        found = None if data is None else msgspec.json.decode(data, type=Last)
    except (OSError, UnsafePathError, msgspec.DecodeError):
        return None
    return found if found is not None and found.version == _VERSION else None


def save(membership: Membership, last: Last) -> None:
    """Keep it. Raises OSError."""
    with files.open_directory(membership.directory) as directory:
        files.write_atomic(directory, NAME, msgspec.json.encode(last))


def shape(membership: Membership) -> Shape:
    """What stands in `team/` now, told without reading it."""
    try:
        with (
            files.open_directory(membership.memory_dir) as memory,
            files.open_below(memory, TEAM) as team,
        ):
            found = (one for one in files.walk(team, levels=LEVELS) if may_be_shared(one.path))
            return {_spelled(one.path): (one.size, one.mtime) for one in found}
    except (OSError, UnsafePathError):
        return {}


def sure(shape: Shape, now: float) -> Shape:
    """A shape taken just `now` (seconds since the epoch), UNSURE where it would not change with another write.

    What was written in that very moment may be written again with the same date, and be of the same size.
    """
    return {path: one if abs(now - one[1]) > _MOMENT else UNSURE for path, one in shape.items()}


def _spelled(path: str) -> str:
    """A path as it can be written down: bytes that are no UTF-8 by their figures."""
    return path.encode("utf-8", "backslashreplace").decode()


def taken_in(report: SyncReport, before: Shape, own: Shape) -> Shape:
    """The shape that a sync has dealt with: as it was when it began, but for what it wrote itself (`own`).

    What somebody else changed meanwhile thus differs from what stands there, and is found by the next look.
    """
    return {path: one for path, one in before.items() if path not in report.received} | dict(own)
