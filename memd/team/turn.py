"""One turn for one team memory: the sync, and what is remembered of it; and the one before a dream."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from memd import power
from memd.errors import MemdError
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import account
from memd.team import sync as syncs
from memd.team.allowed import switch
from memd.team.house import House
from memd.team.nouns import SyncReport

_PAUSE = 0.25  # seconds between two looks whether somebody else's sync is over


def take(one: Membership, house: House) -> SyncReport:
    """Sync, and remember how it went. Raises OSError where that cannot be written down, MemdError where it was left."""
    if one.joined is None:
        one = membership.note(one, house.clock.now())
    if not membership.is_noted(one):
        raise MemdError(f"{one.project} shares no memories any more")
    was = account.before(one)
    report = syncs.run(house, one)
    if not report.elsewhere:  # else whoever is at work there writes it down
        known = account.remember(one, was, report, house.clock.now().timestamp())
        account.tell(house.log.bind(project=str(one.project)), was.known, known, report)
    return report


def before_dream(project: Path, memory_dir: Path, house: House, *, by_hand: bool) -> None:
    """Take in what the others wrote, where the memory that is dreamt about is shared.

    A remote that is away holds no dream up for long; whoever syncs there right now is waited for. Nobody asked for a
    night's dream: on battery or a metered network, its sync waits for better days as others do, but it goes on, as
    what is here by then is worth it, and the next night has the rest. Who dreams `by_hand` wants all of it now.
    """
    one = membership.find(house.paths, house.settings, root=project, memory_dir=memory_dir)
    if one is None or not switch(one, house.paths, house.settings, house.environ).on:
        return
    held_up = None if by_hand else power.sync_probe(house.settings, one.remote)
    if held_up is not None and (reason := held_up()) is not None:
        house.log.info("dream_without_team", reason=reason)
        return
    house.tell("asking the team's remote")
    began = house.clock.monotonic()
    with suppress(OSError, MemdError):  # what cannot be written down keeps nobody from dreaming
        while take(one, house).elsewhere and house.clock.monotonic() - began < house.patience:
            time.sleep(_PAUSE)
