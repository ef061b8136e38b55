"""What is wrong with memd as a whole: said in the log, and by `memd status` until it is over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memd.ledger import DRIFT, Ledger, Outcome
from memd.ledger.nouns import EXTRACT

IDLE = 3  # dreams in a row
FULL = 10 * 2**20  # bytes that are left, below which the next memory may find no room
FRUITLESS = 20  # passes of a model in a row, within
WEEK = 7 * 86400.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that keeps memd from doing its work, or seems to."""

    code: str
    text: str  # a sentence, with what to do
    is_grave: bool = True  # it keeps memd from its work; otherwise somebody should have a look


def failures(ledger: Ledger) -> tuple[Failure, ...]:
    """All that is wrong now."""
    return (*_drift(ledger), *_dreams(ledger), *_fruitless(ledger))


def no_room(*places: Path) -> tuple[Failure, ...]:
    """Say that a disk is full on which memd writes, there or where those places will be."""
    left, where = min((_left(place), str(place)) for place in places)
    if left >= FULL:
        return ()
    text = f"the disk is full: {left // 2**20} MB are left for {where}; what cannot be saved waits until there is room"
    return (Failure(code="disk_full", text=text),)


def _left(place: Path) -> int:
    """How many bytes we may still write at a place; plenty where the system does not tell."""
    for path in (place, *place.parents):
        try:
            found = os.statvfs(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            break
        return found.f_bavail * found.f_frsize if found.f_blocks else FULL
    return FULL


def _drift(ledger: Ledger) -> Iterator[Failure]:
    unheard = len(ledger.unheard())
    if unheard < DRIFT:
        return
    text = (
        f"the last {unheard} conversations hold answers, but nobody was heard to speak in them: "
        "the agent seems to write its transcripts in a new way; update memd"
    )
    yield Failure(code="format_drift", text=text)


def _dreams(ledger: Ledger) -> Iterator[Failure]:
    """Dreams that had notes to work on, again and again, and did nothing with any of them; those that only fail."""
    idle = [one for one in ledger.all_dreamt() if one.idle >= IDLE]
    if idle:
        worst = max(idle, key=lambda one: one.idle)
        text = (
            f"the last {worst.idle} dreams in {worst.memory_dir} had notes to work on and did nothing "
            f"({worst.said.replace('_', ' ')}): look at `memd history`, and try `memd dream --dry-run` there"
        )
        yield Failure(code="dreams_idle", text=text)
    elif failing := ledger.failing_dreams(IDLE):
        text = (
            f"the last {IDLE} dreams in {failing[0]} failed, so that notes pile up there: "
            "look at `memd history`, and try `memd dream` there"
        )
        yield Failure(code="dreams_fail", text=text)


def _fruitless(ledger: Ledger) -> Iterator[Failure]:
    """Conversations that people spoke in, a week of them, and a model that found nothing to save in any."""
    since = ledger.now() - WEEK
    ended = ledger.passes_since(since)
    asked = sum(one.passes for one in ledger.spent_since(_local_date(since)) if one.kind == EXTRACT)
    held = sum(outcome == Outcome.HELD for outcome in ended)
    if min(len(ended), asked) < FRUITLESS or Outcome.SAVED in ended:
        return
    hint = (
        "look at `memd review list`"
        if held
        else "try `memd extract --last --again --dry-run`, and another [models] extract"
    )
    text = (
        f"the model looked at {len(ended)} conversations within a week and saved nothing ({held} times something is "
        f"held for review): {hint}"
    )
    yield Failure(code="saves_nothing", text=text, is_grave=False)


def _local_date(seconds: float) -> str:
    """The date here at a moment, given in seconds since the epoch."""
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d}"
