"""What an export leaves out: the memories that a team shares, which are in the team's repository."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memd import git_address
from memd.cli.here import Here
from memd.cli.words import counted, shown, valid
from memd.memory import layout, membership, scan
from memd.memory.location import MemoryDir
from memd.memory.membership import Membership


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A project's `team/`: how many memories stand there, and with whom they are shared."""

    root: Path
    directory: Path
    files: int
    one: Membership | None


def look(surroundings: Here, place: MemoryDir) -> Shared:
    """What of a project is left out."""
    count = sum(layout.is_shared(header.path) for header in scan.scan(place.path, team=True))
    one = membership.find(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    return Shared(root=place.root, directory=place.path / layout.TEAM, files=count, one=one)


def told(shared: Shared) -> str:
    """Say so, and how one gets at them elsewhere."""
    count = counted(shared.files, "memory of the team", "memories of the team")
    return f"left out: {count} ({shown(str(shared.root))}); {shown(_way(shared))}"


def _way(shared: Shared) -> str:
    if shared.one is None:
        return f"nobody shares them now: copy {shared.directory} by hand"
    return f"`{_joins(shared.one)}` gets them on another machine"


def _joins(one: Membership) -> str:
    address = git_address.shown(one.remote)
    return f"memd team init --remote {shlex.quote(address)} --branch {shlex.quote(one.branch)}"


def described(shared: Shared) -> dict[str, Any]:
    """Put it into the shape that programs get."""
    return {
        "project": valid(str(shared.root)),
        "team_dir": valid(str(shared.directory)),
        "files": shared.files,
        "remote": None if shared.one is None else git_address.shown(shared.one.remote),
        "branch": None if shared.one is None else shared.one.branch,
        "way": valid(_way(shared)),
    }
