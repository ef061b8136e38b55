"""A project with memories and a log, and everything that a dream needs around them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memd import logs
from memd.agent.backend import Backend
from memd.agent.offline.dreaming.backend import OfflineDream
from memd.dream import run as dreams
from memd.dream.gates import Place
from memd.dream.house import House
from memd.ledger import Job, JobRequest, Run
from memd.ledger.nouns import DREAM
from memd.memory import history, journal, store, topic
from memd.memory.journal import Record
from memd.memory.log import Bullet
from memd.memory.store import RunNote
from memd.memory.topic import TopicType
from tests.fakes.shop import Scripted, Shop, opened


@dataclass(kw_only=True)
class Bed(Shop):
    """The project, where somebody dreams."""

    house: House

    @property
    def place(self) -> Place:
        """The two together."""
        return Place(root=self.project, memory_dir=self.memory)

    def topic(self, path: str, text: str, kind: str = "feedback", *, days: float = 10, more: str = "") -> None:
        """A memory that memd's run made, so many days ago."""
        at = self.clock.now() - timedelta(days=days)
        body = topic.body(text, more or None) if kind in {"feedback", "project"} else text
        self.save({path: topic.render(path.removesuffix(".md"), text[:150], TopicType(kind), body)}, at)

    def save(self, files: dict[str, bytes], at: datetime, *, bullets: Sequence[Bullet] = ()) -> None:
        """Write files as a run of memd's."""
        from memd.memory.workspace import Change  # noqa: PLC0415

        changes = [Change(path=path, before=_bytes(self.memory / path), after=data) for path, data in files.items()]
        number = self.ledger.start_run(
            "extract", memory_dir=str(self.memory), at_least=journal.next_id(self.house.paths.history)
        )
        note = RunNote(id=number, kind="extract", started=at, project=str(self.project))
        store.apply(self.memory, changes, run=note, history=self.house.paths.history, bullets=bullets)
        self.ledger.end_run(
            Run(id=number, root=str(self.project), memory_dir=str(self.memory), started=at.timestamp(), outcome="saved")
        )
        for path in files:
            os.utime(self.memory / path, (at.timestamp(), at.timestamp()))

    def note(
        self, *texts: str, kind: str = "feedback", days: float = 1, source: str = "session s1, human, memory"
    ) -> None:
        """Lines of the log that memd wrote, so many days ago."""
        at = self.clock.now() - timedelta(days=days)
        self.save({}, at, bullets=[Bullet(type=kind, text=text, source=source) for text in texts])

    def job(self, *, by_hand: bool = True) -> Job:
        """A claimed job."""
        number = self.ledger.enqueue(JobRequest(kind=DREAM, memory_dir=str(self.memory), by_hand=by_hand))
        job = self.ledger.claim(lease=60.0, only=number)
        assert job is not None
        return job

    def dream(self, backend: Backend | None = None, *, force: bool = False, by_hand: bool = True) -> Run:
        """One dream, by rules where no backend is given."""
        house = replace(self.house, backend=backend or OfflineDream())
        job = self.job(by_hand=by_hand)
        try:
            return dreams.run(job, self.place, house, force=force)
        except BaseException:
            if any(one.id == job.id for one in self.ledger.jobs()):
                self.ledger.skip_dream(job, str(self.memory), "test")
            raise

    def record(self, run: Run) -> Record:
        """What the history says of a run."""
        return history.load(run.id, history=self.house.paths.history)

    def files(self) -> dict[str, str]:
        """Every Markdown file but the logs."""
        found = sorted(path for path in self.memory.rglob("*.md") if "logs" not in path.parts)
        return {path.relative_to(self.memory).as_posix(): path.read_text("utf-8") for path in found}

    def stamps(self) -> dict[str, tuple[int, bytes]]:
        """Every Markdown file, logs included: its mtime (ns) and its bytes."""
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(self.memory.rglob("*.md"))}


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.fixture
def bed(home: Path) -> Iterator[Bed]:
    """A project at noon on 2026-04-01, with an empty memory."""
    with opened(home) as shop:
        house = House(
            settings=shop.loaded.settings,
            paths=shop.loaded.paths,
            environ={"HOME": str(home)},
            ledger=shop.ledger,
            clock=shop.clock,
            backend=Scripted(),
            log=logs.configure(shop.log, json=True),
        )
        bed = Bed(**vars(shop), house=house)
        bed.memory.mkdir(parents=True)
        yield bed
