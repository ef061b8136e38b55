"""What is remembered and said of a sync."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.memory.membership import Membership
from memd.team import base as bases
from memd.team import last
from memd.team.last import Last, Shape
from memd.team.nouns import SyncReport

if TYPE_CHECKING:  # it takes longer to import than most syncs take
    from structlog.typing import FilteringBoundLogger


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What was known when it began, and what stood in `team/`."""

    known: Last | None
    shape: Shape
    sure: Shape  # as far as it can be relied on


def before(one: Membership) -> Before:
    """Take that down."""
    shape, now = _now(one)
    return Before(known=last.load(one), shape=shape, sure=last.sure(shape, now))


def _now(one: Membership) -> tuple[Shape, float]:
    return last.shape(one), time.time()


def remember(one: Membership, was: Before, report: SyncReport, now: float, *, whole: bool = True) -> Last:
    """Keep how it went, at `now` (seconds since the epoch); `whole`: every file was looked at. Raises OSError."""
    shape = last.taken_in(report, was.sure, _own(one, report))
    known = last.after(was.known, report, at=now, shape=shape, whole=whole)
    last.save(one, known)
    return known


def _own(one: Membership, report: SyncReport) -> Shape:
    """What the sync wrote, as far as it still stands so: somebody may have saved theirs since, or deleted it."""
    if not report.received:
        return {}
    from memd.team import snapshot  # noqa: PLC0415 - slow to import, and most syncs write nothing

    stands, base = last.sure(*_now(one)), bases.load(one.directory)
    blobs = snapshot.look(one.memory_dir, base).blobs  # read after the dates
    written = {path: blob for path, blob in base.files.items() if path in report.received}
    as_written = (path for path, blob in written.items() if blobs.get(path) == blob and path in stands)
    return dict.fromkeys(written, last.UNSURE) | {path: stands[path] for path in as_written}


def tell(log: FilteringBoundLogger, was: Last | None, known: Last, report: SyncReport) -> None:
    """Log what is new: an outage once when it begins and once when it is over, whatever its length."""
    failed = was is not None and was.failures > 0
    if not report.in_order and not (failed and was is not None and was.outcome == report.outcome):
        log.warning("team_sync_failed", outcome=report.outcome, reason=report.reason)
    elif report.in_order and failed:
        log.info("team_sync_restored")
    if report.sent or report.received or report.conflicts:
        counts = {"sent": len(report.sent), "received": len(report.received), "conflicts": len(report.conflicts)}
        log.info("team_synced", **counts, run=report.run_id)
    if report.rewritten:
        log.warning("team_remote_rewritten")
    if report.repaired:
        log.warning("team_repository_set_aside", path=report.repaired)
    if known.held and (was is None or was.held != known.held):
        log.warning("team_held_back", files=len(known.held), rules=sorted({one.rule for one in known.held}))
