"""Team memories: which are due for a sync, and the one process at a time that does it."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memd.agent import keys
from memd.daemon.events import WorkerEnded
from memd.daemon.setup import Setup
from memd.daemon.workers import Staff, Workers
from memd.errors import LockedError, MemdError
from memd.ledger import Ledger
from memd.memory import membership
from memd.memory.layout import may_be_shared
from memd.memory.membership import Membership
from memd.team import credentials, last
from memd.team.last import Last
from memd.team.nouns import NEEDS_A_PERSON, PASSING, Outcome, SyncReport

SYNC = (sys.executable, "-P", "-m", "memd.team")
LIMIT = 300.0  # seconds that a sync may take in all; each step of it has a limit of its own
SETTLE = 2.0  # seconds after the last change here

_FIRST = 15.0  # seconds until a remote that could not be reached is tried again, doubling up to the usual interval
_AGAIN = 300.0  # seconds until another try where a person has to do something, doubling up to
_PERSON = 3600.0  # seconds
_DIED = 10.0  # seconds until another try after a process that left no word, doubling up to an hour
_BUSY = 5.0  # seconds until another try where somebody else syncs right now
_HELD_UP = 60.0  # seconds until the machine is asked again whether it is in a state for such work


def syncer(environ: Mapping[str, str]) -> Staff:
    """Who syncs: a short process of its own, which knows git's credentials and not a model's."""
    own = {name: value for name, value in environ.items() if not name.startswith("ANTHROPIC_")}
    own.pop(keys.DIRECTORY, None)
    return Staff(command=SYNC, environ=own, limit=LIMIT, kept=credentials.VARIABLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One team memory, and when it is due (monotonic seconds)."""

    membership: Membership
    pull_at: float  # whatever happens here
    push_at: float = math.inf  # because something here seems to have changed
    failures: int = 0  # processes in a row that left no word
    well: bool = True  # whether the last sync got through
    told: Last | None = None  # what was known when the last process began
    stuck: bool = False  # whether a person has to do something first; until then a change here hurries nothing

    @property
    def due(self) -> float:
        """The earlier of the two."""
        return min(self.pull_at, self.push_at)

    def differs(self) -> bool:
        """Whether something stands in `team/` that the last sync has not seen, nor written itself."""
        known = last.load(self.membership)
        return known is None or last.shape(self.membership) != known.shape


