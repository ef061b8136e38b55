"""What people are told of runs: notes are not memories, what was held is named, and so is why something is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.ledger import Outcome, Run, open_ledger
from memd.memory import store, topic
from memd.memory.decision import Dropped, Held, Reason
from memd.memory.log import Bullet
from memd.memory.store import RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from tests.cli.conftest import AT, Memd, Near
from tests.cli.test_cli_extract import converse

LOG = "logs/2026/04/2026-04-01.md"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands say is the point here, not that a process says it."""
    return near


def pass_over(memd: Memd, *saved: str, held: tuple[str, ...] = (), dropped: tuple[Dropped, ...] = ()) -> int:
    """A pass that saved some topics and held others; without either it added a line to the log."""
    changes = [Change(path=path, before=None, after=_text(path)) for path in saved]
    note = RunNote(
        kind="extract",
        started=AT,
        project=str(memd.project),
        held=tuple(
            Held(path=path, reason=Reason.LOW_CLASS, change=Change(path=path, before=None, after=_text(path)))
            for path in held
        ),
        dropped=dropped,
    )
    bullets = () if saved or held else (Bullet(type="note", text="the staging database is read-only"),)
    return store.apply(memd.memory, changes, run=note, history=memd.history, bullets=bullets).run_id


def _text(path: str) -> bytes:
    return topic.render(Path(path).stem, "A rule", TopicType.FEEDBACK, "A rule")


def table(memd: Memd) -> list[list[str]]:
    """Outcome and result of each run, newest first."""
    return [line.split("\t")[-2:] for line in memd("history").out.splitlines()[1:]]


def noted_in_ledger(memd: Memd, outcome: Outcome, reason: str | None) -> int:
    """A run that left nothing in the history."""
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        number = ledger.start_run(memory_dir=str(memd.memory), at_least=5)
        ledger.end_run(Run(id=number, memory_dir=str(memd.memory), outcome=outcome, reason=reason))
    return number


def test_a_run_that_only_noted_something_is_not_said_to_have_saved(memd: Memd) -> None:
    pass_over(memd)
    assert table(memd) == [["noted", f"appended {LOG}"]]
    assert memd("history", "--json").json["runs"][0]["outcome"] == "saved"
    said = memd("diff", "1")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[:3] == ["--- /dev/null", f"+++ b/{LOG}", "@@ -0,0 +1,1 @@"]
    assert said.out.splitlines()[3].endswith("[note] the staging database is read-only")


def test_lines_further_down_a_log_are_shown_where_they_stand(memd: Memd) -> None:
    pass_over(memd)
    pass_over(memd)
    assert f"--- a/{LOG}\n+++ b/{LOG}\n@@ -1,0 +2,1 @@\n" in memd("diff", "2").out
    (memd.memory / LOG).unlink()
    assert "the staging database" in memd("diff", "2").out


def test_a_run_without_a_record_is_said_to_have_changed_nothing(memd: Memd) -> None:
    number = str(noted_in_ledger(memd, Outcome.SKIPPED, "no_human_message"))
    said = memd("diff", number)
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith(f"Run {number} (extract, ")
    assert said.err.endswith(") changed no files: nobody said anything in it.\n")
    document = memd("diff", number, "--json").json
    assert (document["run"], document["files"], document["diff"]) == (int(number), [], "")


def test_a_run_whose_record_is_gone_is_not_said_to_have_changed_nothing(memd: Memd) -> None:
    said = memd("diff", str(noted_in_ledger(memd, Outcome.SAVED, None)))
    assert (said.code, said.out) == (1, "")
    assert "no longer in the history" in said.err


def test_a_run_that_nobody_knows_is_a_mistake(memd: Memd) -> None:
    assert memd("diff", "77").code == 2


def test_what_was_held_is_named_and_until_when_it_waits(memd: Memd) -> None:
    pass_over(memd, "feedback_a.md", held=("user_b.md",))
    pass_over(memd, held=("user_c.md", "user_d.md"))
    assert table(memd) == [
        ["held 2", "held user_c.md, user_d.md (`memd review list`)"],
        ["saved 1, held 1", "created feedback_a.md; held user_b.md (`memd review list`)"],
    ]
    assert memd("review", "reject", "1.1").code == 0
    assert table(memd)[-1][1] == "created feedback_a.md; held user_b.md (judged since)"
    assert memd("undo", "3", "--yes").code == 0
    assert table(memd)[-1][1] == "created feedback_a.md; held user_b.md (`memd review list`)"


def test_what_is_held_stands_in_the_first_line_of_status(memd: Memd) -> None:
    pass_over(memd, held=("user_c.md", "user_d.md"))
    assert memd("status").out.splitlines()[0].endswith(": 2 held for review: `memd review list`")
    (memd.home / "other").mkdir()
    elsewhere = memd("status", "--project", str(memd.home / "other")).out.splitlines()[0]
    assert elsewhere.endswith(": 2 held for review: `memd review list --all`")


