"""memd's own sessions are known by each of three marks alone, wherever one begins to read; a person's never are."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from memd.transcripts import own
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import Reading, Role, TurnState
from tests.fakes.claude_lines import Line, add, answer, line, packed, prompt, read, sample, text, write

MARKS = ("entrypoint", "name", "prompt")
ALONE = [frozenset({mark}) for mark in MARKS]
TOGETHER = [frozenset(marks) for size in (2, 3) for marks in combinations(MARKS, size)]
LONG = [line(f"s{number}", "system", content="x" * 1000) for number in range(300)]  # more than the head of a file


def session(marks: frozenset[str]) -> list[Line]:
    """A real session by a program, as memd would have started it with these marks."""
    records = [json.loads(row) for row in sample("headless_par").read_bytes().splitlines()]
    if "entrypoint" in marks:
        records = [one | {"entrypoint": own.ENTRYPOINT} if "entrypoint" in one else one for one in records]
    if "name" in marks:
        records = [{"type": "custom-title", "customTitle": own.NAME, "sessionId": "s"}, *records]
    if "prompt" in marks:
        first = next(one for one in records if one["type"] == "user")
        first["message"]["content"] = f"{own.PROMPT}\n{first['message']['content']}"
    return records


def humans(reading: Reading) -> list[str]:
    return [message.text for message in reading.messages if message.role is Role.HUMAN]


def test_a_programs_session_without_a_mark_is_a_persons(path: Path) -> None:
    whole = read(write(path, *session(frozenset())))
    assert (whole.own, humans(whole)) == (False, ["do par @@par@@"])


@pytest.mark.parametrize("marks", [*ALONE, *TOGETHER], ids=lambda marks: "+".join(sorted(marks)))
def test_each_mark_is_enough(path: Path, marks: frozenset[str]) -> None:
    whole = read(write(path, *session(marks)))
    assert (whole.own, whole.turn) == (True, TurnState.COMPLETE)


@pytest.mark.parametrize("marks", ALONE, ids=lambda marks: "+".join(sorted(marks)))
def test_each_mark_is_enough_in_a_later_part(path: Path, marks: frozenset[str]) -> None:
    end = read(write(path, *session(marks), *LONG, answer("a1", "m1", text("x")))).end
    add(path, packed(answer("a2", "m2", text("and more"))))
    later = read(path, end)
    assert ([message.uuid for message in later.messages], later.own) == (["a2"], True)


@pytest.mark.parametrize(
    "marks", [one for one in [*ALONE, *TOGETHER] if one != {"name"}], ids=lambda marks: "+".join(sorted(marks))
)
def test_nobody_has_spoken_in_it(path: Path, marks: frozenset[str]) -> None:
    """Even where the session were taken for another's: its prompts are not evidence."""
    assert humans(read(write(path, *session(marks)))) == []


def test_the_name_may_be_an_agents(path: Path) -> None:
    named = {"type": "agent-name", "agentName": own.NAME, "sessionId": "s"}
    assert read(write(path, named, *session(frozenset()))).own


def test_another_name_is_nobodys_mark(path: Path) -> None:
    for name in ("memd", "memd-pass of mine", "", "MEMD-PASS"):
        named = {"type": "custom-title", "customTitle": name, "sessionId": "s"}
        assert not read(write(path, named, *session(frozenset()))).own


def test_a_name_that_was_changed_is_no_mark(path: Path) -> None:
    names = [{"type": "custom-title", "customTitle": name, "sessionId": "s"} for name in (own.NAME, "mine")]
    assert not read(write(path, *names, *session(frozenset()))).own


@pytest.mark.parametrize("marks", [*ALONE, *TOGETHER], ids=lambda marks: "+".join(sorted(marks)))
def test_a_person_who_takes_it_over_is_heard(path: Path, marks: frozenset[str]) -> None:
    typed = prompt("h9", "now listen to me", promptSource="typed", origin={"kind": "human"})
    write(path, *session(marks), typed, answer("a9", "m9", text("yes")))
    whole = read(path)
    assert not whole.own
    assert humans(whole)[-1] == "now listen to me"


def test_a_person_who_pastes_a_prompt_of_memds_is_heard(path: Path) -> None:
    pasted = prompt("h1", f"{own.PROMPT}\nwhat does this do?", promptSource="typed")
    whole = read(write(path, pasted, answer("a1", "m1", text("it is a mark"))))
    assert (whole.own, len(humans(whole))) == (False, 1)


def test_words_about_memd_are_no_mark(path: Path) -> None:
    asked = prompt("h1", f"why does it say {own.PROMPT} there?", promptSource="sdk")
    assert not read(write(path, asked)).own


@pytest.mark.parametrize("mark", [{"entrypoint": own.ENTRYPOINT}, {"name": own.NAME}], ids=["entrypoint", "name"])
def test_the_registry_leaves_it_out_by_either_mark(tmp_path: Path, mark: dict[str, str]) -> None:
    (tmp_path / "sessions").mkdir()
    for pid, extra in ((1, mark), (2, {"entrypoint": "cli", "name": "mine"})):
        entry = {"pid": pid, "sessionId": f"s{pid}", "procStart": "0"} | extra
        (tmp_path / "sessions" / f"{pid}.json").write_text(json.dumps(entry))
    assert set(ClaudeCode(tmp_path).processes()) == {"s2"}
