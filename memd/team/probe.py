"""A look at a remote before anybody joins: can it be reached, and is its branch one of memories? Nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from memd.memory import topic
from memd.memory.membership import Membership
from memd.team import clone, git, incoming, objects, remote
from memd.team.base import Base
from memd.team.git import Repository
from memd.team.incoming import Entry

_MANY = 10  # files that are no memories, from which on a branch with fewer memories is something else
_SHARE = 4  # one file in so many that is no memory, and a branch may well be something else
_USUAL = re.compile(  # in any repository, whatever it is for
    r"(?:.*/)?(?:readme|licen[sc]e|copying|notice|codeowners|memory\.md|\.git(?:ignore|attributes|keep))(?:[._-].*)?"
    r"|\.git(?:hub|lab|ea)/.*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a remote has."""

    exists: bool  # whether it has the branch
    memories: Mapping[str, str] = field(default_factory=dict)  # the blob by path, of what is one by name and header
    others: int = 0  # files that are not
    strangers: int = 0  # of those, what need not stand in a repository of memories
    in_the_way: str | None = None  # a branch beside which this one cannot be made
    base: Base = field(default_factory=Base)  # what live files and the branch had in common before, if that is certain

    @property
    def is_foreign(self) -> bool:
        """Whether the branch plainly is something else, such as a program's code."""
        return self.strangers >= _MANY and self.strangers > len(self.memories)

    @property
    def is_mixed(self) -> bool:
        """Whether so much of the branch is no memory that nobody can have meant it by mistake alone."""
        return self.strangers * _SHARE >= self.strangers + len(self.memories) > 0


def look(membership: Membership, environ: Mapping[str, str], *, patience: float, old: Base) -> Probe:
    """What the remote has; `patience` is in seconds, `old` the base of before. Raises RemoteError and GitError."""
    with TemporaryDirectory(prefix="memd-team-") as scratch:
        repository = Repository(path=Path(scratch) / "look.git", environ=environ, seconds=patience)
        repository.path.mkdir(mode=0o700)
        git.require_new_enough(repository)
        git.local(repository, "init", "--quiet", "--bare", "--template=", "--object-format=sha1")
        tip = remote.fetch(repository, membership)
        if tip is None:
            return Probe(exists=False, in_the_way=remote.in_the_way(repository, membership))
        entries = objects.listing(repository, tip)
        memories = {entry.path: entry.oid for entry in _memories(repository, entries)}
        others = [entry.path for entry in entries if entry.path not in memories]
        strangers = sum(_USUAL.fullmatch(path) is None for path in others)
        base = clone.rebased(repository, old, tip)
        return Probe(exists=True, memories=memories, others=len(others), strangers=strangers, base=base)


def _memories(repository: Repository, entries: tuple[Entry, ...]) -> Iterator[Entry]:
    good = incoming.judge(entries).good
    contents = objects.blobs(repository, good)
    yield from (entry for entry in good if not topic.parse(contents[entry.oid]).problems)
