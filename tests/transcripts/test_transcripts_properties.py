"""However a transcript arrives, and wherever reading stops, it reads the same; nothing in it can break the reader."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.transcripts import reading, tail
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import Cursor, Message, Problems, Reading, TailState, TurnState
from tests.fakes.claude_lines import (
    Line,
    answer,
    api_error,
    call,
    interrupt,
    line,
    notification,
    packed,
    prompt,
    read,
    result,
    sample,
    samples,
    text,
    thought,
)

CLAUDE = ClaudeCode(Path("/nowhere"))
EVERY_SAMPLE = pytest.mark.parametrize("path", samples(), ids=lambda path: path.stem)
FIRST = 64  # bytes; a window so small that most of them cannot tell

Build = Callable[[str, str, int], list[Line]]
EVENTS: dict[str, Build] = {
    "prompt": lambda uuid, _, n: [prompt(uuid, f"words {n}", promptSource="typed")],
    "said": lambda uuid, group, n: [
        answer(f"{uuid}t", group, thought()),
        answer(uuid, group, text(f"answer {n}")),
    ],
    "called": lambda uuid, group, n: [
        answer(f"{uuid}t", group, text(f"doing {n}"), stop="tool_use"),
        answer(uuid, group, call(f"toolu_{n}"), stop="tool_use"),
    ],
    "resulted": lambda uuid, _, n: [result(uuid, f"toolu_{n - 1}")],
    "resulted late": lambda uuid, _, n: [result(uuid, f"toolu_{n - 2}")],
    "interrupted": lambda uuid, _, __: [interrupt(uuid)],
    "aborted": lambda uuid, group, _: [answer(uuid, group, text("so"), stop=None, isAbortedMidStream=True)],
    "failed": lambda uuid, _, __: [api_error(uuid)],
    "woken": lambda uuid, _, __: [notification(uuid)],
    "echoed": lambda uuid, _, __: [prompt(uuid, "<command-name>/compact</command-name>")],
    "sidechain": lambda uuid, _, __: [prompt(uuid, "x", isSidechain=True, cwd="/elsewhere", sessionId="other")],
    "attached": lambda uuid, _, n: [line(uuid, "attachment", attachment={"type": "date"}, cwd=f"/home/dev/{n}")],
}


@contextmanager
def growing() -> Iterator[Path]:
    """An empty transcript in a directory of its own."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "unknown.jsonl"
        path.touch()
        yield path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def story(events: Iterable[str]) -> Iterator[Line]:
    """A transcript in which the events follow each other, sensibly or not."""
    for number, event in enumerate(events):
        yield from EVENTS[event](f"u{number}", f"msg_{number}", number)


def as_tail(whole: Reading, name: str) -> TailState:
    """What the end of a file should tell, from a reading of all of it."""
    session = None if whole.session_id == name else whole.session_id
    return TailState(
        session_id=session, cwd=whole.cwd, turn=whole.turn, size=whole.end.offset, last_uuid=whole.end.last_uuid
    )


def in_steps(path: Path, chunks: Iterable[bytes]) -> tuple[Message, ...]:
    """The messages of a file that grows by chunks, each complete turn taken as soon as it is there."""
    cursor = Cursor()
    taken: list[Message] = []
    for chunk in chunks:
        append(path, chunk)
        now = CLAUDE.read(path, cursor)
        assert not now.restarted
        taken += now.messages[: now.complete_count]
        cursor = now.complete
    return (*taken, *CLAUDE.read(path, cursor).messages)


def look_back_states(path: Path) -> TailState:
    with tail.opened(path) as fd:
        view = reading.look_back(fd, path.stat().st_size, first=FIRST)
    return TailState(
        session_id=view.session_id, cwd=view.cwd, turn=view.turn.state, size=view.end, last_uuid=view.last_uuid
    )


@EVERY_SAMPLE
def test_the_end_tells_what_the_whole_tells_at_every_line(path: Path) -> None:
    with growing() as copy:
        for row in path.read_bytes().splitlines(keepends=True):
            append(copy, row)
            expected = as_tail(read(copy), copy.stem)
            assert CLAUDE.tail(copy) == expected
            assert look_back_states(copy) == expected


@EVERY_SAMPLE
def test_line_by_line_is_the_same_as_at_once(path: Path) -> None:
    with growing() as copy:
        assert in_steps(copy, path.read_bytes().splitlines(keepends=True)) == read(path).messages