def test_a_secret_that_was_refused_is_named_by_its_rule_alone(memd: Memd) -> None:
    converse(memd, f"Remember that the deploy token is {TOKEN} from now on.")
    dry = memd("extract", "--last", "--dry-run")
    done = memd("extract", "--last")
    assert "left out: looks like a secret (github-token)" in dry.out
    assert "left out: looks like a secret (github-token)" in done.out
    assert "left out: looks like a secret (github-token)" in table(memd)[0][1]
    assert TOKEN not in dry.out + done.out + memd("history", "--json").out


def test_a_proposal_with_a_secret_is_named_beside_what_was_saved(memd: Memd) -> None:
    lost = Dropped(path="user_b.md", reason=Reason.SECRET, detail="github-token in line 3, jwt")
    pass_over(memd, "feedback_a.md", dropped=(lost,))
    assert table(memd)[0][1] == "created feedback_a.md; left out: looks like a secret (github-token, jwt)"


def test_what_is_kept_already_is_said_to_be(memd: Memd) -> None:
    converse(memd)
    assert memd("extract", "--last").out.startswith("saved:")
    kept = "what is worth saving in it is kept already\n"
    assert memd("extract", "--last", "--again", "--dry-run").out == kept
    assert memd("extract", "--last", "--again").out == kept
    assert table(memd)[0] == ["nothing", kept.strip()]


def test_a_day_is_a_name_for_its_log(memd: Memd) -> None:
    pass_over(memd)
    assert "read-only" in memd("show", "2026-04-01").out
    missing = memd("show", "2026-04-02")
    assert (missing.code, "no logs/2026/04/2026-04-02.md in" in missing.err) == (2, True)
    memd.save("2026-04-01.md", "A memory by that name")
    assert "A memory by that name" in memd("show", "2026-04-01").out


def test_a_run_is_named_by_its_number(memd: Memd) -> None:
    for command in ("undo", "diff"):
        for name in ("abc", "0", "-1", "9" * 30):
            said = memd(command, "--", name)
            assert (said.code, f"{name!r} is not a run's number, as `memd history` shows it" in said.err) == (2, True)


def test_an_archive_that_is_not_there_is_a_mistake_in_its_name(memd: Memd) -> None:
    said = memd("import", "none.tar")
    assert (said.code, said.err.splitlines()[0]) == (2, "memd: none.tar: No such file or directory")


@pytest.mark.parametrize("unpins", [False, True], ids=["pinned", "and-unpinned"])
def test_a_pin_is_never_in_the_way_of_an_undo(memd: Memd, *, unpins: bool) -> None:
    memd.save("feedback_a.md", "A rule")
    memd.save("feedback_a.md", "Another rule")
    before = (memd.memory / "feedback_a.md").read_bytes()
    assert memd("pin", "feedback_a").code == 0
    if unpins:
        assert memd("unpin", "feedback_a").code == 0
    assert memd("undo", "2", "--yes").code == 0
    said = topic.parse((memd.memory / "feedback_a.md").read_bytes())
    assert (said.description, said.pinned) == ("A rule", not unpins)
    assert before != (memd.memory / "feedback_a.md").read_bytes()
    first = memd("undo", "1", "--dry-run")
    assert (first.code, ("though it is pinned" in first.out)) == (0, not unpins)
    assert memd("undo", "1", "--yes").code == 0
    assert not (memd.memory / "feedback_a.md").exists()


def test_only_a_person_takes_back_what_is_pinned(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    assert memd("pin", "feedback_a").code == 0
    assert memd("undo", "1", "--yes", environ={"CLAUDECODE": "1"}).code == 7
    assert (memd.memory / "feedback_a.md").exists()


def test_an_undone_pin_is_out_and_later_edits_stay(memd: Memd) -> None:
    file = memd.memory / "feedback_a.md"
    memd.save("feedback_a.md", "A rule")
    text = file.read_bytes()
    assert memd("pin", "feedback_a").code == 0
    file.write_bytes(file.read_bytes() + b"\nMore.\n")
    assert memd("undo", "2", "--yes").code == 0
    assert file.read_bytes() == text + b"\nMore.\n"
    rows = table(memd)
    assert (rows[1][0], rows[0][0]) == ("pinned", "undone")


def test_why_says_one_thing_after_a_purge(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    assert memd("pin", "feedback_a").code == 0
    assert memd("why", "feedback_a").out.splitlines()[0] == "run 2: a person pinned it"
    assert memd("unpin", "feedback_a").code == 0
    assert memd("forget", "feedback_a.md", "--purge", "--yes").code == 0
    assert memd("why", "feedback_a").out.splitlines() == [
        "run 4 forgot it and took its words out of the history, as a person asked (--purge).",
        "feedback_a.md is no longer there.",
    ]
    memd.save("feedback_a.md", "A rule made anew")
    assert memd("why", "feedback_a").out.splitlines()[0] == "run 5 (extract) created it; no words are kept of that"


def test_where_memory_will_be_is_said_before_claude_code_has_run(memd: Memd) -> None:
    (memd.home / ".claude").rmdir()
    will = f"will be in {memd.memory} once Claude Code has run"
    assert will in memd("status").out
    assert will in memd("project", "show").out
    assert memd("remember", "Always run make lint before a commit").code == 0
    assert f"once Claude Code has run, `memd project mv . .` takes it to {memd.memory}" in memd("status").out
    (memd.home / ".claude").mkdir()
    assert "once Claude Code has run" not in memd("status").out
