"""`memd list`, `memd show` and `memd log`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest

from tests.cli.conftest import Memd, Near

SECRET = "AKIA" + "Z7QX4M2LK9P3W5TB"


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def test_no_memories_is_no_failure(memd: Memd, tree: Callable[[], frozenset[str]]) -> None:
    before = tree()
    plain, document = memd("list"), memd("list", "--json")
    assert (plain.code, plain.out) == (0, f"No memories yet. They will be in {memd.memory}\n")
    assert (document.code, document.json) == (
        0,
        {"schema_version": 1, "memory_dir": str(memd.memory), "memories": []},
    )
    assert tree() == before


def test_memories_newest_first_in_one_document(memd: Memd) -> None:
    old, new = memd.remember("old", "An old rule", days=9), memd.remember("new", "A new rule")
    broken = memd.memory / "broken.md"
    broken.write_text("no header at all\n")
    os.utime(broken, (1_000_000, 1_000_000))
    (memd.memory / "MEMORY.md").write_text("- [New](feedback_new.md) — A new rule\n")
    document = memd("list", "--json").json
    assert document == {
        "schema_version": 1,
        "memory_dir": str(memd.memory),
        "memories": [
            {
                "path": str(path),
                "file": path.name,
                "type": kind,
                "name": name,
                "description": description,
                "mtime_ms": int(path.stat().st_mtime * 1000),
                "age": age,
                "pinned": False,
                "problems": problems,
                "team": False,
                "author": None,
                "author_date": None,
                "own": True,
            }
            for path, kind, name, description, age, problems in [
                (new, "feedback", "new", "A new rule", "today", []),
                (old, "feedback", "old", "An old rule", "9 days ago", []),
                (broken, None, "broken", "", document["memories"][2]["age"], document["memories"][2]["problems"]),
            ]
        ],
    }
    assert "no-frontmatter" in document["memories"][2]["problems"]


def test_people_see_problems_and_the_directory(memd: Memd) -> None:
    memd.remember("old", "An old rule", days=3)
    (memd.memory / "broken.md").write_text("no header at all\n")
    lines = [line.rstrip() for line in memd.inside("list").out.splitlines()]
    assert lines[0].split() == ["type", "file", "age", "description"]
    assert lines[1].split()[:2] == ["?", "broken.md"]
    assert "no frontmatter" in lines[1]
    assert lines[2].split(maxsplit=5) == ["feedback", "feedback_old.md", "3", "days", "ago", "An old rule"]
    assert lines[-1] == f"2 memories in {memd.memory}"


def test_another_project_is_named_by_its_directory(memd: Memd) -> None:
    memd.remember("rule", "A rule")
    (memd.home / "elsewhere").mkdir()
    there = memd.inside("list", "--project", str(memd.home / "elsewhere"), "--json").json
    assert (there["memories"], memd.inside("list", "--project", "nowhere").code) == ([], 2)


def test_what_memories_say_cannot_steer_a_terminal(memd: Memd) -> None:
    memd.remember("evil", "red \x1b[31m and \x07 bell").chmod(0o600)
    assert "\x1b" not in memd.inside("list").out


@pytest.mark.parametrize("name", ["feedback_rule", "feedback_rule.md", "absolute"])
def test_a_memory_is_shown_to_the_byte(memd: Memd, name: str) -> None:
    path = memd.remember("rule", "A rule — with a dash")
    path.write_bytes(path.read_bytes() + b"caf\xc3\xa9\r\nno final line break")
    answer = memd("show", str(path) if name == "absolute" else name)
    assert (answer.code, answer.out.encode(), answer.err) == (0, path.read_bytes(), "")


def test_an_old_memory_comes_with_its_age_on_stderr(memd: Memd) -> None:
    path = memd.remember("rule", "A rule", days=47)
    answer = memd("show", "feedback_rule")
    assert (answer.code, answer.out) == (0, path.read_text())
    assert answer.err.startswith("This memory is 47 days old.")


def test_index_and_logs_are_shown_too(memd: Memd) -> None:
    (memd.memory / "logs" / "2026" / "04").mkdir(parents=True)
    (memd.memory / "MEMORY.md").write_text("- [A](a.md) — b\n")
    day = memd.memory / "logs" / "2026" / "04" / "2026-04-01.md"
    day.write_text("- 12:00 [note] said\n")
    os.utime(day, (1_000_000, 1_000_000))
    assert memd.inside("show", "MEMORY").out == "- [A](a.md) — b\n"
    answer = memd.inside("show", "logs/2026/04/2026-04-01")
    assert (answer.out, answer.err) == ("- 12:00 [note] said\n", "")


def test_one_memory_in_one_document(memd: Memd) -> None:
    path = memd.remember("rule", "A rule")
    assert memd.inside("show", "feedback_rule", "--json").json == {
        "schema_version": 1,
        "path": str(path),
        "file": "feedback_rule.md",
        "type": "feedback",
        "name": "rule",
        "description": "A rule",
        "mtime_ms": int(path.stat().st_mtime * 1000),
        "age": "today",
        "pinned": False,
        "problems": [],
        "team": False,
        "author": None,
        "author_date": None,
        "own": True,
        "text": path.read_text(),
    }


def test_an_unknown_name_brings_the_nearest(memd: Memd) -> None:
    memd.remember("no_mocks", "A rule")
    answer = memd.inside("show", "feedback_no_mock")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith("  did you mean feedback_no_mocks.md?\n")


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "link", "sub/../feedback_rule", "linked/x"])
def test_nothing_outside_the_memory_directory_is_shown(memd: Memd, name: str) -> None:
    memd.remember("rule", "A rule")
    outside = memd.memory.parent / "secret.md"
    outside.write_text("outside")
    (memd.memory / "link.md").symlink_to(outside)
    (memd.memory / "linked").symlink_to(memd.memory.parent)
    answer = memd.inside("show", name)
    assert (answer.code, answer.out) == (7, "")


def test_a_line_goes_to_today_s_log(memd: Memd) -> None:
    first = memd("log", "the staging database\nis read-only", "--type", "reference")
    second = memd("log", "-", said="以后日志一律用英文写\n".encode(), environ={"CLAUDECODE": "1"})
    assert (first.code, second.code) == (0, 0)
    assert first.out + second.out == "".join(path.read_text() for path in memd.memory.glob("logs/*/*/*.md"))
    assert re.fullmatch(
        r"- \d\d:\d\d \[reference\] the staging database is read-only  <!-- memd log, human -->\n"
        r"- \d\d:\d\d \[note\] 以后日志一律用英文写  <!-- memd log, assistant -->\n",
        first.out + second.out,
    )
    assert first.err.startswith(f"added to {memd.memory}/logs/")


def test_a_dry_run_writes_nothing(memd: Memd, tree: Callable[[], frozenset[str]]) -> None:
    before = tree()
    answer = memd("log", "said", "--dry-run", "--yes")
    assert (answer.code, answer.out.endswith("[note] said  <!-- memd log, human -->\n")) == (0, True)
    assert answer.err.startswith("would be added to ")
    assert tree() == before


@pytest.mark.parametrize(
    ("arguments", "environ", "code", "complaint"),
    [
        (("log", " \n\t "), {}, 2, "there is no text to log"),
        (("log", "\u200b\x00"), {}, 2, "there is no text to log"),
        (("log", "x" * 2001), {}, 2, "2,001 characters are too many"),
        (("log", "x", "--type", "note"), {}, 2, "'note' is not one of"),
        (("log", f"the key is {SECRET}"), {}, 7, "this looks like a secret (aws"),
        (("log", "x"), {"MEMD_DISABLE": "1"}, 7, "MEMD_DISABLE is set"),
    ],
)
def test_what_is_not_logged(
    memd: Memd, arguments: tuple[str, ...], environ: dict[str, str], code: int, complaint: str
) -> None:
    answer = memd.inside(*arguments, environ=environ)
    assert (answer.code, answer.out, memd.memory.exists()) == (code, "", False)
    assert complaint in answer.err
    assert SECRET not in answer.err


def test_two_projects_with_one_slug_do_not_share_a_log(memd: Memd) -> None:
    (memd.home / "shop.a").mkdir()
    (memd.home / "shop-a").mkdir()
    first = memd.inside("log", "mine", "--project", str(memd.home / "shop.a"))
    second = memd.inside("log", "theirs", "--project", str(memd.home / "shop-a"))
    assert (first.code, second.code, second.out) == (0, 7, "")
    assert "autoMemoryDirectory" in second.err


@pytest.mark.parametrize(
    "words", ["export out.tar.gz", "forget mine --dry-run", "review list", "show mine.md", "list", "why mine.md"]
)
def test_nor_does_one_of_them_get_to_see_the_other_s_memory(memd: Memd, words: str) -> None:
    (memd.home / "shop.a").mkdir()
    (memd.home / "shop-a").mkdir()
    memd("remember", "Mine is the first word of it", "--project", str(memd.home / "shop.a"))
    answer = memd(*words.split(), "--project", str(memd.home / "shop-a"))
    assert (answer.code, answer.out, (memd.project / "out.tar.gz").exists()) == (7, "", False)


def test_nor_what_was_done_there(memd: Memd) -> None:
    for name in ("shop.a", "shop-a"):
        (memd.home / name).mkdir()
    memd("remember", "Mine is the first word of it", "--project", str(memd.home / "shop.a"))
    found = {name: memd("history", "--json", "--project", str(memd.home / name)) for name in ("shop.a", "shop-a")}
    assert {name: len(answer.json["runs"]) for name, answer in found.items()} == {"shop.a": 1, "shop-a": 0}


@pytest.mark.parametrize("words", ["list", "log hi", "remember Mine is the second word of it"])
def test_nor_does_one_take_it_over_when_the_ledger_was_lost(memd: Memd, words: str) -> None:
    (memd.home / "shop.a").mkdir()
    (memd.home / "shop-a").mkdir()
    memd("remember", "Mine is the first word of it", "--project", str(memd.home / "shop.a"))
    for part in memd.state.glob("ledger.sqlite3*"):
        part.unlink()
    answer = memd(*words.split(maxsplit=1), "--project", str(memd.home / "shop-a"))
    assert (answer.code, answer.out) == (7, "")
    assert memd("log", "hi", "--project", str(memd.home / "shop.a")).code == 0


def test_a_log_that_is_a_link_is_refused(memd: Memd) -> None:
    memd.memory.mkdir(parents=True)
    (memd.memory / "logs").symlink_to(memd.project)
    answer = memd.inside("log", "said")
    assert (answer.code, answer.out, list(memd.project.iterdir())) == (7, "", [])
