"""What a dream says became of each note and each file: lines in the workspace's `bullets.md`, read with suspicion.

- [distilled] 12 → feedback_lint.md      a memory holds it now
- [merged] 13 → feedback_lint.md         one held it already
- [dropped] 14: said once                nothing is to come of it
- [merged] feedback_old.md → feedback_lint.md
- [removed] project_freeze.md: over since 2026-03-06
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from memd.memory.workspace import one_line

_LINE = re.compile(
    r"[-*]\s+\[(?P<fate>distilled|merged|dropped|removed)\]\s+(?:(?P<number>\d{1,6})|(?P<path>[^\s:→]+\.md))"
    r"(?:\s*(?:→|->)\s*(?P<into>[^\s:→]+\.md))?(?:\s*:\s*(?P<why>.*))?"
)
# Why nothing is to come of a note; those of `AFTERWARDS` may still speak for another one later.
ONCE, UNCLEAR, NOBODYS = "said once", "unclear", "not a person's words"
OVER, SUPERSEDED, STANDS = "over", "superseded", "what stands there is a person's"
REJECTED = "rejected by a person"
REASONS = frozenset({
    REJECTED, ONCE, UNCLEAR, NOBODYS, OVER, SUPERSEDED, STANDS, "derivable", "task at hand", "known", "wrong",
})  # fmt: skip
AFTERWARDS = frozenset({ONCE, UNCLEAR})
_WHY = 120  # characters of a reason


class Fate(StrEnum):
    """How a note or a file ends."""

    DISTILLED = "distilled"
    MERGED = "merged"
    DROPPED = "dropped"
    REMOVED = "removed"  # of files alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One such line. Either `number`, of a note, or `path`, of a file."""

    fate: Fate
    number: int | None = None
    path: str | None = None
    into: str | None = None
    why: str = ""


def render(claims: Iterable[Claim]) -> str:
    """The lines."""
    return "".join(f"{_line(claim)}\n" for claim in claims)


def _line(claim: Claim) -> str:
    what = claim.path if claim.number is None else claim.number
    return (
        f"- [{claim.fate}] {what}"
        + (f" → {claim.into}" if claim.into else "")
        + (f": {claim.why}" if claim.why else "")
    )


def parse(data: bytes) -> tuple[Claim, ...]:
    """The claims in a file; of several about one thing the last. Other lines are passed over."""
    found = {claim.path or claim.number: claim for claim in _claims(data)}
    return tuple(found.values())


def _claims(data: bytes) -> Iterator[Claim]:
    for line in data.decode("utf-8", errors="replace").splitlines():
        said = _LINE.fullmatch(line.strip())
        if said is None or (said["number"] and said["fate"] == Fate.REMOVED):
            continue
        yield Claim(
            fate=Fate(said["fate"]),
            number=int(said["number"]) if said["number"] else None,
            path=said["path"],
            into=said["into"],
            why=one_line(said["why"] or "")[:_WHY],
        )
