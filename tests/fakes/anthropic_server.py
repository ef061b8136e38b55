"""A scripted stand-in for the Messages API on loopback, for tests that drive a real client against it.

    with serving(in_turn([text("Hello.")])) as server:
        ...  # a client with base_url = server.url
        assert server.conversation()[0]["model"] == "claude-sonnet-5-5"

A script takes one request's JSON and says what happens: content blocks (a plain answer, streamed where the client
asks for a stream), `Hang`, `Failure`, `Cut` or `Raw`. It runs in the server's threads, one call for each request.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """The answer begins and never ends: headers and `message_start` for a stream, silence for anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error answer. The SDK reads `headers` such as `retry-after` and `x-should-retry`."""

    status: int
    kind: str = "api_error"
    message: str = "scripted failure"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The connection drops after half of the bytes that would answer with `blocks`."""

    blocks: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Any bytes as an answer: of another endpoint, or of none. `drip` is in seconds between its pieces."""

    pieces: tuple[bytes, ...]
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0


Answer: TypeAlias = Sequence[Json] | Hang | Failure | Cut | Raw
Script: TypeAlias = Callable[[Json], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived; `body` is empty where there was none or it was not a JSON object."""

    method: str
    path: str  # without the query
    headers: Mapping[str, str]  # lower-case names
    body: Json


def text(words: str) -> Json:
    """A text block."""
    return {"type": "text", "text": words}


def tool_use(name: str, arguments: Json, *, call_id: str = "toolu_01scripted") -> Json:
    """A tool call block. Calls in one conversation need different ids."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def in_turn(*answers: Answer, otherwise: Answer = ({"type": "text", "text": "Done."},)) -> Script:
    """Give one answer to each request that offers tools, then `otherwise`, which all requests without tools get too.

    A coding agent's conversation offers tools; what it asks on the side (a title, a check of the key) does not.
    """
    left = list(answers)
    lock = threading.Lock()

    def answer(request: Json) -> Answer:
        with lock:
            return left.pop(0) if left and request.get("tools") else otherwise

    return answer


class Server:
    """What the test sees of a running server: its address, and the requests so far. Safe from any thread."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.url = ""
        self.closing = threading.Event()
        self._arrived = threading.Condition()
        self._requests: list[Request] = []
        self._broken: list[Exception] = []

    @property
    def requests(self) -> tuple[Request, ...]:
        """Everything that was asked, oldest first."""
        with self._arrived:
            return tuple(self._requests)

    def conversation(self) -> tuple[Json, ...]:
        """The bodies of the requests for a message that offered tools, oldest first."""
        return tuple(r.body for r in self.requests if _is_for_message(r) and r.body.get("tools"))

    def wait_for(self, condition: Callable[[tuple[Request, ...]], bool], *, timeout: float) -> tuple[Request, ...]:
        """Block until the requests so far satisfy `condition`; raise `TimeoutError` after `timeout` seconds."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: condition(tuple(self._requests)), timeout):
                raise TimeoutError(f"not asked for in {timeout} s; {len(self._requests)} requests came")
            return tuple(self._requests)

    def record(self, request: Request) -> None:
        """Note a request; done before its script runs."""
        with self._arrived:
            self._requests.append(request)
            self._arrived.notify_all()

    def answer(self, request: Request) -> Answer:
        """Ask the script. What it raises fails this request at once and the test when the server stops."""
        try:
            return self.script(request.body)
        except Exception as error:  # noqa: BLE001 - the script is the test's own code: raised again in check()
            with self._arrived:
                self._broken.append(error)
            return Failure(status=500, message=f"the script raised {error!r}", headers={"x-should-retry": "false"})

    def check(self) -> None:
        """Raise what the script raised first."""
        with self._arrived:
            if self._broken:
                raise self._broken[0]


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """Serve `script` on a free port of the loopback interface until the block ends; hanging answers end then too."""
    server = Server(script)
    http = _Http(("127.0.0.1", 0), _handler(server))
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()
    server.check()


_MESSAGES = ("/v1/messages", ":rawPredict", "/invoke")  # of Anthropic's own service, and of two clouds


class _Http(ThreadingHTTPServer):
    """Joins its threads on close, so that no test leaves one behind."""

    daemon_threads = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that was killed or went away: tests do that on purpose."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 30  # seconds for a client to send its request

        def do_GET(self) -> None:
            _serve(self, server)

        do_POST = do_HEAD = do_PUT = do_GET  # noqa: N815 - the names http.server looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output clean."""

    return Handler


