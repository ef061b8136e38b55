"""What can happen to the daemon. Everybody else puts these into its queue; the loop alone acts on them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from memd.daemon.requests import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Something happened to these files: a hint to look at them."""

    paths: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Time to compare everything with the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rearm:
    """A watched directory came, went or was replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """Time for a sign of life."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """Time to ask whether a dream is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reload:
    """Somebody wants the settings read anew."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """Somebody asks over the socket, and waits for `answer`."""

    request: Request
    answer: asyncio.Future[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerEnded:
    """A worker is over, one way or the other."""

    pid: int
    code: int  # its exit code, negative: the signal that ended it
    timed_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEnded:
    """A sync of a team memory is over."""

    end: WorkerEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Somebody wants the daemon to end."""

    signal: int


Event = Changed | Sweep | Rearm | Beat | Minute | Reload | Asked | WorkerEnded | TeamEnded | Stop
