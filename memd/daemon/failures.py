"""What is wrong with memd as a whole: said in the log, and by `memd status` until it is over."""

from __future__ import annotations

from dataclasses import dataclass

from memd.ledger import DRIFT, Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that keeps memd from doing its work."""

    code: str
    text: str  # a sentence, with what to do


def failures(ledger: Ledger) -> tuple[Failure, ...]:
    """All that is wrong now."""
    unheard = len(ledger.unheard())
    if unheard < DRIFT:
        return ()
    text = (
        f"the last {unheard} conversations hold answers, but nobody was heard to speak in them: "
        "the agent seems to write its transcripts in a new way; update memd"
    )
    return (Failure(code="format_drift", text=text),)
