"""What a memory directory is made of: names, places and sizes. Pure, and free of imports that take time."""

from __future__ import annotations

import re
from collections.abc import Sequence

INDEX = "MEMORY.md"
LOGS, TEAM = "logs", "team"
NOT_TOPICS = frozenset({LOGS, TEAM})  # directories that hold no topics of this memory
DREAM_LOCK = ".consolidate-lock"  # which Claude Code's own dream takes, too
LEVELS = 2  # a topic stands in the memory directory, or in one below it

TOPIC_LIMIT = 32 * 1024  # bytes
TEAM_LIMIT = 250 * 1024  # bytes of a topic that a team shares
INDEX_LIMIT = 1024 * 1024  # bytes; indexes of 197 KB have been seen

_NEW_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\.md")
_NEW_DIRECTORY = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def limit(path: str) -> int:
    """How many bytes the file at `path`, relative to the memory directory, may have."""
    if path == INDEX:
        return INDEX_LIMIT
    return TEAM_LIMIT if is_shared(path) else TOPIC_LIMIT


def is_shared(path: str) -> bool:
    """Whether what stands at `path`, relative to the memory directory, is the team's."""
    return path.startswith(f"{TEAM}/")


def may_be_shared(path: str) -> bool:
    """Whether a path below `team/` could be a memory's: not the index, and nothing hidden or half written."""
    return path.casefold() != INDEX.casefold() and not any(part.startswith(".") for part in path.split("/"))


def is_new_name(parts: Sequence[str]) -> bool:
    """Whether a new topic may be called so, by its path's components. Some disks take `memory.md` for the index."""
    *directories, name = parts
    fits = _NEW_NAME.fullmatch(name) and all(_NEW_DIRECTORY.fullmatch(part) for part in directories)
    return bool(fits) and name != INDEX.lower()
