"""Every bad transcript there is: nothing gets out, nothing is lost but what is damaged, and no cursor goes astray."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest

from memd.transcripts import cursor as cursors
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.lines import MAX_LINE
from memd.transcripts.model import Cursor, Message, Reading, Role, TailState
from tests.fakes import bad_bytes, bad_records, bad_stories
from tests.fakes.bad_transcripts import AFTER, BEFORE, Bad, before

CORPUS = (*bad_bytes.cases(), *bad_records.cases(), *bad_stories.cases())
ROOM = 4 * 1024 * 1024  # bytes of memory besides two of the longest line
CLAUDE = ClaudeCode(Path("/nowhere"))


def spoken(messages: Iterable[Message]) -> list[str]:
    """What people said, each of it once, as passes know it again by its uuids."""
    known: set[str] = set()
    said = []
    for message in messages:
        if message.uuid not in known and message.role is Role.HUMAN:
            said.append(message.text)
        known |= set(message.uuids)
    return said


def as_tail(whole: Reading, name: str) -> TailState:
    session = None if whole.session_id == name else whole.session_id
    return TailState(
        session_id=session, cwd=whole.cwd, turn=whole.turn, size=whole.end.offset, last_uuid=whole.end.last_uuid
    )


def longest_line(data: bytes) -> int:
    return min(MAX_LINE, max(len(one) for one in data.split(b"\n")))


def test_there_are_many_of_them_and_each_has_a_name() -> None:
    assert len({one.name for one in CORPUS}) == len(CORPUS) >= 200
    assert len({one.data for one in CORPUS}) >= 200


@pytest.mark.parametrize("bad", CORPUS, ids=[one.name for one in CORPUS])
def test_a_bad_transcript_costs_only_what_is_bad(path: Path, bad: Bad) -> None:
    data, middle = bad.written(), len(bad.middle())
    path.write_bytes(data)
    whole, held = measured(path)
    check_what_was_read(whole, bad)
    assert whole.end.offset == len(data)
    assert CLAUDE.tail(path) == as_tail(whole, path.stem)
    assert held <= 2 * longest_line(data) + ROOM
    for size in (len(before()), len(before()) + middle // 2, len(before()) + middle):
        check_reading_on(path, data, size, whole)


def measured(path: Path) -> tuple[Reading, int]:
    """What a file holds, and the most bytes that were held to find it out besides what was kept."""
    tracemalloc.start()
    try:
        whole = CLAUDE.read(path, Cursor())
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return whole, peak - kept


def check_what_was_read(whole: Reading, bad: Bad) -> None:
    said, found = spoken(whole.messages), whole.problems
    assert (said[0], said[-1]) == (BEFORE, AFTER)
    assert bad.says is None or tuple(said[1:-1]) == bad.says
    assert (found.bad_lines, found.oversize_lines, found.unknown_types) == (bad.bad, bad.oversize, bad.unknown)
    assert whole.messages[-1].text == "It failed."


def check_reading_on(path: Path, data: bytes, size: int, whole: Reading) -> None:
    """A file that was read when it had that size, and again from there when it was whole."""
    path.write_bytes(data[:size])
    first = CLAUDE.read(path, Cursor())
    with path.open("ab") as file:
        file.write(data[size:])
    later = CLAUDE.read(path, cursors.loads(cursors.dumps(first.complete)))
    assert not later.restarted
    assert (later.end, later.turn, later.cwd) == (whole.end, whole.turn, whole.cwd)
    assert spoken((*first.messages[: first.complete_count], *later.messages)) == spoken(whole.messages)
