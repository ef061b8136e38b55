"""What a check says, and what all of them come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    OK = "OK"
    WARN = "WARN"  # works, but not as it should; or could not be looked at
    FAIL = "FAIL"  # memories are not made, or something private is open


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line."""

    name: str
    level: Level
    text: str
    hint: str | None = None  # what to do


def ok(name: str, text: str) -> Finding:
    """All is well there."""
    return Finding(name=name, level=Level.OK, text=text)


def warn(name: str, text: str, hint: str | None = None) -> Finding:
    """It works, but."""
    return Finding(name=name, level=Level.WARN, text=text, hint=hint)


def fail(name: str, text: str, hint: str | None = None) -> Finding:
    """It does not work."""
    return Finding(name=name, level=Level.FAIL, text=text, hint=hint)


def looked(name: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What a check finds. One that breaks, or finds nothing to say, has not been made: that is never fine."""
    count = 0
    try:
        for finding in check():
            count += 1
            yield finding
    except Exception as error:  # noqa: BLE001 - whatever breaks a check must not hide what the others find
        yield warn(name, f"could not be checked: {type(error).__name__}: {error}")
        return
    if not count:
        yield warn(name, "could not be checked")


def verdict(findings: Iterable[Finding]) -> Level:
    """The worst of them."""
    levels = {finding.level for finding in findings}
    return next((level for level in (Level.FAIL, Level.WARN) if level in levels), Level.OK)
