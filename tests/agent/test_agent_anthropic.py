"""The model backend through the real SDK, against a scripted service on loopback."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent.anthropic_api import AnthropicApi, retry_after
from memd.agent.backend import Task
from memd.agent.meter import Caps, Meter, Settle, Usage
from memd.agent.model_service import Service
from memd.errors import AuthError, BudgetError, MemdError, TransientError
from memd.memory import workspace
from memd.memory.quotes import Speaker, Utterance
from tests.fakes.anthropic_server import (
    Answer,
    Cut,
    Failure,
    Hang,
    Json,
    Raw,
    Script,
    Server,
    in_turn,
    serving,
    text,
    tool_use,
)

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
RULE = Utterance(speaker=Speaker.HUMAN, text="from now on run `make lint` before you commit", uuid="u1", at=NOW)
TOPIC = '---\nname: lint\ndescription: lint first\ntype: feedback\nevidence: ["x"]\n---\nRun `make lint`.\n'


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a tool answered."""

    text: str
    is_error: bool = False


class Notebook:
    """Tools with one that writes: what a pass needs least."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def definitions(self) -> tuple[Json, ...]:
        """The one tool."""
        schema = {"type": "object", "properties": {"name": {"type": "string"}, "content": {"type": "string"}}}
        return ({"name": "Write", "description": "Write a file.", "input_schema": schema},)

    def run(self, name: str, arguments: object) -> Told:
        """Write what is asked."""
        if name != "Write" or not isinstance(arguments, dict):
            return Told(text="only Write", is_error=True)
        (self._root / arguments["name"]).write_text(arguments["content"])
        return Told(text="written")


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a test sets."""

    max_turns: int = 5
    seconds: float = 120.0
    meter: Meter = field(default_factory=Meter)
    environ: Mapping[str, str] = field(default_factory=lambda: {"ANTHROPIC_API_KEY": "k-1"})


def propose(server: Server, tmp_path: Path, given: Given | None = None) -> tuple[Usage, Mapping[str, bytes | None]]:
    """Run one pass; gives what was spent and what changed."""
    given = given or Given()
    service = Service(model="claude-sonnet-5-5", base_url=server.url, environ=given.environ)
    with workspace.make(tmp_path / "memory", tmp_path) as work:
        backend = AnthropicApi(service, lambda task, _until: Notebook(task.workspace.memory))
        used = backend.propose(
            Task(
                workspace=work,
                new=(RULE,),
                now=NOW,
                max_turns=given.max_turns,
                seconds=given.seconds,
                meter=given.meter,
            )
        )
        return used, {change.path: change.after for change in workspace.difference(work)}


def write(number: int) -> Json:
    return tool_use("Write", {"name": f"t{number}.md", "content": TOPIC}, call_id=f"toolu_{number}")


def forever() -> Script:
    count = iter(range(10_000))
    return lambda _request: [write(next(count))]


def test_what_the_model_writes_is_the_proposal(tmp_path: Path) -> None:
    with serving(in_turn([text("I look."), write(1)])) as server:
        used, changed = propose(server, tmp_path)
    assert changed == {"t1.md": TOPIC.encode()}
    assert used.requests == len(server.requests) == 2
    assert used.input_tokens > 0 < used.output_tokens


def test_prose_without_a_call_is_nothing(tmp_path: Path) -> None:
    with serving(in_turn([text("I saved everything!")])) as server:
        used, changed = propose(server, tmp_path)
    assert (used.requests, changed) == (1, {})


def test_a_model_that_never_stops_has_its_turns(tmp_path: Path) -> None:
    with serving(forever()) as server:
        used, changed = propose(server, tmp_path, Given(max_turns=4))
    assert used.requests == len(changed) == 4
    assert "last turn" in json.dumps(server.requests[3].body["messages"][-1])
    assert "last turn" not in json.dumps(server.requests[2].body)


def test_a_request_continues_the_one_before_up_to_its_last_breakpoint(tmp_path: Path) -> None:
    with serving(forever()) as server:
        propose(server, tmp_path, Given(max_turns=6))
    bodies = [request.body for request in server.requests]
    assert len(bodies) == 6
    for before, after in pairwise(bodies):
        prefix = up_to_last_breakpoint(before)
        assert up_to_last_breakpoint(after)[: len(prefix)] == prefix
        assert {key: before[key] for key in ("model", "tools", "system")} == {
            key: after[key] for key in ("model", "tools", "system")
        }
    assert all(json.dumps(body).count('"cache_control"') <= 4 for body in bodies)


