"""How old a memory is, in words a model can use."""

from __future__ import annotations

_DAY = 86_400.0  # seconds
_NOTE_FROM = 2  # days


def age_in_days(mtime: float, now: float) -> int:
    """Whole 24-hour days, both in seconds since the epoch; 0 where the clock went backwards."""
    return max(0, int((now - mtime) // _DAY))


def memory_age(mtime: float, now: float) -> str:
    """`today`, `yesterday`, `N days ago`."""
    days = age_in_days(mtime, now)
    return ("today", "yesterday")[days] if days < _NOTE_FROM else f"{days} days ago"


def freshness_note(mtime: float, now: float) -> str | None:
    """What to say beside a memory from two days on; None before, where it would be noise."""
    days = age_in_days(mtime, now)
    if days < _NOTE_FROM:
        return None
    return (
        f"This memory is {days} days old. It records what was observed then, not how things are now: "
        "what it says about code behaviour or a file:line may be outdated. "
        "Verify against the current code before asserting it."
    )
