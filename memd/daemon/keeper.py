"""What the loop does with each event, and between events; the state it owns."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from memd.daemon import health
from memd.daemon.clock import Alarm
from memd.daemon.events import Beat, Changed, Event, Rearm, Stop, Sweep, WorkerEnded
from memd.daemon.reconcile import Rescan, Steps, rescan
from memd.daemon.setup import Setup
from memd.daemon.tracker import Tracker
from memd.daemon.watcher import Watcher, unwatched
from memd.daemon.workers import Workers
from memd.failpoints import failpoint
from memd.ledger import Ledger

Post = Callable[[Event], None]
Breathe = Callable[[], Awaitable[bool]]  # lets the loop turn in the middle of long work; False: it should end

_DAY = 86400.0  # seconds between two clearings of the ledger
_SOON = 0.5  # seconds, the shortest wait for a job that should be ready by now
_WORST_PAUSE = 60.0  # seconds between two workers where they keep failing
_PATIENCE = 15.0  # seconds that `once` waits for a job, such as one whose worker died
_LONG = 600.0  # seconds of failing turns, then the daemon gives up and its service manager starts it anew
_BREATH = 0.05  # seconds of work, then the loop turns
_GIVE_UP = 3  # failing workers in a row, then `once` ends


class Keeper:
    """Owns what is due and who works; called by the loop alone."""

    def __init__(
        self, setup: Setup, ledger: Ledger, workers: Workers, watcher: Watcher, alarm: Alarm, breathe: Breathe
    ) -> None:
        self.over = False
        self._setup = setup
        self._ledger = ledger
        self._workers = workers
        self._watcher = watcher
        self._alarm = alarm
        self._breathe = breathe
        self._tracker = Tracker(ledger, setup.transcripts, setup.clock, setup.rules(), setup.root_of)
        self._events = health.Events(setup.settings.watch.sweep)
        self._began = setup.clock.now().timestamp()
        self._calm_until = -math.inf  # monotonic seconds; nothing to do before that, unless something happens
        self._failures = 0  # workers in a row that got nothing done
        self._paused_until = -math.inf
        self._claims: dict[int, str | None] = {}  # how many jobs had been claimed by anybody when a worker started
        self._cleared_at = -math.inf
        self._failing_since: float | None = None

    async def start(self) -> None:
        """Compare everything with the ledger, and say that the daemon is there."""
        await self._sweep(missed_counts=False)
        await self._beat()

    async def act(self, event: Event) -> None:
        """Take in what happened."""
        if not isinstance(event, Changed):
            self._calm_until = -math.inf
        match event:
            case Changed(paths=paths):
                self._look(paths)
            case Sweep():
                await self._sweep(missed_counts=True)
            case Rearm():
                await self._rearm()
            case Beat():
                await self._beat()
            case WorkerEnded():
                self._worker_ended(event)
            case Stop(signal=number):
                self._setup.log.info("stop_requested", signal=number)
                self.over = True

    def _look(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                path.encode()
            except UnicodeEncodeError:  # no agent writes such a name, and the ledger cannot keep it
                continue
            self._calm_until = min(self._calm_until, self._tracker.hint(path))

    async def advance(self) -> float:
        """Queue what is due and start workers for it; how many seconds may pass before the next time.

        With `once`, nothing left to do means that it is over.
        """
        now = self._setup.clock.monotonic()
        if now < self._calm_until:  # a few files have grown, as they do all the time
            return self._calm_until - now
        again_at, asked = self._tracker.enqueue_due()
        for key, reason in asked:
            self._setup.log.info("extraction_queued", session=key, reason=reason)
            failpoint("daemon.queued")
        wait = await self._start_workers()
        if self._setup.once and not len(self._workers) and (math.isinf(wait) or self._failures >= _GIVE_UP):
            self.over = True
            return 0.0
        now = self._setup.clock.monotonic()
        self._calm_until = min(now + wait, again_at)
        return max(0.0, self._calm_until - now)

    def bears(self, error: Exception) -> bool:
        """Whether to go on after a turn that failed; not for ever. A rescan then finds what the turn missed."""
        now = self._setup.clock.monotonic()
        self._failing_since = self._failing_since or now
        self._setup.log.error("turn_failed", error=str(error), since=now - self._failing_since)
        return now - self._failing_since < _LONG and not self._setup.once

    async def catch_up(self) -> None:
        """After a turn that failed, look at everything again, now that events are taken in anew."""
        if self._failing_since is not None:
            self._calm_until = -math.inf
            self._tracker.refresh()
            await self._sweep(missed_counts=False)
            self._failing_since = None

    def end(self) -> int:
        """The exit code; the ledger no longer says that a daemon runs."""
        self._ledger.set_meta("daemon", "")
        return int(self._setup.once and self._failures > 0)

    async def _start_workers(self) -> float:
        """Start workers for what is ready; the seconds until more is, `inf` where only an event can bring it."""
        while True:
            queue = self._ledger.queue()
            idle = max(0, len(self._workers) - queue.leased)
            if len(self._workers) >= self._setup.staff.concurrency or (queue.ready and queue.ready <= idle):
                return math.inf  # the end of a worker is an event
            now = self._setup.clock.monotonic()
            if queue.ready and now < self._paused_until:
                return self._paused_until - now
            if not queue.ready:
                return self._until_more(queue.next_at)
            await self._start_worker()

    def _until_more(self, next_at: float | None) -> float:
        """The seconds until a waiting job is ready; `once` waits for a short rest, not for a long backoff."""
        wait = math.inf if next_at is None else max(_SOON, next_at - self._setup.clock.now().timestamp())
        return math.inf if self._setup.once and wait > _PATIENCE else wait

    async def _start_worker(self) -> None:
        try:
            pid = await self._workers.start()
        except OSError as error:
            self._setup.log.error("worker_not_started", error=str(error))  # noqa: TRY400  # no traceback for that
            self._pause()
            return
        if not self._ledger.acquire_worker(pid, limit=self._setup.staff.host_limit):
            self._setup.log.error("worker_dismissed", pid=pid, reason="too many workers on this host")
            self._workers.dismiss(pid)
            return
        self._claims[pid] = self._ledger.meta("token")
        self._setup.log.info("worker_started", pid=pid)
        failpoint("daemon.worker_started")

    def _worker_ended(self, event: WorkerEnded) -> None:
        log = self._setup.log.info if event.code == 0 else self._setup.log.warning
        log("worker_ended", pid=event.pid, code=event.code, timed_out=event.timed_out)
        worked = self._claims.pop(event.pid, None) != self._ledger.meta("token")
        if event.code == 0 and worked:
            self._failures = 0
        else:
            self._pause()
        self._ledger.close_dead_runs()
        self._tracker.refresh()

    def _pause(self) -> None:
        """Before the next worker, longer each time: one that ends without having done anything will again."""
        self._failures += 1
        self._paused_until = self._setup.clock.monotonic() + min(2.0 ** (self._failures - 1), _WORST_PAUSE)

    async def _rearm(self) -> None:
        self._watcher.arm()
        self._setup.log.info("watch_armed", trouble=self._watcher.trouble)
        await self._sweep(missed_counts=False)

    async def _sweep(self, *, missed_counts: bool) -> None:
        began = time.monotonic()
        now = self._setup.clock.now().timestamp()
        steps = rescan(self._ledger, self._setup.transcripts, self._tracker, now=now, began=self._began)
        seen = await self._through(steps)
        if seen is None:
            return
        if seen.looked or seen.noted:
            self._setup.log.info("rescan_done", files=seen.files, looked=seen.looked, noted=seen.noted)
        if not self._setup.once:
            self._judge(seen, seen.missed if missed_counts else 0, cost=time.monotonic() - began)
        if self._setup.clock.monotonic() - self._cleared_at > _DAY:
            self._cleared_at = self._setup.clock.monotonic()
            self._clear(now - self._setup.settings.history.keep)

    async def _through(self, steps: Steps) -> Rescan | None:
        """Take a rescan to its end, with the loop turning in between; None: it was broken off, as all has to end."""
        breath = time.monotonic()
        while True:
            try:
                next(steps)
            except StopIteration as end:
                seen: Rescan = end.value
                return seen
            if time.monotonic() - breath > _BREATH:
                if not await self._breathe():
                    return None
                breath = time.monotonic()

    def _clear(self, oldest: float) -> None:
        """Drop what is older than that (seconds since the epoch)."""
        self._ledger.forget_before(oldest)
        runs = self._setup.paths.history
        if _has_older(runs, oldest):
            from memd.memory import history  # noqa: PLC0415 - a daemon at rest stays small

            history.prune(runs, before=datetime.fromtimestamp(oldest, UTC))

    def _judge(self, seen: Rescan, missed: int, *, cost: float) -> None:
        """Rescan more often while events cannot be relied on, and try to get them back."""
        before = self._events
        now = self._setup.clock.monotonic()
        self._events = before.judge(self._watcher.trouble, unwatched(seen.directories), missed, now)
        if self._events.trouble != before.trouble:
            self._setup.log.warning("file_events_judged", trouble=self._events.trouble)
        if self._events.trouble or before.trouble:
            self._alarm.every(self._events.interval(cost), Sweep.__name__, self._alarm.ring_of(Sweep.__name__))
        if self._events.wants_retry(now):
            self._watcher.arm()
            self._events = self._events.retried(now)

    async def _beat(self) -> None:
        if not self._setup.once and self._watcher.stale() and self._watcher.trouble is None:
            await self._rearm()
        self._ledger.set_meta(
            "daemon", health.report(self._setup, self._events, len(self._tracker), len(self._workers))
        )


def _has_older(directory: Path, when: float) -> bool:
    """Whether anything in a directory has not been changed since `when`."""
    try:
        return any(one.lstat().st_mtime < when for one in directory.iterdir())
    except OSError:  # there is no such directory, or somebody deletes in it right now
        return False
