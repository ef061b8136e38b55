"""Whether file events can be relied on, and the sign of life that others read."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memd.daemon.setup import Setup

_POLL = 5.0  # seconds between two rescans where events cannot be relied on,
_SHARE = 100  # or more: a rescan may take a hundredth of the time
_RETRY = 600.0  # seconds until events are trusted anew


@dataclass(frozen=True, slots=True)
class Events:
    """What is known about the file events; times are monotonic seconds."""

    sweep: float  # seconds between two rescans where all is well
    trouble: str | None = None
    retry_at: float = 0.0

    def judge(self, refused: str | None, unwatched: int, missed: int, now: float) -> Events:
        """The same after a rescan: `refused` by the system, directories without watch, changes nobody told of."""
        found = refused or _said(unwatched, missed)
        if found is not None:
            return replace(self, trouble=found, retry_at=self.retry_at if self.trouble else now + _RETRY)
        if self.trouble is not None and now >= self.retry_at:
            return replace(self, trouble=None)
        return self

    def wants_retry(self, now: float) -> bool:
        """Whether it is time to set the watches up anew."""
        return self.trouble is not None and now >= self.retry_at

    def retried(self, now: float) -> Events:
        """The same after the watches were set up anew."""
        return replace(self, retry_at=now + _RETRY)

    def interval(self, cost: float) -> float:
        """Seconds between two rescans, where one takes `cost` seconds."""
        return self.sweep if self.trouble is None else min(self.sweep, max(_POLL, cost * _SHARE))


def _said(unwatched: int, missed: int) -> str | None:
    if unwatched:
        return f"polling: {unwatched} directories are past the limit of inotify watches"
    if missed:
        return f"polling: {missed} changes came without an event"
    return None


def as_it_stands(file: Path) -> tuple[int, ...]:
    """What tells a file from itself after a change; empty where it is not there."""
    try:
        found = file.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def report(setup: Setup, events: Events, *, refused: str | None, held_up: str | None) -> dict[str, Any]:
    """Who runs, when it was last alive, whether it polls, which settings it refused, and why its work waits.

    And which file of settings is no longer the one that it has read.
    """
    file = setup.paths.config_file
    changed = None if refused or as_it_stands(file) == setup.settings_read else str(file)
    return {
        "pid": os.getpid(), "at": setup.clock.now().timestamp(), "trouble": events.trouble,
        "settings_refused": refused, "held_up": held_up, "settings_changed": changed,
    }  # fmt: skip
