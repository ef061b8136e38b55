"""What real transcripts of both versions hold, compared as whole objects."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.transcripts.model import MemorySection, Message, Problems, Reading, Role, ToolCall, TurnState
from tests.fakes.claude_lines import SAMPLES, read, sample, samples

V1, V2 = "2.1.197", "2.1.332"


def spoken(reading: Reading) -> list[tuple[str, str]]:
    """Who said what, injected text left out."""
    return [(message.role.value, message.text) for message in reading.messages if message.role is not Role.INJECTED]


def calls(reading: Reading) -> list[tuple[str, bool]]:
    """The tool calls and whether they failed."""
    return [(call.name, call.is_error) for message in reading.messages for call in message.tool_calls]


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.stem)
def test_every_sample_reads_without_a_problem(path: Path) -> None:
    whole = read(path)
    assert whole.problems == Problems()
    assert whole.end.offset == path.stat().st_size
    assert whole.cwd in {"/home/dev/repo", "/home/dev/repo/sub", "/home/dev/repo/sub/deep"}
    assert not whole.restarted
    uuids = [uuid for message in whole.messages for uuid in message.uuids]
    assert len(uuids) == len(set(uuids))


@pytest.mark.parametrize("version", [V1, V2])
def test_parallel_tools_are_one_message_with_both_results(version: str) -> None:
    whole = read(sample({V1: "7297d9a7", V2: "headless_par"}[version], version))
    listing = {V1: "README.md", V2: "README.md\nnested\nsub"}[version]
    ids = [call.id for call in whole.messages[1].tool_calls]
    assert whole.messages[1] == Message(
        uuid=whole.messages[1].uuid,
        uuids=whole.messages[1].uuids,
        role=Role.ASSISTANT,
        text="Two tools.",
        at=whole.messages[1].at,
        tool_calls=(
            ToolCall(id=ids[0], name="Bash", input={"command": "ls", "description": "a"}, result=listing),
            ToolCall(id=ids[1], name="Read", input={"file_path": "/home/dev/repo/README.md"}, result="1\thi\n2\t"),
        ),
    )
    assert len(whole.messages[1].uuids) == 6
    assert spoken(whole) == [("human", "do par @@par@@"), ("assistant", "Two tools."), ("assistant", "Both done.")]
    assert (whole.turn, whole.complete, whole.complete_count) == (TurnState.COMPLETE, whole.end, 3)


def test_a_message_carries_its_time_and_its_lines() -> None:
    first = read(sample("headless_par")).messages[0]
    assert first == Message(
        uuid="cc9ae9d0-b020-45df-95ef-e2e827fda8a1",
        uuids=("cc9ae9d0-b020-45df-95ef-e2e827fda8a1",),
        role=Role.HUMAN,
        text="do par @@par@@",
        at=datetime(2026, 11, 30, 0, 2, 10, 285000, tzinfo=UTC),
    )


@pytest.mark.parametrize(("version", "name"), [(V1, "ee06a2b7"), (V2, "headless_sub")])
def test_a_subagent_is_a_tool_of_the_main_agent(version: str, name: str) -> None:
    whole = read(sample(name, version))
    assert calls(whole) == [("Agent", False)]
    assert spoken(whole)[:3] == [
        ("human", "do sub @@sub@@"),
        ("assistant", "Delegating."),
        ("assistant", "Sub finished."),
    ]
    assert sum(message.role is Role.HUMAN for message in whole.messages) == 1


def test_a_subagents_notification_is_injected() -> None:
    injected = [message.text for message in read(sample("headless_sub")).messages if message.role is Role.INJECTED]
    assert [text.partition("\n")[0] for text in injected] == ["<system-reminder>", "<task-notification>"]


def test_a_subagents_own_file_holds_no_conversation() -> None:
    whole = read(SAMPLES / V2 / "subagents" / "agent-ac085f7dab3cdc349.jsonl")
    assert (whole.messages, whole.turn) == ((), TurnState.NONE)


@pytest.mark.parametrize(
    ("original", "fork", "version"),
    [
        ("11111111", "dc6450dc", V1),
        ("headless_think_resumed", "forked_then_continued", V2),
        ("interactive_interrupts", "fork_of_compacted", V2),
    ],
)
def test_a_fork_repeats_the_uuids_of_its_original(original: str, fork: str, version: str) -> None:
    first, second = read(sample(original, version)), read(sample(fork, version))
    known = {uuid for message in first.messages for uuid in message.uuids}
    shared = [message for message in second.messages if known.issuperset(message.uuids)]
    fresh = [message for message in second.messages if known.isdisjoint(message.uuids)]
    assert len(shared) + len(fresh) == len(second.messages)
    assert {m.uuid: m for m in shared} == {m.uuid: m for m in first.messages if m in shared}
    assert len(shared) >= 5
    assert fresh[0].role is Role.HUMAN
    assert second.session_id != first.session_id


def test_a_fork_of_a_compacted_session_starts_with_its_summary() -> None:
    whole = read(sample("fork_of_compacted"))
    assert whole.messages[0].role is Role.INJECTED
    assert whole.messages[0].text.startswith("This session is being continued")
    assert [text for role, text in spoken(whole) if role == "human"] == ["after compact @@hello@@", "fk @@hello@@"]


def test_interrupts_commands_and_compaction() -> None:
    whole = read(sample("interactive_interrupts"))
    assert spoken(whole) == [
        ("human", "interactive one @@ls@@"),
        ("assistant", "I will list."),
        ("assistant", "Done listing."),
        ("human", "interrupt me @@hang@@"),
        ("assistant", "one two three four five "),
        ("human", "tool interrupt @@hangtool@@"),
        ("assistant", "Start."),
        ("assistant", "x"),
        ("human", "edit @@wrepo@@"),
        ("assistant", ""),
        ("assistant", "Wrote."),
        ("human", "tool interrupt2 @@hangtool@@"),
        ("assistant", "Start."),
        ("assistant", "x"),
        ("human", "after compact @@hello@@"),
        ("assistant", "Hello there, friend."),
    ]
    assert [m.text for m in whole.messages if m.interrupted] == ["one two three four five ", "Start."]
    assert calls(whole) == [("Bash", False), ("Bash", True), ("Write", False), ("Bash", True)]
    injected = [message.text.split(">")[0] for message in whole.messages if message.role is Role.INJECTED]
    assert injected[:2] == ["<bash-input", "<bash-stdout"]
    assert injected[3:] == ["<local-command-caveat", "<command-name", "<local-command-stdout"]


def test_clear_starts_a_conversation_of_its_own() -> None:
    whole = read(sample("interactive_after_clear"))
    assert spoken(whole) == [("human", "post clear @@hello@@"), ("assistant", "Hello there, friend.")]
    assert whole.session_id != read(sample("interactive_interrupts")).session_id
    assert whole.entrypoint == "cli"


@pytest.mark.parametrize("name", ["api_error_400", "api_error_500"])
def test_an_api_error_is_no_answer(name: str) -> None:
    whole = read(sample(name))
    assert [(m.role, m.api_error) for m in whole.messages] == [(Role.HUMAN, False), (Role.ASSISTANT, True)]
    assert (whole.turn, whole.complete.offset, whole.complete_count) == (TurnState.BROKEN, 0, 0)


def test_killed_in_a_tool_leaves_the_call_without_result() -> None:
    whole = read(sample("sigkill_midtool"))
    call = whole.messages[1].tool_calls[0]
    assert (call.name, call.result, call.is_error) == ("Bash", None, False)
    assert (whole.turn, whole.complete.offset) == (TurnState.PENDING_TOOL, 0)


@pytest.mark.parametrize("name", ["sigkill_midstream", "sigterm_midstream"])
def test_killed_in_an_answer_leaves_the_prompt_alone(name: str) -> None:
    whole = read(sample(name))
    assert spoken(whole) == [("human", "do hang @@hang@@")]
    assert whole.turn is TurnState.RUNNING


def test_broken_off_in_an_answer_keeps_the_part() -> None:
    whole = read(sample("sigint_midstream"))
    assert spoken(whole) == [("human", "do hang @@hang@@"), ("assistant", "one two three four five ")]
    assert [message.interrupted for message in whole.messages] == [False, True]
    assert whole.turn is TurnState.BROKEN


def test_a_big_output_is_what_the_model_saw_of_it() -> None:
    (call,) = read(sample("big_tool_output")).messages[1].tool_calls
    assert call.result is not None
    assert call.result.startswith("<persisted-output>\nOutput too large")


@pytest.mark.parametrize(("version", "name"), [(V1, "6610d498"), (V2, "headless_fail")])
def test_a_failed_tool_is_an_error(version: str, name: str) -> None:
    whole = read(sample(name, version))
    assert calls(whole) == [("Bash", True)]
    assert whole.messages[1].tool_calls[0].result == "Exit code 1"


@pytest.mark.parametrize(("version", "name"), [(V1, "7284ebb7"), (V2, "headless_mem")])
def test_the_main_agents_own_memory_writes_are_seen(version: str, name: str) -> None:
    whole = read(sample(name, version))
    assert calls(whole) == [("Write", False), ("Write", False), ("Read", False), ("Edit", False)]
    paths = [call.input["file_path"] for message in whole.messages for call in message.tool_calls]
    assert {Path(path).parent.name for path in paths} == {"memory"}


def test_what_is_typed_stays_beside_outside_edits() -> None:
    whole = read(sample("interactive_external_memory_edit"))
    assert [text for role, text in spoken(whole) if role == "human"] == [
        "my name is Dummy, I prefer tabs over spaces, remember for later @@ls@@",
        "second turn @@hello@@",
        "third turn external thing @@hello@@",
    ]
    assert whole.turn is TurnState.COMPLETE


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.stem)
def test_the_prompts_memory_section_is_seen_where_prompts_are_kept(path: Path) -> None:
    kept = path.parent.name == V2
    assert read(path).memory_section is (MemorySection.PRESENT if kept else MemorySection.UNKNOWN)


def test_resuming_appends_to_the_same_file() -> None:
    whole = read(sample("headless_think_resumed"))
    assert [text for role, text in spoken(whole) if role == "human"] == [
        "do think @@think@@",
        "second @@hello@@",
        "x @@hello@@",
    ]
    assert whole.cwd == "/home/dev/repo/sub/deep"
