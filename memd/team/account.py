"""What is remembered and said of a sync."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.memory.membership import Membership
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


def before(one: Membership) -> Before:
    """Take that down."""
    return Before(known=last.load(one), shape=last.shape(one))


def remember(one: Membership, was: Before, report: SyncReport, now: float) -> Last:
    """Keep how it went, at `now` (seconds since the epoch). Raises OSError."""
    shape = last.taken_in(report, was.shape, last.shape(one))
    known = last.after(was.known, report, at=now, shape=shape)
    last.save(one, known)
    return known


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
