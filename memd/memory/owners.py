"""Whose a slug is: the ledger remembers it, and the history tells a ledger that was made anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memd.ledger import Ledger
from memd.memory import location, records
from memd.memory.journal import Record


def remember(ledger: Ledger, history: Path) -> None:
    """Have a new ledger know whom the lost one knew; any other knows it already."""
    if not ledger.knows_owners():
        ledger.adopt(recorded(history))


def claim(ledger: Ledger, history: Path, *, slug: str, root: Path) -> bool:
    """Whether a project owns a slug: whoever was first does, so that no two projects share memory."""
    remember(ledger, history)
    return ledger.owner(slug, str(root))


def of(ledger: Ledger | None, history: Path, slug: str) -> str | None:
    """The root that owns a slug; None while nobody does. Asking claims nothing, and writes nothing."""
    known = None if ledger is None else ledger.owner_of(slug)
    if known is not None or (ledger is not None and ledger.knows_owners()):
        return known
    return recorded(history).get(slug)


def recorded(history: Path) -> Mapping[str, str]:
    """Slugs with the roots of those whose runs wrote there first, as far as the history goes back."""
    newest_first = filter(None, map(_owner, records.newest_first(history)))
    return dict(newest_first)  # the oldest one stays


def _owner(record: Record) -> tuple[str, str] | None:
    """Slug and root, where a run wrote to a directory that is named for its project; None: it was chosen otherwise."""
    root, place = record.run.project, Path(record.memory_dir)
    if root is None or (place.name, place.parent.parent.name) != ("memory", "projects"):
        return None
    return (place.parent.name, root) if location.slug(root) == place.parent.name else None
