"""The turns of an agent whose money gets scarce: what it read is cut before its next answer is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memd.agent.loop import Answer, Limits, Opening, Stop, converse, request_tokens
from memd.agent.meter import SHORTEST, Caps, Meter, Usage

Json = dict[str, Any]
SENT, ANSWERED = 0.000_002, 0.000_01  # dollars a token


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a tool said."""

    text: str
    is_error: bool = False


class Reader:
    """A tool that tells more than there is money for."""

    def definitions(self) -> tuple[Json, ...]:
        """None that anybody reads."""
        return ()

    def run(self, name: str, arguments: object) -> Said:
        """Say much."""
        return Said(text=f"{name} {arguments} " * 5_000)


@dataclass(kw_only=True)
class Service:
    """A model that reads on and on."""

    asked: list[Json] = field(default_factory=list)

    def ask(self, request: Json, _seconds: float) -> Answer:
        """Read twice more."""
        self.asked.append(request)
        calls = tuple({"type": "tool_use", "id": str(n), "name": "Read", "input": {"n": n}} for n in range(2))
        usage = Usage(model="m", requests=1, input_tokens=request_tokens(request), output_tokens=200)
        return Answer(blocks=calls, stop_reason="tool_use", usage=usage)


def metered(dollars: float) -> Meter:
    return Meter(
        Caps(dollars=dollars),
        price=lambda used: used.all_input * SENT + used.output_tokens * ANSWERED,
        most=lambda sent, answered: sent * SENT + answered * ANSWERED,
    )


def held(dollars: float) -> tuple[Stop, list[Json], Meter]:
    service, meter = Service(), metered(dollars)
    opening = Opening(system="Work.", about="", evidence="words " * 2_000, extra={"model": "m"})
    limits = Limits(turns=9, until=60.0, monotonic=lambda: 0.0)
    return converse(service.ask, opening, Reader(), limits=limits, meter=meter), service.asked, meter


def test_what_was_read_is_cut_so_that_the_model_can_still_write() -> None:
    stop, asked, meter = held(0.05)
    assert (stop, len(asked)) == (Stop.BUDGET, 2)
    assert meter.used.all_input * SENT + meter.used.output_tokens * ANSWERED <= 0.05
    assert str(asked[1]).count("[cut: too much for one turn]") == 2
    assert SHORTEST <= asked[1]["max_tokens"] < asked[0]["max_tokens"]
    assert "This is your last turn" in str(asked[1]["messages"][-1])
    assert "This is your last turn" not in str(asked[0])


def test_with_money_enough_it_has_its_turns_whole() -> None:
    stop, asked, _ = held(50.0)
    assert (stop, len(asked)) == (Stop.TURNS, 9)
    assert "This is your last turn" not in str(asked[7])
    assert {one["max_tokens"] for one in asked} == {8_192}
