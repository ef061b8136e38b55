"""A model that chooses, through the real SDK, against a scripted service on loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.ledger import Ledger, open_ledger
from memd.memory import topic
from memd.memory.topic import TopicType
from memd.recall.find import How, find_relevant_memories
from memd.recall.model import Asker
from tests.fakes.anthropic_server import Failure, Hang, Script, Server, in_turn, serving, text, tool_use

FILES = ("deploys.md", "lint.md", "review.md")
Ask = Callable[..., list[str]]


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    directory = tmp_path / "memory"
    directory.mkdir()
    for name in FILES:
        said = f"{name[:-3]} are done on Mondays"
        (directory / name).write_bytes(topic.render(name[:-3], said, TopicType.FEEDBACK, said))
    return directory


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3", SystemClock()) as opened:
        yield opened


@pytest.fixture
def asked(memory: Path, ledger: Ledger) -> Iterator[Callable[[Script], tuple[Server, Ask]]]:
    """Puts questions to a memory with a service behind it."""
    with ExitStack() as stack:

        def begin(script: Script) -> tuple[Server, Ask]:
            server = stack.enter_context(serving(script))
            environ = {"ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": server.url}

            def ask(query: str, *, seconds: float = 30, tools: Sequence[str] = (), **environment: str) -> list[str]:
                asker = Asker(
                    settings=config.load({"HOME": str(memory), **environment}).settings,
                    environ=environ,
                    ledger=ledger,
                    clock=SystemClock(),
                    project="/p",
                    recent_tools=tools,
                )
                how, until = How(choose=asker), time.monotonic() + seconds
                found = find_relevant_memories(query, memory, deadline=until, how=how, recent_tools=tools)
                return [Path(one.path).name for one in found]

            return server, ask

        yield begin


def choosing(*names: object) -> Script:
    return in_turn([tool_use("choose", {"files": list(names)})])


def test_the_model_is_shown_the_memories_and_its_choice_counts(
    asked: Callable[[Script], tuple[Server, Ask]], ledger: Ledger
) -> None:
    server, ask = asked(choosing("review.md", "invented.md", "../x.md", 7, "deploys.md", "review.md"))
    found = ask("what about ghp_0123456789abcdefghijklmnopqrstuvwxyzAB mondays?", tools=["Bash"])
    assert found == ["review.md", "deploys.md"]
    [request] = server.conversation()
    assert request["model"] == "claude-sonnet-5-5"
    assert request["tool_choice"] == {"type": "tool", "name": "choose"}
    said = json.dumps(request["messages"])
    assert all(f"[feedback] {name} (today): " in said for name in FILES)
    assert "Bash" in said
    assert "ghp_0123" not in said
    spent = ledger.spent_on(SystemClock().now().date().isoformat())
    assert (spent.requests, spent.passes) == (1, 0)
    assert spent.dollars > 0


def test_none_is_an_answer(asked: Callable[[Script], tuple[Server, Ask]]) -> None:
    assert asked(choosing())[1]("deploys") == []


@pytest.mark.parametrize(
    "script",
    [
        in_turn([text("deploys.md, I would say")]),
        lambda _request: Failure(status=500),
        lambda _request: Failure(status=401, kind="authentication_error"),
        lambda _request: Failure(status=429, headers={"retry-after": "3600"}),
        in_turn([tool_use("choose", {"wrong": 1})]),
    ],
    ids=["prose", "down", "refused", "busy", "other"],
)
def test_where_it_cannot_tell_the_words_do(asked: Callable[[Script], tuple[Server, Ask]], script: Script) -> None:
    assert asked(script)[1]("deploys") == ["deploys.md"]


def test_it_is_not_waited_for_longer_than_there_is_time(asked: Callable[[Script], tuple[Server, Ask]]) -> None:
    _, ready = asked(choosing())
    ready("loads what takes its time")
    _, ask = asked(lambda _request: Hang())
    assert ask("deploys", seconds=5) == ["deploys.md"]  # words that come too late come not at all


def test_once_the_day_is_spent_or_the_key_refused_nobody_is_asked(
    asked: Callable[[Script], tuple[Server, Ask]],
) -> None:
    server, ask = asked(lambda _request: Failure(status=401, kind="authentication_error"))
    assert ask("deploys", MEMD_CAPS_DAY_REQUESTS="1") == ["deploys.md"]
    assert ask("deploys") == ["deploys.md"]
    assert len(server.conversation()) == 1
    other, spends = asked(choosing("lint.md"))
    assert spends("deploys", MEMD_CAPS_DAY_REQUESTS="2") == ["lint.md"]  # one was sent, and refused
    assert spends("deploys", MEMD_CAPS_DAY_REQUESTS="2") == ["deploys.md"]
    assert len(other.conversation()) == 1


def test_the_offline_backend_asks_nobody(asked: Callable[[Script], tuple[Server, Ask]]) -> None:
    server, ask = asked(choosing("lint.md"))
    assert ask("deploys", MEMD_BACKEND="offline") == ["deploys.md"]
    assert server.conversation() == ()
