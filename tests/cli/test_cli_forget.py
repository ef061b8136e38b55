"""`memd forget`, `why`, `diff` and `review` at the command line, and a forgotten fact that does not come back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.memory import location
from tests.cli.conftest import Memd, Near
from tests.fakes import claude_lines as lines

RULE = "From now on always run make lint before you commit."
OTHER = "Also remember that we never push to main on Fridays."
SESSION = "11112222-3333-4444-8555-666677778888"
FORK = "21112222-3333-4444-8555-666677778888"
AGENT = {"CLAUDECODE": "1"}


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def converse(memd: Memd, session: str, *said: tuple[str, str], at: str = "2026-04-01T10:15:00.000Z") -> None:
    """Write a conversation, a (uuid, words) a turn."""
    directory = memd.home / ".claude" / "projects" / location.slug(str(memd.project))
    directory.mkdir(parents=True, exist_ok=True)
    records = []
    for number, (uuid, words) in enumerate(said):
        records += [lines.prompt(uuid, words), lines.answer(f"a{uuid}", f"m{number}", lines.text("Understood."))]
    extra = {"cwd": str(memd.project), "sessionId": session, "timestamp": at}
    (directory / f"{session}.jsonl").write_bytes(lines.packed(*({**record, **extra} for record in records)))


def topics(memd: Memd) -> set[str]:
    return {path.name for path in memd.memory.glob("*.md")} - {"MEMORY.md"}


def saved_rule(memd: Memd) -> str:
    """Have a conversation extracted; the file of what was learnt."""
    converse(memd, SESSION, ("h1", RULE))
    assert memd.inside("extract", SESSION).code == 0
    (name,) = topics(memd)
    return name


def test_what_was_forgotten_does_not_come_back(memd: Memd) -> None:
    name = saved_rule(memd)
    assert memd("forget", "make lint", "--yes").code == 0
    assert (topics(memd), (memd.memory / "MEMORY.md").read_text().strip()) == (set(), "")
    answers = [memd.inside("extract", SESSION, "--again")]
    converse(memd, FORK, ("h1", RULE), ("h2", OTHER))
    answers.append(memd.inside("extract", FORK, "--again"))
    copied = "31112222-3333-4444-8555-666677778888"
    converse(memd, copied, ("x1", f"hi. {RULE}"))
    answers.append(memd.inside("extract", copied))
    assert [answer.code for answer in answers] == [0, 0, 0]
    assert answers[0].out == "skipped: what was said there is to stay forgotten\n"
    assert name not in topics(memd)
    assert "lint" not in " ".join(path.read_text() for path in memd.memory.glob("*.md"))
    assert len(topics(memd)) == 1  # the other rule of the fork


def test_a_lost_ledger_takes_no_tombstone_along(memd: Memd) -> None:
    name = saved_rule(memd)
    memd.inside("forget", name, "--yes")
    for path in memd.state.glob("ledger.sqlite3*"):
        path.unlink()
    memd.inside("extract", SESSION)
    assert topics(memd) == set()


def test_undone_it_is_back_and_may_be_learnt_again(memd: Memd) -> None:
    name = saved_rule(memd)
    before = (memd.memory / name).read_bytes()
    memd.inside("forget", name, "--yes")
    assert memd.inside("undo", "2", "--yes").code == 0
    assert (memd.memory / name).read_bytes() == before
    (memd.memory / name).unlink()
    memd.inside("extract", SESSION, "--again")
    assert topics(memd) == {name}


def test_said_anew_it_counts(memd: Memd) -> None:
    name = saved_rule(memd)
    memd.inside("forget", name, "--yes")
    converse(memd, FORK, ("h9", RULE), at="2099-01-01T10:15:00.000Z")
    memd.inside("extract", FORK)
    assert topics(memd) == {name}


def test_purged_there_is_no_word_of_it_and_no_way_back(memd: Memd) -> None:
    name = saved_rule(memd)
    answer = memd("forget", name, "--purge", "--yes")
    assert (answer.code, answer.out.splitlines()[-1]) == (
        0, "Purged from the history: what was done to it can no longer be undone."
    )  # fmt: skip
    assert "still has a line about it" in answer.err
    kept = b"".join(path.read_bytes() for path in memd.history.rglob("*") if path.is_file())
    assert b"make lint" not in kept
    assert [memd.inside("undo", number, "--yes").code for number in ("1", "2")] == [7, 7]
    memd.inside("extract", SESSION, "--again")
    assert topics(memd) == set()


def test_a_memory_that_was_deleted_by_hand_can_still_be_barred_and_purged(memd: Memd) -> None:
    name = saved_rule(memd)
    (memd.memory / name).unlink()
    assert memd.inside("forget", name, "--purge", "--yes").code == 0
    memd.inside("extract", SESSION, "--again")
    assert topics(memd) == set()


def test_several_that_match_are_listed_and_none_goes(memd: Memd) -> None:
    memd.remember("lint", "Run make lint first")
    memd.remember("lint_twice", "Run make lint twice")
    answer = memd("forget", "make lint", "--yes")
    assert (answer.code, answer.out) == (2, "")
    assert "  feedback_lint.md\n" in answer.err
    assert "  feedback_lint_twice.md\n" in answer.err
    assert len(topics(memd)) == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("feedback_lint",), 2),
        (("feedback_lint", "--dry-run"), 0),
        (("nothing of that kind", "--yes"), 2),
        (("MEMORY.md", "--yes"), 2),
        (("../../x", "--yes"), 7),
        (("feedback_pinned", "--yes"), 7),
    ],
)
def test_what_forgets_nothing(
    memd: Memd, tree: Callable[[], frozenset[str]], arguments: tuple[str, ...], code: int
) -> None:
    memd.remember("lint", "Run make lint first")
    pinned = memd.remember("pinned", "A pinned rule")
    pinned.write_bytes(pinned.read_bytes().replace(b"type: feedback\n", b"type: feedback\npinned: true\n", 1))
    before = tree()
    assert memd(*("forget", *arguments)).code == code
    assert tree() == before


def test_why_shows_the_words(memd: Memd) -> None:
    name = saved_rule(memd)
    document = memd("why", name, "--json").json
    (one,) = document["why"]
    (quote,) = one.pop("quotes")
    assert (quote["class"], quote["message"], quote["at"][:16]) == ("human", "h1", "2026-04-01T10:15")
    assert quote["text"] in RULE
    assert (one["run"], one["kind"], one["session"]) == (1, "extract", SESSION)
    assert {key: document[key] for key in ("schema_version", "file", "live", "known", "edited_since", "runs")} == {
        "schema_version": 1,
        "file": name,
        "live": True,
        "known": True,
        "edited_since": False,
        "runs": [{"id": 1, "kind": "extract", "what": "created"}],
    }
    assert f"session {SESSION}\n  a person said, 2026-04-01 10:15: “" in memd.inside("why", name).out


def test_why_says_when_nobody_knows(memd: Memd) -> None:
    memd.remember("lint", "Run make lint first")
    said = memd.inside("why", "feedback_lint").out
    assert said.startswith("The origin of feedback_lint.md is not known: no run of memd's")
    assert memd.inside("why", "feedback_lint", "--json").json["known"] is False
    assert [memd.inside("why", name).code for name in ("feedback_lin", "MEMORY.md", "../x")] == [2, 2, 7]


def test_why_tells_of_an_undo_and_of_what_was_forgotten(memd: Memd) -> None:
    name = saved_rule(memd)
    assert memd.inside("undo", "1", "--yes").code == 0
    undone = memd.inside("why", name).out
    assert "run 2 took run 1 back, and so deleted it" in undone
    assert "run 1 (extract) created it, and was taken back by run 2: its words hold no more" in undone
    assert "a person said" not in undone
    assert memd.inside("undo", "2", "--yes").code == 0
    again = memd.inside("why", name).out
    assert "run 3 took run 2 back, and so created it" in again
    assert again.startswith("run 1 (extract)")  # whose words hold again
    assert "a person said" in again
    assert memd.inside("forget", name, "--yes").code == 0
    assert "run 4 forgot it, as a person asked, and so deleted it" in memd.inside("why", name).out
    assert "no words are kept" not in undone + again


def test_why_tells_of_a_change_by_hand_and_of_a_deletion(memd: Memd) -> None:
    name = saved_rule(memd)
    file = memd.memory / name
    file.write_bytes(file.read_bytes() + b"\nBy hand.\n")
    assert "Somebody changed the file since memd last wrote it." in memd.inside("why", name).out
    memd.inside("forget", name, "--yes")
    assert f"{name} is no longer there." in memd.inside("why", name).out


def test_a_diff_is_what_the_run_did(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    document = memd("diff", "1", "--json").json
    assert [file["what"] for file in document["files"]] == ["created", "created"]
    assert document["diff"] == memd.inside("diff", "1").out
    assert "--- /dev/null\n+++ b/feedback_a.md\n" in document["diff"]
    assert [memd.inside("diff", number).code for number in ("7", "0", "x")] == [2, 2, 2]


def held_rule(memd: Memd, text: str = "Always use tabs in this project") -> str:
    """Have an agent say a rule; the id under which it waits."""
    memd.inside("remember", text, "--type", "feedback", environ=AGENT)
    return str(memd.inside("review", "list", "--json").json["held"][0]["id"])


def test_what_is_held_is_listed_with_its_words(memd: Memd) -> None:
    number = held_rule(memd)
    (one,) = memd("review", "list", "--json").json["held"]
    assert (number, one["reason"], one["file"]) == ("1.1", "low_class", "feedback_always_use_tabs_in_this_project.md")
    assert [(quote["class"], quote["text"]) for quote in one["quotes"]] == [
        ("agent", "Always use tabs in this project")
    ]
    said = memd.inside("review", "list").out
    assert "held because no person said it (agent)" in said
    assert said.endswith("1 memory held for review.\n")
    assert "---\nname: Always use tabs" in memd.inside("review", "show", number).out
    assert memd.inside("review", "show", number, "--project", str(memd.home)).code == 2  # of another project
    assert "1 held for review" in memd.inside("status").out


def test_accepted_it_goes_live_and_undone_it_waits_again(memd: Memd) -> None:
    number = held_rule(memd)
    assert memd.inside("review", "accept", number, "--dry-run").code == 0
    assert topics(memd) == set()
    assert memd("review", "accept", number, "--json").json == {
        "schema_version": 1, "id": "1.1", "verdict": "accepted", "run": 2,
        "file": "feedback_always_use_tabs_in_this_project.md",
    }  # fmt: skip
    assert topics(memd) == {"feedback_always_use_tabs_in_this_project.md"}
    assert "the agent said" in memd.inside("why", "feedback_always_use_tabs_in_this_project").out
    assert memd.inside("undo", "2", "--yes").code == 0
    assert (topics(memd), memd.inside("review", "list", "--json").json["held"][0]["id"]) == (set(), "1.1")


def test_rejected_it_is_gone_for_good(memd: Memd) -> None:
    number = held_rule(memd)
    assert memd.inside("review", "reject", number).out.startswith("1.1 rejected: ")
    assert memd.inside("review", "list", "--json").json["held"] == []
    again = memd.inside("review", "accept", number)
    assert (again.code, "rejected by run 2" in again.err) == (7, True)
    assert memd.inside("undo", "2", "--yes").code == 0
    assert memd.inside("review", "accept", number).code == 0


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_review_is_a_persons(memd: Memd, verb: str) -> None:
    number = held_rule(memd)
    assert memd.inside("review", verb, number, environ=AGENT).code == 7
    assert memd.inside("review", verb, "99.1").code == 2
    assert len(memd.inside("review", "list", "--json").json["held"]) == 1


@pytest.mark.parametrize("command", [("history",), ("list",), ("run", "--once")], ids=lambda one: one[0])
def test_a_purge_that_was_killed_is_finished_by_the_next_command(memd: Memd, command: tuple[str, ...]) -> None:
    name = saved_rule(memd)
    memd.inside("list")
    killed = memd("forget", name, "--purge", "--yes", environ={"MEMD_FAILPOINT": "files.before_remove@3:kill"})
    assert killed.code < 0
    assert memd(*command).code == 0
    found = (
        path for path in memd.state.rglob("*") if path.is_file() and "make lint" in path.read_text(errors="replace")
    )
    assert [path.name for path in found] == []
    assert "lint" not in " ".join(path.read_text() for path in memd.memory.glob("*.md"))
    assert memd.inside("undo", "1", "--yes").code == 7
