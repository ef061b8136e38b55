"""What each open conversation waits for, for whoever asks the daemon; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from memd.clock import Clock
from memd.daemon.due import Decision, Tracked

QUEUED = "queued"  # a job for it waits, or is worked on
_MOST = 50  # that an answer holds


def told(judged: Iterable[tuple[Tracked, Decision]], clock: Clock) -> list[dict[str, Any]]:
    """For each: its id, its transcript, why no pass is due, and how many seconds that holds at most (None: open)."""
    now = clock.monotonic()
    rows = [_told(tracked, decision, now) for tracked, decision in judged]
    return sorted(rows, key=lambda row: math.inf if row["seconds"] is None else row["seconds"])[:_MOST]


def _told(tracked: Tracked, decision: Decision, now: float) -> dict[str, Any]:
    queued = tracked.asked is not None and tracked.asked >= tracked.size
    seconds = None if queued or math.isinf(decision.again_at) else max(0.0, decision.again_at - now)
    reason = QUEUED if queued else decision.reason
    return {"session": tracked.session_id, "path": tracked.path, "reason": str(reason), "seconds": seconds}
