"""`memd history` and `memd undo`."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from memd.cli.runs import PastRun, in_words
from memd.clock import SystemClock
from memd.ledger import Ledger, Outcome, Run, Session, open_ledger
from tests.cli.conftest import AT, COMMAND, Memd, Near

MOMENT = "2026-04-01T12:00:00+00:00"


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


@contextmanager
def opened(memd: Memd) -> Iterator[Ledger]:
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        yield ledger


def noted(memd: Memd, **fields: Any) -> int:  # noqa: ANN401 - any of a run's fields
    """A run that the ledger knows."""
    with opened(memd) as ledger:
        ledger.note_session(
            Session(key="claude-code:s2", agent="claude-code", session_id="s2", path="/t", cwd=str(memd.project))
        )
        number = ledger.start_run(session_key="claude-code:s2")
        ledger.end_run(Run(id=number, session_key="claude-code:s2", ended=AT.timestamp(), **fields))
    return number


def saved_run(memd: Memd, number: int, path: str, *, what: str = "created") -> dict[str, Any]:
    """How a run of `Memd.save` that created a topic and the index is shown."""
    return {
        "id": number,
        "kind": "extract",
        "session": "s1",
        "project": str(memd.project),
        "memory_dir": str(memd.memory),
        "started": MOMENT,
        "ended": MOMENT,
        "outcome": "saved",
        "reason": None,
        "undoes": None,
        "undone_by": None,
        "files": [
            {"path": path, "what": what},
            {"path": "MEMORY.md", "what": "created"},
            {"path": "logs/2026/04/2026-04-01.md", "what": "appended"},
        ],
    }


def test_nothing_yet(memd: Memd, tree: Callable[[], frozenset[str]]) -> None:
    before = tree()
    assert memd("history", "--json").json == {"schema_version": 1, "runs": []}
    assert memd("history").out == f"No runs yet for {memd.project}. --all shows those of other projects.\n"
    assert tree() == before


def test_ledger_and_history_are_one_list(memd: Memd) -> None:
    noted(memd, outcome=Outcome.SAVED, root=str(memd.project), memory_dir=str(memd.memory), files=("feedback_a.md",))
    memd.save("feedback_a.md", "A rule", "A rule → feedback_a.md")
    noted(memd, outcome=Outcome.SKIPPED, reason="agent_wrote_memory", root=str(memd.project))
    noted(memd, outcome=Outcome.NOTHING, root="/elsewhere", memory_dir="/elsewhere/memory")
    noted(memd, outcome=Outcome.FAILED, reason="transcript_gone")
    document = memd.inside("history", "--json").json
    began = [run.pop("started") for run in document["runs"][:2]]
    bare = {"kind": "extract", "session": "s2", "project": str(memd.project), "memory_dir": None, "ended": MOMENT}
    bare |= {"undoes": None, "undone_by": None}
    assert document == {
        "schema_version": 1,
        "runs": [
            {**bare, "id": 4, "outcome": "failed", "reason": "transcript_gone", "files": []},
            {**bare, "id": 2, "outcome": "skipped", "reason": "agent_wrote_memory", "files": []},
            saved_run(memd, 1, "feedback_a.md"),
        ],
    }
    assert all(began)
    assert [run["id"] for run in memd.inside("history", "--all", "--limit", "2", "--json").json["runs"]] == [4, 3]


def test_a_lost_ledger_takes_no_history_along(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule", "A rule → feedback_a.md")
    assert memd.inside("history", "--json").json["runs"] == [saved_run(memd, 1, "feedback_a.md")]
    (memd.state / "ledger.sqlite3").write_bytes(b"not a database at all, " * 99)
    answer = memd.inside("history", "--json")
    assert (answer.code, answer.json["runs"]) == (0, [saved_run(memd, 1, "feedback_a.md")])
    assert "cannot be read" in answer.err


def test_a_ledger_without_its_history_still_names_the_files(memd: Memd) -> None:
    noted(memd, outcome=Outcome.SAVED, root=str(memd.project), memory_dir=str(memd.memory), files=("a.md",))
    assert memd.inside("history", "--json").json["runs"][0]["files"] == [{"path": "a.md", "what": None}]


def test_people_get_the_memories_by_what_happened_to_them() -> None:
    files = (
        ("a.md", "created"), ("b.md", "updated"), ("c.md", "created"), ("MEMORY.md", "updated"), ("log.md", "appended")
    )  # fmt: skip
    run = PastRun(
        id=1, kind="extract", session=None, project=None, memory_dir=None, started=0.0, ended=0.0, outcome="saved",
        reason=None, files=files,
    )  # fmt: skip
    assert in_words(run) == "created a.md, c.md; updated b.md"
    assert in_words(replace(run, files=files[4:])) == "appended log.md"
    assert in_words(replace(run, files=(("a.md", None),))) == "a.md"


def test_people_get_reasons_in_words(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    with opened(memd) as ledger:
        number = ledger.start_run(session_key="claude-code:s2", memory_dir=str(memd.memory), at_least=2)
    noted(memd, outcome=Outcome.SKIPPED, reason="no_human_message", root=str(memd.project))
    lines = [line.rstrip().split(maxsplit=6) for line in memd.inside("history").out.splitlines()]
    assert number == 2
    assert lines[1][3:] == ["extract", "s2", "skipped", "nobody said anything in it"]
    assert lines[2][3:] == ["extract", "s2", "-", "still at work"]
    assert lines[3][3:] == ["extract", "s1", "saved", "created feedback_a.md"]


def test_an_undo_goes_back_and_can_be_undone(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    file = memd.memory / "feedback_a.md"
    text = file.read_bytes()
    first = memd("undo", "1", "--yes")
    assert (first.code, first.err, file.exists()) == (0, "", False)
    assert first.out.splitlines()[1:] == ["  remove   feedback_a.md", "  remove   MEMORY.md", "Done, as run 2."]
    assert memd("undo", "2", "--yes").code == 0
    assert file.read_bytes() == text
    runs = memd("history", "--json").json["runs"]
    assert [(run["id"], run["kind"], run["outcome"]) for run in runs] == [
        (3, "undo", "saved"),
        (2, "undo", "saved"),
        (1, "extract", "saved"),
    ]
    assert [(run["undoes"], run["undone_by"]) for run in runs] == [(2, None), (1, 3), (None, None)]
    rows = [line.split("\t") for line in memd("history").out.splitlines()[1:]]
    assert [row[4] for row in rows] == ["undone", "undone", "saved"]
    table = [row[-1] for row in rows]
    assert table == ["took run 2 back", "took run 1 back [taken back by run 3]", "created feedback_a.md"]


def test_an_undo_takes_a_number_that_no_run_has(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    skipped = [noted(memd, outcome=Outcome.SKIPPED, reason="nothing_new", root=str(memd.project)) for _ in range(3)]
    assert memd.inside("undo", "1", "--yes").code == 0
    runs = memd.inside("history", "--json").json["runs"]
    assert [(run["id"], run["kind"]) for run in runs if run["id"] > 1] == [
        (max(skipped) + 1, "undo"),
        *((number, "extract") for number in reversed(skipped) if number > 1),
    ]


def test_an_undo_asks_where_somebody_can_answer(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    assert (on_terminal(memd, "n\n"), (memd.memory / "feedback_a.md").exists()) == (1, True)
    assert (on_terminal(memd, "y\n"), (memd.memory / "feedback_a.md").exists()) == (0, False)


def on_terminal(memd: Memd, answer: str) -> int:
    """Undo run 1 with a terminal as standard input, on which that is typed."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer.encode())
        command = [*COMMAND, "undo", "1"]
        return subprocess.run(command, stdin=theirs, capture_output=True, cwd=memd.project, check=False).returncode
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(("arguments", "code"), [(("undo", "1"), 2), (("undo", "1", "--dry-run"), 0)])
def test_without_a_yes_nothing_changes(
    memd: Memd, tree: Callable[[], frozenset[str]], arguments: tuple[str, ...], code: int
) -> None:
    memd.save("feedback_a.md", "A rule", "A rule → feedback_a.md")
    before = tree()
    answer = memd(*arguments)
    assert answer.code == code
    assert "  remove   feedback_a.md\n" in answer.out
    assert "logs/2026/04/2026-04-01.md keeps its lines" in answer.out
    assert tree() == before


