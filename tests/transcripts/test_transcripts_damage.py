"""Damaged, unexpected and overlong lines: each costs only itself."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from memd.transcripts import lines as lines_module
from memd.transcripts import reading, tail
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.lines import MAX_LINE, lines
from memd.transcripts.model import Problems, Role, TurnState
from tests.fakes.claude_lines import (
    CWD,
    SESSION,
    TURN,
    Line,
    answer,
    call,
    line,
    packed,
    prompt,
    read,
    result,
    write,
)

CLAUDE = ClaudeCode(Path("/nowhere"))


GOOD, NEXT = packed(prompt("h1", "hello")), packed(prompt("h2", "next"))


@pytest.mark.parametrize(
    ("damaged", "texts", "bad"),
    [
        (GOOD[:-20] + b"\n", [], 1),
        (GOOD[:-1] + NEXT, ["hello", "next"], 1),
        (GOOD[:-30] + NEXT, ["next"], 1),
        (b"\0" * 9000 + GOOD, ["hello"], 1),
        (GOOD[:-1] + b"\0\0\n", ["hello"], 1),
        (b"\0" * 100 + b"\n", [], 1),
        (b"\xef\xbb\xbf" + GOOD, ["hello"], 1),
        (GOOD.replace(b"hello", b"he\xffllo"), [], 1),
        (GOOD.replace(b"hello", rb"he\ud83dllo"), ["he\ufffdllo"], 1),
        (GOOD.replace(b"hello", rb"he\ud83d\ude00llo"), ["he😀llo"], 0),
        (GOOD.replace(b"hello", rb"\\ud83d"), ["\\ud83d"], 0),
        (b"[" * 200_000 + b"\n", [], 1),
        (b'{"type":"user","x":' * 5000 + b"\n", [], 1),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n", [], 1),
        (b'7\n"x"\nnull\n[]\ntrue\n', [], 5),
        (b"\n  \n\r\n", [], 0),
        (GOOD.replace(b"\n", b"\r\n"), ["hello"], 0),
        (b"9" * 5000 + b"\n", [], 1),
        (b'{"type":"user","uuid":"n","n":' + b"9" * 5000 + b"}" + GOOD, ["hello"], 1),
    ],
)
def test_a_bad_line_is_counted_and_costs_only_itself(path: Path, damaged: bytes, texts: list[str], bad: int) -> None:
    path.write_bytes(damaged + packed(prompt("end", "after")))
    whole = read(path)
    assert [message.text for message in whole.messages] == [*texts, "after"]
    assert whole.problems.bad_lines == bad
    assert whole.end.offset == path.stat().st_size
    assert CLAUDE.tail(path).turn is TurnState.RUNNING


NESTED = {"type": "user", "uuid": "n1", "message": {"role": "user", "content": "somebody else's"}}


def test_a_record_inside_a_damaged_one_is_not_taken_for_a_line(path: Path) -> None:
    path.write_bytes(packed(line("p1", "progress", data=NESTED))[:-40] + b"\n" + GOOD)
    assert [message.text for message in read(path).messages] == ["hello"]


@pytest.mark.parametrize("padding", range(0, 60, 4))
def test_a_line_that_a_window_cuts_is_left_to_the_next_window(path: Path, padding: int) -> None:
    outer = line("p1", "progress", data=NESTED | {"sessionId": "other", "cwd": "/elsewhere", "x": "x" * padding})
    write(path, *TURN, outer)
    with tail.opened(path) as fd:
        view = reading.look_back(fd, path.stat().st_size, first=150)
    assert (view.turn.state, view.session_id, view.cwd) == (TurnState.COMPLETE, SESSION, CWD)


def test_a_cut_line_full_of_objects_costs_no_square(path: Path) -> None:
    block = b'{"type":"text","text":"x","inner":'
    path.write_bytes(b'{"parentUuid":null,"message":' + block * 30_000 + b"\n" + GOOD)
    assert [message.text for message in read(path).messages] == ["hello"]


@pytest.mark.parametrize(
    "odd",
    [
        {"message": {"role": "user", "content": "hello", "id": 7, "model": ["x"]}},
        {"timestamp": {"a": 1}, "isMeta": "no", "origin": "human"},
        {"attachment": [1], "entrypoint": 3, "cwd": ["x"]},
        {"message": {"content": [{"type": "text", "text": "hello", "id": 4}, 7, None, {"type": 9}]}},
    ],
)
def test_a_record_of_an_unexpected_shape_gives_what_fits(path: Path, odd: Line) -> None:
    whole = read(write(path, prompt("h1", "hello") | odd))
    assert [(message.role, message.text) for message in whole.messages] == [(Role.HUMAN, "hello")]
    assert whole.problems == Problems()


def test_a_result_of_an_unexpected_shape_still_answers_its_call(path: Path) -> None:
    odd = result("r1", "t", {"web": "page"})
    whole = read(write(path, TURN[0], answer("a1", "m1", call("t"), stop="tool_use"), odd))
    assert whole.messages[1].tool_calls[0].result == ""
    assert whole.turn is TurnState.RUNNING


def test_unknown_types_are_counted_and_ignored(path: Path) -> None:
    whole = read(write(path, {"type": "from-tomorrow", "message": {"content": "x"}}, {"kind": "no type"}, *TURN))
    assert ([message.uuid for message in whole.messages], whole.problems.unknown_types) == (["h1", "a1"], 2)


def test_a_line_over_the_limit_is_passed_over_in_bounded_memory(path: Path) -> None:
    huge = MAX_LINE * 2
    with path.open("wb") as file:
        file.write(GOOD)
        file.truncate(len(GOOD) + huge)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + NEXT)
    tracemalloc.start()
    whole = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= MAX_LINE + 4 * 1024 * 1024
    assert [message.text for message in whole.messages] == ["hello", "next"]
    assert whole.problems == Problems(oversize_lines=1)
    assert CLAUDE.tail(path).size == path.stat().st_size


def test_memory_stays_within_twice_the_longest_line(path: Path) -> None:
    longest = 8 * 1024 * 1024
    hidden = line("s1", "system", content="x" * longest)
    path.write_bytes(GOOD + packed(hidden) + NEXT)
    tracemalloc.start()
    read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 2 * longest + 4 * 1024 * 1024


@pytest.mark.parametrize("length", [0, 1, 9, 10, 11, 35])
def test_lines_longer_than_the_limit_have_no_data(path: Path, length: int) -> None:
    path.write_bytes(b"a\n" + b"x" * length + b"\nb\nrest")
    with tail.opened(path) as fd:
        found = list(lines(fd, 0, path.stat().st_size, limit=10))
    expected = b"x" * length if length <= 10 else None
    assert found == [(b"a", 2), (expected, 3 + length), (b"b", 5 + length)]


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_lines_are_whole_across_reads(path: Path, shift: int) -> None:
    row = b"y" * (lines_module.CHUNK + shift)
    path.write_bytes(row + b"\n" + row + b"\n")
    with tail.opened(path) as fd:
        found = [data for data, _ in lines(fd, 0, path.stat().st_size)]
    assert found == [row, row]


def test_a_file_cut_while_it_is_read_ends_there(path: Path) -> None:
    path.write_bytes(b"a\nb\n")
    with tail.opened(path) as fd:
        found = [data for data, _ in lines(fd, 0, 1000)]
    assert found == [b"a", b"b"]
