"""What a pass works with: built once by whoever starts it, handed on as one argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.agent.backend import Backend
from memd.clock import Clock
from memd.config import Paths, Settings
from memd.extract.cleaned import Cleaned
from memd.ledger import Ledger
from memd.memory.records import Memory
from memd.transcripts.model import Transcripts

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The collaborators of a pass."""

    settings: Settings
    paths: Paths
    environ: Mapping[str, str]
    ledger: Ledger
    clock: Clock
    transcripts: Transcripts
    backend: Backend
    log: FilteringBoundLogger
    account: str | None = None  # whom the backend spends with, as a mark that tells nothing; None: nothing is spent
    known: Memory = field(default_factory=dict)  # of the history: what earlier passes of this process read
    cleaned: Cleaned = field(default_factory=dict)  # likewise, of long conversations
