"""Projects that the settings give a team memory, as memd comes across them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from memd.config import Paths, Settings
from memd.ledger import Ledger
from memd.memory import enabled, location, membership, owners
from memd.memory.location import MemoryDir
from memd.memory.session_env import SessionEnv


def note(roots: Iterable[str], paths: Paths, settings: Settings, environ: Mapping[str, str], ledger: Ledger) -> None:
    """Make a record for each of these projects that the settings name and none is there for. Raises OSError."""
    for root in sorted(roots):
        if not _is_there(root) or enabled.excluded(Path(root), settings.projects.exclude, home=paths.home):
            continue
        place = location.of_root(Path(root), SessionEnv(environ=environ), home=paths.home, base=settings.memory.base)
        found = membership.find(paths, settings, root=place.root, memory_dir=place.path)
        if found is not None and found.joined is None and _is_own(place, paths, ledger):
            membership.note(found, datetime.fromtimestamp(ledger.now(), UTC))


def _is_there(root: str) -> bool:
    try:
        return Path(root).is_dir()
    except (OSError, ValueError):
        return False


def _is_own(place: MemoryDir, paths: Paths, ledger: Ledger) -> bool:
    """Whether no other project keeps its memory there."""
    by_slug = place.rule.startswith("base:")
    return not by_slug or owners.claim(ledger, paths.history, slug=place.slug, root=place.root)