@pytest.mark.parametrize("number", ["7", "0", "-1", "one"])
def test_an_unknown_run_is_a_usage_error(memd: Memd, number: str) -> None:
    memd.save("feedback_a.md", "A rule")
    answer = memd.inside("undo", "--yes", "--", number)
    assert (answer.code, answer.out) == (2, "")


def test_what_cannot_be_undone_is_refused_with_its_reason(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    noted(memd, outcome=Outcome.SKIPPED, reason="nothing_new")
    noted(memd, outcome=Outcome.SKIPPED, reason="nothing_new")
    memd.save("feedback_a.md", "Another rule")  # as run 2
    (memd.memory / "feedback_a.md").write_text("by hand")
    refused = {number: memd.inside("undo", number, "--yes") for number in ("1", "2")}
    assert [answer.code for answer in refused.values()] == [7, 7]
    assert "run 2 changed feedback_a.md since" in refused["1"].err
    assert "feedback_a.md was edited since" in refused["2"].err
    assert (memd.memory / "feedback_a.md").read_text() == "by hand"


def test_why_a_run_that_history_does_not_hold_cannot_be_undone(memd: Memd) -> None:
    noted(memd, outcome=Outcome.SKIPPED, reason="nothing_new")
    noted(memd, outcome=Outcome.SAVED, files=("feedback_a.md",))
    with opened(memd) as ledger:
        ledger.start_run()
    answers = [memd.inside("undo", number, "--yes") for number in ("1", "2", "3")]
    assert [(answer.code, answer.out, answer.err.splitlines()[0]) for answer in answers] == [
        (7, "", "memd: run 1 changed no files: nothing new in it"),
        (7, "", f"memd: run 2 cannot be undone: what it changed is no longer in {memd.history}"),
        (4, "", "memd: run 3 is not finished"),
    ]


def test_nothing_is_undone_twice(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    answers = [memd.inside("undo", "1", "--yes") for _ in range(2)]
    assert [answer.code for answer in answers] == [0, 7]
    assert "is undone already, by run 2" in answers[1].err


def test_a_run_that_another_one_took_over_is_not_called_undone(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    memd.save("feedback_a.md", None)
    answer = memd.inside("undo", "1", "--yes")
    assert (answer.code, answer.out) == (7, "Run 1 (extract, 2026-04-01 12:00) in " + f"{memd.memory}:\n")
    assert answer.err.startswith("memd: Nothing is left of what run 1 did: run 2 changed it since.\n")


def test_a_long_project_name_is_cut(memd: Memd) -> None:
    noted(memd, outcome=Outcome.NOTHING, root="/x/" + "long-" * 40 + "end")
    row = memd.inside("history", "--all").out.splitlines()[1].split("\t")
    assert (len(row[5]), row[5][0], row[5][-8:]) == (32, "\N{HORIZONTAL ELLIPSIS}", "long-end")


def test_a_memory_directory_that_is_gone_is_refused_not_made(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    shutil.rmtree(memd.memory)
    assert (memd.inside("undo", "1", "--yes").code, memd.memory.exists()) == (7, False)