def up_to_last_breakpoint(body: Json) -> bytes:
    """The bytes of a request's messages up to the end of the last block with a breakpoint."""
    blocks = [(m["role"], b) for m in body["messages"] for b in m["content"]]
    last = max(place for place, (_, block) in enumerate(blocks) if "cache_control" in block)
    return json.dumps(blocks[: last + 1])[:-1].encode()


def test_a_pass_stays_below_its_cap_of_tokens(tmp_path: Path) -> None:
    meter = Meter(Caps(input_tokens=4_000))
    with serving(forever()) as server:
        used, changed = propose(server, tmp_path, Given(max_turns=50, meter=meter))
    assert 1 <= used.requests < 50
    assert len(changed) == used.requests
    assert used.all_input <= 4_000


def test_a_spent_day_sends_nothing(tmp_path: Path) -> None:
    def book(_estimate: Usage) -> Settle:
        raise BudgetError("$2.00 of $2.00 are spent today")

    meter = Meter(book=book)
    with serving(in_turn()) as server, pytest.raises(BudgetError, match="spent today"):
        propose(server, tmp_path, Given(meter=meter))
    assert server.requests == ()


def test_what_an_answer_cost_is_told_even_if_the_next_fails(tmp_path: Path) -> None:
    recorded: list[Usage] = []
    with serving(in_turn([write(1)], Failure(status=529))) as server, pytest.raises(TransientError):
        propose(server, tmp_path, Given(meter=Meter(book=lambda _estimate: recorded.append)))
    assert [(usage.requests, usage.all_input > 0) for usage in recorded] == [(1, True), (1, False)]


