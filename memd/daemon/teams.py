"""Team memories: which are due for a sync, and the few processes at a time that do it, one for each of them."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from memd.agent import keys
from memd.daemon import members
from memd.daemon.events import WorkerEnded
from memd.daemon.members import ANSWERS, SETTLE, Member
from memd.daemon.setup import Setup
from memd.daemon.workers import Staff, Workers
from memd.errors import MemdError
from memd.ledger import Ledger
from memd.memory import membership
from memd.memory.layout import may_be_shared
from memd.memory.membership import Membership
from memd.team import credentials, last
from memd.team.nouns import Outcome, SyncReport

SYNC = (sys.executable, "-P", "-m", "memd.team")
LIMIT = 300.0  # seconds that a sync may take in all; each step of it has a limit of its own
AT_ONCE = 4  # syncs; a remote that says nothing keeps one for two minutes, which is to delay no other team's:
PULLS = 3  # so that one place is left to edits,
ANYBODY = 2  # and one more is closed to those that probably hang, too

_HELD_UP = 60.0  # seconds until the machine is asked again whether it is in a state for such work


def syncer(environ: Mapping[str, str]) -> Staff:
    """Who syncs: a short process of its own, which knows git's credentials and not a model's."""
    own = {name: value for name, value in environ.items() if not name.startswith("ANTHROPIC_")}
    own.pop(keys.DIRECTORY, None)
    return Staff(command=SYNC, environ=own, limit=LIMIT, kept=credentials.VARIABLES)


class Teams:
    """Owns which team memories are due; called by the loop alone. Where there are none, it does nothing."""

    def __init__(self, setup: Setup, ledger: Ledger, workers: Workers | None) -> None:
        self._setup = setup
        self._ledger = ledger
        self._members: dict[str, Member] = {}
        self._at_work: dict[int, Member | None] = {}  # by process id; None: nobody shares that any more
        self._found: frozenset[str] = frozenset()  # the projects that were looked at
        self._workers = workers

    @property
    def working(self) -> bool:
        """Whether a sync goes on."""
        return bool(self._at_work)

    @property
    def wanted_at(self) -> float:
        """When the next sync is due (monotonic seconds), `inf` where none will be without an event."""
        return min(map(self._from, self._members.values()), default=math.inf)

    def places(self) -> tuple[Path, ...]:
        """The directories whose changes matter."""
        return tuple(one.membership.team for one in self._members.values())

    def adopt(self, setup: Setup) -> None:
        """Go on by other settings."""
        self._setup, self._found = setup, frozenset()
        self._members = {key: one.paced(self._usual) for key, one in self._members.items()}

    def gather(self, *, hurry: bool = False) -> None:
        """Read anew which team memories there are. A new one is due at once; with `hurry`, all are.

        The sync of one that is left is ended.
        """
        if self._workers is None:
            return
        try:
            self._discover()
        except OSError as error:  # nobody's passes wait for that
            self._setup.log.error("team_not_noted", error=str(error))  # noqa: TRY400 - no traceback for that
        now = self._now
        current = {one.key: one for one in membership.current(self._setup.paths, self._setup.settings)}
        known = {
            key: members.mended(replace(one, membership=current[key]), now, self._usual)
            for key, one in self._members.items()
            if key in current
        }
        if hurry:
            known = {key: replace(one, pull_at=now, rest=None, failures=0) for key, one in known.items()}
        fresh = {key: members.new(one, now) for key, one in current.items() if key not in known}
        self._members = known | fresh
        self._dismiss(current.keys())

    def _dismiss(self, current: Collection[str]) -> None:
        """End the syncs of those that are left. If somebody joins again at once, that is another one."""
        for pid, one in self._at_work.items():
            if one is not None and one.key not in current and self._workers is not None:
                self._workers.dismiss(pid)
                self._at_work[pid] = None

    def heed(self, paths: frozenset[str]) -> frozenset[str]:
        """Take in which files have changed; those that are none of a team's."""
        others = paths
        for key, one in self._members.items():
            place = f"{one.membership.team}/"
            mine = frozenset(path for path in others if path.startswith(place))
            others -= mine
            if any(may_be_shared(path.removeprefix(place)) for path in mine):
                self._changed(key)
        return others

    def look(self) -> None:
        """Find changes that no event told of."""
        for key, one in self._members.items():
            if one.well and math.isinf(one.push_at) and not self._works(key) and one.differs():
                self._changed(key)

    def _changed(self, key: str) -> None:
        one = self._members[key]
        if not one.stuck:
            self._members[key] = replace(one, push_at=self._now + SETTLE)

    async def employ(self) -> float:
        """Start what is due, the longest due first; the seconds until more is, `inf` where only an event brings it."""
        if self._ledger.paused_at() is not None:
            return math.inf
        held: set[str] = set()  # hosts that are not to be asked now
        while True:
            one = min((one for one in self._members.values() if one.host not in held), key=self._from, default=None)
            now, again = self._now, _HELD_UP if held else math.inf
            if one is None:
                return again
            if (begins := self._from(one)) > now:
                return min(begins - now, again)
            if one.push_at <= now and not one.differs():  # what its own sync wrote is no change
                self._members[one.key] = replace(one, push_at=math.inf)
            elif await self._must_wait(one.membership.remote):
                held.add(one.host)
            else:
                await self._start(one)

    def ended(self, event: WorkerEnded) -> None:
        """A sync is over, whatever came of it."""
        began = self._at_work.pop(event.pid, None)
        if began is not None:
            self._over(began.key, event)

    async def stop(self) -> None:
        """End the syncs that go on: what they have begun, the next ones finish."""
        if self._workers is not None:
            await self._workers.stop()

    def _from(self, one: Member) -> float:
        """When it may begin (monotonic seconds), as long as those are at work that are; `inf`: not before one ends."""
        taken = len(self._at_work)
        if self._works(one.key) or taken >= AT_ONCE or (taken >= ANYBODY and not self._answers(one)):
            return math.inf
        return one.due if taken < PULLS else one.push_at

    def _works(self, key: str) -> bool:
        return any(one is not None and one.key == key for one in self._at_work.values())

    def _answers(self, one: Member) -> bool:
        """Whether it will probably not hang: its last sync got through, and no other such waits for the same host."""
        waiting = (other.host for other in self._at_work.values() if other is not None and other.well)
        return one.well and one.host not in waiting

    def _over(self, key: str, event: WorkerEnded) -> None:
        if event.code not in ANSWERS:
            self._setup.log.warning("team_sync_ended", pid=event.pid, code=event.code, timed_out=event.timed_out)
        if key in self._members:
            self._members[key] = self._after(self._members[key], event.code)

    def _after(self, one: Member, code: int) -> Member:
        if self._setup.once:
            return replace(one, pull_at=math.inf, push_at=math.inf)
        now = self._now
        fresh = members.after(one, code, now, self._usual)
        if code not in ANSWERS:
            self._write_down(one.membership, fresh.pull_at - now)
        return fresh

    def _write_down(self, one: Membership, wait: float) -> None:
        """Keep that a sync died: it could not say so itself."""
        known, now = last.load(one), self._setup.clock.now().timestamp()
        report = SyncReport(
            outcome=Outcome.FAILED, reason="the last sync ended unfinished", hint=f"next try {wait:.0f} s after that"
        )
        shape = {} if known is None else known.shape
        with suppress(OSError, MemdError):  # as it is left, or the disk is full
            last.save(one, last.after(known, report, at=now, shape=shape, whole=False))

    async def _start(self, one: Member) -> None:
        assert self._workers is not None  # noqa: S101 - there are members only where it is
        known = last.load(one.membership)
        self._members[one.key] = replace(one, push_at=math.inf, told=known)  # what comes from now on counts anew
        try:
            self._at_work[await self._workers.start(one.key)] = one
        except OSError as error:
            self._setup.log.error("team_sync_not_started", error=str(error))  # noqa: TRY400 - no traceback for that
            self._over(one.key, WorkerEnded(pid=0, code=1))

    async def _must_wait(self, remote: str) -> bool:
        """Whether the machine is in no state for work that nobody waits for. The system is asked beside the loop."""
        held_up = None if self._setup.once else self._setup.sync_held_up(remote)
        return held_up is not None and await asyncio.to_thread(held_up) is not None

    def _discover(self) -> None:
        """Note the projects that the settings name, as far as memd has come across them."""
        said = self._setup.settings.team
        if said.remote is None and not said.projects:
            return
        projects = self._ledger.projects()
        if (roots := frozenset(projects.last_pass)) == self._found:
            return
        from memd.team import discovery  # noqa: PLC0415 - a daemon at rest stays small

        discovery.note(roots - self._found, self._setup.paths, self._setup.settings, self._setup.environ, self._ledger)
        self._found = roots

    @property
    def _now(self) -> float:
        return self._setup.clock.monotonic()

    @property
    def _usual(self) -> float:
        """Seconds between two pulls."""
        return self._setup.settings.team.pull
