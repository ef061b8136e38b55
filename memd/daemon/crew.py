"""Who works: starts workers for what is ready, and paces those that get nothing done."""

from __future__ import annotations

import asyncio
import math

from memd.daemon.events import WorkerEnded
from memd.daemon.setup import Setup
from memd.daemon.workers import Workers
from memd.failpoints import failpoint
from memd.ledger import Ledger

_SOON = 0.5  # seconds, the shortest wait for a job that should be ready by now
_WORST_PAUSE = 60.0  # seconds between two workers where they keep failing
_PATIENCE = 15.0  # seconds that `once` waits for a job, such as one whose worker died
_HELD_UP = 60.0  # seconds between two questions whether work still has to wait
_GIVE_UP = 3  # failing workers in a row, then `once` ends


class Crew:
    """The keeper's hands; called by the loop alone."""

    def __init__(self, setup: Setup, ledger: Ledger, workers: Workers) -> None:
        self._setup = setup
        self._ledger = ledger
        self._workers = workers
        self._failures = 0  # workers in a row that got nothing done
        self._rests_until = -math.inf  # monotonic seconds
        self._in_hurry = False
        self.held_up: str | None = None  # why what is ready waits
        self._said: str | None = None  # the same, as it stands in the log
        self._claims: dict[int, str | None] = {}  # how many jobs had been claimed by anybody when a worker started

    def __len__(self) -> int:
        """How many work now."""
        return len(self._workers)

    @property
    def failing(self) -> bool:
        """Whether the last worker got nothing done."""
        return self._failures > 0

    @property
    def hopeless(self) -> bool:
        """Whether so many have failed in a row that `once` ends."""
        return self._failures >= _GIVE_UP

    def adopt(self, setup: Setup) -> None:
        """Go on by other settings, by which there may be money for what waits: the next worker finds out."""
        self._setup = setup
        self._ledger.take_up()

    async def employ(self) -> float:
        """Start workers for what is ready; the seconds until more is, `inf` where only an event can bring it."""
        self.held_up = None
        if self._ledger.paused_at() is not None:
            return math.inf
        while True:
            queue = self._ledger.queue()
            idle = max(0, len(self._workers) - queue.leased)
            if len(self._workers) >= self._setup.staff.concurrency or (queue.ready and queue.ready <= idle):
                return math.inf  # the end of a worker is an event
            now = self._setup.clock.monotonic()
            if queue.ready and now < self._rests_until:
                return self._rests_until - now
            if not queue.ready:
                self._in_hurry = False
                return self._until_more(queue.next_at)
            if await self._must_wait():
                return _HELD_UP
            await self._start()

    def ended(self, event: WorkerEnded) -> None:
        """A worker is over."""
        log = self._setup.log.info if event.code == 0 else self._setup.log.warning
        log("worker_ended", pid=event.pid, code=event.code, timed_out=event.timed_out)
        claimed = self._claims.pop(event.pid, None) != self._ledger.meta("token")
        worked = claimed or not self._ledger.queue().ready  # all of it waits: nothing may be spent now
        if event.code == 0 and worked:
            self._failures = 0
        else:
            self._rest()

    def hurry(self) -> None:
        """Somebody does not want to wait for the end of a rest."""
        self._rests_until = -math.inf
        self._in_hurry = True

    async def _must_wait(self) -> bool:
        """Whether the machine is in no state for work that nobody waits for. The system is asked beside the loop."""
        if self._setup.held_up is None or self._setup.once or self._in_hurry:
            return False
        self.held_up = await asyncio.to_thread(self._setup.held_up)
        if self.held_up != self._said:
            self._setup.log.info("work_waits" if self.held_up else "work_goes_on", reason=self.held_up)
        self._said = self.held_up
        return self.held_up is not None

    def _until_more(self, next_at: float | None) -> float:
        """The seconds until a waiting job is ready; `once` waits for a short rest, not for a long backoff."""
        wait = math.inf if next_at is None else max(_SOON, next_at - self._setup.clock.now().timestamp())
        return math.inf if self._setup.once and wait > _PATIENCE else wait

    async def _start(self) -> None:
        try:
            pid = await self._workers.start()
        except OSError as error:
            self._setup.log.error("worker_not_started", error=str(error))  # noqa: TRY400  # no traceback for that
            self._rest()
            return
        if not self._ledger.acquire_worker(pid, limit=self._setup.staff.host_limit):
            self._setup.log.error("worker_dismissed", pid=pid, reason="too many workers on this host")
            self._workers.dismiss(pid)
            return
        self._claims[pid] = self._ledger.meta("token")
        self._setup.log.info("worker_started", pid=pid)
        failpoint("daemon.worker_started")

    def _rest(self) -> None:
        """Before the next worker, longer each time: one that ends without having done anything will again."""
        self._failures += 1
        self._rests_until = self._setup.clock.monotonic() + min(2.0 ** (self._failures - 1), _WORST_PAUSE)
