"""What a sync has found so far: it becomes the report, also where the sync ends early."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memd.team.nouns import Conflict, HeldBack, Outcome, Refused, SyncReport


@dataclass(slots=True, kw_only=True)
class Told:
    """Grows while the sync goes on; paths once each, in order."""

    sent: dict[str, None] = field(default_factory=dict)
    received: dict[str, None] = field(default_factory=dict)
    conflicts: dict[Conflict, None] = field(default_factory=dict)
    changing: Counter[str] = field(default_factory=Counter)  # how often something was in the way there
    held: tuple[HeldBack, ...] = ()  # at the last look
    unsendable: tuple[HeldBack, ...] = ()  # found in the commits
    refused: tuple[Refused, ...] = ()
    rewritten: bool = False
    restored: bool = False
    repaired: str | None = None
    run_id: int | None = None

    def report(self, outcome: Outcome | None = None, reason: str | None = None, hint: str | None = None) -> SyncReport:
        """The report of a sync that ended so; without an outcome, well."""
        changed = bool(self.sent or self.received or self.restored)
        held = {one.path: one for one in (*self.unsendable, *self.held)}
        return SyncReport(
            outcome=outcome or (Outcome.SYNCED if changed else Outcome.NOTHING),
            sent=tuple(sorted(self.sent)),
            received=tuple(sorted(self.received)),
            conflicts=tuple(self.conflicts),
            held=tuple(held.values()),
            refused=self.refused,
            rewritten=self.rewritten,
            restored=self.restored,
            repaired=self.repaired,
            run_id=self.run_id,
            reason=reason,
            hint=hint,
        )
