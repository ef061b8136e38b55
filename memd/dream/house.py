"""What a dream works with: built once by whoever starts it, handed on as one argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.agent.backend import Backend
from memd.clock import Clock
from memd.config import Paths, Settings
from memd.ledger import Ledger, Run
from memd.memory.dream_report import DreamReport

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger


def _silent(*_: object) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The collaborators of a dream."""

    settings: Settings
    paths: Paths
    environ: Mapping[str, str]
    ledger: Ledger
    clock: Clock
    backend: Backend
    log: FilteringBoundLogger
    account: str | None = None  # whom the backend spends with; None: nothing is spent
    tell: Callable[[str], None] = _silent  # says to whoever waits what is being done
    hear: Callable[[Run, DreamReport], None] = _silent  # is told of each part of a backlog that is saved
    budget: int | None = None  # tokens of notes in one look; None: all of them
