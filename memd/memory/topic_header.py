"""The noun that a scan yields: one topic file, by its first lines alone."""

from __future__ import annotations

import msgspec

from memd.memory.topic import TopicType


class TopicHeader(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What the first lines of a topic file say, and what the file system does.

    A struct, and not a dataclass as other nouns: thousands come out of the header cache at once.
    """

    path: str  # relative to the memory directory
    name: str  # the file's stem where the header has none
    description: str
    type: TopicType | None
    mtime: float  # seconds since the epoch
    size: int = 0  # bytes
    pinned: bool = False
    problems: tuple[str, ...] = ()  # as in Topic, plus "unreadable"
