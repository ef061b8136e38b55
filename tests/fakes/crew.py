"""What a keeper works with, without processes, events and time of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from memd.daemon.events import Event
from memd.ledger import Job
from tests.fakes.clock import FakeClock


@dataclass
class FakeWorker:
    """What a process of the crew is at."""

    since: float  # monotonic seconds
    job: Job | None = None


@dataclass
class FakeWorkers:
    """Two places for workers; processes that exist lend them their numbers."""

    clock: FakeClock
    at_work: dict[int, FakeWorker] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many work now."""
        return len(self.at_work)

    async def start(self) -> int:
        """Employ one."""
        pid = next(pid for pid in (os.getpid(), os.getppid()) if pid not in self.at_work)
        self.at_work[pid] = FakeWorker(self.clock.monotonic())
        return pid

    def dismiss(self, pid: int) -> None:
        """Nobody is ever dismissed here."""
        raise AssertionError(pid)


@dataclass
class FakeWatcher:
    """Events can be relied on, or not, as the machine says."""

    trouble: str | None = None
    missing: int = 0

    def stale(self) -> bool:
        """Never."""
        return False

    def arm(self) -> None:
        """Nothing to do."""

    def aim(self, roots: Iterable[Path]) -> None:
        """There is nothing that it would look at."""

    def unwatched(self, directories: Iterable[str]) -> int:
        """As the machine says."""
        del directories
        return self.missing


@dataclass
class FakeAlarm:
    """Remembers how often to sweep."""

    sweep: float = 300.0

    def every(self, event: Event, seconds: float) -> None:
        """Take it in."""
        del event
        self.sweep = seconds

    def now(self, event: Event) -> None:
        """Nothing posts at once here."""
        raise AssertionError(event)


async def breathe() -> bool:
    """Nothing else waits for its turn."""
    return True
