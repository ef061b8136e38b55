"""One question to a model whose answer is data of a given shape."""

from __future__ import annotations

from dataclasses import dataclass

from memd.agent.anthropic_api import asking
from memd.agent.loop import Json, put, request_tokens
from memd.agent.meter import Meter, Usage
from memd.agent.model_service import Service
from memd.errors import TransientError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, the most lasting part first."""

    system: str
    about: str  # what changes seldom
    asked: str
    tool: Json  # the shape of the answer: a tool's definition, which the model has to call
    most_tokens: int = 1_024  # of the answer


def ask(question: Question, service: Service, *, seconds: float, meter: Meter) -> tuple[Json, Usage]:
    """The arguments that the model gave, and what it cost. Raises what `asking` raises, and BudgetError.

    TransientError for an answer of another shape: the meter has been told of it all the same.
    """
    request = _request(question, service.model)
    meter.within(request_tokens(request), question.most_tokens)
    with asking(service) as send:
        answer = put(send, request, seconds, meter)
    for block in answer.blocks:
        given = block.get("input")
        if block.get("type") == "tool_use" and isinstance(given, dict):
            return given, answer.usage
    raise TransientError("the model did not answer in the way it was asked to")


def _request(question: Question, model: str) -> Json:
    cached: Json = {"type": "ephemeral"}
    return {
        "model": model,
        "max_tokens": question.most_tokens,
        "tools": [question.tool],
        "tool_choice": {"type": "tool", "name": question.tool["name"]},
        "system": [{"type": "text", "text": question.system}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": question.about, "cache_control": cached},
                    {"type": "text", "text": question.asked},
                ],
            }
        ],
    }
