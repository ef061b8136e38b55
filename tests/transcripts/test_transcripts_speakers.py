"""Who speaks: a person, to the byte, or anything else; and what the prompt said about memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.transcripts.model import MemorySection, Role, TurnState
from tests.fakes.claude_lines import (
    CWD,
    SESSION,
    TURN,
    Line,
    add,
    line,
    packed,
    prompt,
    read,
    snapshot,
    text,
    write,
)

TYPED = "  <b>exactly</b>\r\n\tthis\u2028 ünï ✓ 😀 \u0000 "


@pytest.mark.parametrize(
    ("content", "extra", "words"),
    [
        (TYPED, {}, TYPED),
        (TYPED, {"promptSource": "typed", "turnOrigin": "human", "origin": {"kind": "human"}}, TYPED),
        ("from a script", {"promptSource": "sdk", "turnOrigin": "sdk", "rowSource": "local"}, "from a script"),
        ([{"type": "text", "text": TYPED}], {}, TYPED),
        ([{"type": "image", "source": {"data": "x"}}], {}, ""),
        (
            [{"type": "text", "text": "see"}, {"type": "image", "source": {}}, {"type": "text", "text": "it"}],
            {},
            "see\nit",
        ),
        (
            [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, {"type": "text", "text": "fix"}],
            {},
            "fix",
        ),
        ("why does <command-name> show up?", {}, "why does <command-name> show up?"),
    ],
)
def test_what_a_person_typed_is_kept_to_the_byte(path: Path, content: object, extra: Line, words: str) -> None:
    (message,) = read(write(path, prompt("h1", content, **extra))).messages
    assert (message.role, message.text) == (Role.HUMAN, words)


@pytest.mark.parametrize(
    ("content", "extra"),
    [
        ("hidden", {"isMeta": True}),
        ("summary", {"isCompactSummary": True}),
        ("summary", {"isVisibleInTranscriptOnly": True}),
        ("by the system", {"promptSource": "system"}),
        ("by a schedule", {"turnOrigin": "cron"}),
        ("by another agent", {"origin": {"kind": "teammate"}}),
        ("by the harness", {"rowSource": "harness"}),
        ("<command-name>/model</command-name>", {"promptSource": "typed"}),
        ("<command-message>review</command-message>", {}),
        ("<local-command-stdout>x</local-command-stdout>", {}),
        ("<local-command-caveat>x", {}),
        ("<bash-input>ls</bash-input>", {}),
        ("<bash-stdout>x</bash-stdout>", {}),
        ("<bash-stderr>x</bash-stderr>", {}),
        ("<task-notification>x</task-notification>", {}),
        ("<system-reminder>x</system-reminder>", {}),
        ([{"type": "text", "text": "<system-reminder>x</system-reminder>"}], {}),
        ([], {}),
    ],
)
def test_what_nobody_typed_is_injected(path: Path, content: object, extra: Line) -> None:
    (message,) = read(write(path, prompt("i1", content, **extra))).messages
    assert message.role is Role.INJECTED


def test_words_put_into_the_models_mouth_are_injected(path: Path) -> None:
    body = {"model": "<synthetic>", "content": [text("No response requested.")], "stop_reason": "stop_sequence"}
    whole = read(write(path, *TURN, line("s1", "assistant", message=body)))
    assert (whole.messages[-1].role, whole.turn) == (Role.INJECTED, TurnState.COMPLETE)


def test_a_sidechain_inside_a_main_file_is_left_out(path: Path) -> None:
    aside = {"isSidechain": True, "cwd": "/elsewhere", "sessionId": "other"}
    whole = read(write(path, *TURN, prompt("s1", "for the helper", **aside), snapshot("p1", "none") | aside))
    assert [message.uuid for message in whole.messages] == ["h1", "a1"]
    assert (whole.session_id, whole.cwd, whole.memory_section) == (SESSION, CWD, MemorySection.UNKNOWN)


def test_memds_own_sessions_carry_its_mark(path: Path) -> None:
    assert read(write(path, prompt("h1", "x", entrypoint="memd"))).entrypoint == "memd"


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        (["intro", "# Memory\n\nYou have a memory"], MemorySection.PRESENT),
        (["intro\n\n# Memory"], MemorySection.PRESENT),
        (["intro", "see # Memory", "## Memory"], MemorySection.ABSENT),
        ([], MemorySection.UNKNOWN),
    ],
)
def test_the_memory_section(path: Path, sections: list[str], expected: MemorySection) -> None:
    assert read(write(path, snapshot("p1", *sections))).memory_section is expected


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        (["# Memory\n\nYou have a persistent memory at `/m/x/`. Use it."], "/m/x"),
        (["# Memory\r\nIt is at `/m/x`, else\r\n\r\n# More\n`/y`"], "/m/x"),
        (["intro `/tmp`\n\n# Memory\nIt is at `relative` or `/m/x`\n## How\n`/y`"], "/m/x"),
        (["# Memory\nat `/m/x/`", "# Memory\nat `/m/x`"], "/m/x"),
        (["# Memory\nat `/m/x`", "# Memory\nat `/home/me/.ssh`"], None),
        (["# Memory\nat `/m/cut of"], None),
        (["see `/m/x`"], None),
    ],
)
def test_the_directory_that_the_memory_section_names(path: Path, sections: list[str], expected: str | None) -> None:
    assert read(write(path, snapshot("p1", *sections))).memory_dir == expected


def test_the_memory_section_is_known_when_the_prompt_was_read_long_ago(path: Path) -> None:
    since = (line(f"s{number}", "system", content="x" * 1000) for number in range(100))
    end = read(write(path, snapshot("p1", "intro"), *since, *TURN)).end
    add(path, packed(prompt("h2", "more")))
    assert read(path, end).memory_section is MemorySection.ABSENT
    add(path, packed(snapshot("p2", "# Memory")))
    assert read(path, end).memory_section is MemorySection.PRESENT


def test_other_shapes_of_a_prompt(path: Path) -> None:
    for prompt_shape in ("# Memory\nx", [{"type": "text", "text": "# Memory\nx"}]):
        shaped = line("p1", "attachment", attachment={"type": "prompt_snapshot", "systemPrompt": prompt_shape})
        assert read(write(path, shaped)).memory_section is MemorySection.PRESENT
