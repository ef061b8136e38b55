"""The ledger's part about waiting: all work at once, because a person wants that or nothing may be spent."""

from __future__ import annotations

from memd.ledger import job_rows
from memd.ledger.nouns import Job
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
                "UPDATE jobs SET not_before = :until, postponed = max(postponed, 1)"
                " WHERE state = 'queued' AND NOT by_hand AND not_before < :until",
                {"until": until},
            )

    def put_off(self, job: Job, until: float) -> None:
        """Let a claimed job wait alone until then, and behind the others. Raises LeaseLostError."""
        with self._write() as db:
            job_rows.hold(db, job)
            job_rows.put_back(db, job.id, not_before=until, now=self.now(), attempts=job.attempts)
            db.execute("UPDATE jobs SET failures = failures + 1, postponed = 2 WHERE id = ?", (job.id,))

    def take_up(self, *, alone: bool = True) -> int:
        """Let nothing wait any longer that was postponed: why may have changed. How many jobs did.

        `alone`: those too that were put off by themselves; they stay behind the others.
        """
        waiting = (
            "UPDATE jobs SET not_before = :now, postponed = CASE postponed WHEN 2 THEN 2 ELSE 0 END"
            " WHERE state = 'queued' AND (postponed = 1 OR (postponed = 2 AND :alone AND not_before > :now))"
        )
        return self._put(waiting, {"now": self.now(), "alone": alone})
