"""What the rooms around team memory speak of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from memd.errors import LockedError, MemdError, TransientError


class Outcome(StrEnum):
    """How a sync ended. All but the first two carry a reason."""

    NOTHING = "nothing"  # both sides were the same
    SYNCED = "synced"
    BUSY = "busy"  # another sync, or somebody who was faster again and again, here or there: the next one does it
    OFFLINE = "offline"  # the remote could not be reached, or took too long
    DENIED = "denied"  # it asks for credentials that are not there, or its host is not known
    MISSING = "missing"  # there is no such repository
    REFUSED = "refused"  # it does not take what is pushed, or sends what is not taken
    UNWRITABLE = "unwritable"  # the memory directory, or memd's own, cannot be written
    FAILED = "failed"  # git is missing or too old, or something else is wrong here


PASSING = frozenset({Outcome.OFFLINE, Outcome.BUSY})  # which a person need not care about
NEEDS_A_PERSON = frozenset({Outcome.DENIED, Outcome.MISSING, Outcome.REFUSED})  # as another try ends like the last


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """A file of this machine that does not go out. Of the remote, the version last sent stays."""

    path: str  # below team/
    rule: str  # an id, such as a secret rule's
    reason: str  # in a few words


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file of the remote that is not made live. It stays in the repository as it is."""

    path: str  # below team/, printable
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """An edit of this machine that met another's. It is in the history; the other stands."""

    path: str  # below team/
    ours: str  # the blob that lost


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What one sync did. Paths are below team/."""

    outcome: Outcome
    sent: tuple[str, ...] = ()  # what the remote has now and had not before
    received: tuple[str, ...] = ()  # what changed, came or went here
    conflicts: tuple[Conflict, ...] = ()
    held: tuple[HeldBack, ...] = ()
    refused: tuple[Refused, ...] = ()
    rewritten: bool = False  # the remote's history is another one than before
    restored: bool = False  # team/ was gone and was made anew
    repaired: str | None = None  # where memd's own repository was put aside, as it was damaged
    run_id: int | None = None  # the run in the history
    reason: str | None = None
    hint: str | None = None
    elsewhere: bool = False  # another sync was at work there, which says itself what it does; this one did nothing

    @property
    def in_order(self) -> bool:
        """Whether both sides are the same now, but for what is held back or refused."""
        return self.outcome in {Outcome.NOTHING, Outcome.SYNCED}


class RemoteError(TransientError):
    """The remote could not be used."""

    def __init__(self, message: str, *, outcome: Outcome, hint: str | None = None, said: str = "") -> None:
        """`outcome` is how a sync ends for which that is the end; `said` is all of git's own words."""
        super().__init__(message, hint=hint)
        self.outcome = outcome
        self.said = said


class OvertakenError(RemoteError):
    """Somebody else pushed in between, or does so right now: another try at once may get through."""

    def __init__(
        self,
        message: str = "somebody else pushed in between, again and again",
        *,
        outcome: Outcome = Outcome.BUSY,
        hint: str | None = None,
        said: str = "",
    ) -> None:
        """By itself, the usual case."""
        super().__init__(message, outcome=outcome, hint=hint, said=said)


class TakenError(LockedError):
    """Another sync goes on there."""


class GitError(MemdError):
    """git did not do what it was started for."""

    exit_code: ClassVar[int] = 1


class GitTooOldError(GitError):
    """git is missing, or too old."""


class UnwritableGitError(GitError):
    """git may not write there, or there is no room."""


class DamagedError(GitError):
    """memd's own repository cannot be read."""