@EVERY_SAMPLE
@given(seed=st.integers(0, 2**32))
@settings(max_examples=6, deadline=None)
def test_any_chunking_is_the_same_as_at_once(path: Path, seed: int) -> None:
    data, chance = path.read_bytes(), random.Random(seed)  # noqa: S311 - no secrets are made with it
    cuts = sorted({0, len(data), *(chance.randrange(len(data)) for _ in range(chance.randrange(12)))})
    with growing() as copy:
        chunks = [data[start:end] for start, end in pairwise(cuts)]
        assert in_steps(copy, chunks) == read(path).messages


@given(st.lists(st.sampled_from(sorted(EVENTS)), max_size=14))
@settings(max_examples=80, deadline=None)
def test_any_story_reads_the_same_in_steps_and_from_its_end(events: list[str]) -> None:
    rows = [packed(record) for record in story(events)]
    with growing() as whole, growing() as copy:
        append(whole, b"".join(rows))
        assert in_steps(copy, rows) == read(whole).messages
        for size in range(len(rows) + 1):
            copy.write_bytes(b"".join(rows[:size]))
            assert look_back_states(copy) == as_tail(read(copy), copy.stem)


@given(st.lists(st.sampled_from(sorted(EVENTS)), max_size=14), st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_a_reading_from_any_end_knows_how_the_turn_stands(events: list[str], where: int) -> None:
    rows = [packed(record) for record in story(events)]
    with growing() as copy:
        append(copy, b"".join(rows[:where]))
        end = read(copy).end
        append(copy, b"".join(rows[where:]))
        later, whole = CLAUDE.read(copy, end), read(copy)
    assert (later.turn, later.end, later.session_id, later.cwd) == (
        whole.turn,
        whole.end,
        whole.session_id,
        whole.cwd,
    )


def test_a_cut_at_any_byte_yields_no_half_message() -> None:
    path = sample("b4d80851", "2.1.197")
    data, whole = path.read_bytes(), {message.uuid: message for message in read(path).messages}
    with growing() as copy, copy.open("ab", buffering=0) as file:
        for size in range(1, len(data) + 1):
            file.write(data[size - 1 : size])
            now = CLAUDE.read(copy, Cursor())
            assert now.end.offset == data.rfind(b"\n", 0, size) + 1
            assert now.problems == Problems()
            assert now.messages == tuple(whole[message.uuid] for message in now.messages)


WRITER = """
import os, random, sys
data, chance = sys.stdin.buffer.read(), random.Random(7)
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
while data:
    size = chance.randrange(1, 5000)
    os.write(fd, data[:size])
    data = data[size:]
"""


def test_reading_beside_a_process_that_writes() -> None:
    path = sample("interactive_interrupts")
    cursor = Cursor()
    taken: list[Message] = []
    with growing() as copy, path.open("rb") as data:
        with subprocess.Popen([sys.executable, "-c", WRITER, str(copy)], stdin=data) as writer:
            while writer.poll() is None:
                now = CLAUDE.read(copy, cursor)
                taken += now.messages[: now.complete_count]
                cursor = now.complete
        assert (*taken, *CLAUDE.read(copy, cursor).messages) == read(path).messages
        assert CLAUDE.tail(copy) == as_tail(read(path), path.stem)


GARBAGE = st.one_of(
    st.binary(max_size=200),
    st.sampled_from(
        [
            b"\n",
            b"{",
            b"}\n",
            b"null\n",
            b"[]\n",
            b"\0" * 50,
            b"\xef\xbb\xbf",
            b'{"a":' * 5000,
            b'"\\ud800"',
            b'{"type":"user"}\n',
            b'{"type":"user","message":7}\n',
            b'{"type":"user","uuid":"',
            b'"message":{"content":"x"}}\n',
            b'{"type":"assistant","message":{"content":[{"type":"tool_use"},7,null,"x",{"type":"text","text":3}]}}\n',
        ]
    ),
)


@given(st.lists(GARBAGE, max_size=12))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_garbage_never_raises(pieces: list[bytes]) -> None:
    good = packed(prompt("good", "still here"))
    with growing() as copy:
        append(copy, b"".join(pieces) + b"\n" + good)
        now = CLAUDE.read(copy, Cursor())
        assert now.messages[-1].text == "still here"
        assert now.turn is TurnState.RUNNING
        assert now.end.offset == copy.stat().st_size
        assert CLAUDE.tail(copy).turn is TurnState.RUNNING


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_sample_with_bytes_changed_never_raises(data: st.DataObject) -> None:
    content = bytearray(sample("57ef1e16", "2.1.197").read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with growing() as copy:
        copy.write_bytes(content)
        now = CLAUDE.read(copy, Cursor())
        assert now.complete_count <= len(now.messages)
        assert CLAUDE.tail(copy).size == now.end.offset
