"""What an agent lacks that loads its private memory by itself, when a session begins: log rules, the team's part."""

from __future__ import annotations

from contextlib import suppress

from memd.config import Loaded
from memd.errors import MemdError
from memd.memory import authors, membership, prompt
from memd.memory.layout import TEAM
from memd.memory.location import MemoryDir


def lacking(place: MemoryDir, loaded: Loaded, *, room: int) -> str:
    """That, in at most so many characters; perhaps nothing. Raises OSError and MemdError."""
    mode = loaded.settings.extract.mode
    rules = prompt.build(place.path, mode=mode, with_index=False).strip() if mode == "log" else ""
    with suppress(OSError, MemdError):  # a team/ that cannot be used must not cost a session the rest
        rules = "\n".join(part for part in (rules, _of_the_team(place, loaded, room - len(rules))) if part)
    return rules


def _of_the_team(place: MemoryDir, loaded: Loaded, room: int) -> str:
    paths = loaded.paths
    if not membership.is_on(paths, loaded.settings, root=place.root, memory_dir=place.path):
        return ""
    known = authors.of(paths, place.path)
    words = {path.removeprefix(f"{TEAM}/"): authors.in_words(one) for path, one in known.items()}
    return prompt.team_part(place.path, mode=loaded.settings.extract.mode, authors=words, room=room).strip()
