"""Rescans for those who have nothing else to do in between."""

from __future__ import annotations

from memd.daemon.reconcile import Rescan, Steps


def at_once(steps: Steps) -> Rescan:
    """A rescan without pauses."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            seen: Rescan = end.value
            return seen
