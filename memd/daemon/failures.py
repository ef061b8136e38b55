"""What is wrong with memd as a whole: said in the log, and by `memd status` until it is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memd.ledger import DRIFT, Ledger

IDLE = 3  # dreams in a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that keeps memd from doing its work."""

    code: str
    text: str  # a sentence, with what to do


def failures(ledger: Ledger) -> tuple[Failure, ...]:
    """All that is wrong now."""
    return (*_drift(ledger), *_idle_dreams(ledger))


def _drift(ledger: Ledger) -> Iterator[Failure]:
    unheard = len(ledger.unheard())
    if unheard < DRIFT:
        return
    text = (
        f"the last {unheard} conversations hold answers, but nobody was heard to speak in them: "
        "the agent seems to write its transcripts in a new way; update memd"
    )
    yield Failure(code="format_drift", text=text)


def _idle_dreams(ledger: Ledger) -> Iterator[Failure]:
    """Dreams that had notes to work on, again and again, and did nothing with any of them."""
    idle = [one for one in ledger.all_dreamt() if one.idle >= IDLE]
    if idle:
        worst = max(idle, key=lambda one: one.idle)
        text = (
            f"the last {worst.idle} dreams in {worst.memory_dir} had notes to work on and did nothing "
            f"({worst.said.replace('_', ' ')}): look at `memd history`, and try `memd dream --dry-run` there"
        )
        yield Failure(code="dreams_idle", text=text)
