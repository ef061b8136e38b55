"""How commands speak of whose a memory is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memd.memory import layout
from memd.memory.authors import Author


def described(path: str, author: Author | None) -> dict[str, Any]:
    """Whether a memory is the team's, and who wrote it as git has it, in the shape that programs get."""
    at = None if author is None or author.at is None else datetime.fromtimestamp(author.at, UTC).isoformat()
    return {"team": layout.is_shared(path), "author": author and author.name, "author_date": at}
