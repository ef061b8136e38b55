"""What a daemon is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.clock import Clock
from memd.config import Paths, Settings
from memd.daemon.due import Rules
from memd.daemon.tracker import RootOf
from memd.daemon.workers import Staff
from memd.ledger import Ledger
from memd.power import Probe
from memd.transcripts.ending import Timings
from memd.transcripts.model import Transcripts

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger


def _nothing(_: object) -> None:
    return None


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that `loop.run` needs; built in one place, by the command line or a test."""

    settings: Settings
    paths: Paths
    transcripts: Transcripts
    clock: Clock
    log: FilteringBoundLogger
    staff: Staff
    environ: Mapping[str, str]
    recover: Callable[[Ledger], None] = _nothing  # finishes what a crash left half done
    root_of: RootOf = _nothing  # from a session's cwd to its project, None where that cannot be told
    replaced: Callable[[], bool] = _never  # whether its code has been updated meanwhile
    held_up: Probe | None = None  # why work that nobody asked for waits now
    sync_held_up: Callable[[str], Probe | None] = _nothing  # the same of a sync with that remote
    syncer: Staff | None = None  # who syncs team memories; None: nobody does
    once: bool = False  # do what is due, then end
    settings_read: tuple[int, ...] = ()  # how their file stood then, see `health.as_it_stands`
    reload: Callable[[], Setup] | None = None  # builds it anew from the settings as they are then

    def again(self) -> Setup:
        """The same daemon with today's settings. Raises ConfigError."""
        return self if self.reload is None else self.reload()

    def rules(self) -> Rules:
        """When a conversation is due, from the settings."""
        extract = self.settings.extract
        timings = Timings(quiet=extract.quiet, stalled=extract.stalled)
        return Rules(timings=timings, min_interval=extract.min_interval, once=self.once)
