"""The ledger's part about whether transcripts are still understood: answers to nobody mean a new format."""

from __future__ import annotations

import json

from memd.ledger.part import Part

DRIFT = 5  # conversations in a row in which somebody was answered and nobody was heard to speak
_NAME = "unheard"
_KEPT = 20  # keys


class Drift(Part):
    """Counts conversations, each once, until a person is heard again."""

    def heard(self, session_key: str, *, nobody: bool | None) -> None:
        """What reading a conversation told: whether `nobody` was heard though somebody answered; None: nothing."""
        known = self.unheard()
        if nobody is False and known:
            self._keep(())
        elif nobody and session_key not in known:
            self._keep((*known, session_key)[-_KEPT:])

    def unheard(self) -> tuple[str, ...]:
        """The conversations in a row, by key, in which nobody was heard; `DRIFT` of them are a failure."""
        said = self.meta(_NAME)
        return () if said is None else tuple(json.loads(said))

    def _keep(self, keys: tuple[str, ...]) -> None:
        self.set_meta(_NAME, json.dumps(keys))
