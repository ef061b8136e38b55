"""What of a conversation fits into one look: packed by what it is worth, to a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from memd.memory.quotes import Utterance

Part = tuple[Utterance, ...]


def pack(said: Sequence[Utterance]) -> tuple[Part, ...]:
    """One part where it fits, else as many as it takes."""
    return (tuple(said),) if said else ()
