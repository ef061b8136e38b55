"""A look at a remote before anybody joins: can it be reached, and is its branch one of memories? Nothing is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from memd.memory.membership import Membership
from memd.team import git, incoming, objects, remote
from memd.team.git import Repository

_MANY = 10  # files that are no memories, from which on a branch with fewer memories is something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a remote has."""

    exists: bool  # whether it has the branch
    memories: tuple[str, ...] = ()  # paths that could be
    others: int = 0  # files that cannot
    in_the_way: str | None = None  # a branch beside which this one cannot be made

    @property
    def is_foreign(self) -> bool:
        """Whether the branch plainly is something else, such as a program's code."""
        return self.others >= _MANY and self.others > len(self.memories)


def look(membership: Membership, environ: Mapping[str, str], *, patience: float) -> Probe:
    """What the remote has; `patience` is in seconds. Raises RemoteError and GitError."""
    with TemporaryDirectory(prefix="memd-team-") as scratch:
        repository = Repository(path=Path(scratch) / "look.git", environ=environ, seconds=patience)
        repository.path.mkdir(mode=0o700)
        git.require_new_enough(repository)
        git.local(repository, "init", "--quiet", "--bare", "--template=", "--object-format=sha1")
        tip = remote.fetch(repository, membership)
        if tip is None:
            return Probe(exists=False, in_the_way=remote.in_the_way(repository, membership))
        judged = incoming.judge(objects.listing(repository, tip))
        paths = tuple(entry.path for entry in judged.good)
        return Probe(exists=True, memories=paths, others=len(judged.refused) + judged.others)
