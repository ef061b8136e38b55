"""Whether a dream is worth it, the cheapest question first. Each no has a code that people are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from memd.dream import backlog, lock, schedule
from memd.dream.house import House
from memd.errors import UnsafePathError
from memd.ledger import Dreamt
from memd.memory import claude_settings, enabled, usable


class Gate(StrEnum):
    """Why there is no dream."""

    MEMORY_OFF = "memory_off"
    EXCLUDED = "excluded"
    NO_MEMORY = "no_memory"  # there is no such directory
    DONE = "date_done"  # this date's was here already, perhaps another program's
    QUIET = "nothing_to_do"  # too few conversations since the last one, and no open notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The memory of one project."""

    root: Path
    memory_dir: Path


def check(place: Place, known: Dreamt, house: House, *, by_hand: bool) -> Gate | None:
    """The first gate that says no. By hand only those count that say what is a person's wish."""
    return _off(place, house) or (None if by_hand else _idle(place, known, house))


def _off(place: Place, house: House) -> Gate | None:
    if enabled.excluded(place.root, house.settings.projects.exclude, home=house.paths.home):
        return Gate.EXCLUDED
    scopes = claude_settings.scopes(
        place.root, environ=house.environ, home=house.paths.home, managed=claude_settings.managed_file()
    )
    if not enabled.enabled(environ=house.environ, settings_say=claude_settings.enabled(scopes)).on:
        return Gate.MEMORY_OFF
    return None if place.memory_dir.is_dir() and usable.holds_memory(place.memory_dir) else Gate.NO_MEMORY


def _idle(place: Place, known: Dreamt, house: House) -> Gate | None:
    now = house.clock.now()
    last = max((at for at in (known.dreamt_at, _lock_time(place.memory_dir)) if at is not None), default=None)
    if last is not None and is_of_date(last, house.settings.dream.schedule, now):
        return Gate.DONE
    if touched(place, known, house) >= house.settings.dream.min_sessions:
        return None
    cursor = backlog.loads(known.cursor)
    is_open = backlog.has_new(place.memory_dir, cursor) or backlog.has_carried(place.memory_dir, cursor)
    return None if is_open else Gate.QUIET


def touched(place: Place, known: Dreamt, house: House) -> int:
    """How many conversations were held since the last dream; current ones do not count."""
    since = known.dreamt_at or 0.0
    until = house.clock.now().timestamp() - house.settings.extract.quiet
    return house.ledger.sessions_between(str(place.root), since, until)


def is_of_date(at: float, rule: str, now: datetime) -> bool:
    """Whether a dream that began then (seconds since the epoch) is that of the last date whose time has come."""
    day = schedule.latest(rule, now)
    time = None if day is None else schedule.time_on(rule, day)
    if day is None or time is None:
        return True
    began = datetime.fromtimestamp(at, now.tzinfo).replace(tzinfo=None)
    return datetime.combine(day, time) <= began <= now.replace(tzinfo=None)


def _lock_time(memory_dir: Path) -> float | None:
    """When another program's dream began, if it came to its end."""
    try:
        return lock.read(memory_dir).done_at
    except UnsafePathError:
        return None
