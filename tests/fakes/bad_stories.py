"""Bad transcripts whose records are sound, and whose order is not what one expects."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fakes.bad_transcripts import BEFORE, PROMPT, Bad, before, real, turn
from tests.fakes.claude_lines import Line, call, interrupt, line, packed, prompt, result, text

OPEN = real("call", 7)["message"]["content"][0]["id"]


def cases() -> Iterator[Bad]:
    """All of them."""
    for family in (_tools, _interleaved, _compacted, _rewound, _forked, _resumed, _broken):
        yield from family()


def _bad(name: str, *records: Line, says: int = 0) -> Bad:
    return Bad(name=name, data=packed(*records), says=(PROMPT,) * says)


def _tools() -> Iterator[Bad]:
    asked, called, answered, said = turn()
    yield _bad("a result without its call", asked, answered, said, says=1)
    yield _bad("a call without its result", asked, called, says=1)
    yield _bad("a call without its result, and an answer", asked, called, said, says=1)
    yield _bad("a result before its call", asked, answered, called, said, says=1)
    yield _bad("two results for a call", asked, called, answered, answered | {"uuid": "again"}, said, says=1)
    yield _bad("two calls with one id", asked, called, called | {"uuid": "again"}, answered, said, says=1)
    yield _bad("a result after the last word", asked, called, said, answered, says=1)
    yield _bad("a result a turn too late", asked, called, *turn(1), answered, says=2)
    yield _bad("a result of no call", asked, result("r", "toolu_never"), said, says=1)
    yield _bad("a result with words beside it", asked, called, _with_words(answered), said, says=1)
    yield _bad(
        "a call without id", asked, _with_block(called, {"type": "tool_use", "name": "Bash", "input": {}}), said, says=1
    )
    yield _bad("a call in a prompt", _with_block(asked, call("toolu_odd")), said)
    yield _bad("a result in an answer", asked, _with_block(said, answered["message"]["content"][0]), says=1)
    many = [call(f"toolu_{number}") for number in range(500)]
    yield _bad("500 calls without result", asked, _with_block(called, *many), says=1)
    yield _bad("an unknown kind of block", asked, _with_block(said, {"type": "hologram", "text": "x"}), says=1)
    yield _bad("an answer without blocks", asked, _with_block(said), says=1)
    yield _bad("a prompt without blocks", _with_block(asked), said)


def _interleaved() -> Iterator[Bad]:
    one, two = turn(1), turn(2)
    yield _bad(
        "two turns record by record", *(record for both in zip(one, two, strict=True) for record in both), says=2
    )
    yield _bad(
        "all prompts first", *(real(what, number) for what in ("prompt", "answer") for number in (1, 2, 3)), says=3
    )
    yield _bad("a turn from its end", *reversed(one), says=1)
    yield _bad("one message's id for all answers", *one, *(_of_message(record, one[1]) for record in two), says=2)
    yield _bad("a message that goes on a turn later", *one, *two, _of_message(real("answer", 3), one[3]), says=2)
    yield _bad("answers only", *(real("answer", number) for number in range(5)))
    yield _bad("prompts only", *(real("prompt", number) for number in range(5)), says=5)
    aside = [record | {"isSidechain": True, "agentId": "a"} for record in two]
    yield _bad("a sub-agent between", *(record for both in zip(one, aside, strict=True) for record in both), says=1)


def _compacted() -> Iterator[Bad]:
    boundary = line(
        "b1", "system", subtype="compact_boundary", logicalParentUuid="x", compactMetadata={"trigger": "auto"}
    )
    summary = prompt("c1", "This session is being continued", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    asked, called, answered, said = turn()
    yield _bad("compacted before a tool's result", asked, called, boundary, summary, answered, said, says=1)
    yield _bad("compacted before the answer", asked, boundary, summary, said, says=1)
    yield _bad(
        "compacted twice", asked, boundary, summary, boundary | {"uuid": "b2"}, summary | {"uuid": "c2"}, said, says=1
    )
    yield _bad("a boundary without summary", asked, boundary, called, answered, said, says=1)
    yield _bad("a summary without boundary", summary, asked, said, says=1)
    yield _bad("compacted, and nothing after it", boundary, summary)
    yield _bad("a boundary inside an answer", asked, called, boundary, _of_message(said, called), answered, says=1)


def _rewound() -> Iterator[Bad]:
    one, two, three = turn(1), turn(2), turn(3)
    back = [record | {"parentUuid": one[0]["uuid"]} for record in three]
    leaf = {"type": "last-prompt", "lastPrompt": "x", "leafUuid": three[-1]["uuid"], "sessionId": "s"}
    yield _bad("rewound to the first prompt", *one, *two, *back, leaf, says=3)
    yield _bad("rewound inside a tool", *one[:2], *(record | {"parentUuid": one[0]["uuid"]} for record in two), says=2)
    yield _bad("rewound to nothing", *one, *(record | {"parentUuid": None} for record in two), says=2)
    yield _bad("a leaf that is nowhere", *one, leaf | {"leafUuid": "nowhere"}, says=1)
    yield _bad("rewound, and the same words again", *one, real("prompt", 4, parentUuid=one[0]["parentUuid"]), says=2)


def _forked() -> Iterator[Bad]:
    one, two = turn(1), turn(2)
    copied = [record | {"sessionId": "another"} for record in one]
    yield _bad("a fork's copy behind its original", *one, *copied, *two, says=2)
    yield _bad("a copy of half a turn", *one, *copied[:2], says=1)
    yield Bad(name="the whole file once more", data=before(), says=(BEFORE,)[:0])
    yield _bad("a fork of a fork", *one, *copied, *(record | {"sessionId": "third"} for record in one), says=1)


def _resumed() -> Iterator[Bad]:
    one, two = turn(1), turn(2)
    for name, changes in {
        "under another directory": {"cwd": "/home/dev/elsewhere"},
        "under another session": {"sessionId": "ffffffff-0000-4000-8000-000000000000"},
        "by another version": {"version": "99.0.0"},
        "by another program": {"entrypoint": "sdk-cli"},
        "by an unknown program": {"entrypoint": "hologram"},
        "on another branch": {"gitBranch": "x" * 5000},
    }.items():
        yield _bad(f"resumed {name}", *one, *(record | changes for record in two), says=2)
    yield _bad(
        "a directory for each record", *(record | {"cwd": f"/p/{n}"} for n, record in enumerate([*one, *two])), says=2
    )


def _broken() -> Iterator[Bad]:
    asked, called, _, said = turn()
    stop = interrupt("i1")
    yield _bad("interrupted before the answer", asked, stop, says=1)
    yield _bad("interrupted in a tool", asked, called, stop, says=1)
    yield _bad("interrupted twice", asked, called, stop, stop | {"uuid": "i2"}, says=1)
    yield _bad("interrupted when all was said", asked, said, stop, says=1)
    yield _bad("an answer behind its interruption", asked, stop, said, says=1)
    for reason in (None, "max_tokens", "refusal", "stop_sequence", "pause_turn", "from-tomorrow", ""):
        ended = said | {"message": said["message"] | {"stop_reason": reason}}
        yield _bad(f"an answer that stopped for {reason!r}", asked, ended, says=1)
    torn = line(
        "e1", "assistant", message={"model": "<synthetic>", "content": [text("API Error: 500")]}, isApiErrorMessage=True
    )
    yield _bad("an API error inside a tool", asked, called, torn, says=1)
    yield _bad("only API errors", *(torn | {"uuid": f"e{number}"} for number in range(4)))


def _with_block(record: Line, *blocks: Line) -> Line:
    return record | {"message": record["message"] | {"content": list(blocks)}}


def _with_words(record: Line) -> Line:
    return _with_block(record, *record["message"]["content"], text("and I say: go on"))


def _of_message(record: Line, other: Line) -> Line:
    """The record as a part of the other one's message."""
    if record["type"] != "assistant":
        return record
    return record | {"message": record["message"] | {"id": other["message"]["id"]}}
