"""A home with one project, and real passes over its conversations by a scripted model behind the real SDK."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memd.agent import encoding, sandbox
from memd.agent.anthropic_api import AnthropicApi
from memd.agent.backend import Task
from memd.agent.model_service import Service
from memd.agent.tools import Toolbox
from memd.extract import run as extract
from memd.extract.house import House
from memd.ledger import JobRequest, Run
from memd.memory import history
from memd.memory.journal import Record
from memd.memory.store import RunNote
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import Json, Script, Server, text, tool_use
from tests.fakes.shop import Shop, opened, pass_house

_DONE = (text("nothing"),)


@dataclass(kw_only=True)
class Passes(Shop):
    """The project, and real passes over its conversations."""

    house: House
    server: Server

    def add(self, records: Sequence[lines.Line], session: str = lines.SESSION) -> int:
        """Append records to a conversation; the number of the job that it asks for."""
        known = self.write(*records, session=session)
        return self.ledger.enqueue(JobRequest(session_key=known.key, watermark=known.size))

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
    service = Service(model="claude-sonnet-5-5", base_url=server.url, environ={})
    with opened(home) as shop:
        yield Passes(**vars(shop), house=pass_house(shop, AnthropicApi(service, tools)), server=server)


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
