"""How much there is to look through, and what that may cost at most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memd.agent import money
from memd.agent.meter import Usage
from memd.cli.words import counted, shown
from memd.extract.house import House
from memd.transcripts.model import TranscriptFile

_BYTES_A_TOKEN = 4
_MB = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Old:
    """A conversation that is older than memd."""

    file: TranscriptFile
    size: int  # bytes
    mtime: float  # seconds since the epoch


def estimate(old: Sequence[Old], house: House) -> Iterator[str]:
    """Lines for people, with the most that it can be: much is left out, and many passes end at a gate."""
    size = sum(one.size for one in old) / _MB
    yield f"{counted(len(old), 'conversation')} older than memd, {size:,.1f} MB."
    if house.account is None:
        yield f"The {house.backend.name} backend looks through them: no cost, and nothing leaves the machine."
        return
    caps, settings = house.settings.caps, house.settings
    passes = sum(_passes(one, money.room(settings)) for one in old)
    tokens = sum(min(one.size // _BYTES_A_TOKEN, _passes(one, money.room(settings)) * caps.pass_tokens) for one in old)
    price = money.dollars(Usage(model=settings.models.extract, input_tokens=tokens), settings.prices)
    most = passes * caps.pass_dollars if price is None else min(price, passes * caps.pass_dollars)
    days = max(math.ceil(passes / caps.day_passes), math.ceil(most / caps.day_dollars) if caps.day_dollars else 1)
    yield f"{shown(settings.models.extract)} looks through them: at most {tokens:,} tokens and ${most:.2f}."
    a_day = f"${caps.day_dollars:.2f} and {caps.day_passes} passes"
    yield f"A day allows {a_day}, so that takes up to {counted(days, 'day')}."


def _passes(one: Old, room: int) -> int:
    """How many a conversation takes at most, if all that is written there were a person's words."""
    return max(1, math.ceil(one.size / _BYTES_A_TOKEN / room))
