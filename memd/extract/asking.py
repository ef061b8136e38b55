"""Handing a conversation to the backend: how much of it at once, how it began, and what may be spent on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memd.agent import evidence, money, packing
from memd.agent.backend import Task
from memd.agent.money import Purse
from memd.extract.house import House
from memd.extract.window import Window
from memd.ledger.nouns import EXTRACT
from memd.memory import forget
from memd.memory.forget import Bars
from memd.memory.quotes import Utterance
from memd.transcripts.model import WHOLE, Cursor

PARTS = 1  # looks that one pass takes: a cap reached in between would leave the next look's part unseen for good
HEAD_BYTES = 64 * 1024  # of a transcript, in which its beginning is looked for
_TRIES = 8


def fitting(read: Callable[[int], Window], house: House) -> Window:
    """As much of what is new as one pass can show a model, in whole turns; all of it where nothing is spent.

    `read` takes the most bytes of the transcript to read. The cursor moves to the end of that part alone, so that
    nothing of a very long conversation is left out: the next pass goes on there.
    """
    most = WHOLE
    new = read(most)
    for _ in range(_TRIES if house.account is not None else 0):
        parts = len(packing.pack(_clean(new, house)))
        if parts <= PARTS or len(new.turns) <= 1:
            break
        most = max(1, new.span * PARTS // (parts + 1))
        new = read(most)
    return new


def _clean(new: Window, house: House) -> tuple[Utterance, ...]:
    return evidence.clean([message for turn in new.turns for message in turn.messages], house.clock.now().tzinfo)


def beginning(new: Window, barred: Bars, house: House) -> tuple[Utterance, ...]:
    """How a conversation began that an earlier pass has seen a part of, for context; from the first bytes alone."""
    if house.account is None or new.reading.from_start:
        return ()
    first = house.transcripts.read(Path(new.session.path), Cursor(), most=HEAD_BYTES)
    return forget.without(evidence.head(first.messages, zone=house.clock.now().tzinfo), barred)


def purse(house: House, *, project: str) -> Purse | None:
    """What a pass of this kind may spend; None: its backend spends nothing."""
    if house.account is None:
        return None
    return Purse(
        ledger=house.ledger,
        clock=house.clock,
        settings=house.settings,
        account=house.account,
        project=project,
        kind=EXTRACT,
    )


def ask(task: Task, own: Purse | None, house: House) -> None:
    """Let the backend work. Raises BudgetError or what the circuit says where nothing may be spent."""
    if own is None:
        house.backend.propose(task)
        return
    money.asking(own, lambda: house.backend.propose(replace(task, meter=money.meter(own))))
