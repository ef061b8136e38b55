"""What the loop does with each event, and between events; the state it owns."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from memd.daemon import health, waiting
from memd.daemon.clearing import clear
from memd.daemon.clock import Alarm
from memd.daemon.crew import Crew
from memd.daemon.events import Asked, Beat, Changed, Event, Minute, Rearm, Reload, Stop, Sweep, TeamEnded, WorkerEnded
from memd.daemon.failures import failures, no_room
from memd.daemon.nights import Nights
from memd.daemon.reconcile import Rescan, Steps, rescan
from memd.daemon.requests import Request, Verb
from memd.daemon.setup import Setup
from memd.daemon.teams import Teams
from memd.daemon.tracker import Tracker
from memd.daemon.watcher import Watcher
from memd.daemon.workers import Workers
from memd.errors import LedgerLostError, MemdError
from memd.failpoints import failpoint
from memd.ledger import Ledger
from memd.transcripts.ending import EndHint

Post = Callable[[Event], None]
Breathe = Callable[[], Awaitable[bool]]  # lets the loop turn in the middle of long work; False: it should end

_DAY = 86400.0  # seconds between two clearings of the ledger
_LONG = 600.0  # seconds of failing turns, then the daemon gives up and its service manager starts it anew
_BREATH = 0.05  # seconds of work, then the loop turns


class Keeper:
    """Owns what is due and who works; called by the loop alone."""

    def __init__(
        self, setup: Setup, ledger: Ledger, workers: Workers, watcher: Watcher, alarm: Alarm, breathe: Breathe
    ) -> None:
        self.over = False
        self._setup = setup
        self._ledger = ledger
        self._crew = Crew(setup, ledger, workers)
        self._watcher = watcher
        self._alarm = alarm
        self._breathe = breathe
        self._tracker = Tracker(ledger, setup.transcripts, setup.clock, setup.rules(), setup.root_of)
        self._nights = Nights(ledger, setup.clock)
        self._teams = Teams(setup, ledger, _syncers(setup, alarm.now))
        self._events = health.Events(setup.settings.watch.sweep)
        self._began = setup.clock.now().timestamp()
        self._calm_until = -math.inf  # monotonic seconds; nothing to do before that, unless something happens
        self._cleared_at = -math.inf
        self._failed: frozenset[str] = frozenset()  # what was said to be wrong
        self._failing_since: float | None = None
        self._refused: str | None = None  # what is wrong with the settings, where it goes on with older ones

    async def start(self) -> None:
        """Compare everything with the ledger, and say that the daemon is there."""
        await self._sweep(missed_counts=False)
        self._say_failures()
        self._queue_dreams()
        await self._beat()

    async def act(self, event: Event) -> None:
        """Take in what happened."""
        if not isinstance(event, Changed):
            self._calm_until = -math.inf
        match event:
            case Changed(paths=paths):
                self._look(self._teams.heed(paths))
                self._calm_until = min(self._calm_until, self._teams.wanted_at)
            case Sweep():
                await self._sweep(missed_counts=True)
            case Rearm():
                await self._rearm()
            case Beat():
                await self._beat()
            case Minute():
                self._queue_dreams()
            case Reload() | Asked():
                await self._attend(event)
            case WorkerEnded() | TeamEnded():
                self._ended(event)
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
        wait = min(await self._crew.employ(), await self._teams.employ())
        is_idle = not len(self._crew) and not self._teams.working
        if self._setup.once and is_idle and (math.isinf(wait) or self._crew.hopeless):
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

    async def dismiss(self) -> None:
        """End a sync that goes on."""
        await self._teams.stop()

    def end(self) -> int:
        """The exit code; the ledger no longer says that a daemon runs."""
        self._ledger.set_meta("daemon", "")
        return int(self._setup.once and self._crew.failing)

    def _ended(self, event: WorkerEnded | TeamEnded) -> None:
        match event:
            case TeamEnded(end=end):
                self._teams.ended(end)
            case WorkerEnded() as end:
                self._crew.ended(end)
        if end.code and not self._ledger.sound():  # it may have met what this process has not looked at
            raise LedgerLostError
        self._ledger.close_dead_runs()
        self._tracker.refresh()
        self._say_failures()

    def _queue_dreams(self) -> None:
        for memory_dir in self._nights.enqueue_due(self._setup.settings.dream.schedule):
            self._setup.log.info("dream_queued", memory=memory_dir)

    def _say_failures(self) -> None:
        """Log what is wrong with memd as a whole, and when it is over, once each."""
        found = {one.code: one.text for one in (*failures(self._ledger), *no_room(self._setup.paths.state))}
        for code in sorted(found.keys() - self._failed):
            self._setup.log.error("health_failed", failure=code, detail=found[code])
        for code in sorted(self._failed - found.keys()):
            self._setup.log.info("health_restored", failure=code)
        self._failed = frozenset(found)

    async def _attend(self, event: Reload | Asked) -> None:
        if isinstance(event, Reload):
            await self._reload()
            return
        said = await self._answer(event.request)
        if not event.answer.done():  # whoever asked may be gone
            event.answer.set_result(said)

    async def _answer(self, request: Request) -> dict[str, Any]:
        """Do what somebody asks over the socket."""
        match request:
            case Request(verb=Verb.HINT, session=str(session), hint=EndHint() as hint, path=path):
                self._look([path] if path else [])
                self._tracker.heed(session, hint)
            case Request(verb=Verb.RUN_NOW):
                await self._sweep(missed_counts=False)
                self._tracker.hurry()
                self._crew.hurry()
                await self._gather(hurry=True)
            case Request(verb=Verb.TEAM):
                await self._gather()
            case Request(verb=Verb.PAUSE):
                self._ledger.pause()
            case Request(verb=Verb.RESUME):
                self._ledger.resume()
            case Request(verb=Verb.RELOAD):
                return await self._reload()
        if request.verb in {Verb.PAUSE, Verb.RESUME}:
            self._setup.log.info("work_paused" if self._ledger.paused_at() else "work_resumed")
        return {"ok": True, **self._report(), "open": waiting.told(self._tracker.judged(), self._setup.clock)}

    async def _reload(self) -> dict[str, Any]:
        """Go on with the settings as they are now; those that are wrong change nothing."""
        try:
            self._setup = setup = self._setup.again()
        except MemdError as error:
            self._refused = str(error)
            await self._beat()
            self._setup.log.error("settings_refused", error=str(error))  # noqa: TRY400 - no traceback for that
            return {"ok": False, "error": str(error)}
        self._refused = None
        self._crew.adopt(setup)
        self._teams.adopt(setup)
        self._tracker.adopt(setup.transcripts, setup.rules(), setup.root_of)
        self._events = replace(self._events, sweep=setup.settings.watch.sweep)
        self._alarm.every(Sweep(), setup.settings.watch.sweep)
        self._teams.gather()
        self._watcher.aim(self._roots())
        await self._rearm()
        setup.log.info("settings_reloaded", quiet=setup.settings.extract.quiet)
        return {"ok": True}

    def _roots(self) -> tuple[Path, ...]:
        """What is watched: the agents' roots, and team memories that lie in none of them."""
        roots = self._setup.transcripts.roots()
        others = (one for one in self._teams.places() if not any(one.is_relative_to(root) for root in roots))
        return (*roots, *others)

    async def _gather(self, *, hurry: bool = False) -> None:
        """Look which team memories there are by now."""
        before = self._roots()
        self._teams.gather(hurry=hurry)
        if self._roots() != before and not self._setup.once:
            self._watcher.aim(self._roots())
            await self._rearm()

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
        await self._gather()
        self._teams.look()
        if self._setup.clock.monotonic() - self._cleared_at > _DAY:
            self._cleared_at = self._setup.clock.monotonic()
            clear(self._ledger, self._setup.paths.history, self._setup.settings.history.keep)

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

    def _judge(self, seen: Rescan, missed: int, *, cost: float) -> None:
        """Rescan more often while events cannot be relied on, and try to get them back."""
        before = self._events
        now = self._setup.clock.monotonic()
        self._events = before.judge(self._watcher.trouble, self._watcher.unwatched(seen.directories), missed, now)
        if self._events.trouble != before.trouble:
            self._setup.log.warning("file_events_judged", trouble=self._events.trouble)
        if self._events.trouble or before.trouble:
            self._alarm.every(Sweep(), self._events.interval(cost))
        if self._events.wants_retry(now):
            self._watcher.arm()
            self._events = self._events.retried(now)

    async def _beat(self) -> None:
        if not self._setup.once and self._watcher.stale() and self._watcher.trouble is None:
            await self._rearm()
        self._ledger.set_meta("daemon", json.dumps(self._report()))

    def _report(self) -> dict[str, Any]:
        said = health.report(self._setup, self._events, refused=self._refused, held_up=self._crew.held_up)
        return said | {"tracked": len(self._tracker), "workers": len(self._crew)}


def _syncers(setup: Setup, post: Post) -> Workers | None:
    return None if setup.syncer is None else Workers(setup.syncer, lambda end: post(TeamEnded(end=end)))
