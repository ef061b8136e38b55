"""The turns of an agent: ask, run its tools, tell it the results, within limits that stand here alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from memd.agent.meter import Meter, Usage
from memd.errors import BudgetError, MemdError

Json = dict[str, Any]

CALLS = 32  # tool calls that are answered in one turn
RESULTS = 100_000  # characters of tool results that one turn may add
ANSWER = 8_192  # tokens of one answer
_BYTES_A_TOKEN = 3  # few, so that an estimate is rather too high
_LATEST = 2  # breakpoints that may stand on tool results: the service takes four, two stand before
_CACHED: Json = {"type": "ephemeral"}
_CUT = "\n[cut: too much for one turn]"
_LAST = "This is your last turn: finish what you are writing now."
_NOTICES = 60  # tokens of either of these with what stands around it, at most


class Stop(StrEnum):
    """Why a conversation with a model ended."""

    DONE = "done"  # it had nothing more to do
    TURNS = "turns"
    TIME = "time"
    BUDGET = "budget"
    REFUSED = "refused"  # the model would not go on


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer, in blocks as the Messages API has them."""

    blocks: tuple[Json, ...]
    stop_reason: str | None
    usage: Usage


class Result(Protocol):
    """What a tool says; a denial is an error that says what is allowed."""

    @property
    def text(self) -> str:
        """What the model is told."""

    @property
    def is_error(self) -> bool:
        """Whether it did not do what was asked."""


class Tools(Protocol):
    """What an agent can do."""

    def definitions(self) -> tuple[Json, ...]:
        """Names, descriptions and input schemas; the same bytes each time."""

    def run(self, name: str, arguments: object) -> Result:
        """Run one call. Never raises for what a model asks."""


Ask = Callable[[Json, float], Answer]  # a request's body and the seconds it may take


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long an agent may go on."""

    turns: int
    until: float  # on the monotonic clock
    monotonic: Callable[[], float]

    @property
    def left(self) -> float:
        """Seconds."""
        return self.until - self.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What every request begins with, most lasting part first, so that each is a prefix of the next."""

    system: str
    about: str  # what changes seldom between passes
    evidence: str  # what changes each time
    extra: Json = field(default_factory=dict)  # further keys of the request, such as "model"


def converse(ask: Ask, opening: Opening, tools: Tools, *, limits: Limits, meter: Meter) -> Stop:
    """Let a model work until it is done or a limit is reached; what it did stands in its workspace either way.

    Raises BudgetError where the day has no room left, begun or not: what is half done is done anew another day. For the
    pass's own caps only where nothing was sent yet. And whatever `ask` raises.
    """
    request = _first(opening, tools)
    for turn in range(limits.turns):
        if limits.left <= 0:
            return Stop.TIME
        try:
            request = request | {"max_tokens": meter.answer(request_tokens(request), ANSWER)}
        except BudgetError:
            if not turn:
                raise
            return Stop.BUDGET
        answer = put(ask, request, limits.left, meter)
        if answer.stop_reason == "refusal":
            return Stop.REFUSED
        calls = [block for block in answer.blocks if block.get("type") == "tool_use"]
        if not calls:
            return Stop.DONE
        results = _results(answer, calls, tools)
        more = _continued(request, answer, results, meter.room())
        if turn + 2 >= limits.turns or meter.is_last(request_tokens(more)):
            results.append({"type": "text", "text": _LAST})
        if turn < _LATEST:
            results[-1]["cache_control"] = _CACHED
        request = more
    return Stop.TURNS


def put(ask: Ask, request: Json, seconds: float, meter: Meter) -> Answer:
    """Send one request that is booked first: one that is never heard of again has cost its estimate.

    Raises BudgetError where the day has no room left for it, and whatever `ask` raises.
    """
    model = request.get("model")
    settle = meter.book(
        Usage(model=model, requests=1, input_tokens=request_tokens(request), output_tokens=request["max_tokens"])
    )
    try:
        answer = ask(request, seconds)
    except MemdError as error:
        if error.free:
            settle(Usage(model=model, requests=1))
        raise
    settle(answer.usage)
    return answer


def _first(opening: Opening, tools: Tools) -> Json:
    """The request that all others continue. Breakpoints: behind what every pass shares, and behind the evidence."""
    evidence = {"type": "text", "text": opening.evidence, "cache_control": _CACHED}
    about = [{"type": "text", "text": opening.about}] if opening.about else []
    return {
        **opening.extra,
        "max_tokens": ANSWER,
        "tools": list(tools.definitions()),
        "system": [{"type": "text", "text": opening.system, "cache_control": _CACHED}],
        "messages": [{"role": "user", "content": [*about, evidence]}],
    }


def _continued(request: Json, answer: Answer, results: list[Json], room: int | None) -> Json:
    """The next request. Of what tools said there stays what it has room for, in tokens: there is to be an answer."""
    said = {"role": "assistant", "content": list(answer.blocks)}
    more = request | {"messages": [*request["messages"], said, {"role": "user", "content": results}]}
    over = 0 if room is None else request_tokens(more) + _NOTICES * (len(results) + 1) - room
    if over > 0:
        share = max(0.0, 1 - over / request_tokens({"content": results}))
        for block in results:
            block["content"] = block["content"][: int(share * len(block["content"]))] + _CUT
    return more


def _results(answer: Answer, calls: Sequence[Json], tools: Tools) -> list[Json]:
    """Answer every call: the service takes no conversation in which one stands open."""
    cut = answer.stop_reason == "max_tokens"
    room = RESULTS
    told: list[Json] = []
    for place, call in enumerate(calls):
        if place >= CALLS:
            text, failed = f"not run: at most {CALLS} calls in one turn", True
        elif cut and place == len(calls) - 1:  # its arguments may be half of what was meant
            text, failed = "not run: the answer was cut off at its length limit here; write less at a time", True
        else:
            result = tools.run(str(call.get("name")), call.get("input"))
            text, failed = result.text, result.is_error
        if len(text) > room:
            text = text[:room] + _CUT
        room = max(0, room - len(text))
        told.append(_result(call, text, failed=failed))
    return told


def _result(call: Json, text: str, *, failed: bool) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": str(call.get("id")), "content": text or "(nothing)"}
    return block | {"is_error": True} if failed else block


def request_tokens(request: Json) -> int:
    """About how many tokens a request has, rather too many."""
    return len(json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")) // _BYTES_A_TOKEN