def _serve(handler: BaseHTTPRequestHandler, server: Server) -> None:
    """Read one request, record it, answer it."""
    request = _read(handler)
    server.record(request)
    if _is_for_message(request):
        _reply(handler, server, request)
    elif request.path.endswith("/v1/messages/count_tokens"):
        _send_json(handler, 200, {"input_tokens": _rough_tokens(request.body)})
    else:
        _send_json(handler, 404, _error("not_found_error", "not scripted"))


def _is_for_message(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith(_MESSAGES)


def _read(handler: BaseHTTPRequestHandler) -> Request:
    raw = handler.rfile.read(int(handler.headers.get("content-length") or 0))
    try:
        body = json.loads(raw)
    except ValueError:
        body = {}
    return Request(
        method=str(handler.command),
        path=handler.path.partition("?")[0],
        headers={name.lower(): value for name, value in handler.headers.items()},
        body=body if isinstance(body, dict) else {},
    )


def _reply(handler: BaseHTTPRequestHandler, server: Server, request: Request) -> None:
    streamed = bool(request.body.get("stream"))
    match server.answer(request):
        case Failure() as failure:
            _send_json(handler, failure.status, _error(failure.kind, failure.message), failure.headers)
        case Hang():
            _begin(handler, server, _message(request.body, ()) if streamed else None)
        case Cut(blocks=blocks):
            _send_half(handler, _message(request.body, blocks), streamed=streamed)
        case Raw() as raw:
            _send_raw(handler, server, raw)
        case blocks if streamed:
            _send(handler, 200, _stream(_message(request.body, blocks)), {"content-type": "text/event-stream"})
        case blocks:
            _send_json(handler, 200, _message(request.body, blocks))


def _begin(handler: BaseHTTPRequestHandler, server: Server, message: Json | None) -> None:
    """Start to answer, where there is something to start with, and hold the connection until the server stops."""
    if message is not None:
        _send(handler, 200, _event("message_start", {"message": message}), {"content-type": "text/event-stream"})
        handler.wfile.flush()
    server.closing.wait()


def _send_half(handler: BaseHTTPRequestHandler, message: Json, *, streamed: bool) -> None:
    data = _stream(message) if streamed else json.dumps(message).encode()
    kind = "text/event-stream" if streamed else "application/json"
    _send(handler, 200, data[: len(data) // 2], {"content-type": kind, "content-length": str(len(data))})


def _send_raw(handler: BaseHTTPRequestHandler, server: Server, raw: Raw) -> None:
    """Send the pieces until the client has had enough."""
    handler.send_response(200)
    for name, value in {"content-type": raw.content_type, **raw.headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    with suppress(OSError):
        for piece in raw.pieces:
            handler.wfile.write(piece)
            if raw.drip and server.closing.wait(raw.drip):
                return


def _send_json(
    handler: BaseHTTPRequestHandler, status: int, body: Json, headers: Mapping[str, str] | None = None
) -> None:
    _send(handler, status, json.dumps(body).encode(), {"content-type": "application/json", **(headers or {})})


def _send(handler: BaseHTTPRequestHandler, status: int, data: bytes, headers: Mapping[str, str]) -> None:
    """Send an answer whose end is the end of the connection, as HTTP/1.0 has it."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(data)


def _error(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _rough_tokens(body: Json) -> int:
    return len(json.dumps(body.get("messages", []))) // 4


def _message(request: Json, blocks: Sequence[Json]) -> Json:
    """The whole message that answers `request` with `blocks`."""
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{time.time_ns():x}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "unknown"),
        "content": list(blocks),
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _rough_tokens(request), "output_tokens": len(json.dumps(list(blocks))) // 4},
    }


def _stream(message: Json) -> bytes:
    """The server-sent events of a message, in the order of the Messages API."""
    events = [_event("message_start", {"message": message | {"content": [], "stop_reason": None}})]
    for index, block in enumerate(message["content"]):
        events += _block_events(index, block)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append(_event("message_delta", {"delta": end, "usage": message["usage"]}))
    events.append(_event("message_stop", {}))
    return b"".join(events)


def _block_events(index: int, block: Json) -> list[bytes]:
    empty: Json = {"text": ""}
    delta = {"type": "text_delta", "text": block.get("text")}
    if block["type"] == "tool_use":
        empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        _event("content_block_start", {"index": index, "content_block": block | empty}),
        _event("content_block_delta", {"index": index, "delta": delta}),
        _event("content_block_stop", {"index": index}),
    ]


def _event(name: str, data: Json) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name} | data)}\n\n".encode()
