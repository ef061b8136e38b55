"""What a session costs in input to a model: `bench_model_input.py [--smoke]`.

Every turn of a session is followed by a pass, as when it goes quiet after each. The passes are real, through the SDK to
a scripted service on loopback. In every fifth its model reads in its first turn, writes in its second and then says so;
in the others there is nothing worth saving. Turns come with tools' output, as agents work, or as mere talk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice, pairwise
from pathlib import Path

from memd.agent import encoding, evidence
from memd.transcripts import reading, tail
from memd.transcripts.model import Cursor
from tests.bench import measure, transcript
from tests.bench.measure import Row
from tests.fakes import claude_lines, model_pass
from tests.fakes.anthropic_server import Json, in_turn, serving, text, tool_use
from tests.fakes.model_pass import Passes

_SIZES, _SMOKE = (5, 50, 500), (2, 4)  # turns
_TARGET = 1.3  # of the session's own text
_SAVES = 5  # every so many passes
_LINEAR = 1.1  # of ten times a tenth


@dataclass(kw_only=True)
class Total:
    """What the passes of a session sent, in tokens by memd's own estimate."""

    own: int = 0  # the session's own text, cleaned, once
    prompt: int = 0  # of each pass's first request what is there whatever was said
    shown: int = 0  # and what was said
    again: int = 0  # what further requests of a pass send again, up to their breakpoints: read from the cache
    work: int = 0  # what they add: the model's calls and the tools' results
    passes: int = 0


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """The figures for each kind and length of a session, each beside its own text."""
    sizes = _SMOKE if smoke else _SIZES
    for kind, turns in (("work", transcript.turns), ("talk", _talk)):
        done: dict[int, int] = {}
        for size, total in _session(islice(turns(), sizes[-1]), sizes):
            yield from _of(f"{kind}, {size} turns, {total.passes} passes", total)
            done[size] = total.shown
        for less, more in pairwise(sizes):
            grown = done[more] / done[less]
            what = f"{kind}, {less} to {more} turns: evidence | turns"
            yield Row(what=what, measured=grown, limit=more / less, target=_LINEAR, unit="")


def _of(name: str, total: Total) -> Iterator[Row]:
    new = total.shown + total.prompt
    yield _row(f"{name}: evidence | own text", total.shown, total.own, _TARGET)
    yield _row(f"{name}: sent | 1.3 own + prompts", new, _TARGET * total.own + total.prompt, 1.0)
    yield _row(f"{name}: with what is sent again", new + total.again + total.work, new, 4.0)


def _talk() -> Iterator[bytes]:
    """Turns without tools: a sentence or two, and an answer."""
    for number in count():
        records = (
            claude_lines.prompt(f"h{number}", "why is the report one day late since Monday? please look into it"),
            claude_lines.answer(f"a{number}", f"m{number}", claude_lines.text(_ANSWER)),
        )
        yield claude_lines.packed(*records)


_ANSWER = (
    "The job that builds it starts at midnight UTC, but the import that feeds it moved to half past twelve, so each "
    "report shows the numbers of the day before. I moved the job behind the import and added a check that fails if the "
    "newest row is older than a day."
)


def _row(what: str, measured: float, limit: float, target: float) -> Row:
    return Row(what=what, measured=measured, limit=limit, target=target, unit="")


def _session(turns: Iterator[bytes], sizes: Collection[int]) -> Iterator[tuple[int, Total]]:
    """What a session has cost at each of these numbers of turns: a short one costs what a long one's beginning does."""
    total = Total()
    with _passes() as here:
        for number, turn in enumerate(turns, 1):
            script = _saving if number % _SAVES == 1 else _nothing
            first = len(here.server.requests)
            here.run([json.loads(line) for line in turn.splitlines()], script, session=transcript.SESSION)
            _count(total, [request.body for request in here.server.requests[first:]])
            if number in sizes:
                total.own = _own_text(here)
                yield number, total


@contextmanager
def _passes() -> Iterator[Passes]:
    with measure.temporary_home() as home, serving(in_turn()) as server:
        os.environ["HOME"] = str(home)
        with model_pass.furnished(home, server) as here:
            yield here


def _nothing(_request: Json) -> Sequence[Json]:
    return [text("nothing")]


def _saving(request: Json) -> Sequence[Json]:
    turn = len(request["messages"]) // 2
    if turn == 0:
        return [tool_use("Glob", {"pattern": "*.md", "path": "memory"}, call_id="toolu_0")]
    if turn == 1:
        return [tool_use("Write", {"file_path": "bullets.md", "content": "- [project] a note\n"}, call_id="toolu_1")]
    return [text("Done.")]


def _count(total: Total, bodies: Sequence[Json]) -> None:
    """Add the requests of one pass."""
    total.passes += bool(bodies)
    for place, body in enumerate(bodies):
        blocks = body["messages"][0]["content"]
        lines = blocks[-1]["text"].split("What is new", 1)[1].splitlines()
        said = "\n".join(line for line in lines if line.startswith('{"n":'))
        whole = {key: body[key] for key in ("system", "tools")} | {"first": body["messages"][0]}
        shown = encoding.tokens(said)
        fixed = encoding.tokens(json.dumps(whole, ensure_ascii=False)) - encoding.tokens(
            json.dumps(said, ensure_ascii=False)
        )
        if place == 0:
            total.prompt += fixed
            total.shown += shown
        else:
            total.again += fixed + shown
            total.work += encoding.tokens(json.dumps(body["messages"][1:], ensure_ascii=False))


def _own_text(here: Passes) -> int:
    """The tokens of all that was said in the session, without the lines it is packed in."""
    (path,) = Path(here.home).rglob(f"{transcript.SESSION}.jsonl")
    with tail.opened(path) as fd:
        messages = reading.read(fd, Cursor(), name=path.stem).messages
    return sum(encoding.tokens(said.text) for said in evidence.clean(messages, None))


if __name__ == "__main__":
    measure.main("A session's input to a model, in tokens", rows)
