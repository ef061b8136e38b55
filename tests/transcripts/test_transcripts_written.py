"""What a tool's result shows of the file that it wrote, as Claude Code really tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory import whose
from memd.transcripts.model import ToolCall, Wrote
from tests.fakes import claude_lines as lines


def calls(name: str, version: str) -> list[ToolCall]:
    reading = lines.read(lines.sample(name, version))
    return [call for message in reading.messages for call in message.tool_calls if call.wrote]


@pytest.mark.parametrize(
    ("name", "version", "is_new"), [("7284ebb7", "2.1.197", True), ("headless_mem", "2.1.332", False)]
)
def test_each_version_of_a_memory_is_shown(name: str, version: str, *, is_new: bool) -> None:
    made, _, edited = (call.wrote for call in calls(name, version))
    assert made is not None
    assert edited is not None
    assert (made.is_new, edited.is_new) == (is_new, False)
    assert edited.before == made.after
    assert "User is a senior tester." in (edited.after or "")
    assert not made.by_person


def test_what_claude_code_adds_to_a_header_makes_no_other_version() -> None:
    written = b"---\nname: x\nmetadata:\n  type: user\n---\n\n  modified: mine\n"
    saved = b"---\nname: x\nmetadata: \n  node_type: memory\n  type: user\n  modified: 2026\n---\n\n  modified: mine\n"
    assert whose.plain(saved) == whose.plain(written)
    assert whose.plain(saved.replace(b"mine", b"Ada's")) != whose.plain(written)


def test_a_result_about_no_memory_shows_nothing_and_one_that_a_person_changed_says_so(tmp_path: Path) -> None:
    def shown(told: object) -> Wrote | None:
        call = lines.call("t1", "Write", file_path="/x/a.md", content="x")
        result = lines.result("r1", "t1") | {"toolUseResult": told}
        path = lines.write(tmp_path / "x.jsonl", lines.answer("a1", "m1", call, stop="tool_use"), result)
        (message,) = lines.read(path).messages
        return message.tool_calls[0].wrote

    nothing: tuple[object, ...] = (
        "Error: no",
        ["x"],
        None,
        3,
        {"type": "text", "content": ["x"]},
        {"filePath": "/x/a.py"},
    )
    assert [shown(told) for told in nothing] == [None] * len(nothing)
    told: dict[str, object] = {"type": "create", "filePath": "/x/a.md", "content": "x", "userModified": True}
    assert shown(told) == Wrote(after="x", is_new=True, by_person=True)
    assert shown({**told, "content": "x" * 70_000}) == Wrote(is_new=True, by_person=True)
