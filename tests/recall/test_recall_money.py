"""Questions to a model beside each other: the day's caps hold, and nothing that was sent is forgotten."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from memd import config
from memd.agent import backends, money
from memd.agent.money import Purse
from memd.clock import SystemClock
from memd.ledger import Ledger, open_ledger
from memd.ledger.nouns import EXTRACT
from memd.ledger.spend import Day
from memd.memory import location, topic
from memd.memory.topic import TopicType
from memd.recall.find import How, find_relevant_memories, within
from memd.recall.model import Asker
from tests.fakes.anthropic_server import Cut, Failure, Hang, Json, Raw, serving, text, tool_use

CHOICE = tool_use("choose", {"files": ["lint.md"]})
PROSE = (text("none"),)


@dataclass(frozen=True, kw_only=True)
class World:
    """A project with one memory, whose model is asked at `url`."""

    home: Path
    url: str

    @property
    def project(self) -> Path:
        """Where the person works."""
        return self.home / "shop"

    @property
    def memory(self) -> Path:
        """Its memory directory."""
        return self.home / ".claude" / "projects" / location.slug(str(self.project)) / "memory"

    @property
    def environ(self) -> dict[str, str]:
        """A key, and where to ask."""
        return {"HOME": str(self.home), "ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": self.url}

    @property
    def ledger_file(self) -> Path:
        """The one ledger of all who ask."""
        return config.load(self.environ).paths.ledger

    def ask(self, **caps: str) -> list[str]:
        """One question, with a ledger of its own: what another process would have."""
        with open_ledger(self.ledger_file, SystemClock()) as ledger:
            asker = Asker(
                settings=config.load({**self.environ, **caps}).settings,
                environ=self.environ,
                ledger=ledger,
                clock=SystemClock(),
                project=str(self.project),
            )
            found = find_relevant_memories("lint", self.memory, deadline=within(30.0), how=How(choose=asker))
        return [Path(one.path).name for one in found]

    def day(self) -> Day:
        """What was spent today."""
        with open_ledger(self.ledger_file, SystemClock()) as ledger:
            return ledger.spent_on(SystemClock().now().date().isoformat())


def world(home: Path, url: str) -> World:
    made = World(home=home, url=url)
    made.project.mkdir()
    made.memory.mkdir(parents=True)
    (made.memory / "lint.md").write_bytes(topic.render("lint", "lint on Mondays", TopicType.FEEDBACK, "lint"))
    return made


def purse(of: World, ledger: Ledger, kind: str) -> Purse:
    settings = config.load(of.environ).settings
    account = backends.choose(settings, of.environ, settings.models.extract).account
    assert account is not None
    return Purse(ledger=ledger, clock=SystemClock(), settings=settings, account=account, project="/p", kind=kind)


def test_however_many_ask_at_once_no_more_leave_than_the_day_allows(home: Path) -> None:
    others_are_done = threading.Event()
    done: list[list[str]] = []

    def answer(_request: Json) -> list[Json]:
        others_are_done.wait(5.0)  # nobody's answer comes before all have tried
        return [CHOICE]

    with serving(answer) as server, ThreadPoolExecutor(6) as pool:
        asking = world(home, server.url)

        def ask() -> None:
            done.append(asking.ask(MEMD_CAPS_DAY_REQUESTS="1"))
            if len(done) == 5:
                others_are_done.set()

        for one in [pool.submit(ask) for _ in range(6)]:
            one.result()
        assert len(server.requests) == 1
    assert asking.day().requests == 1


@pytest.mark.parametrize("broken", [Cut(blocks=(CHOICE,)), Failure(status=504)], ids=["cut", "gateway"])
def test_what_may_have_been_answered_counts_as_spent(home: Path, broken: Cut | Failure) -> None:
    with serving(lambda _request: broken) as server:
        asking = world(home, server.url)
        for _ in range(2):
            assert asking.ask(MEMD_CAPS_DAY_REQUESTS="1") == ["lint.md"]
        assert len(server.requests) == 1
    assert asking.day().requests == 1
    assert asking.day().dollars > 0.01  # an answer as long as it may be


def test_a_refusal_is_a_request_that_costs_nothing(home: Path) -> None:
    with serving(lambda _request: Failure(status=529)) as server:
        asking = world(home, server.url)
        asking.ask()
    assert asking.day() == Day(dollars=0.0, passes=0, requests=1)


def test_where_nobody_is_reached_nothing_is_spent(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        asking = world(home, f"http://127.0.0.1:{closed.getsockname()[1]}")
    asking.ask()
    assert asking.day().dollars == 0.0


def test_the_request_of_a_process_that_was_killed_is_spent(home: Path) -> None:
    with serving(lambda _request: Hang()) as server:
        asking = world(home, server.url)
        command = [sys.executable, "-m", "memd.cli.main", "recall", "lint", "--project", str(asking.project)]
        asked = subprocess.Popen(command, env={**os.environ, **asking.environ}, stdout=subprocess.DEVNULL)
        server.wait_for(lambda requests: len(requests) > 0, timeout=30.0)
        asked.kill()
        asked.wait()
        asking.ask(MEMD_CAPS_DAY_REQUESTS="1")
        assert len(server.requests) == 1
    assert asking.day().dollars > 0.01


def test_no_failure_is_lost_where_many_fail_at_once(home: Path) -> None:
    together = threading.Barrier(4)

    def fail(_request: Json) -> Failure:
        together.wait(20.0)
        return Failure(status=500)

    with serving(fail) as server, ThreadPoolExecutor(4) as pool:
        asking = world(home, server.url)
        for one in [pool.submit(asking.ask) for _ in range(4)]:
            one.result()
    with open_ledger(asking.ledger_file, SystemClock()) as ledger:
        assert ledger.circuit(purse(asking, ledger, "recall").circuit).failures == 4


def test_rubbish_for_questions_stops_questions_and_no_passes(home: Path) -> None:
    with serving(lambda _request: PROSE) as server:
        asking = world(home, server.url)
        for _ in range(6):
            asking.ask()
        assert len(server.requests) == 5
    with open_ledger(asking.ledger_file, SystemClock()) as ledger:
        assert money.wait(purse(asking, ledger, EXTRACT)) is None
        assert money.wait(purse(asking, ledger, "recall")) is not None


def test_none_is_a_right_answer_however_short(home: Path) -> None:
    none = {
        "type": "message",
        "role": "assistant",
        "content": [tool_use("choose", {"files": []})],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 100, "output_tokens": 1},
    }
    with serving(lambda _request: Raw(pieces=(json.dumps(none).encode(),))) as server:
        asking = world(home, server.url)
        for _ in range(6):
            assert asking.ask() == []
        assert len(server.requests) == 6
