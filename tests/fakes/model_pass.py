"""A home with one project, and real passes over its conversations by a scripted model behind the real SDK."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memd import config, logs
from memd.agent import encoding, sandbox
from memd.agent.anthropic_api import AnthropicApi
from memd.agent.backend import Task
from memd.agent.model_service import Service
from memd.agent.tools import Toolbox
from memd.extract import run as extract
from memd.extract.house import House
from memd.ledger import JobRequest, Ledger, Run, Session, open_ledger
from memd.memory import history, location
from memd.memory.journal import Record
from memd.memory.store import RunNote
from memd.transcripts import agents
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import Json, Script, Server, text, tool_use
from tests.fakes.clock import FakeClock

_DONE = (text("nothing"),)


@dataclass(frozen=True, kw_only=True)
class Passes:
    """One project on 2026-04-01, a Wednesday, and what is around it."""

    home: Path
    house: House
    server: Server
    clock: FakeClock
    log: io.StringIO = field(default_factory=io.StringIO)

    @property
    def project(self) -> Path:
        """Where the person works."""
        return self.home / "shop"

    @property
    def memory(self) -> Path:
        """Where the project's memory is."""
        return self.home / ".claude" / "projects" / location.slug(str(self.project)) / "memory"

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self.house.ledger

    @property
    def transcript(self) -> Path:
        """The file of the usual conversation."""
        return self._file(lines.SESSION)

    def _file(self, session: str) -> Path:
        return self.home / ".claude" / "projects" / location.slug(str(self.project)) / f"{session}.jsonl"

    def add(self, records: Sequence[lines.Line], session: str = lines.SESSION) -> int:
        """Append records to a conversation; the number of the job that it asks for."""
        path = self._file(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        here = [{**record, "cwd": str(self.project), "sessionId": session} for record in records]
        lines.add(path, lines.packed(*here))
        key, size = f"claude-code:{session}", path.stat().st_size
        self.ledger.note_session(
            Session(key=key, agent="claude-code", session_id=session, path=str(path), cwd=str(self.project), size=size)
        )
        return self.ledger.enqueue(JobRequest(session_key=key, watermark=size))

    def run(self, records: Sequence[lines.Line], script: Script, session: str = lines.SESSION) -> Run:
        """Append records to a conversation and let one pass see them."""
        number = self.add(records, session)
        self.server.script = script
        job = self.ledger.claim(lease=60.0, only=number)
        assert job is not None
        return extract.run(job, self.house)

    def records(self) -> tuple[Record, ...]:
        """What the history holds, newest first."""
        return tuple(history.runs(self.house.paths.history))

    def note(self, run: Run) -> RunNote | None:
        """What a run noted about its proposals; None where it proposed nothing."""
        return next((record.run for record in self.records() if record.id == run.id), None)

    def live(self) -> dict[str, str]:
        """Every file of the memory, by its relative path."""
        found = sorted(path for path in self.memory.rglob("*") if path.is_file())
        return {path.relative_to(self.memory).as_posix(): path.read_text("utf-8") for path in found}


@contextmanager
def furnished(home: Path, server: Server) -> Iterator[Passes]:
    """The project, empty, with the model's backend pointed at a server."""
    environ = {"HOME": str(home)}
    loaded = config.load(environ)
    clock, log = FakeClock(), io.StringIO()
    (home / "shop").mkdir(parents=True, exist_ok=True)
    (home / ".claude").mkdir(exist_ok=True)
    service = Service(model="claude-sonnet-5-5", base_url=server.url, environ={})
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        house = House(
            settings=loaded.settings,
            paths=loaded.paths,
            environ=environ,
            ledger=ledger,
            clock=clock,
            transcripts=agents.watched((), environ, home),
            backend=AnthropicApi(service, tools),
            log=logs.configure(log, json=True),
        )
        yield Passes(home=home, house=house, server=server, clock=clock, log=log)


def tools(task: Task, until: float) -> Toolbox:
    """The real tools; whether programs can be confined on this machine is tried once."""
    return Toolbox(
        workspace=task.workspace,
        project=task.project,
        transcript_text=encoding.lines(task.new, task.first),
        deadline=until,
        confined=_confined(),
    )


@functools.cache
def _confined() -> bool:
    return sandbox.available() is None


def calls_first(*calls: tuple[str, Json]) -> Script:
    """A model that makes these calls in its first turn and is done in its second."""
    blocks = [tool_use(name, arguments, call_id=f"toolu_{place}") for place, (name, arguments) in enumerate(calls)]

    def answer(request: Json) -> Sequence[Json]:
        return blocks if blocks and len(request["messages"]) == 1 else _DONE

    return answer


def conversation(*said: tuple[str, str], start: int = 0) -> list[lines.Line]:
    """Records of what was said: by "human", by "assistant", and "tool" for a result; uuids count from `start`."""
    records: list[lines.Line] = []
    for place, (who, words) in enumerate(said, start):
        if who == "human":
            records.append(lines.prompt(f"h{place}", words))
        elif who == "assistant":
            records.append(lines.answer(f"a{place}", f"m{place}", lines.text(words)))
        else:
            call = lines.call(f"t{place}", "Bash", command="make check")
            records.append(lines.answer(f"a{place}", f"m{place}", call, stop="tool_use"))
            records.append(lines.result(f"r{place}", f"t{place}", words))
    if not said or said[-1][0] != "assistant":
        records.append(lines.answer(f"z{start}", f"mz{start}", lines.text("Done.")))
    return records