FAULTS: dict[str, tuple[Answer, type[MemdError]]] = {
    "400": (Failure(status=400, kind="invalid_request_error"), MemdError),
    "401": (Failure(status=401, kind="authentication_error"), AuthError),
    "402": (Failure(status=402, kind="billing_error"), AuthError),
    "403": (Failure(status=403, kind="permission_error"), AuthError),
    "404": (Failure(status=404, kind="not_found_error"), MemdError),
    "413": (Failure(status=413, kind="request_too_large"), MemdError),
    "429": (Failure(status=429, kind="rate_limit_error", headers={"retry-after": "7200"}), TransientError),
    "500": (Failure(status=500), TransientError),
    "529": (Failure(status=529, kind="overloaded_error"), TransientError),
    "half a body": (Cut(blocks=(text("cut"),)), TransientError),
    "no JSON": (Raw(pieces=(b"<html>login</html>",), content_type="text/html"), TransientError),
    "broken JSON": (Raw(pieces=(b'{"type": "message", "content": [',)), TransientError),
    "another JSON": (Raw(pieces=(b'{"choices": []}',)), TransientError),
    "a list": (Raw(pieces=(b"[]",)), TransientError),
    "a number": (Raw(pieces=(b"1e999",)), TransientError),
    "50 MB": (Raw(pieces=(b'{"content": "',) + (b"x" * 500_000,) * 100), TransientError),
    "a bomb": (Raw(pieces=(gzip.compress(b"x" * 50_000_000),), headers={"content-encoding": "gzip"}), TransientError),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_say_whether_trying_again_helps(name: str, tmp_path: Path) -> None:
    fault, expected = FAULTS[name]
    with serving(lambda _request: fault) as server, pytest.raises(MemdError) as caught:
        propose(server, tmp_path)
    assert type(caught.value) is expected
    assert len(server.requests) == 1, "the SDK must not try again by itself"
    assert "k-1" not in str(caught.value)


def test_the_service_says_when_to_come_back(tmp_path: Path) -> None:
    busy = Failure(status=429, headers={"retry-after": "7200"})
    with serving(lambda _request: busy) as server, pytest.raises(TransientError) as caught:
        propose(server, tmp_path)
    assert caught.value.retry_after == 7200


@pytest.mark.parametrize(
    "answer", [Hang(), Raw(pieces=(b" ",) * 20_000, drip=0.05)], ids=["silence", "one byte after another"]
)
def test_an_answer_that_does_not_end_is_left(answer: Answer, tmp_path: Path) -> None:
    with serving(lambda _request: answer) as server, pytest.raises(TransientError):
        propose(server, tmp_path, Given(seconds=0.5))  # it would be for ever, or a quarter of an hour


def test_an_endpoint_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    with serving(in_turn([write(1)])) as server:
        _, changed = propose(server, tmp_path, Given(environ={}))
    assert set(changed) == {"t1.md"}


def test_the_client_of_a_cloud_asks_with_its_own_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(in_turn([write(1)])) as server:
        monkeypatch.setenv("ANTHROPIC_FOUNDRY_API_KEY", "k-3")
        monkeypatch.setenv("ANTHROPIC_FOUNDRY_BASE_URL", server.url)
        service = Service(model="m", provider="foundry", base_url=server.url, environ={})
        with workspace.make(tmp_path / "memory", tmp_path) as work:
            AnthropicApi(service, lambda task, _until: Notebook(task.workspace.memory)).propose(
                Task(workspace=work, new=(RULE,), now=NOW)
            )
            assert [change.path for change in workspace.difference(work)] == ["t1.md"]
        assert "k-3" in str(server.requests[0].headers)


def test_without_credentials_the_real_service_is_not_asked(tmp_path: Path) -> None:
    with workspace.make(tmp_path / "memory", tmp_path) as work, pytest.raises(AuthError):
        AnthropicApi(Service(model="m", environ={}), lambda _task, _until: Notebook(tmp_path)).propose(
            Task(workspace=work, new=(RULE,))
        )


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serving(in_turn([write(1)])) as server:
        assert propose(server, tmp_path)[1]


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with serving(in_turn([write(1)])) as elsewhere:
        away = Failure(status=307, headers={"location": f"{elsewhere.url}/v1/messages"})
        with serving(lambda _request: away) as server, pytest.raises(MemdError):
            propose(server, tmp_path)
        assert elsewhere.requests == ()


def test_a_half_written_call_is_not_run(tmp_path: Path) -> None:
    body = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "x",
        "content": [write(1), write(2)],
        "stop_reason": "max_tokens",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    with serving(in_turn(Raw(pieces=(json.dumps(body).encode(),)))) as server:
        _, changed = propose(server, tmp_path)
    assert set(changed) == {"t1.md"}
    last = server.requests[1].body["messages"][-1]["content"]
    assert [block.get("is_error") for block in last] == [None, True]


def test_credentials_do_not_show() -> None:
    assert "secret" not in repr(Service(model="m", environ={"ANTHROPIC_API_KEY": "secret"}))


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("7", 7), ("0", 0), ("-5", 0), ("1e9", 86_400), ("nan", None), ("", None), ("soon", None)],
)
def test_retry_after_in_seconds(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}) == seconds


def test_retry_after_as_a_date() -> None:
    assert retry_after({"retry-after": "Thu, 05 Mar 2026 13:00:00 GMT"}, NOW) == 3600


@given(st.text())
def test_retry_after_takes_any_text(said: str) -> None:
    found = retry_after({"retry-after": said})
    assert found is None or 0 <= found <= 86_400


def test_the_sdk_stays_out_of_the_daemon_and_the_command_line() -> None:
    code = (
        "import sys, memd.daemon.loop, memd.cli.main, memd.worker;"
        "print([name for name in sys.modules if name.split('.')[0] in {'anthropic', 'httpx2'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def answered(block: Json, **usage: int) -> Raw:
    """An answer by an endpoint that is merely compatible."""
    said = {"type": "message", "role": "assistant", "model": "m", "content": [block], "usage": usage}
    return Raw(pieces=(json.dumps(said).encode(),))


@pytest.mark.filterwarnings("error")  # of which the daemon's log would get the text
def test_arguments_that_are_no_object_are_told_to_nobody_but_the_tool(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": "what was said"}
    with serving(in_turn(answered(call))) as server:
        assert propose(server, tmp_path)[1] == {}
    assert server.conversation()[1]["messages"][-1]["content"][0]["is_error"]


def test_a_count_of_tokens_beyond_all_sense_is_a_number_still(tmp_path: Path) -> None:
    with serving(in_turn(answered(text("nothing"), input_tokens=10**400, output_tokens=10**25))) as server:
        used, _ = propose(server, tmp_path)
    assert used.input_tokens == used.output_tokens == 1_000_000_000
