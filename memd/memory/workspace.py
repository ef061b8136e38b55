"""A private copy of a memory directory, and what has changed in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A private copy to work in; whatever stands there afterwards is the proposal.

    `memory` holds a copy of the topic files and MEMORY.md (never the logs). Every new or changed topic carries
    `evidence:` in its frontmatter, a list of verbatim quotes. `bullets` is a file of one proposal a line,
    `- [type] text`, for what is not yet worth a memory; it does not exist at the start.
    """

    memory: Path
    bullets: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file's difference: its whole bytes before and after, None where there was or is no such file."""

    path: str  # relative to the memory directory, with "/"
    before: bytes | None
    after: bytes | None
