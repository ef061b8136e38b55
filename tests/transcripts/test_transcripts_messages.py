"""Which message a record belongs to, and how the turn stands after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.transcripts.grouping import RESULT_KEPT
from memd.transcripts.model import Role, ToolCall, TurnState
from tests.fakes.claude_lines import (
    TURN,
    answer,
    call,
    interrupt,
    line,
    notification,
    packed,
    prompt,
    read,
    result,
    text,
    thought,
    write,
)


def test_a_uuid_that_comes_twice_is_taken_once(path: Path) -> None:
    whole = read(write(path, *TURN, *TURN, answer("a2", "m2", text("more")), TURN[1]))
    assert [(message.uuids, message.text) for message in whole.messages] == [
        (("h1",), "hello"),
        (("a1",), "hi"),
        (("a2",), "more"),
    ]


def test_an_answer_is_joined_over_lines_without_its_thoughts(path: Path) -> None:
    parts = (
        answer("a1", "m1", thought("secret"), stop="tool_use"),
        answer("a2", "m1", text("one"), stop="tool_use"),
        answer("a3", "m1", call("t1", "Read", file_path="/x"), stop="tool_use"),
        result(
            "r1", "t1", [{"type": "text", "text": "x"}, {"type": "image", "source": {}}, {"type": "text", "text": "y"}]
        ),
        answer("a4", "m1", call("t2"), text("two"), stop="tool_use"),
        result("r2", "t2", "no", is_error=True),
    )
    (_, message) = read(write(path, TURN[0], *parts)).messages
    assert message.text == "one\ntwo"
    assert message.uuids == ("a1", "a2", "a3", "r1", "a4", "r2")
    assert message.tool_calls == (
        ToolCall(id="t1", name="Read", input={"file_path": "/x"}, result="x\ny"),
        ToolCall(id="t2", name="Bash", input={}, result="no", is_error=True),
    )


def test_several_final_blocks_are_one_answer(path: Path) -> None:
    whole = read(write(path, *TURN, line("s1", "system"), answer("a2", "m1", text("there")), prompt("h2", "more")))
    assert [message.text for message in whole.messages] == ["hello", "hi\nthere", "more"]
    assert whole.complete_count == 2


def test_a_thought_alone_does_not_end_a_turn(path: Path) -> None:
    assert read(write(path, TURN[0], answer("a1", "m1", thought()))).turn is TurnState.RUNNING
    assert read(write(path, TURN[0], answer("a1", "m1", thought()), answer("a2", "m1", text("x")))).complete_count == 2


@pytest.mark.parametrize(
    ("stop", "turn"),
    [
        ("end_turn", TurnState.COMPLETE),
        ("stop_sequence", TurnState.COMPLETE),
        ("max_tokens", TurnState.COMPLETE),
        ("refusal", TurnState.COMPLETE),
        ("a reason of tomorrow", TurnState.COMPLETE),
        ("tool_use", TurnState.RUNNING),
        ("pause_turn", TurnState.RUNNING),
        (None, TurnState.RUNNING),
    ],
)
def test_the_stop_reason_ends_the_turn_or_not(path: Path, stop: str | None, turn: TurnState) -> None:
    assert read(write(path, TURN[0], answer("a1", "m1", text("x"), stop=stop))).turn is turn


def test_a_notification_sets_the_assistant_to_work_again(path: Path) -> None:
    whole = read(write(path, *TURN, notification("n1")))
    assert (whole.turn, whole.complete_count, len(whole.messages)) == (TurnState.RUNNING, 2, 3)


def test_an_interrupt_marks_the_prompt_where_nothing_was_answered(path: Path) -> None:
    whole = read(write(path, *TURN, prompt("h2", "again"), interrupt("x")))
    assert [(message.uuids, message.interrupted) for message in whole.messages] == [
        (("h1",), False),
        (("a1",), False),
        (("h2", "x"), True),
    ]


def test_an_interrupt_of_nothing_stands_alone(path: Path) -> None:
    whole = read(write(path, *TURN, interrupt("x")))
    assert [(message.role, message.interrupted) for message in whole.messages] == [
        (Role.HUMAN, False),
        (Role.ASSISTANT, False),
        (Role.INJECTED, True),
    ]
    assert whole.turn is TurnState.BROKEN


def test_an_interrupt_passes_over_what_was_injected(path: Path) -> None:
    records = (answer("a1", "m1", text("x"), stop=None), prompt("c1", "<bash-input>ls</bash-input>"))
    whole = read(write(path, TURN[0], *records, interrupt("x")))
    assert [message.uuid for message in whole.messages if message.interrupted] == ["a1"]


def test_a_record_without_uuid_gets_the_same_one_wherever_it_is_copied(path: Path, tmp_path: Path) -> None:
    record = prompt("", "hello")
    (first,) = read(write(path, record)).messages
    (second, _) = read(write(tmp_path / "fork.jsonl", record | {"uuid": None}, prompt("h2", "more"))).messages
    assert first.uuid
    assert first.text == second.text == "hello"
    assert read(write(path, record, record)).messages == (first,)


@pytest.mark.parametrize("stamp", [None, "", "yesterday", "2026-04-01T10:15:00", 17])
def test_a_time_without_zone_is_none(path: Path, stamp: object) -> None:
    (message,) = read(write(path, prompt("h1", "hello", timestamp=stamp))).messages
    assert (message.at, message.text) == (None, "hello")


@pytest.mark.parametrize("length", [RESULT_KEPT - 1, RESULT_KEPT, RESULT_KEPT + 1, 3 * RESULT_KEPT])
@pytest.mark.parametrize("parts", [False, True])
def test_of_a_long_result_its_beginning_is_kept(path: Path, length: int, *, parts: bool) -> None:
    output = ("日x" * length)[:length]
    content = [text(output[:9]), text(output[10:])] if parts else output
    called = answer("a1", "m1", call("t"), stop="tool_use")
    path.write_bytes(packed(prompt("h1", "go"), called, result("r1", "t", content)))
    expected = "\n".join((output[:9], output[10:])) if parts else output
    assert read(path).messages[1].tool_calls[0].result == expected[:RESULT_KEPT]
