"""The directory that a session's own prompt named: followed where it tells of an override, and no further."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.memory import location
from memd.memory.location import MemoryDir
from memd.memory.session_env import SessionEnv

Find = Callable[[object], MemoryDir]


@pytest.fixture
def repo(home: Path) -> Path:
    """A repository, and Claude Code's directory."""
    root = home.resolve() / "repo"
    for name in (".git/objects", ".git/refs", ".claude"):
        (root / name).mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (home / ".claude").mkdir()
    return root


@pytest.fixture
def find(home: Path, repo: Path) -> Find:
    """Resolve the repository's memory for a session whose prompt named a directory."""
    no_policy = home / "none.json"

    def run(named: object) -> MemoryDir:
        session = SessionEnv(environ={}, section="present", directory=str(named))
        return location.of_session(repo, session, home=home.resolve(), managed=no_policy)

    return run


def usual(home: Path, repo: Path) -> Path:
    return home.resolve() / ".claude" / "projects" / location.slug(str(repo)) / "memory"


@pytest.mark.parametrize("what", ["missing", "empty", "memory"])
def test_an_override_is_followed(find: Find, tmp_path: Path, what: str) -> None:
    directory = tmp_path / "kept"
    if what != "missing":
        directory.mkdir()
    if what == "memory":
        (directory / "MEMORY.md").touch()
        (directory / "user_role.md").touch()
    found = find(directory)
    assert (found.path, found.rule, found.problems) == (directory, "transcript", ())


def test_the_usual_place_is_no_override(find: Find, home: Path, repo: Path) -> None:
    other = home.resolve() / ".claude" / "projects" / "-other" / "memory"
    other.mkdir(parents=True)
    for named in (usual(home, repo), other, "/gone/home/.claude/projects/-repo/memory"):
        found = find(named)
        assert (found.path, found.rule, found.problems) == (usual(home, repo), "base:~/.claude", ())


def test_the_usual_place_below_another_base_counts_where_it_is_there(find: Find, tmp_path: Path) -> None:
    remote = tmp_path / "remote" / "projects" / "-repo" / "memory"
    remote.mkdir(parents=True)
    assert find(remote).path == remote


@pytest.mark.parametrize(
    ("below", "objection"),
    [
        (".", "it is the home directory or holds it"),
        (".ssh", "it holds something else than memory"),
        ("repo", "it lies in the project's work tree"),
        ("repo/.claude/memory", "it lies in the project's work tree"),
    ],
)
def test_a_prompt_cannot_aim_memd_at_other_things(
    find: Find, home: Path, repo: Path, below: str, objection: str
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "authorized_keys").touch()
    found = find(home.resolve() / below)
    assert (found.path, found.rule) == (usual(home, repo), "base:~/.claude")
    assert len(found.problems) == 1
    assert found.problems[0].endswith(objection)


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_what_the_repository_itself_chose_is_not_followed_by_way_of_the_prompt(
    find: Find, home: Path, repo: Path, tmp_path: Path, name: str
) -> None:
    (repo / ".claude" / name).write_text(json.dumps({"autoMemoryDirectory": str(tmp_path / "kept")}))
    (repo / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\1" + b".claude/settings.local.json\0" * 2)
    found = find(tmp_path / "kept")
    assert found.path == usual(home, repo)
    assert found.problems[-1].endswith("the project names an autoMemoryDirectory of its own")
