"""Bad transcripts whose lines are sound JSON and wrong records: types, times, places, identities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.fakes.bad_transcripts import PROMPT, Bad, real, row
from tests.fakes.claude_lines import Line, packed

WRONG: dict[str, Any] = {
    "null": None, "a number": 7, "a huge number": 10**40, "a list": [1, "x", None], "an object": {"x": {"y": []}},
    "a truth": True, "an empty string": "",
}  # fmt: skip
IN_RECORD = (
    "type", "uuid", "parentUuid", "timestamp", "sessionId", "cwd", "entrypoint", "isSidechain", "isMeta", "origin",
    "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage", "isAbortedMidStream", "promptSource",
    "message", "turnOrigin", "rowSource", "attachment",
)  # fmt: skip
IN_MESSAGE = ("id", "model", "stop_reason", "content", "role")
IN_BLOCK = {"call": ("type", "id", "name", "input"), "result": ("type", "tool_use_id", "content", "is_error"),
            "answer": ("type", "text")}  # fmt: skip
TIMES = {
    "missing": None, "forged into the future": "9999-12-31T23:59:59.999Z", "before all years": "-0044-03-15T12:00:00Z",
    "year 0": "0000-01-01T00:00:00Z", "year 1 east of Greenwich": "0001-01-01T00:00:00+14:00",
    "year 9999 west of Greenwich": "9999-12-31T23:59:59-12:00", "the epoch": "1970-01-01T00:00:00Z",

    "without zone": "2026-04-01T10:15:00", "a date alone": "2026-04-01", "in words": "yesterday",
    "milliseconds": 1743502500000,
    "a leap second": "2026-06-30T23:59:60Z", "of a 13th month": "2026-13-01T00:00:00Z", "very long": "2" * 10_000,
    "with a zone of 99 hours": "2026-04-01T10:15:00+99:00", "with a NUL": "2026-04-01T10:15:00Z\0",
}  # fmt: skip
PLACES = {
    "with a NUL": "/home/dev/re\0po", "relative": "repo/../..", "of 5,000 characters": "/" + "d/" * 2_500,
    "empty": "", "a root": "/", "with line breaks": "/home/dev\n/repo", "with a lone surrogate": "/home/\ud800",
    "a drive": "C:\\dev\\repo",
    "gone": "/no/such/directory", "a number": 3, "of another machine": "\\\\server\\share",
    "with spaces": "/home/John Doe/é",
}  # fmt: skip


def cases() -> Iterator[Bad]:
    """All of them."""
    for family in (_wrong_in_record, _wrong_in_message, _wrong_in_block, _times, _places, _identities, _types):
        yield from family()


def _wrong_in_record() -> Iterator[Bad]:
    for key in IN_RECORD:
        for label, value in WRONG.items():
            yield Bad(name=f"{key} is {label}", data=row("prompt", **{key: value}), says=None,
                      unknown=key == "type")  # fmt: skip


def _wrong_in_message() -> Iterator[Bad]:
    for key in IN_MESSAGE:
        for label, value in WRONG.items():
            record = real("answer")
            record["message"][key] = value
            yield Bad(name=f"a message's {key} is {label}", data=packed(record))


def _wrong_in_block() -> Iterator[Bad]:
    for what, keys in IN_BLOCK.items():
        for key in keys:
            for label in ("null", "a number", "a list", "an object"):
                records = [real("call"), real("result")] if what == "result" else [real(what)]
                records[-1]["message"]["content"][0][key] = WRONG[label]
                yield Bad(name=f"{what}: {key} of a block is {label}", data=packed(*records), says=None)


def _times() -> Iterator[Bad]:
    """No time keeps anybody from having spoken."""
    for label, stamp in TIMES.items():
        yield Bad(name=f"a time {label}", data=row("prompt", timestamp=stamp), says=(PROMPT,))
    backwards = [
        real("prompt", 2, timestamp="2030-01-01T00:00:00Z"),
        real("answer", 1, timestamp="2001-01-01T00:00:00Z"),
    ]
    yield Bad(name="times that run backwards", data=packed(*backwards), says=(PROMPT,))


def _places() -> Iterator[Bad]:
    """Nor does a place."""
    for label, cwd in PLACES.items():
        yield Bad(name=f"a directory {label}", data=row("prompt", cwd=cwd, sessionId="s"), says=(PROMPT,),
                  bad="surrogate" in label)  # fmt: skip


def _identities() -> Iterator[Bad]:
    one, same = real("prompt"), real("prompt")["uuid"]
    yield Bad(name="a record without uuid", data=packed(_without(one, "uuid")), says=(PROMPT,))
    yield Bad(name="two equal records without uuid", data=packed(_without(one, "uuid")) * 2, says=(PROMPT,))
    yield Bad(name="a record twice", data=packed(one, one), says=(PROMPT,))
    yield Bad(name="a uuid for two prompts", data=packed(one, real("prompt", 1, uuid=same)), says=(PROMPT,))
    yield Bad(name="a uuid for a prompt and an answer", data=packed(one, real("answer", uuid=same)), says=(PROMPT,))
    yield Bad(name="a uuid of 100,000 characters", data=row("prompt", uuid="u" * 100_000), says=(PROMPT,))
    yield Bad(name="no session", data=packed(_without(one, "sessionId")), says=(PROMPT,))
    yield Bad(name="a session of another file", data=row("prompt", sessionId="../../etc"), says=(PROMPT,))
    yield Bad(name="its own parent", data=row("prompt", parentUuid=same), says=(PROMPT,))
    circle = [real("prompt", number, parentUuid=real("prompt", (number + 1) % 3)["uuid"]) for number in range(3)]
    yield Bad(name="parents in a circle", data=packed(*circle), says=(PROMPT,) * 3)
    yield Bad(name="a parent that is nowhere", data=row("prompt", parentUuid="nowhere"), says=(PROMPT,))
    yield Bad(
        name="a parent that comes later", data=row("prompt", parentUuid=real("answer", 999)["uuid"]), says=(PROMPT,)
    )


def _types() -> Iterator[Bad]:
    for kind in ("from-tomorrow", "User", "human", "tool", "x" * 10_000):
        yield Bad(name=f"type {kind[:20]}", data=row("prompt", type=kind), unknown=1)
    yield Bad(name="summaries only", data=packed({"type": "summary", "summary": "x", "leafUuid": "y"}) * 3)
    yield Bad(name="progress that holds a prompt", data=packed({"type": "progress", "data": real("prompt")}))
    yield Bad(name="a request that holds prompts", data=packed({"type": "api-request", "messages": [real("prompt")]}))
    yield Bad(
        name="a sub-agent's records only",
        data=packed(real("prompt", isSidechain=True), real("answer", isSidechain=True)),
    )
    yield Bad(
        name="an attachment of a megabyte", data=row("attachment", attachment={"type": "date", "x": "y" * 1_000_000})
    )
    yield Bad(name="a snapshot without prompt", data=row("attachment", attachment={"type": "prompt_snapshot"}))
    numbers = {"type": "prompt_snapshot", "systemPrompt": [1, None, {"text": 2}]}
    yield Bad(name="a snapshot of numbers", data=row("attachment", attachment=numbers))
    yield Bad(
        name="1,000 unknown keys",
        data=row("prompt", **{f"key-{number}": number for number in range(1000)}),
        says=(PROMPT,),
    )


def _without(record: Line, key: str) -> Line:
    return {name: value for name, value in record.items() if name != key}
