"""What a sync works with: built once by whoever starts it, handed on as one argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.clock import Clock
from memd.config import Paths, Settings
from memd.ledger import Ledger

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The collaborators of a sync."""

    settings: Settings
    paths: Paths
    environ: Mapping[str, str]  # the person's: git finds their credentials by it
    ledger: Ledger
    clock: Clock
    log: FilteringBoundLogger
    tell: Callable[[str], None] = _silent  # says to whoever waits what is being done
    patience: float = 120.0  # seconds that the remote may take for one answer
