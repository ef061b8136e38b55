"""Which turns a pass may learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memd.extract import gate, turns
from memd.extract.gate import Skip
from memd.transcripts.model import Message, Role, ToolCall


def human(uuid: str) -> Message:
    return Message(uuid=uuid, uuids=(uuid,), role=Role.HUMAN, text="do it")


def assistant(uuid: str, *calls: ToolCall) -> Message:
    return Message(uuid=uuid, uuids=(uuid, uuid + "-result"), role=Role.ASSISTANT, text="done", tool_calls=calls)


def write(path: object, **more: Any) -> ToolCall:  # noqa: ANN401 - a field's value
    return ToolCall(id="t", name="Write", input={"file_path": str(path)}, **({"result": "ok"} | more))


def written_path(call: ToolCall) -> str | None:
    return str(call.input["file_path"]) if call.name == "Write" else None


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    directory = tmp_path / "memory"
    directory.mkdir()
    return directory


def wrote(memory: Path, *calls: ToolCall, since: str | None = None) -> bool:
    return turns.has_memory_writes_since(
        [human("h1"), assistant("a1", *calls)], since, memory_dir=memory, written_path=written_path
    )


def test_a_write_into_the_memory_directory_counts(memory: Path) -> None:
    assert wrote(memory, write(memory / "user_role.md"))
    assert wrote(memory, write(memory / "team" / "x.md"))
    assert wrote(memory, write(memory / ".." / "memory" / "user_role.md"))


def test_so_does_one_through_a_link(memory: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(memory)
    assert wrote(memory, write(tmp_path / "link" / "user_role.md"))


@pytest.mark.parametrize(
    "call",
    [
        write("{memory}/user_role.md", is_error=True),
        write("{memory}/user_role.md", result=None),
        write("{memory}/logs/2026/04/2026-04-01.md"),
        write("{memory}/../elsewhere.md"),
        write("{memory}-2/user_role.md"),
        ToolCall(id="t", name="Read", input={"file_path": "{memory}/user_role.md"}, result="text"),
    ],
)
def test_these_do_not(memory: Path, call: ToolCall) -> None:
    path = str(call.input["file_path"]).format(memory=memory)
    there = ToolCall(id=call.id, name=call.name, input={"file_path": path}, result=call.result, is_error=call.is_error)
    assert not wrote(memory, there)


def remember(said: str, *, by: str = "mcp__memd__remember", command: str | None = None) -> ToolCall:
    return ToolCall(id="t", name=by, input={"text": "x"} if command is None else {"command": command}, result=said)


SAVED = "saved: project_x.md (run 3)"


def test_what_the_agent_had_memd_save_counts(memory: Path) -> None:
    assert wrote(memory, remember(SAVED))
    assert wrote(memory, remember("updated: project_x.md (run 3)"))
    assert wrote(memory, remember(f"ok\n{SAVED}", by="Bash", command='cd src && memd remember "x"'))


def test_so_it_does_by_a_server_of_another_name_where_the_memory_is_there(memory: Path) -> None:
    (memory / "project_x.md").touch()
    assert wrote(memory, remember(SAVED, by="mcp__our-memory__remember"))
    assert not wrote(memory, remember(SAVED, by="mcp__our-memory__recall"))
    assert not wrote(memory, remember("saved: ../project_x.md (run 3)", by="mcp__our-memory__remember"))


@pytest.mark.parametrize(
    "call",
    [
        remember("held for review: feedback_x.md, because no person said it (run 3)"),
        remember("project_x.md says so already (run 3)"),
        remember(SAVED, by="mcp__other__remember"),
        remember(SAVED, by="Bash", command="cat notes.txt"),
        remember("would be saved: project_x.md", by="Bash", command="memd remember x --dry-run"),
    ],
)
def test_what_memd_did_not_save_does_not(memory: Path, call: ToolCall) -> None:
    assert not wrote(memory, call)


def test_only_what_came_after_the_uuid_counts_and_everything_where_it_vanished(memory: Path) -> None:
    call = write(memory / "user_role.md")
    assert wrote(memory, call, since="h1")
    assert not wrote(memory, call, since="a1")
    assert not wrote(memory, call, since="a1-result")
    assert wrote(memory, call, since="gone")


def check(memory: Path, *messages: Message) -> tuple[turns.Turn, ...] | Skip:
    return gate.check(turns.split(messages), memory_dir=memory, written_path=written_path)


def test_turns_in_which_the_agent_wrote_memory_are_left_out(memory: Path) -> None:
    first = (human("h1"), assistant("a1", write(memory / "user_role.md")))
    second = (human("h2"), assistant("a2"))
    assert check(memory, *first, *second) == (turns.Turn(messages=second),)
    assert check(memory, *first) is Skip.AGENT_WROTE_MEMORY


def test_an_earlier_turn_is_kept_when_the_agent_wrote_memory_later(memory: Path) -> None:
    first = (human("h1"), assistant("a1"))
    second = (human("h2"), assistant("a2", write(memory / "user_role.md")))
    assert check(memory, *first, *second) == (turns.Turn(messages=first),)


def test_nothing_new_and_nobody_spoke_are_told_apart(memory: Path) -> None:
    assert check(memory) is Skip.NOTHING_NEW
    assert check(memory, assistant("a1")) is Skip.NO_HUMAN_MESSAGE