class Teams:
    """Owns which team memories are due; called by the loop alone. Where there are none, it does nothing."""

    def __init__(self, setup: Setup, ledger: Ledger, workers: Workers | None) -> None:
        self._setup = setup
        self._ledger = ledger
        self._members: dict[str, Member] = {}
        self._at_work: str | None = None
        self._found: frozenset[str] = frozenset()  # the projects that were looked at
        self._workers = workers

    @property
    def working(self) -> bool:
        """Whether a sync goes on."""
        return self._at_work is not None

    @property
    def wanted_at(self) -> float:
        """When the next sync is due (monotonic seconds), `inf` where none will be without an event."""
        return min((one.due for one in self._members.values()), default=math.inf)

    def places(self) -> tuple[Path, ...]:
        """The directories whose changes matter."""
        return tuple(one.membership.team for one in self._members.values())

    def adopt(self, setup: Setup) -> None:
        """Go on by other settings."""
        self._setup, self._found = setup, frozenset()

    def gather(self, *, hurry: bool = False) -> None:
        """Read anew which team memories there are. A new one is due at once; with `hurry`, all are."""
        if self._workers is None:
            return
        try:
            self._discover()
        except OSError as error:  # nobody's passes wait for that
            self._setup.log.error("team_not_noted", error=str(error))  # noqa: TRY400 - no traceback for that
        now = self._setup.clock.monotonic()
        current = {one.key: one for one in membership.current(self._setup.paths, self._setup.settings)}
        known = {
            key: self._mended(replace(one, membership=current[key]))
            for key, one in self._members.items()
            if key in current
        }
        if hurry:
            known = {key: replace(one, pull_at=now, failures=0) for key, one in known.items()}
        fresh = {key: Member(membership=one, pull_at=now) for key, one in current.items() if key not in known}
        self._members = known | fresh

    def _mended(self, one: Member) -> Member:
        """The same; where the last sync failed, but not the one that somebody did by hand since, all is well again."""
        if one.well or one.failures:
            return one
        known = last.load(one.membership)
        if known is None or known.failures:
            return one
        usual = self._setup.clock.monotonic() + self._setup.settings.team.pull
        return replace(one, well=True, stuck=False, pull_at=min(one.pull_at, usual))

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
            if one.well and math.isinf(one.push_at) and key != self._at_work and one.differs():
                self._changed(key)

    def _changed(self, key: str) -> None:
        one = self._members[key]
        if not one.stuck:
            self._members[key] = replace(one, push_at=self._setup.clock.monotonic() + SETTLE)

    async def employ(self) -> float:
        """Start what is due longest; the seconds until more is, `inf` where only an event can bring it."""
        if self._at_work is not None or self._ledger.paused_at() is not None:
            return math.inf
        while self.wanted_at <= (now := self._setup.clock.monotonic()):
            key, one = min(self._members.items(), key=lambda item: item[1].due)
            if one.pull_at > now and not one.differs():  # what its own sync wrote is no change
                self._members[key] = replace(one, push_at=math.inf)
                continue
            if await self._must_wait(one.membership.remote):
                return _HELD_UP
            await self._start(key)
            return math.inf
        return self.wanted_at - now

    def ended(self, event: WorkerEnded) -> None:
        """A sync is over, whatever came of it."""
        key, self._at_work = self._at_work, None
        if event.code not in {0, LockedError.exit_code}:
            self._setup.log.warning("team_sync_ended", pid=event.pid, code=event.code, timed_out=event.timed_out)
        if key in self._members:
            self._members[key] = self._after(self._members[key], event.code)

    async def stop(self) -> None:
        """End a sync that goes on: what it has begun, the next one finishes."""
        if self._workers is not None:
            await self._workers.stop()

    def _after(self, one: Member, code: int) -> Member:
        now = self._setup.clock.monotonic()
        if self._setup.once:
            return replace(one, pull_at=math.inf, push_at=math.inf)
        if code == LockedError.exit_code:
            return replace(one, pull_at=now + _BUSY, push_at=math.inf)
        if code:
            failures = one.failures + 1
            wait = min(_DIED * 2.0 ** min(failures - 1, 10), _PERSON)
            self._write_down(one.membership, wait)
            return replace(one, pull_at=now + wait, push_at=math.inf, failures=failures, well=False)
        known = last.load(one.membership)
        if known is None or known == one.told:  # memory is off there, so that nothing was done
            return replace(one, pull_at=now + self._rest(Outcome.FAILED, 1), push_at=math.inf, well=False)
        is_well, outcome = known.failures == 0, self._borne_as(one, known.outcome)
        fresh = replace(
            one,
            pull_at=now + self._rest(outcome, known.failures),
            failures=0,
            well=is_well,
            stuck=not is_well and outcome in NEEDS_A_PERSON,
        )
        if not is_well or not fresh.differs():
            return replace(fresh, push_at=math.inf)
        return replace(fresh, push_at=min(one.push_at, now + SETTLE))  # somebody has written while it was at work

    def _write_down(self, one: Membership, wait: float) -> None:
        """Keep that a sync died: it could not say so itself."""
        known, now = last.load(one), self._setup.clock.now().timestamp()
        report = SyncReport(
            outcome=Outcome.FAILED, reason="the last sync ended unfinished", hint=f"next try {wait:.0f} s after that"
        )
        shape = {} if known is None else known.shape
        with suppress(OSError, MemdError):  # as it is left, or the disk is full
            last.save(one, last.after(known, report, at=now, shape=shape, whole=False))

    @staticmethod
    def _borne_as(one: Member, outcome: Outcome) -> Outcome:
        """A path that is not there may be a disk that is not mounted yet."""
        is_away = outcome is Outcome.MISSING and one.membership.remote.startswith(("/", "~", "file://"))
        return Outcome.OFFLINE if is_away else outcome

    def _rest(self, outcome: Outcome, failures: int) -> float:
        return rest(outcome, failures, self._setup.settings.team.pull)

    async def _start(self, key: str) -> None:
        assert self._workers is not None  # noqa: S101 - there are members only where it is
        self._at_work = key
        one = self._members[key]
        known = last.load(one.membership)
        self._members[key] = replace(one, push_at=math.inf, told=known)  # what comes from now on counts anew
        try:
            await self._workers.start(key)
        except OSError as error:
            self._setup.log.error("team_sync_not_started", error=str(error))  # noqa: TRY400 - no traceback for that
            self.ended(WorkerEnded(pid=0, code=1))

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


def rest(outcome: Outcome, failures: int, usual: float) -> float:
    """Seconds from the end of a sync to the next one, after so many failures in a row; `usual` where there are none."""
    if not failures:
        return usual
    doubled = 2.0 ** min(failures - 1, 10)
    if outcome in PASSING:
        return min(_FIRST * doubled, usual)
    return max(usual, min(_AGAIN * doubled, _PERSON))
