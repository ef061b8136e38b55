"""A pass mends what the agent wrote, and notes who wrote what where only the conversation tells."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.agent.offline.backend import Offline
from memd.extract import proposal, turns
from memd.extract import run as passes
from memd.extract import window as windows
from memd.ledger import Outcome
from memd.memory import topic, whose, witnessed
from memd.memory.topic import TopicType
from memd.transcripts.model import Message, Role, ToolCall, Wrote
from tests.extract.conftest import World, saves
from tests.fakes import claude_lines as lines

OLD = "Always deploy from the release branch"
NEW = "From now on never deploy from the release branch, deploy from main."
PATH = "feedback_rule.md"
SAID = (lines.prompt("h9", NEW), lines.answer("a9", "m9", lines.text("ok")))
AT = datetime(2026, 4, 1, 10, 15, tzinfo=UTC)  # of all lines


def lay(world: World, *, stamp: datetime | None = AT, at: datetime = AT, extra: str = "") -> None:
    """The topic as Claude Code writes it, or a version of it that puts no date into it."""
    world.memory.mkdir(parents=True, exist_ok=True)
    metadata = {"modified": stamp.strftime("%Y-%m-%dT%H:%M:%SZ") if stamp else None}
    data = topic.render("rule", OLD, TopicType.FEEDBACK, topic.body(OLD), metadata=metadata)
    if extra:
        data = data.replace(b"---\n", f"---\n{extra}\n".encode(), 1)
    (world.memory / PATH).write_bytes(data)
    os.utime(world.memory / PATH, (at.timestamp(), at.timestamp()))


def wrote(world: World, told: Mapping[str, object] | None = None, *, is_error: bool = False) -> tuple[lines.Line, ...]:
    """A turn in which the agent writes the topic as it stands there now; `told` is what the result says otherwise."""
    now = (world.memory / PATH).read_text()
    call = lines.call("t1", "Write", file_path=str(world.memory / PATH), content="x")
    shown = {"type": "create", "content": now, "originalFile": None, "userModified": False, **(told or {})}
    result = lines.result("r1", "t1", is_error=is_error)
    result["toolUseResult"] = {"filePath": str(world.memory / PATH), **shown}
    return (
        lines.prompt("h1", "remember how we deploy"),
        lines.answer("a1", "m1", call, stop="tool_use"),
        result,
        lines.answer("a2", "m2", lines.text("saved")),
    )


def foreign(world: World) -> bool:
    return PATH in whose.foreign(world.memory, history=world.house.paths.history)


def look(world: World, *, by_rules: bool = True) -> str | None:
    house = replace(world.house, backend=Offline()) if by_rules else world.house
    return passes.run(world.job(), house).outcome


def test_what_an_agent_wrote_is_corrected_by_a_pass(world: World) -> None:
    lay(world)
    world.write(*SAID)
    assert look(world) == Outcome.SAVED
    assert OLD not in world.files()[PATH]
    assert "deploy from main" in world.files()["MEMORY.md"]


@pytest.mark.parametrize("extra", ["", "pinned: true"], ids=["persons", "pinned"])
def test_what_a_person_wrote_or_pinned_stands_and_their_word_is_to_be_a_memory(world: World, extra: str) -> None:
    lay(world, stamp=AT if extra else None, extra=extra)
    world.write(*SAID)
    assert look(world) == Outcome.SAVED
    assert OLD in world.files()[PATH]
    line = f"[feedback] {NEW}  <!-- session {lines.SESSION}, human, memory -->\n"
    assert line in world.files()["logs/2026/04/2026-04-01.md"]
    assert world.files()["logs/2026/04/2026-04-01.md"].count("deploy from main") == 1


def test_a_version_that_the_conversation_shows_is_the_agents(world: World) -> None:
    lay(world, stamp=None)
    world.write(*wrote(world))
    assert look(world) == Outcome.SKIPPED
    os.utime(world.memory / PATH)
    world.write(*SAID)
    assert look(world) == Outcome.SAVED
    assert OLD not in world.files()[PATH]


@pytest.mark.parametrize("is_error", [False, True], ids=["changed-since", "failed"])
def test_another_version_is_not(world: World, *, is_error: bool) -> None:
    lay(world, stamp=None)
    world.write(*wrote(world, is_error=is_error))
    if not is_error:  # in the very second of the write
        lay(world, stamp=None, extra="pinned: true")
    look(world, by_rules=False)
    assert witnessed.load(world.house.paths.history, world.memory).agents == {}
    assert foreign(world)


@pytest.mark.parametrize(
    "told",
    [
        {"userModified": True},
        {"type": "update", "originalFile": "What Ada wrote.\n"},
        {"type": "update"},
    ],
    ids=["changed-the-proposal", "wrote-what-was-there", "not-told"],
)
def test_a_person_had_a_part_in_what_they_changed_or_had_written_before(world: World, told: dict[str, object]) -> None:
    lay(world)
    assert not foreign(world)
    world.write(*wrote(world, told))
    assert look(world) == Outcome.SKIPPED
    assert foreign(world)


def test_an_agent_may_go_on_with_what_it_or_memd_wrote(world: World) -> None:
    lay(world)
    world.write(*lines.TURN)
    look(world, by_rules=False)
    before = (world.memory / PATH).read_text()
    lay(world, stamp=datetime(2026, 4, 1, 11, tzinfo=UTC), at=datetime(2026, 4, 1, 11, tzinfo=UTC))
    world.write(*wrote(world, {"type": "update", "originalFile": before}))
    look(world)
    assert not foreign(world)


def test_an_agent_may_go_on_with_a_version_of_its_own_that_stands_there_no_more(world: World) -> None:
    lay(world, extra="pinned: true")
    world.write(*wrote(world, {"content": "One.\n"}))
    look(world)
    lay(world)
    world.write(*again(wrote(world, {"type": "update", "originalFile": "One.\n"})))
    look(world)
    assert not foreign(world)
    world.write(*again(wrote(world, {"type": "update", "originalFile": "One, I say.\n"}), "again"))
    look(world)
    assert foreign(world)


def again(said: tuple[lines.Line, ...], name: str = "more") -> tuple[lines.Line, ...]:
    """The same as new lines."""
    return tuple(line | {"uuid": f"{line['uuid']}-{name}"} for line in said)


def test_a_pass_that_is_skipped_notes_whose_the_files_are(world: World) -> None:
    lay(world, stamp=None)
    other = str(world.memory / "project_other.md")
    write = lines.call("t1", "Write", file_path=other, content="x")
    said = (lines.prompt("h1", "note that"), lines.answer("a1", "m1", write, stop="tool_use"))
    world.write(*said, lines.result("r1", "t1"), lines.answer("a2", "m2", lines.text("saved")))
    assert look(world) == Outcome.SKIPPED
    lay(world)
    assert foreign(world)


def test_what_a_person_changed_stays_theirs_when_the_agent_edits_it(world: World) -> None:
    lay(world, stamp=None)
    world.write(*lines.TURN)
    look(world, by_rules=False)
    lay(world)
    world.write(*SAID)
    look(world)
    assert OLD in world.files()[PATH]


def test_a_dry_run_notes_nothing(world: World) -> None:
    lay(world, stamp=None)
    world.write(*wrote(world), *SAID)
    session = world.ledger.session(f"claude-code:{lines.SESSION}")
    assert session is not None
    new = windows.read(session, world.house, again=False, watermark=1 << 30)
    found = proposal.propose(new, world.house, by_hand=True)
    assert found.foreign == frozenset({PATH})
    assert not world.house.paths.history.exists()


def test_a_model_is_told_which_are_a_persons(world: World) -> None:
    lay(world, stamp=None)
    seen: list[frozenset[str]] = []

    def propose(task: Task) -> None:
        seen.append(task.protected)
        saves(NEW, "feedback_other.md")(task)

    world.backend.script = propose
    world.write(*SAID)
    look(world, by_rules=False)
    assert seen == [{PATH}]


def test_what_each_call_shows_of_a_memory_counts(tmp_path: Path) -> None:
    def message(number: int, *calls: ToolCall) -> Message:
        return Message(uuid=str(number), uuids=(str(number),), role=Role.ASSISTANT, text="", tool_calls=calls)

    def write(path: str, content: str, result: str | None = "ok", wrote: Wrote | None = None) -> ToolCall:
        return ToolCall(id="t", name="Write", input={"file_path": path, "content": content}, result=result, wrote=wrote)

    inside, shared = str(tmp_path / "user_a.md"), str(tmp_path / "team" / "x.md")
    shown = Wrote(before="a", after="b", is_new=False)
    messages = [
        message(1, write(inside, "a")),
        message(3, write(inside, "?", wrote=shown), write(shared, "x"), write(shared, "y", result=None)),
        message(5, write(str(tmp_path / "logs" / "x.md"), "x"), write("/elsewhere.md", "x")),
    ]
    found = turns.memory_writes(messages, memory_dir=tmp_path, written_path=lambda call: str(call.input["file_path"]))
    assert found == {"user_a.md": (Wrote(after="a"), shown), "team/x.md": (Wrote(after="x"),)}
