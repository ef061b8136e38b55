"""One team memory, and when it is due for a sync: how each end of a sync changes that."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from memd import git_address
from memd.errors import LockedError
from memd.memory.membership import Membership
from memd.team import last
from memd.team.last import Last
from memd.team.nouns import NEEDS_A_PERSON, PASSING, Outcome

ANSWERS = frozenset({0, LockedError.exit_code})  # exit codes of a sync that says itself how it went
SETTLE = 2.0  # seconds after the last change here

_FIRST = 15.0  # seconds until a remote that could not be reached is tried again, doubling up to the usual interval
_AGAIN = 300.0  # seconds until another try where a person has to do something, doubling up to
_PERSON = 3600.0  # seconds
_DIED = 10.0  # seconds until another try after a process that left no word, doubling up to an hour
_BUSY = 5.0  # seconds until another try where somebody else syncs right now


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The time until the next pull, which began (monotonic seconds) when a sync ended so."""

    began: float
    outcome: Outcome = Outcome.NOTHING
    failures: int = 0

    def over_at(self, usual: float) -> float:
        """When it is over, where `usual` (seconds) is the interval between pulls."""
        return self.began + rest(self.outcome, self.failures, usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One team memory, and when it is due (monotonic seconds)."""

    membership: Membership
    pull_at: float  # whatever happens here
    push_at: float = math.inf  # because something here seems to have changed
    rest: Rest | None = None  # what `pull_at` comes from, where the usual interval has a part in it
    failures: int = 0  # processes in a row that left no word
    well: bool = True  # whether the last sync got through
    told: Last | None = None  # what was known when the last process began
    stuck: bool = False  # whether a person has to do something first; until then a change here hurries nothing

    @property
    def key(self) -> str:
        """Its name among others."""
        return self.membership.key

    @property
    def host(self) -> str:
        """Who has to answer: what hangs for one of a host's remotes hangs for all of them."""
        remote = self.membership.remote
        if git_address.is_local(remote):
            return remote
        url = remote.partition("://")[2]
        return (url.partition("/")[0] if url else remote.partition(":")[0]).rpartition("@")[2]

    @property
    def due(self) -> float:
        """The earlier of the two."""
        return min(self.pull_at, self.push_at)

    def differs(self) -> bool:
        """Whether something stands in `team/` that the last sync has not seen, nor written itself."""
        known = last.load(self.membership)
        return known is None or last.shape(self.membership) != known.shape

    def paced(self, usual: float) -> Member:
        """The same where pulls are that many seconds apart from now on; the rest that has begun is no exception."""
        return self if self.rest is None else replace(self, pull_at=self.rest.over_at(usual))


def new(membership: Membership, now: float) -> Member:
    """One that is due at once. Whether its remote answered is known from before."""
    known = last.load(membership)
    return Member(membership=membership, pull_at=now, well=known is None or not known.failures)


def mended(one: Member, now: float, usual: float) -> Member:
    """The same; where the last sync failed, but not the one that somebody did by hand since, all is well again."""
    if one.well or one.failures:
        return one
    known = last.load(one.membership)
    if known is None or known.failures:
        return one
    calm = Rest(began=now)
    return replace(one, well=True, stuck=False, rest=calm, pull_at=min(one.pull_at, calm.over_at(usual)))


def after(one: Member, code: int, now: float, usual: float) -> Member:
    """The same after a sync that ended with that exit code; `usual` is in seconds."""
    if code == LockedError.exit_code:
        return replace(one, pull_at=now + _BUSY, push_at=math.inf, rest=None)
    if code:
        failures = one.failures + 1
        wait = min(_DIED * 2.0 ** min(failures - 1, 10), _PERSON)
        return replace(one, pull_at=now + wait, push_at=math.inf, rest=None, failures=failures, well=False)
    known = last.load(one.membership)
    if known is None or known == one.told:  # memory is off there, so that nothing was done
        calm = Rest(began=now, outcome=Outcome.FAILED, failures=1)
        return replace(one, rest=calm, pull_at=calm.over_at(usual), push_at=math.inf, well=False)
    return _judged(one, known, now, usual)


def _judged(one: Member, known: Last, now: float, usual: float) -> Member:
    is_well, outcome = known.failures == 0, _borne_as(one, known.outcome)
    calm = Rest(began=now, outcome=outcome, failures=known.failures)
    fresh = replace(
        one,
        rest=calm,
        pull_at=calm.over_at(usual),
        failures=0,
        well=is_well,
        stuck=not is_well and outcome in NEEDS_A_PERSON,
    )
    if not is_well or not fresh.differs():
        return replace(fresh, push_at=math.inf)
    return replace(fresh, push_at=min(one.push_at, now + SETTLE))  # somebody has written while it was at work


def _borne_as(one: Member, outcome: Outcome) -> Outcome:
    """A path that is not there may be a disk that is not mounted yet."""
    is_away = outcome is Outcome.MISSING and one.membership.remote.startswith(("/", "~", "file://"))
    return Outcome.OFFLINE if is_away else outcome


def rest(outcome: Outcome, failures: int, usual: float) -> float:
    """Seconds from the end of a sync to the next one, after so many failures in a row; `usual` where there are none."""
    if not failures:
        return usual
    doubled = 2.0 ** min(failures - 1, 10)
    if outcome in PASSING:
        return min(_FIRST * doubled, usual)
    return max(usual, min(_AGAIN * doubled, _PERSON))
