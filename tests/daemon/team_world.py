"""A machine whose projects share memories, with syncs that end when a test says so, and time that it lets pass."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

from memd import config, logs
from memd.clock import Clock
from memd.daemon.events import WorkerEnded
from memd.daemon.setup import Setup
from memd.daemon.teams import Teams
from memd.daemon.workers import Staff, Workers
from memd.ledger import Ledger, open_ledger
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import last
from memd.team.nouns import Outcome, SyncReport
from memd.transcripts.agents import Agents
from tests.fakes.clock import FakeClock


@dataclass
class Syncers:
    """Processes that end when the test says so."""

    started: list[str] = field(default_factory=list)
    pids: dict[str, int] = field(default_factory=dict)  # of the last process for each
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    ended: list[int] = field(default_factory=list)  # one by one
    refuse: bool = False
    stopped: bool = False

    async def start(self, *keys: str) -> int:
        """Begin one."""
        if self.refuse:
            raise OSError(12, "no more processes")
        self.started += keys
        self.pids[keys[0]] = next(self.numbers)
        return self.pids[keys[0]]

    def dismiss(self, pid: int) -> None:
        """End one."""
        self.ended.append(pid)

    async def stop(self) -> None:
        """End them."""
        self.stopped = True


@dataclass
class World:
    """A machine with projects that share memories."""

    home: Path
    clock: FakeClock
    ledger: Ledger
    syncers: Syncers
    log: io.StringIO
    setup: Setup
    teams: Teams

    def join(self, name: str = "shop", remote: str = "/srv/git") -> Membership:
        """A project shares its memories from now on."""
        (self.home / name).mkdir(exist_ok=True)
        memory_dir = self.home / ".claude" / "projects" / name / "memory"
        (memory_dir / "team").mkdir(parents=True)
        planned = membership.planned(
            self.setup.paths, root=self.home / name, memory_dir=memory_dir, remote=remote, branch="memd"
        )
        return membership.note(planned, datetime(2026, 4, 1, tzinfo=UTC))

    def turn(self) -> float:
        """One turn of the loop; the seconds until the next."""
        return asyncio.run(self.teams.employ())

    def ends(self, one: Membership, outcome: Outcome = Outcome.NOTHING, code: int = 0, **more: Any) -> None:  # noqa: ANN401
        """The process that works ends so."""
        if code == 0:
            before = last.load(one)
            report = SyncReport(outcome=outcome, **more)
            known = last.after(before, report, at=self.clock.now().timestamp(), shape=last.shape(one))
            last.save(one, known)
        self.dies(one, code)

    def dies(self, one: Membership, code: int = 0) -> None:
        """It ends without a word."""
        self.teams.ended(WorkerEnded(pid=self.syncers.pids[one.key], code=code))

    def write(self, one: Membership, name: str, text: str = "x") -> str:
        """Somebody saves a memory; its path."""
        path = one.team / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def settled(self, one: Membership) -> None:
        """The first sync is over, and well."""
        self.teams.gather()
        self.turn()
        self.ends(one)
        self.syncers.started.clear()

    def with_settings(self, text: str) -> None:
        """The daemon reads these settings."""
        path = self.setup.paths.config_file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.setup = replace(self.setup, settings=config.load(os.environ).settings)
        self.teams.adopt(self.setup)


@contextmanager
def machine(home: Path) -> Iterator[World]:
    """One on which nobody shares anything yet."""
    clock, log, syncers = FakeClock(), io.StringIO(), Syncers()
    paths = config.find_paths(os.environ)
    setup = Setup(
        settings=config.Settings(), paths=paths, transcripts=Agents([]), clock=cast("Clock", clock),
        log=logs.configure(log, json=True), staff=Staff(), environ=dict(os.environ),
    )  # fmt: skip
    with open_ledger(paths.ledger, cast("Clock", clock)) as ledger:
        yield World(home, clock, ledger, syncers, log, setup, Teams(setup, ledger, cast("Workers", syncers)))
