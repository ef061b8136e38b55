"""The scripted server, asked by the official SDK: what it answers is what the SDK reads from a real endpoint."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from anthropic import (
    Anthropic,
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
)
from anthropic.types import Message, MessageParam, ToolParam
from httpx2 import ReadTimeout, RemoteProtocolError

from tests.fakes.anthropic_server import (
    Answer,
    Cut,
    Failure,
    Hang,
    Json,
    Script,
    Server,
    in_turn,
    serving,
    text,
    tool_use,
)

HELLO: list[MessageParam] = [{"role": "user", "content": "Hello"}]
READ: ToolParam = {"name": "Read", "input_schema": {"type": "object"}}
Ask = Callable[..., Message]


@contextmanager
def served(script: Script) -> Iterator[tuple[Server, Anthropic]]:
    """A server and an SDK client that does not retry and waits one second."""
    with serving(script) as server, Anthropic(base_url=server.url, api_key="k", max_retries=0, timeout=1) as client:
        yield server, client


def whole(client: Anthropic, *, tools: tuple[ToolParam, ...] = (READ,)) -> Message:
    return client.messages.create(model="m", max_tokens=9, messages=HELLO, tools=tools)


def streamed(client: Anthropic, *, tools: tuple[ToolParam, ...] = (READ,)) -> Message:
    with client.messages.stream(model="m", max_tokens=9, messages=HELLO, tools=tools) as stream:
        return stream.get_final_message()


both_ways = pytest.mark.parametrize("ask", [whole, streamed])


@both_ways
def test_blocks_arrive_as_they_were_scripted(ask: Ask) -> None:
    call = tool_use("Read", {"file_path": "/x/日本.md"}, call_id="toolu_1")
    with served(lambda _: [text("Let me see.\n😀"), call]) as (_, client):
        message = ask(client)
    assert [block.to_dict() for block in message.content] == [text("Let me see.\n😀"), call]
    assert message.stop_reason == "tool_use"
    assert message.usage.output_tokens > 0


@both_ways
def test_each_answer_comes_once_and_side_requests_use_none_up(ask: Ask) -> None:
    with served(in_turn([text("one")], [text("two")])) as (server, client):
        said = [ask(client).content, ask(client, tools=()).content, ask(client).content, ask(client).content]
    assert [[b.text for b in blocks if b.type == "text"] for blocks in said] == [["one"], ["Done."], ["two"], ["Done."]]
    assert [len(r.body["messages"]) for r in server.requests] == [1, 1, 1, 1]
    assert [body["tools"] for body in server.conversation()] == [[READ], [READ], [READ]]


@both_ways
def test_a_failure_reaches_the_client_with_its_status_and_headers(ask: Ask) -> None:
    limited = Failure(status=429, kind="rate_limit_error", headers={"retry-after": "7"})
    with served(lambda _: limited) as (_, client), pytest.raises(RateLimitError) as caught:
        ask(client)
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.body == {"type": "error", "error": {"type": "rate_limit_error", "message": "scripted failure"}}


# in the middle of a stream the SDK lets its transport's errors through as they are


@pytest.mark.parametrize(("ask", "error"), [(whole, APITimeoutError), (streamed, ReadTimeout)])
def test_a_hanging_answer_lasts_until_the_client_gives_up(ask: Ask, error: type[Exception]) -> None:
    with served(lambda _: Hang()) as (_, client), pytest.raises(error):
        ask(client)


@pytest.mark.parametrize(("ask", "error"), [(whole, APIConnectionError), (streamed, RemoteProtocolError)])
def test_a_cut_answer_breaks_off_in_the_middle(ask: Ask, error: type[Exception]) -> None:
    with served(lambda _: Cut(blocks=(text("a" * 2000),))) as (_, client), pytest.raises(error):
        ask(client)


def test_tokens_are_counted_and_other_paths_are_not_found() -> None:
    with served(lambda _: ()) as (server, client):
        assert client.messages.count_tokens(model="m", messages=HELLO).input_tokens > 0
        with pytest.raises(NotFoundError):
            client.models.retrieve("m")
    assert [(r.method, r.path) for r in server.requests] == [
        ("POST", "/v1/messages/count_tokens"),
        ("GET", "/v1/models/m"),
    ]
    assert server.requests[0].headers["anthropic-version"]


def test_a_broken_script_fails_the_request_and_the_test() -> None:
    def broken(_: Json) -> Answer:
        raise KeyError("tool")

    answered: list[APIStatusError] = []
    with pytest.raises(KeyError, match="tool"), served(broken) as (_, client):  # noqa: PT012 - the block's end raises
        with pytest.raises(InternalServerError) as caught:
            whole(client)
        answered.append(caught.value)
    assert [error.status_code for error in answered] == [500]


def test_waiting_for_requests_ends_with_them_or_with_the_deadline() -> None:
    with served(lambda _: [text("x")]) as (server, client):
        with pytest.raises(TimeoutError, match="0 requests"):
            server.wait_for(partial(len_is, 1), timeout=0.01)
        whole(client)
        assert len(server.wait_for(partial(len_is, 1), timeout=1)) == 1


def len_is(count: int, requests: tuple[object, ...]) -> bool:
    return len(requests) == count
