"""Reading from a cursor, and noticing that the file is no longer the one that was read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memd.transcripts.model import Cursor, TurnState
from tests.fakes.claude_lines import (
    CWD,
    SESSION,
    TURN,
    Line,
    add,
    answer,
    api_error,
    call,
    interrupt,
    line,
    packed,
    prompt,
    read,
    result,
    text,
    write,
)


def test_an_empty_file(path: Path) -> None:
    path.touch()
    whole = read(path)
    assert (whole.session_id, whole.cwd, whole.messages, whole.turn) == ("by-name", None, (), TurnState.NONE)
    assert whole.end.offset == whole.complete.offset == 0


def test_an_unfinished_line_is_left_for_later(path: Path) -> None:
    write(path, *TURN)
    more = packed(prompt("h2", "more"))
    add(path, more[:-1])
    first = read(path)
    assert [message.uuid for message in first.messages] == ["h1", "a1"]
    add(path, more[-1:])
    assert [message.uuid for message in read(path, first.end).messages] == ["h2"]


def test_a_cursor_that_saw_everything_has_nothing_new(path: Path) -> None:
    end = read(write(path, *TURN)).end
    again = read(path, end)
    assert (again.messages, again.end, again.complete, again.restarted) == ((), end, end, False)
    assert (again.turn, again.session_id, again.cwd, again.entrypoint) == (TurnState.COMPLETE, SESSION, CWD, "cli")
    assert end.last_uuid == "a1"


def test_complete_lies_after_the_last_complete_turn(path: Path) -> None:
    whole = read(write(path, *TURN, prompt("h2", "more"), answer("a2", "m2", call("t"), stop="tool_use")))
    assert (whole.complete.offset, whole.complete.last_uuid, whole.complete_count) == (len(packed(*TURN)), "a1", 2)
    assert (whole.end.last_uuid, whole.turn) == ("a2", TurnState.PENDING_TOOL)


@pytest.mark.parametrize("last", [interrupt("x"), api_error("x")])
def test_a_broken_turn_is_closed_by_the_next_prompt(path: Path, last: Line) -> None:
    broken = (prompt("h1", "hello"), last)
    assert read(write(path, *broken)).complete_count == 0
    whole = read(write(path, *broken, prompt("h2", "again")))
    assert (whole.complete.offset, whole.complete.last_uuid) == (len(packed(*broken)), "x")


def test_a_turn_that_waits_for_a_tool_is_not_closed_by_a_prompt_sent_meanwhile(path: Path) -> None:
    waiting = (prompt("h1", "hello"), answer("a1", "m1", call("t"), stop="tool_use"), prompt("h2", "and this"))
    assert read(write(path, *waiting)).complete_count == 0
    whole = read(write(path, *waiting, result("r1", "t", "late"), answer("a2", "m2", text("both"))))
    assert whole.messages[1].tool_calls[0].result == "late"
    assert whole.complete_count == 4


@pytest.mark.parametrize("change", ["cut", "first bytes", "last bytes", "replaced", "emptied", "no line break"])
def test_a_file_that_is_not_the_one_read_is_read_from_its_start(path: Path, change: str) -> None:
    data = packed(*TURN, *(line(f"s{number}", "system") for number in range(200)))
    path.write_bytes(data)
    end = read(path).end
    match change:
        case "cut":
            path.write_bytes(packed(*TURN))
        case "first bytes":
            path.write_bytes(data.replace(b"hello", b"HELLO"))
        case "last bytes":
            path.write_bytes(data.replace(b"s199", b"x199"))
        case "replaced":
            path.rename(path.with_suffix(".old"))
            path.write_bytes(data)
        case "emptied":
            path.write_bytes(b"")
        case _:
            path.write_bytes(data[:-1] + b" " + packed(*TURN))
    again = read(path, end)
    assert again.restarted
    assert again == replace(read(path), restarted=True)
    assert [message.uuid for message in again.messages] == ([] if change == "emptied" else ["h1", "a1"])


def test_a_file_that_only_grew_is_not_read_again(path: Path) -> None:
    end = read(write(path, *TURN)).end
    add(path, packed(prompt("h2", "more")))
    again = read(path, end)
    assert ([message.uuid for message in again.messages], again.restarted) == (["h2"], False)


def test_a_cursor_without_fingerprint_is_believed_at_a_line_break_only(path: Path) -> None:
    write(path, *TURN)
    size = len(packed(TURN[0]))
    assert [message.uuid for message in read(path, Cursor(offset=size)).messages] == ["a1"]
    assert read(path, Cursor(offset=size - 3)).restarted
    assert read(path, Cursor(offset=-1)).restarted
    assert not read(path, Cursor()).restarted


def test_a_reading_from_within_a_turn_knows_the_turn(path: Path) -> None:
    middle = read(write(path, TURN[0], answer("a1", "m1", call("t"), stop="tool_use"))).end
    add(path, packed(result("r1", "t"), answer("a2", "m2", text("done"))))
    later = read(path, middle)
    assert (later.turn, [message.uuid for message in later.messages]) == (TurnState.COMPLETE, ["a2"])
    assert later.complete == later.end
