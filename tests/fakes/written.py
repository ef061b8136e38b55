"""A conversation as it really is, beside what a daemon may know of it; and what a file is known again by."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path


@dataclass
class Written:
    """When a conversation last changed, and what a daemon may take that for."""

    path: Path
    changed_at: float  # monotonic seconds
    dated: float  # the same in seconds since the epoch, by the wall clock as it stood then
    seen_at: float  # what the daemon may take for `changed_at`, at the earliest
    known: bool  # whether this daemon has an event's word for it, or has looked at the date: neither moves any more

    def look(self, monotonic: float, wall: float) -> None:
        """See by its date how long ago it changed."""
        self.seen_at = min(self.seen_at, monotonic - (wall - self.dated))


def digest(data: bytes) -> str:
    """Eight characters, none for nothing."""
    return blake2b(data, digest_size=4).hexdigest() if data else ""
