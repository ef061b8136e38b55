"""A transcript that is too long for one reading is read in portions, each of whole turns where there are any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.transcripts import reading, tail
from memd.transcripts.model import Cursor, Message, Reading, TurnState
from tests.fakes.claude_lines import (
    TURN,
    Line,
    answer,
    call,
    packed,
    prompt,
    read,
    result,
    sample,
    samples,
    text,
    write,
)


def portions(path: Path, most: int) -> Iterator[Reading]:
    """What each reading finds, from the end of the one before it, until there is no more."""
    since = Cursor()
    with tail.opened(path) as fd:
        while since.offset < path.stat().st_size:
            one = reading.read(fd, since, name=path.stem, most=most)
            assert since.offset < one.end.offset
            yield one
            since = one.end


def turns(count: int) -> Iterator[Line]:
    for number in range(count):
        yield prompt(f"h{number}", "hello")
        yield answer(f"c{number}", f"c{number}", call(f"t{number}"), stop="tool_use")
        yield result(f"r{number}", f"t{number}", "x" * 500)
        yield answer(f"a{number}", f"m{number}", text("hi"))


@pytest.mark.parametrize(("each", "expected"), [(1, 12), (2, 6), (5, 3), (50, 1)])
def test_a_portion_ends_where_a_turn_does(path: Path, each: int, expected: int) -> None:
    write(path, *turns(12))
    found = list(portions(path, each * len(packed(*turns(1)))))
    assert len(found) == expected
    assert {one.turn for one in found} == {TurnState.COMPLETE}
    assert all(one.complete == one.end and one.complete_count == len(one.messages) for one in found)
    assert [message for one in found for message in one.messages] == list(read(path).messages)


def test_a_turn_without_end_is_parted(path: Path) -> None:
    endless = [answer(f"a{number}", f"m{number}", call(f"t{number}"), stop="tool_use") for number in range(50)]
    write(path, prompt("h1", "go on"), *endless)
    line = len(packed(endless[9]))
    found = list(portions(path, 5 * line))
    assert {one.turn for one in found} == {TurnState.PENDING_TOOL}
    assert [len(one.messages) for one in found][:2] in ([10, 10], [11, 10], [10, 11])
    assert [message.uuid for one in found for message in one.messages] == [m.uuid for m in read(path).messages]


def test_only_what_is_read_counts(path: Path) -> None:
    """A line that is passed over takes no memory, however long."""
    with path.open("wb") as file:
        file.write(packed(*TURN))
        file.truncate(300_000_000)
        file.seek(300_000_000)
        file.write(b"\n" + packed(prompt("h2", "more")))
    assert [message.uuid for message in read(path).messages] == ["h1", "a1", "h2"]


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.stem)
@given(most=st.integers(1, 100_000))
@settings(max_examples=5, deadline=None)
def test_portions_of_a_real_session_are_the_whole(path: Path, most: int) -> None:
    def said(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
        return [(message.uuid, message.text) for message in messages if not message.tool_calls]

    whole, found = read(path), list(portions(path, most))
    assert (found[-1].end, found[-1].turn, found[-1].cwd) == (whole.end, whole.turn, whole.cwd)
    assert sum(one.problems.bad_lines for one in found) == 0
    if most > len(path.read_bytes()) // 2:  # no turn is parted
        assert [words for one in found for words in said(one.messages)] == said(whole.messages)


def test_the_first_portion_of_a_session_knows_how_it_began(path: Path) -> None:
    path.write_bytes(sample("headless_hello").read_bytes() + packed(*TURN))
    first, *later = portions(path, 40_000)
    assert (first.from_start, [one.from_start for one in later]) == (True, [False] * len(later))
