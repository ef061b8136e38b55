"""The private copy, and what a hostile backend may leave in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.memory import layout, workspace
from memd.memory.workspace import Change, Problem, Workspace

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere mknod is for root")
TOPIC = b"---\nname: a\ndescription: b\ntype: user\n---\nBody.\n"


@pytest.fixture
def live(tmp_path: Path) -> Path:
    memory = tmp_path / "live"
    (memory / "logs" / "2026" / "04").mkdir(parents=True)
    (memory / "team").mkdir()
    (memory / "sub").mkdir()
    (memory / "MEMORY.md").write_bytes(b"- [A](user_a.md)\n")
    (memory / "user_a.md").write_bytes(TOPIC)
    (memory / "sub" / "b.md").write_bytes(TOPIC)
    (memory / "team" / "c.md").write_bytes(TOPIC)
    (memory / "logs" / "2026" / "04" / "2026-04-01.md").write_bytes(b"- 10:00 [user] x\n")
    (memory / ".hidden.md").write_bytes(TOPIC)
    (memory / "notes.txt").write_bytes(b"x")
    (memory / "huge.md").write_bytes(b"x" * (layout.TOPIC_LIMIT + 1))
    (memory / "link.md").symlink_to("user_a.md")
    (memory / "user_b.md").write_bytes(TOPIC)
    os.link(memory / "user_b.md", tmp_path / "second name")
    os.utime(memory / "user_a.md", (1_000_000, 1_000_000))
    return memory


@pytest.fixture
def made(live: Path, tmp_path: Path) -> Iterator[Workspace]:
    with workspace.make(live, tmp_path / "scratch") as space:
        yield space


def test_copies_topics_and_index_and_nothing_else(made: Workspace) -> None:
    assert sorted(made.base) == ["MEMORY.md", "sub/b.md", "user_a.md"]
    assert {path: (made.memory / path).read_bytes() for path in made.base} == made.base
    assert not made.bullets.exists()


def test_a_copy_keeps_its_age(made: Workspace) -> None:
    assert (made.memory / "user_a.md").stat().st_mtime == 1_000_000


def test_is_for_the_owner_alone_and_gone_afterwards(live: Path, tmp_path: Path) -> None:
    with workspace.make(live, tmp_path / "scratch") as space:
        assert space.memory.stat().st_mode & 0o777 == 0o700
        assert space.memory.parent.stat().st_mode & 0o777 == 0o700
        (space.memory / "locked").mkdir(mode=0o000)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_missing_memory_directory_is_an_empty_one(tmp_path: Path) -> None:
    with workspace.make(tmp_path / "nowhere", tmp_path / "scratch") as space:
        assert space.base == {}
        assert workspace.difference(space) == ()
    assert not (tmp_path / "nowhere").exists()


def test_what_a_killed_process_left_is_cleared_and_what_a_living_one_uses_is_not(live: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    code = (
        "import os, signal, sys; from pathlib import Path; from memd.memory import workspace\n"
        "with workspace.make(Path(sys.argv[1]), Path(sys.argv[2])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(live), str(scratch)], check=False)
    assert len(list(scratch.iterdir())) == 1
    with workspace.make(live, scratch) as first, workspace.make(live, scratch) as second:
        assert {path.name for path in scratch.iterdir()} == {first.memory.parent.name, second.memory.parent.name}


def test_difference_is_sorted_and_whole(made: Workspace) -> None:
    (made.memory / "user_a.md").write_bytes(b"changed")
    (made.memory / "sub" / "b.md").unlink()
    (made.memory / "a_new.md").write_bytes(b"new")
    assert workspace.difference(made) == (
        Change(path="a_new.md", before=None, after=b"new"),
        Change(path="sub/b.md", before=TOPIC, after=None),
        Change(path="user_a.md", before=TOPIC, after=b"changed"),
    )
    assert workspace.problems(made) == ()


def _link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "deep").mkdir()


def _second_name(path: Path) -> None:
    os.link(path, path.parent.parent / "second name")


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(layout.INDEX_LIMIT + 1)


def _socket(path: Path) -> None:
    path.unlink()
    os.mknod(path, 0o140600)


@pytest.mark.parametrize("attack", [_link, _pipe, _second_name, _huge, pytest.param(_socket, marks=LINUX)])
def test_a_file_turned_into_something_else_is_a_problem_and_no_deletion(
    made: Workspace, attack: Callable[[Path], None]
) -> None:
    attack(made.memory / "user_a.md")
    assert workspace.difference(made) == ()
    assert [problem.path for problem in workspace.problems(made)] == ["user_a.md"]


def test_a_file_turned_into_a_directory(made: Workspace) -> None:
    _directory(made.memory / "user_a.md")
    assert workspace.difference(made) == ()
    assert workspace.problems(made) == (
        Problem(path="user_a.md", what="Not a regular file: user_a.md"),
        Problem(path="user_a.md/deep", what="directory too deep"),
    )


def test_a_directory_turned_into_a_link_is_not_followed(made: Workspace, live: Path) -> None:
    (made.memory / "sub" / "b.md").unlink()
    (made.memory / "sub").rmdir()
    (made.memory / "sub").symlink_to(live)
    assert workspace.difference(made) == ()
    assert [problem.path for problem in workspace.problems(made)] == ["sub", "sub/b.md"]


def test_the_memory_itself_turned_into_a_link(made: Workspace, live: Path) -> None:
    made.memory.rename(made.memory.parent / "moved")
    made.memory.symlink_to(live)
    assert workspace.difference(made) == ()
    assert workspace.problems(made) == (Problem(path=".", what="the workspace itself is gone"),)


def test_names_that_are_no_text_are_problems(made: Workspace) -> None:
    (made.memory / os.fsdecode(b"\xff.md")).write_bytes(TOPIC)
    assert workspace.difference(made) == ()
    assert [problem.path for problem in workspace.problems(made)] == ["\\udcff.md"]


def test_thousands_of_files_do_not_hide_the_known_ones(made: Workspace) -> None:
    flood = made.memory / "a"
    flood.mkdir()
    for number in range(10_100):
        (flood / f"{number}").touch()
    gone = {change.path for change in workspace.difference(made) if change.after is None}
    assert gone == set()


def test_bullets_are_read_line_by_line(made: Workspace) -> None:
    lines = ("# Notes", "- [user] Knows Rust", "* [nonsense] 部署在周五冻结", "- no type <!-- forged -->", "", "-")
    made.bullets.write_text("\n".join((*lines, lines[1])))
    assert workspace.proposed_bullets(made) == (
        ("user", "Knows Rust"),
        (None, "部署在周五冻结"),
        (None, "no type forged"),
    )


def test_bullets_are_bounded(made: Workspace) -> None:
    made.bullets.write_text("".join(f"- {number} {'x' * 900}\n" for number in range(200)))
    found = workspace.proposed_bullets(made)
    assert len(found) == workspace.MAX_BULLETS
    assert {len(text) for _, text in found} == {workspace.MAX_BULLET_LENGTH}


@pytest.mark.parametrize("attack", [_link, _pipe, _directory, _huge])
def test_a_hostile_bullets_file_proposes_nothing(made: Workspace, attack: Callable[[Path], None]) -> None:
    made.bullets.write_text("- x\n")
    attack(made.bullets)
    assert workspace.proposed_bullets(made) == ()


def test_with_the_team_its_topics_are_copied_too(live: Path, tmp_path: Path) -> None:
    (live / "team" / "ops").mkdir()
    (live / "team" / "logs").mkdir()
    for name in ("MEMORY.md", "ops/d.md", "logs/e.md", ".hidden.md"):
        (live / "team" / name).write_bytes(TOPIC)
    (live / "sub" / "deep").mkdir()
    (live / "sub" / "deep" / "e.md").write_bytes(TOPIC)
    (live / "team" / "large.md").write_bytes(b"x" * (layout.TOPIC_LIMIT + 1))
    with workspace.make(live, tmp_path / "scratch", team=True) as space:
        shared = ["team/c.md", "team/large.md", "team/ops/d.md"]
        assert sorted(space.base) == ["MEMORY.md", "sub/b.md", *shared, "user_a.md"]
        assert workspace.difference(space) == ()
        (space.memory / "team" / "ops" / "d.md").unlink()
        (space.memory / "team" / "f.md").write_bytes(TOPIC)
        assert workspace.difference(space) == (
            Change(path="team/f.md", before=None, after=TOPIC),
            Change(path="team/ops/d.md", before=TOPIC, after=None),
        )


def test_with_the_team_there_is_a_place_to_write_even_where_nothing_is_shared_yet(tmp_path: Path) -> None:
    with workspace.make(tmp_path / "none", tmp_path / "scratch", team=True) as space:
        (space.memory / "team" / "f.md").write_bytes(TOPIC)
        assert workspace.difference(space) == (Change(path="team/f.md", before=None, after=TOPIC),)
