"""`memd project list`, `mv`, `exclude`, `include`, and two projects with one slug."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.ledger import JobRequest, Run, Session, open_ledger
from tests.cli.conftest import Memd

Known = Callable[..., None]


@pytest.fixture
def known(memd: Memd) -> Known:
    """Let the ledger know of a conversation in a directory, and of a pass where its root is given."""

    def note(cwd: Path, *, root: Path | None = None, ended: float | None = None) -> None:
        key = f"claude-code:{cwd.name}"
        with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
            ledger.note_session(
                Session(
                    key=key,
                    agent="claude-code",
                    session_id=cwd.name,
                    path=f"/t/{cwd.name}.jsonl",
                    cwd=str(cwd),
                    root=None if root is None else str(root),
                )
            )
            if ended is not None:
                number = ledger.start_run(session_key=key)
                ledger.end_run(Run(id=number, root=str(root), started=ended, ended=ended, outcome="nothing"))

    return note


def memory_of(memd: Memd, root: Path) -> Path:
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(root))
    return memd.home / ".claude" / "projects" / slug / "memory"


def test_no_project_is_known_at_first(memd: Memd) -> None:
    assert memd.inside("project", "list", "--json").json == {"schema_version": 1, "projects": []}
    assert "No projects yet" in memd.inside("project", "list").out
    assert not memd.state.exists()


def test_projects_are_listed_with_what_is_known_of_them(memd: Memd, known: Known) -> None:
    memd.remember("a", "the first")
    gone = memd.home / "gone"
    known(memd.project, root=memd.project, ended=1_775_000_000.0)
    known(gone, root=gone)
    answer = memd.inside("project", "list", "--json", environ={"MEMD_PROJECTS_EXCLUDE": "~/gone"})
    shop, other = answer.json["projects"]
    assert shop == {
        "root": str(memd.project),
        "slug": memd.memory.parent.name,
        "memory_dir": str(memd.memory),
        "rule": "base:~/.claude",
        "memories": 1,
        "team_memories": 0,
        "last_pass": "2026-03-31T23:33:20+00:00",
        "excluded": False,
        "gone": False,
        "slug_taken_by": None,
    }
    assert (other["root"], other["excluded"], other["gone"], other["last_pass"]) == (str(gone), True, True, None)
    lines = memd.inside("project", "list").out.splitlines()
    assert lines[0].split("\t") == ["root", "memories", "last pass", "memory dir", "remarks"]
    assert lines[2].endswith("\tgone")


def test_a_conversation_that_no_pass_has_seen_names_its_project_by_its_directory(memd: Memd, known: Known) -> None:
    repo = memd.home / "repo"
    for name in ("objects", "refs"):
        (repo / ".git" / name).mkdir(parents=True)
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (repo / "deep").mkdir()
    known(repo / "deep")
    known(memd.home / "vanished")
    assert [one["root"] for one in memd.inside("project", "list", "--json").json["projects"]] == [str(repo)]


# mv


def test_the_memory_follows_a_project_that_was_renamed(memd: Memd, known: Known) -> None:
    memd.remember("a", "the first")
    run = memd.save("user_b.md", "Second").run_id
    known(memd.project, root=memd.project, ended=1.0)
    known(memd.project / "deep")
    known(memd.home / "shopping")
    memd.project.rename(memd.home / "store")
    (memd.home / "shop").mkdir()  # where the tests call from
    target = memory_of(memd, memd.home / "store")
    answer = memd.inside("project", "mv", "../shop", "../store", "--yes")
    assert (answer.code, answer.out.splitlines()[-1]) == (
        0,
        f"Done: {target}, 2 conversations noted as {memd.home / 'store'}'s.",
    )
    assert "still there" in answer.err
    assert sorted(path.name for path in target.iterdir()) == ["MEMORY.md", "feedback_a.md", "user_b.md"]
    assert not memd.memory.exists()
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        assert {one.session_id: one.root for one in ledger.sessions()} == {
            "shop": str(memd.home / "store"),
            "deep": str(memd.home / "store"),
            "shopping": None,
        }
        assert ledger.owner_of(target.parent.name) == str(memd.home / "store")
    assert memd.inside("undo", str(run), "--yes").code == 0
    assert not (target / "user_b.md").exists()


def test_a_dry_run_moves_nothing(memd: Memd, tree: Callable[[], frozenset[str]]) -> None:
    memd.remember("a", "the first")
    (memd.home / "store").mkdir()
    memd.inside("project", "list")
    before = {path for path in tree() if not path.startswith(".local")}
    answer = memd.inside("project", "mv", ".", "../store", "--dry-run")
    assert (answer.code, "(1 memory)" in answer.out) == (0, True)
    assert {path for path in tree() if not path.startswith(".local")} == before


def test_without_a_terminal_it_does_not_ask(memd: Memd) -> None:
    memd.remember("a", "the first")
    (memd.home / "store").mkdir()
    assert memd("project", "mv", ".", "../store").code == 2
    assert memd.memory.exists()


def test_where_both_have_memory_it_is_refused(memd: Memd) -> None:
    mine = memd.remember("a", "the first")
    other = memory_of(memd, memd.home / "store") / "b.md"
    (memd.home / "store").mkdir()
    other.parent.mkdir(parents=True)
    other.touch()
    answer = memd.inside("project", "mv", ".", "../store", "--yes")
    assert (answer.code, mine.exists(), other.exists()) == (7, True, True)
    assert "both" in answer.err


def test_while_a_pass_is_at_work_nothing_moves(memd: Memd, known: Known) -> None:
    memd.remember("a", "the first")
    known(memd.project, root=memd.project)
    (memd.home / "store").mkdir()
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.enqueue(JobRequest(session_key="claude-code:shop"))
        job = ledger.claim(lease=600.0)
        assert job is not None
        answer = memd.inside("project", "mv", ".", "../store", "--yes")
        assert (answer.code, memd.memory.exists()) == (4, True)
        ledger.release(job)
    assert memd.inside("project", "mv", ".", "../store", "--yes").code == 0


@pytest.mark.parametrize(
    ("old", "new", "words"), [("../nowhere", ".", "knows no project"), (".", "../shop", "both are the project")]
)
def test_what_cannot_be_meant_is_a_usage_error(memd: Memd, old: str, new: str, words: str) -> None:
    answer = memd.inside("project", "mv", old, new, "--yes")
    assert (answer.code, words in answer.err) == (2, True)


def test_a_move_that_was_broken_off_is_finished_by_the_same_command(memd: Memd, known: Known) -> None:
    """Files moved, ledger not: as a kill between the two leaves it."""
    mine = memd.remember("a", "the first")
    known(memd.project, root=memd.project)
    target = memory_of(memd, memd.home / "store")
    (memd.home / "store").mkdir()
    target.parent.mkdir(parents=True)
    mine.parent.rename(target)
    answer = memd.inside("project", "mv", ".", "../store", "--yes")
    assert (answer.code, "1 conversation noted" in answer.out) == (0, True)
    assert [one["root"] for one in memd.inside("project", "list", "--json").json["projects"]] == [
        str(memd.home / "store")
    ]


# exclude, include


def config_of(memd: Memd) -> Path:
    return memd.home / ".config" / "memd" / "config.toml"


def test_excluding_a_project_and_taking_it_back_keeps_the_persons_file(memd: Memd) -> None:
    file = config_of(memd)
    file.parent.mkdir(parents=True)
    text = '# mine\n[projects]\nexclude = [\n  "/a/*", # clients\n]\n\n[extract]\nquiet = "1m"\n'
    file.write_text(text)
    assert "would stay out" in memd.inside("project", "exclude", "--dry-run").out
    assert file.read_text() == text
    answer = memd.inside("project", "exclude")
    assert f'+  "{memd.project}",' in answer.out.splitlines()
    assert file.read_text() == text.replace("# clients\n", f'# clients\n  "{memd.project}",\n')
    assert memd.inside("project", "show", "--json").json["reason"] == "excluded"
    assert "excluded already" in memd.inside("project", "exclude").out
    assert memd.inside("project", "include").code == 0
    assert file.read_text() == text
    assert "is not excluded" in memd.inside("project", "include").out


def test_a_subdirectory_stands_for_its_project_and_odd_names_for_themselves(memd: Memd) -> None:
    names = ("a[b]*", "axb", "ab")
    for name in names:
        (memd.home / name).mkdir()
    assert memd.inside("project", "exclude", "../a[b]*").code == 0
    excluded = [
        memd.inside("project", "show", f"../{name}", "--json").json["enabled"] for name in ("a[b]*", "axb", "ab")
    ]
    assert excluded == [False, True, True]
    assert memd.inside("project", "include", "../a[b]*").code == 0
    assert tomllib.loads(config_of(memd).read_text()) == {"projects": {"exclude": []}}


def test_a_glob_that_names_others_too_is_left_to_the_person(memd: Memd) -> None:
    config_of(memd).parent.mkdir(parents=True)
    config_of(memd).write_text('[projects]\nexclude = ["~/sh*"]\n')
    answer = memd.inside("project", "include")
    assert (answer.code, "'~/sh*'" in answer.err) == (7, True)


def test_where_a_variable_sets_it_the_file_is_left_alone(memd: Memd) -> None:
    answer = memd.inside("project", "exclude", environ={"MEMD_PROJECTS_EXCLUDE": "/x"})
    assert (answer.code, "MEMD_PROJECTS_EXCLUDE" in answer.err, config_of(memd).exists()) == (7, True, False)


# Two roots, one slug


@pytest.fixture
def twins(memd: Memd) -> tuple[Path, Path]:
    """Two projects whose slugs are the same; the first has a log."""
    first, second = memd.home / "web.app", memd.home / "web-app"
    first.mkdir()
    second.mkdir()
    assert memd.inside("log", "mine", "--project", str(first)).code == 0
    return first, second


def test_the_later_of_two_is_told_apart_everywhere(memd: Memd, twins: tuple[Path, Path]) -> None:
    first, second = twins
    shown = memd.inside("project", "show", str(second), "--json")
    assert (shown.json["enabled"], shown.json["reason"]) == (False, "slug-taken")
    assert f"is the memory of {first}" in shown.err
    assert '"autoMemoryDirectory": "' in shown.err
    status = memd.inside("status", "--project", str(second), "--json")
    assert status.json["project"]["memories"] == 0
    assert f"is the memory of {first}" in status.err
    prompt = memd.inside("prompt", "--project", str(second))
    assert (prompt.code, prompt.out) == (0, "")
    for command in (["list"], ["show", "MEMORY.md"], ["log", "theirs"]):
        answer = memd.inside(*command, "--project", str(second))
        assert (answer.code, answer.out, f"is the memory of {first}" in answer.err) == (7, "", True)
    assert memd.inside("project", "show", str(first), "--json").json["enabled"] is True


def test_the_directory_that_is_suggested_works(memd: Memd, twins: tuple[Path, Path]) -> None:
    _, second = twins
    for name in ("objects", "refs"):
        (second / ".git" / name).mkdir(parents=True)
    (second / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    said = memd.inside("project", "show", str(second)).err
    suggested = said.partition('"autoMemoryDirectory": "')[2].partition('"')[0]
    (second / ".claude").mkdir()
    (second / ".claude" / "settings.local.json").write_text(json.dumps({"autoMemoryDirectory": suggested}))
    answer = memd.inside("log", "theirs", "--project", str(second))
    assert (answer.code, len(list(Path(suggested).rglob("*.md")))) == (0, 1)


def test_asking_claims_nothing(memd: Memd) -> None:
    first, second = memd.home / "web.app", memd.home / "web-app"
    first.mkdir()
    second.mkdir()
    memd.inside("log", "else")
    memd.inside("project", "show", str(first))
    memd.inside("prompt", "--project", str(first))
    assert memd.inside("log", "theirs", "--project", str(second)).code == 0


def test_memory_from_before_claude_code_is_found_and_moves_when_asked(memd: Memd) -> None:
    (memd.home / ".claude").rmdir()
    assert memd.inside("remember", "never push to main", "--type", "feedback").code == 0
    (memd.home / ".claude").mkdir()
    status = memd.inside("status", "--json")
    assert status.json["project"]["memories"] == 1
    assert status.json["project"]["rule"] == "base:~/.local/share"
    assert "`memd project mv . .` takes it to" in status.err
    moved = memd("project", "mv", ".", ".", "--yes")
    assert (moved.code, moved.err) == (0, "")
    assert [path.name for path in memd.memory.glob("feedback_*")] == ["feedback_never_push_to_main.md"]
    after = memd.inside("status", "--json")
    assert (after.err, after.json["project"]["memories"]) == ("", 1)
    assert after.json["project"]["rule"] == "base:~/.claude"
    assert memd.inside("undo", "1", "--yes").code == 0
    assert memd.inside("project", "mv", ".", ".", "--yes").code == 2
