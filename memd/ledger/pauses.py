"""The ledger's part about waiting: all work at once, because a person wants that or nothing may be spent."""

from __future__ import annotations

from memd.ledger.part import Part

_PAUSED = "paused_at"


class Pauses(Part):
    """Until when nothing is begun."""

    def pause(self) -> None:
        """Let what is due wait, over restarts too, until `resume`."""
        if self.paused_at() is None:
            self.set_meta(_PAUSED, str(self.now()))

    def resume(self) -> None:
        """Let work go on."""
        self.set_meta(_PAUSED, "")

    def paused_at(self) -> float | None:
        """Since when work is paused; None: it is not."""
        said = self.meta(_PAUSED)
        return float(said) if said else None

    def postpone(self, until: float) -> None:
        """Let everything wait that could begin before that, but for what people ask for by hand."""
        with self._write() as db:
            db.execute(
                "UPDATE jobs SET not_before = :until, postponed = 1"
                " WHERE state = 'queued' AND NOT by_hand AND not_before < :until",
                {"until": until},
            )

    def take_up(self) -> int:
        """Let nothing wait any longer that was postponed: why may have changed. How many jobs did."""
        waiting = "UPDATE jobs SET not_before = :now, postponed = 0 WHERE state = 'queued' AND postponed"
        return self._put(waiting, {"now": self.now()})
