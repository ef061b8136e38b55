"""Bad transcripts, made from real ones by named makers: what stands between a sound turn and another one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from memd.transcripts.lines import MAX_LINE
from tests.fakes.claude_lines import Line, packed, sample

LONG = 3_000  # bytes of a sample's line; longer ones are copies of requests, and say nothing here
AFTER = "still here"
HUGE = b"<huge>"  # stands for as many letters as the longest line may have


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """One bad transcript, and what reading it has to find."""

    name: str
    data: bytes  # what stands between the two sound turns
    bad: int = 0  # lines to be counted as bad
    oversize: int = 0  # lines to be counted as too long
    unknown: int = 0  # records to be counted as of no known type
    says: tuple[str, ...] | None = ()  # what people said in between, in order; None: it may be lost with the damage

    def written(self) -> bytes:
        """The whole file."""
        return before() + self.middle() + after()

    def middle(self) -> bytes:
        """What stands in between, at its full length."""
        return self.data.replace(HUGE, b"o" * MAX_LINE) if HUGE in self.data else self.data


@cache
def _rows(name: str) -> tuple[bytes, ...]:
    return tuple(row for row in sample(name).read_bytes().splitlines(keepends=True) if len(row) < LONG)


def before() -> bytes:
    """A sound turn with a tool, as it was really written."""
    rows = _rows("interactive_external_memory_edit")
    end = next(number for number, row in enumerate(rows) if b"turn_duration" in row)
    return b"".join(rows[: end + 1])


BEFORE = "my name is Dummy, I prefer tabs over spaces, remember for later @@ls@@"


def real(what: str, number: int = 0, **changes: object) -> Line:
    """A real record: "prompt", "call", "result", "answer" or "attachment".

    Each `number` is a turn with uuids, a message's id and a call's id of its own.
    """
    places = {"prompt": 0, "call": 1, "result": 2, "answer": 3}
    records = [json.loads(row) for row in _rows("headless_fail")]
    spoken = [record for record in records if record["type"] in {"user", "assistant"}]
    others = [record for record in records if record["type"] == "attachment"]
    record: Line = spoken[places[what]] if what in places else others[0]
    text = json.dumps(record).replace(record["uuid"], f"{record['uuid']}-{number}")
    for name in ("toolu_11def81a3bdb4384b3cbb253", *_message_ids(spoken)):
        text = text.replace(name, f"{name}-{number}")
    changed: Line = json.loads(text)
    return changed | changes


PROMPT = "do fail @@fail@@"  # what the real prompt says


def turn(number: int = 0, **changes: object) -> list[Line]:
    """A whole real turn: prompt, call, result, answer."""
    return [real(what, number, **changes) for what in ("prompt", "call", "result", "answer")]


def row(what: str, number: int = 0, **changes: object) -> bytes:
    """A real record as its line, break included."""
    return packed(real(what, number, **changes))


def after() -> bytes:
    """A sound turn that has to be read whatever stands before it."""
    prompt, answer = real("prompt", 999), real("answer", 999)
    return packed(prompt | {"message": {"role": "user", "content": AFTER}}, answer)


def _message_ids(records: list[Line]) -> list[str]:
    return sorted({record["message"]["id"] for record in records if record["message"].get("id")})
