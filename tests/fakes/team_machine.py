"""One machine with team memory: a home, a memory directory, and the real sync; and what it looks like from outside."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from memd import config, logs
from memd.clock import SystemClock
from memd.config import Paths, Settings
from memd.ledger import open_ledger
from memd.memory import sharing, topic
from memd.memory.layout import TEAM
from memd.memory.membership import Membership
from memd.memory.topic import TopicType
from memd.team import sync
from memd.team.house import House
from memd.team.nouns import SyncReport

_OWN = ("state", "memory/team", "memory/logs", "memory/MEMORY.md", "remote")  # where a sync may write
_GONE = 5.0  # seconds in which what was started has ended


def memory(text: str, *, kind: TopicType = TopicType.PROJECT, name: str = "note") -> bytes:
    """A good file of a team's."""
    return topic.render(name, text[:100], kind, topic.body(text) if kind is not TopicType.REFERENCE else text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Everything below one directory: home, state, memory, and a place for what must never appear."""

    root: Path
    environ: Mapping[str, str]
    paths: Paths
    settings: Settings
    membership: Membership

    @staticmethod
    def made(root: Path, remote: str, branch: str = "memd", variables: Mapping[str, str] | None = None) -> Machine:
        """A new machine whose only project shares its memory through `remote`, whatever that says."""
        for name in ("home", "project", "memory", "state"):
            (root / name).mkdir(parents=True)
        (root / "memory" / "user_role.md").write_bytes(memory("Private.", kind=TopicType.REFERENCE))
        (root / "home" / ".bashrc").write_bytes(b"# mine\n")
        machine = Machine.at(root, remote, branch, variables)
        machine.membership.directory.mkdir(parents=True, mode=0o700)
        return machine

    @staticmethod
    def at(root: Path, remote: str, branch: str = "memd", variables: Mapping[str, str] | None = None) -> Machine:
        """The machine that is there, with another remote perhaps."""
        environ = {"PATH": os.environ["PATH"], "HOME": str(root / "home"), "XDG_STATE_HOME": str(root / "state")}
        loaded = config.load(environ)
        one = Membership(
            project=root / "project",
            memory_dir=root / "memory",
            remote=remote,
            branch=branch,
            directory=loaded.paths.team / "hostile",
        )
        return Machine(
            root=root,
            environ={**environ, **(variables or {})},
            paths=loaded.paths,
            settings=loaded.settings,
            membership=one,
        )

    @property
    def team(self) -> Path:
        """The shared directory."""
        return self.root / "memory" / TEAM

    @property
    def canary(self) -> Path:
        """What any payload makes that is run."""
        return self.root / "home" / "canary"

    def write(self, path: str, data: bytes) -> None:
        """Edit a file by hand."""
        (self.team / path).parent.mkdir(parents=True, exist_ok=True)
        (self.team / path).write_bytes(data)

    def sync(self, patience: float = 20.0) -> SyncReport:
        """Sync once, as memd does."""
        clock, stream = SystemClock(), io.StringIO()
        with open_ledger(self.paths.ledger, clock) as ledger:
            house = House(
                settings=self.settings,
                paths=self.paths,
                environ=self.environ,
                ledger=ledger,
                clock=clock,
                log=logs.configure(stream, json=True),
                patience=patience,
            )
            return sync.run(house, self.membership)

    def live(self) -> dict[str, bytes]:
        """The shared files, without the index."""
        found = (path for path in sorted(self.team.rglob("*")) if path.is_file() or path.is_symlink())
        named = {str(path.relative_to(self.team)): path for path in found}
        return {name: path.read_bytes() for name, path in named.items() if name != "MEMORY.md"}

    def outside(self) -> dict[str, str]:
        """Everything else on this machine, by path: kind, mode and content."""
        found: dict[str, str] = {}
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if not name.startswith(_OWN):
                found[name] = _described(path)
        return found

    def size(self) -> int:
        """Bytes of all that memd keeps of its own."""
        return sum(path.lstat().st_size for path in (self.root / "state").rglob("*"))

    def odd(self) -> list[str]:
        """What in `team/` may not be there."""
        found = []
        for path in self.team.rglob("*") if self.team.is_dir() else ():
            name, how = str(path.relative_to(self.team)), path.lstat()
            if stat.S_ISDIR(how.st_mode) or name == "MEMORY.md":
                continue
            if not stat.S_ISREG(how.st_mode) or how.st_nlink != 1 or how.st_mode & 0o111:
                found.append(f"{name}: {stat.filemode(how.st_mode)}")
            elif (why := sharing.broken(name, path.read_bytes())) is not None:
                found.append(f"{name}: {why}")
        return found


def _described(path: Path) -> str:
    how = path.lstat()
    what = str(path.readlink()) if path.is_symlink() else ""
    content = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(how.st_mode) else ""
    return f"{stat.filemode(how.st_mode)} {what}{content}"


def left_running() -> list[str]:
    """Processes that this one started and that go on, after a moment in which they may end."""
    until = time.monotonic() + _GONE
    while (there := psutil.Process().children(recursive=True)) and time.monotonic() < until:
        psutil.wait_procs(there, timeout=0.1)
    return [" ".join(one.cmdline()) for one in there if one.is_running()]
