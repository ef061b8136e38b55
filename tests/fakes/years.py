"""A home with Claude Code's files, and memd over them; time is turned by hand, in the files' dates too."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from memd.agent.backend import Task, Usage
from memd.daemon.due import Rules
from memd.daemon.reconcile import rescan
from memd.daemon.tracker import Tracker
from memd.extract import run as extraction
from memd.extract.house import House
from memd.ledger import JobRequest, Ledger, Run, Session
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.ending import Timings
from tests.fakes.claude_lines import Line, packed
from tests.fakes.clock import FakeClock
from tests.fakes.rescans import at_once

RULES = Rules(timings=Timings(quiet=120, stalled=600), min_interval=600)
SESSION = "aaaaaaaa-0000-4000-8000-00000000000a"


@dataclass
class Listener:
    """A backend that proposes nothing, and remembers what it was shown."""

    shown: list[str] = field(default_factory=list)
    name: str = "listener"

    def propose(self, task: Task) -> Usage:
        """Listen."""
        self.shown += [said.text for said in task.new]
        return Usage()


@dataclass
class World:
    """A home with Claude Code's files, and memd over them; time is turned by hand, in files' dates too."""

    home: Path
    ledger: Ledger
    clock: FakeClock
    backend: Listener
    house: House

    def __post_init__(self) -> None:
        """The reader, and a first daemon."""
        self.claude = ClaudeCode(self.home / ".claude")
        self.start()

    def start(self) -> None:
        """A new daemon over the same files."""
        self.tracker = Tracker(self.ledger, self.claude, self.clock, RULES, lambda cwd: cwd)

    def path(self, session: str = SESSION) -> Path:
        """Where a session's file stands."""
        return self.home / ".claude" / "projects" / "-shop" / f"{session}.jsonl"

    def append(self, *records: Line, session: str = SESSION) -> Path:
        """What an agent does, with the event that tells of it."""
        here = [record | {"cwd": str(self.home / "shop"), "sessionId": session} for record in records]
        return self.append_bytes(packed(*here), session=session)

    def append_bytes(self, data: bytes, session: str = SESSION) -> Path:
        """The same, with bytes as they are."""
        path = self.path(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data)
        now = self.clock.now().timestamp()
        os.utime(path, (now, now))
        self.tracker.hint(str(path))
        return path

    def due(self) -> list[str]:
        """What is put into the queue now, and why."""
        return [reason for _, reason in self.tracker.enqueue_due()[1]]

    def rescan(self) -> None:
        """What the daemon does now and then."""
        now = self.clock.now().timestamp()
        at_once(rescan(self.ledger, self.claude, self.tracker, now=now, began=now))

    def extract(self, session: str = SESSION) -> Run:
        """A worker's pass over the session, due or not."""
        path = self.path(session)
        key = f"{self.claude.agent}:{session}"
        self.ledger.note_session(
            Session(key=key, agent=self.claude.agent, session_id=session, path=str(path), cwd=str(self.home / "shop"),
                    size=path.stat().st_size)
        )  # fmt: skip
        number = self.ledger.enqueue(JobRequest(session_key=key, watermark=path.stat().st_size))
        job = self.ledger.claim(lease=60.0, only=number)
        assert job is not None
        return extraction.run(job, self.house)
