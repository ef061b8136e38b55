"""Three-way merge by lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

Lines = Sequence[bytes]


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Both sides' changes of `base`; None where they change the same or touching lines differently."""
    if ours in {base, theirs}:
        return theirs
    if theirs == base:
        return ours
    pieces = _pieces(*(side.splitlines(keepends=True) for side in (base, ours, theirs)))
    result: list[bytes] = []
    for old, mine, other in pieces:
        if mine not in (old, other) and other != old:
            return None
        result += other if mine == old else mine
    return b"".join(result)


def _pieces(base: Lines, ours: Lines, theirs: Lines) -> Iterator[tuple[Lines, Lines, Lines]]:
    """The three texts cut at the lines that all of them share: pieces that differ and pieces that do not, in turn."""
    at = mine = other = 0
    for place, in_ours, in_theirs in (*_common(base, ours, theirs), (len(base), len(ours), len(theirs))):
        yield base[at:place], ours[mine:in_ours], theirs[other:in_theirs]
        yield base[place : place + 1], base[place : place + 1], base[place : place + 1]
        at, mine, other = place + 1, in_ours + 1, in_theirs + 1


def _common(base: Lines, ours: Lines, theirs: Lines) -> list[tuple[int, int, int]]:
    """Where each line that survives on both sides stands in all three."""
    mine, other = _matches(base, ours), _matches(base, theirs)
    return [(place, mine[place], other[place]) for place in sorted(mine.keys() & other.keys())]


def _matches(base: Lines, side: Lines) -> dict[int, int]:
    blocks = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}
