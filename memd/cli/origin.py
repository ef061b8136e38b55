"""How commands speak of whose a memory is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memd.cli.here import Here
from memd.memory import authors, layout, membership
from memd.memory.authors import Author
from memd.memory.location import MemoryDir
from memd.team import base as bases


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """What is known of whose the files of a memory directory are."""

    is_team: bool  # whether the project is a member of a team now
    synced: frozenset[str] = frozenset()  # what the team has, below the memory directory
    authors: Mapping[str, Author] = field(default_factory=dict)

    def is_own(self, path: str) -> bool:
        """Whether this person wrote it: so git has it, or the team has not got it yet."""
        author = self.authors.get(path)
        return path not in self.synced if author is None else author.own

    def described(self, path: str) -> dict[str, Any]:
        """The same for programs."""
        is_shared = self.is_team and layout.is_shared(path)
        return {**described(path, self.authors.get(path)), "team": is_shared, "own": self.is_own(path)}

    def mark(self, path: str) -> str:
        """A few words for a list; none for a private memory."""
        if not layout.is_shared(path):
            return ""
        is_own = self.is_own(path)
        who = "yours" if is_own and self.is_team else "" if is_own else authors.in_words(self.authors.get(path))
        return ", ".join(part for part in ("team" if self.is_team else "", who) if part)

    def told(self, path: str) -> str:
        """A sentence beside its text; none for a memory that is the person's alone."""
        if not layout.is_shared(path) or (self.is_own(path) and not self.is_team):
            return ""
        if self.is_own(path):
            return "From the team's memory: yours, shared with the team."
        who = authors.in_words(self.authors.get(path))
        if self.is_team:
            return authors.told(self.authors.get(path))
        return f"Written {who}, for a team that you have left." if who else ""


def of(surroundings: Here, place: MemoryDir) -> Origins:
    """What is known of a project's memory."""
    one = membership.find(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    known = authors.of(surroundings.paths, place.path)
    if one is None:
        return Origins(is_team=False, authors=known)
    synced = frozenset(f"{layout.TEAM}/{path}" for path in bases.load(one.directory).files)
    return Origins(is_team=True, synced=synced, authors=known)


def described(path: str, author: Author | None) -> dict[str, Any]:
    """Whether a memory is the team's, and who wrote it as git has it, in the shape that programs get."""
    at = None if author is None or author.at is None else datetime.fromtimestamp(author.at, UTC).isoformat()
    return {"team": layout.is_shared(path), "author": author and author.name, "author_date": at}
