"""Where memory is: slugs, project roots on real repositories, the chain of rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory import location
from memd.memory.location import MemoryDir, canonical_root, slug

SLUGS = Path(__file__).parents[1] / "samples" / "claude-code" / "slugs.json"


def git(*arguments: str | Path, cwd: Path) -> None:
    """Run git as nobody in particular, with nobody's configuration."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", *identity, *arguments], cwd=cwd, env=environ, check=True, capture_output=True)  # noqa: S607 -- whichever git


def repository(path: Path, *arguments: str) -> Path:
    """A repository with one commit."""
    path.mkdir(parents=True)
    git("init", "-q", "-b", "main", *arguments, cwd=path)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=path)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A real path."""
    return tmp_path.resolve()


@pytest.fixture
def repo(place: Path) -> Path:
    return repository(place / "repo")


@pytest.fixture
def resolve(home: Path, place: Path) -> Callable[..., MemoryDir]:
    """`location.resolve` with nothing of this machine in it."""

    def resolved(cwd: Path, *, managed: Path | None = None, base: str | None = None, **environ: str) -> MemoryDir:
        return location.resolve(cwd, environ=environ, home=home, base=base, managed=managed or place / "no-policy.json")

    return resolved


def write_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


# Slugs


@pytest.mark.parametrize("case", json.loads(SLUGS.read_text())["cases"], ids=lambda case: case["slug"][-20:])
def test_slugs_are_those_observed(case: dict[str, str]) -> None:
    assert slug(case["cwd"]) == case["slug"]


@given(path=st.text(max_size=300))
def test_a_slug_is_a_safe_name_of_bounded_length(path: str) -> None:
    name = slug(path)
    assert all(char.isascii() and (char.isalnum() or char == "-") for char in name)
    assert len(name) <= 200 + 1 + 6
    assert (len(name) > 200) == (len(path.encode("utf-16-le", "surrogatepass")) > 400)


def test_names_that_are_not_utf8_have_a_slug_too() -> None:
    assert slug(os.fsdecode(b"/a/\xff")) == "-a--"


# Project roots


def test_without_git_the_directory_itself(place: Path) -> None:
    (place / "a" / "b").mkdir(parents=True)
    (place / "link").symlink_to(place / "a")
    assert canonical_root(place / "a" / "b") == place / "a" / "b"
    assert canonical_root(place / "link" / "b") == place / "a" / "b"


def test_subdirectories_share_the_repository(repo: Path) -> None:
    (repo / "a" / "b").mkdir(parents=True)
    assert canonical_root(repo / "a" / "b") == repo
    assert canonical_root(repo) == repo
    assert canonical_root(repo / "a" / "deleted" / "since") == repo
    assert canonical_root(repo / ".git" / "hooks") == repo


@pytest.mark.parametrize("where", ["../tree", ".claude/worktrees/tree"])
def test_work_trees_share_the_main_one(repo: Path, where: str) -> None:
    git("worktree", "add", "-q", where, cwd=repo)
    tree = (repo / where).resolve()
    (tree / "deep").mkdir()
    assert canonical_root(tree / "deep") == repo
    assert canonical_root(tree / "deep", worktrees="separate") == tree
    assert canonical_root(repo, worktrees="separate") == repo


def test_work_trees_with_relative_links(repo: Path) -> None:
    git("worktree", "add", "-q", "../tree", cwd=repo)
    tree = repo.parent / "tree"
    (tree / ".git").write_text("gitdir: ../repo/.git/worktrees/tree\n")
    (repo / ".git" / "worktrees" / "tree" / "gitdir").write_text("../../../../tree/.git\n")
    assert canonical_root(tree) == repo


def test_a_deleted_work_tree_is_its_own_directory(repo: Path) -> None:
    git("worktree", "add", "-q", "../tree", cwd=repo)
    shutil.rmtree(repo.parent / "tree")
    assert canonical_root(repo.parent / "tree") == repo.parent / "tree"


def test_a_pruned_work_tree_stands_for_itself(repo: Path) -> None:
    git("worktree", "add", "-q", "../tree", cwd=repo)
    shutil.rmtree(repo / ".git" / "worktrees")
    assert canonical_root(repo.parent / "tree") == repo.parent / "tree"


def test_submodules_and_nested_repositories_are_their_own(repo: Path) -> None:
    library = repository(repo.parent / "library")
    git("submodule", "--quiet", "add", str(library), "vendor/library", cwd=repo)
    nested = repository(repo / "nested")
    assert canonical_root(repo / "vendor" / "library") == repo / "vendor" / "library"
    assert canonical_root(nested) == nested


def test_a_submodules_work_trees_share_the_submodule(repo: Path) -> None:
    library = repository(repo.parent / "library")
    git("submodule", "--quiet", "add", str(library), "library", cwd=repo)
    git("worktree", "add", "-q", repo.parent / "tree", cwd=repo / "library")
    assert canonical_root(repo.parent / "tree") == repo / "library"


def test_bare_repositories(place: Path) -> None:
    source = repository(place / "source")
    git("clone", "-q", "--bare", source, place / "bare.git", cwd=place)
    git("worktree", "add", "-q", place / "tree", cwd=place / "bare.git")
    assert canonical_root(place / "bare.git") == place / "bare.git"
    assert canonical_root(place / "bare.git" / "refs") == place / "bare.git"
    assert canonical_root(place / "tree") == place / "bare.git"


def test_a_bare_repository_beside_its_work_trees(place: Path) -> None:
    source = repository(place / "source")
    git("clone", "-q", "--bare", source, place / "project" / ".bare", cwd=place)
    (place / "project" / ".git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "-q", "tree", cwd=place / "project")
    assert canonical_root(place / "project" / "tree") == place / "project"
    assert canonical_root(place / "project") == place / "project"


def test_a_repository_kept_elsewhere(place: Path) -> None:
    repo = repository(place / "repo", f"--separate-git-dir={place / 'elsewhere'}")
    git("worktree", "add", "-q", place / "tree", cwd=repo)
    assert canonical_root(repo) == repo
    assert canonical_root(place / "tree") == place / "elsewhere"


def test_an_empty_dot_git_is_passed_over(repo: Path) -> None:
    (repo / "sub" / ".git").mkdir(parents=True)
    assert canonical_root(repo / "sub") == repo


# Planted links


def plant(directory: Path, text: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / ".git").write_text(text)
    return directory


def test_a_link_that_nobody_answers_is_not_believed(repo: Path, place: Path) -> None:
    git("worktree", "add", "-q", "../tree", cwd=repo)
    for target in (".git/worktrees/tree", ".git/worktrees", ".git", "."):
        hostile = plant(place / "hostile", f"gitdir: {repo / target}\n")
        assert canonical_root(hostile) == hostile


def test_a_planted_entry_outside_the_repository_is_not_believed(repo: Path, place: Path) -> None:
    hostile = plant(place / "hostile", "gitdir: entry/worktrees/x\n")
    entry = hostile / "entry" / "worktrees" / "x"
    entry.mkdir(parents=True)
    (entry / "commondir").write_text(f"{repo / '.git'}\n")
    (entry / "gitdir").write_text(f"{hostile / '.git'}\n")
    assert canonical_root(hostile) == hostile


def test_a_planted_repository_cannot_claim_another_work_tree(repo: Path, place: Path) -> None:
    hostile = repository(place / "hostile", f"--separate-git-dir={place / 'own'}")
    git("config", "core.worktree", repo, cwd=hostile)
    git("--git-dir", place / "own", "config", "core.worktree", repo, cwd=place)
    git("--git-dir", place / "own", "worktree", "add", "-q", place / "tree", cwd=place)
    assert canonical_root(place / "tree") == place / "own"


@pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: \0", "gitdir: " + "x" * 100_000, "nonsense", "gitdir: /"])
def test_a_dot_git_that_says_nothing_stands_for_its_directory(repo: Path, text: str) -> None:
    assert canonical_root(plant(repo / "sub", text)) == repo / "sub"


def test_odd_dot_gits_are_neither_opened_nor_followed(repo: Path, place: Path) -> None:
    (repo / "pipe").mkdir()
    os.mkfifo(repo / "pipe" / ".git")
    (place / "linked").mkdir()
    (place / "linked" / ".git").symlink_to(repo / ".git")
    (repo / "loop").mkdir()
    (repo / "loop" / ".git").symlink_to(".git")
    assert canonical_root(repo / "pipe") == repo
    assert canonical_root(repo / "loop") == repo
    assert canonical_root(place / "linked") == place / "linked"


# The chain: rule 3


def test_the_base_follows_its_chain(resolve: Callable[..., MemoryDir], home: Path, place: Path) -> None:
    cwd = place / "work"
    tail = Path("projects") / slug(str(cwd)) / "memory"
    every = {"CLAUDE_CODE_REMOTE_MEMORY_DIR": "/r", "CLAUDE_CONFIG_DIR": "/c", "XDG_DATA_HOME": "/x"}
    assert resolve(cwd, base="/b", **every).path == Path("/r") / tail
    del every["CLAUDE_CODE_REMOTE_MEMORY_DIR"]
    assert resolve(cwd, base="/b", **every).path == Path("/c") / tail
    del every["CLAUDE_CONFIG_DIR"]
    assert resolve(cwd, base="~/b", **every).path == home / "b" / tail
    assert resolve(cwd, **every).path == Path("/x/memd") / tail
    assert resolve(cwd).path == home / ".local" / "share" / "memd" / tail
    (home / ".claude").mkdir()
    assert resolve(cwd, **every) == MemoryDir(
        root=cwd, slug=slug(str(cwd)), path=home / ".claude" / tail, rule="base:~/.claude"
    )


def test_a_relative_base_is_refused_and_named(resolve: Callable[..., MemoryDir], place: Path) -> None:
    found = resolve(place, CLAUDE_CONFIG_DIR="relative", base="/b")
    assert found.rule == "base:memory.base"
    assert found.problems == ("CLAUDE_CONFIG_DIR is refused: it is not an absolute path",)


# Rule 1


def test_the_override_comes_first(resolve: Callable[..., MemoryDir], home: Path, place: Path) -> None:
    write_json(home / ".claude" / "settings.json", {"autoMemoryDirectory": "/from/settings"})
    found = resolve(place, CLAUDE_COWORK_MEMORY_PATH_OVERRIDE="/from/../over/ride/")
    assert (found.path, found.rule, found.problems) == (Path("/over/ride"), "override", ())


@pytest.mark.parametrize(
    "value",
    [
        *("relative", "~user/x", "~", "~/", "/", "//", "/.", "/a/..", "/a", "/a\0b", "//server/share", "\\\\server\\x"),
        *("C:\\", "/C:/", "c:", "/e\u0301toile", "HOME", "HOME/", "HOME/..", "HOME/x/..", "/opt/../", "LINK"),
    ],
)
def test_what_is_refused_is_named_and_rule_three_applies(
    resolve: Callable[..., MemoryDir], home: Path, place: Path, value: str
) -> None:
    (place / "link").symlink_to(home)
    value = value.replace("HOME", str(home)).replace("LINK", str(place / "link"))
    settings = write_json(home / ".claude" / "settings.json", {"autoMemoryDirectory": value})
    found = resolve(place / "work")
    assert found.rule == "base:~/.claude"
    assert len(found.problems) == 1
    assert found.problems[0].startswith(f"autoMemoryDirectory in {settings} is refused: it")
    if "\0" not in value:
        over = resolve(place / "work", CLAUDE_COWORK_MEMORY_PATH_OVERRIDE=value)
        assert over.rule == "base:~/.claude"
        assert over.problems[0].startswith("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE (environment) is refused: it")


@pytest.mark.parametrize("value", [1, None, [], {"path": "/x/y"}])
def test_settings_of_the_wrong_kind_are_refused(resolve: Callable[..., MemoryDir], home: Path, value: object) -> None:
    write_json(home / ".claude" / "settings.json", {"autoMemoryDirectory": value})
    assert resolve(home / "work").problems[0].endswith("is refused: it is not text")


# Rule 2


def test_trusted_scopes_in_their_order(resolve: Callable[..., MemoryDir], home: Path, repo: Path, place: Path) -> None:
    managed = write_json(place / "managed.json", {"autoMemoryDirectory": "/from/policy"})
    local = write_json(repo / ".claude" / "settings.local.json", {"autoMemoryDirectory": "~/from/local"})
    write_json(repo / ".claude" / "settings.json", {"autoMemoryDirectory": "/from/project"})
    write_json(home / ".claude" / "settings.json", {"autoMemoryDirectory": "/from/user"})
    assert resolve(repo / "sub", managed=managed).path == Path("/from/policy")
    found = resolve(repo / "sub")
    assert (found.path, found.rule) == (home / "from" / "local", "settings:local")
    local.unlink()
    assert resolve(repo).rule == "settings:user"
    elsewhere = write_json(place / "config" / "settings.json", {"autoMemoryDirectory": "/from/elsewhere"}).parent
    assert resolve(repo, CLAUDE_CONFIG_DIR=str(elsewhere)).path == Path("/from/elsewhere")


def test_a_project_cannot_aim_memory_anywhere(resolve: Callable[..., MemoryDir], home: Path, repo: Path) -> None:
    file = write_json(repo / ".claude" / "settings.json", {"autoMemoryDirectory": str(home / ".ssh")})
    found = resolve(repo)
    assert found.rule == "base:~/.local/share"
    assert found.problems == (f"autoMemoryDirectory in {file} is ignored: it may come with the repository",)


def local_settings(repo: Path) -> Path:
    return write_json(repo / ".claude" / "settings.local.json", {"autoMemoryDirectory": "/hostile/place"})


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_local_settings_in_the_index_come_with_the_repository(
    resolve: Callable[..., MemoryDir], repo: Path, version: str
) -> None:
    local_settings(repo)
    (repo / "other.txt").write_text("x")
    git("add", "other.txt", cwd=repo)
    if version == "3":
        git("add", "--intent-to-add", ".claude", cwd=repo)
    else:
        git("update-index", "--index-version", version, cwd=repo)
        git("add", ".claude", cwd=repo)
    assert (repo / ".git" / "index").read_bytes()[4:8] == bytes([0, 0, 0, int(version)])
    assert resolve(repo).rule == "base:~/.local/share"


def test_local_settings_beside_other_tracked_files_are_the_users(resolve: Callable[..., MemoryDir], repo: Path) -> None:
    local_settings(repo)
    (repo / ".claude" / "settings.json").write_text("{}")
    git("add", ".claude/settings.json", cwd=repo)
    assert resolve(repo).rule == "settings:local"


@pytest.mark.parametrize("command", [["update-index", "--index-version", "4"], ["update-index", "--split-index"]])
def test_an_index_that_cannot_be_searched_counts_as_tracked(
    resolve: Callable[..., MemoryDir], repo: Path, command: list[str]
) -> None:
    (repo / "other.txt").write_text("x")
    git("add", "other.txt", cwd=repo)
    local_settings(repo)
    assert resolve(repo).rule == "settings:local"
    git(*command, cwd=repo)
    assert resolve(repo).rule == "base:~/.local/share"


@pytest.mark.parametrize("index", [b"", b"DIRC", b"DIRC\0\0\0\2", b"CRID\0\0\0\2\0\0\0\0", b"DIRC\0\0\0\5\0\0\0\0"])
def test_an_index_that_is_none_counts_as_tracked(resolve: Callable[..., MemoryDir], repo: Path, index: bytes) -> None:
    local_settings(repo)
    (repo / ".git" / "index").write_bytes(index)
    assert resolve(repo).rule == "base:~/.local/share"


def test_a_dangling_dot_git_is_not_trusted(resolve: Callable[..., MemoryDir], place: Path) -> None:
    local_settings(plant(place / "broken", "gitdir: /nowhere\n"))
    assert resolve(place / "broken").rule == "base:~/.local/share"


def test_settings_that_are_no_file_are_passed_over(resolve: Callable[..., MemoryDir], home: Path, repo: Path) -> None:
    (home / ".claude" / "settings.json").mkdir(parents=True)
    (repo / ".claude").write_text("not a directory")
    found = resolve(repo)
    assert found.rule == "base:~/.claude"
    assert all("cannot be read (UnsafePathError)" in problem for problem in found.problems)


def test_a_tracked_link_to_tracked_settings_is_not_followed(resolve: Callable[..., MemoryDir], repo: Path) -> None:
    write_json(repo / "innocent" / "settings.local.json", {"autoMemoryDirectory": "/hostile/place"})
    (repo / ".claude").symlink_to("innocent")
    git("add", "-A", cwd=repo)
    assert resolve(repo).rule == "base:~/.local/share"
    git("rm", "-q", "--cached", ".claude", cwd=repo)
    assert resolve(repo).rule == "base:~/.local/share"


def test_local_settings_that_git_knows_nothing_of_are_not_trusted(
    resolve: Callable[..., MemoryDir], repo: Path, place: Path
) -> None:
    local_settings(place / "unpacked")
    assert resolve(place / "unpacked").rule == "base:~/.local/share"
    git("init", "-q", "--bare", "embedded", cwd=repo)
    local_settings(repo / "embedded")
    assert resolve(repo / "embedded").rule == "base:~/.local/share"


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "\xff", "[" * 100_000])
def test_broken_settings_are_reported_and_do_no_harm(resolve: Callable[..., MemoryDir], home: Path, text: str) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(text, encoding="latin-1")
    found = resolve(home / "work")
    assert found.rule == "base:~/.claude"
    assert found.problems[0].startswith(f"{home / '.claude' / 'settings.json'}: ")


def test_resolving_creates_nothing(resolve: Callable[..., MemoryDir], home: Path, place: Path) -> None:
    resolve(place / "work")
    assert list(home.iterdir()) == []
    assert list(place.iterdir()) == []


# From before there was a ~/.claude


def test_memory_is_found_where_it_was_until_there_is_some_at_the_usual_place(
    resolve: Callable[..., MemoryDir], home: Path, place: Path
) -> None:
    before = resolve(place)
    (before.path).mkdir(parents=True)
    (home / ".claude").mkdir()
    assert resolve(place).rule == "base:~/.claude"
    (before.path / "user_role.md").write_text("x")
    found = resolve(place)
    usual = home / ".claude" / "projects" / found.slug / "memory"
    assert (found.path, found.rule, found.belongs) == (before.path, "base:~/.local/share", usual)
    assert "`memd project mv . .` takes it to" in found.problems[0]
    usual.mkdir(parents=True)
    assert resolve(place).path == before.path
    (usual / "MEMORY.md").write_text("x")
    found = resolve(place)
    assert (found.path, found.rule, found.belongs) == (usual, "base:~/.claude", None)
    assert found.problems == (
        f"{before.path} holds memory of this project too, from before {home}/.claude was there: move its files",
    )
    assert resolve(place, CLAUDE_CONFIG_DIR="/c").problems == ()


def test_a_data_home_that_is_set_is_named(resolve: Callable[..., MemoryDir], place: Path) -> None:
    assert resolve(place, XDG_DATA_HOME="/x").rule == "base:XDG_DATA_HOME"
