"""Where a pass saves: never where a project says, always where its root belongs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memd.errors import RefusedError
from memd.extract import run as passes
from memd.ledger import Run, Session
from memd.memory import location
from tests.extract.conftest import World, saves
from tests.fakes import claude_lines as lines

RULE = "Always run the linter before you show me a diff."
TURN = (lines.prompt("h1", RULE), lines.answer("a1", "m1", lines.text("Understood.")))


def git(*arguments: str | Path, cwd: Path) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *settings, *map(str, arguments)], cwd=cwd, check=True, capture_output=True)  # noqa: S607 - any git


def repository(path: Path, *, like: tuple[str, ...] = ()) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    git("init", "-q", *like, cwd=path)
    if not like:
        git("commit", "-q", "--allow-empty", "-m", "first", cwd=path)
    return path


def usual(world: World, root: Path) -> str:
    return str(world.home.resolve() / ".claude" / "projects" / location.slug(str(root.resolve())) / "memory")


def extracted(world: World, cwd: Path | None = None, session: str = lines.SESSION) -> Run:
    """Let a session in `cwd` (the project, unless told) end, and run its pass."""
    at = cwd or world.project
    transcript = world.transcript(session)
    transcript.parent.mkdir(parents=True, exist_ok=True)
    transcript.write_bytes(lines.packed(*({**one, "cwd": str(at), "sessionId": session} for one in TURN)))
    key = f"claude-code:{session}"
    size = transcript.stat().st_size
    world.ledger.note_session(
        Session(key=key, agent="claude-code", session_id=session, path=str(transcript), cwd=str(at), size=size)
    )
    world.backend.script = saves(RULE, name=f"feedback_{session[:4]}.md")
    return passes.run(world.job(session), world.house)


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_repository_cannot_aim_memory_elsewhere(world: World, tmp_path: Path, name: str) -> None:
    repository(world.project)
    aim = tmp_path / "aim"
    (world.project / ".claude").mkdir()
    (world.project / ".claude" / name).write_text(json.dumps({"autoMemoryDirectory": str(aim)}))
    git("add", "-f", ".claude", cwd=world.project)
    assert extracted(world).memory_dir == usual(world, world.project)
    assert not aim.exists()


def test_a_persons_own_local_settings_count(world: World, tmp_path: Path) -> None:
    repository(world.project)
    (world.project / ".claude").mkdir()
    local = {"autoMemoryDirectory": str(tmp_path / "kept")}
    (world.project / ".claude" / "settings.local.json").write_text(json.dumps(local))
    assert extracted(world).memory_dir == str(tmp_path / "kept")


def test_a_work_tree_shares_the_memory_of_its_repository_also_when_it_is_deleted(world: World) -> None:
    repository(world.project)
    tree = world.home / "tree"
    git("worktree", "add", "-q", tree, cwd=world.project)
    assert extracted(world, tree).memory_dir == usual(world, world.project)
    git("worktree", "remove", tree, cwd=world.project)
    with world.transcript().open("ab") as stream:
        again = (lines.prompt("h2", RULE), lines.answer("a2", "m2", lines.text("Yes.")))
        stream.write(lines.packed(*({**one, "cwd": str(tree), "sessionId": lines.SESSION} for one in again)))
    world.backend.script = saves(RULE, name="feedback_two.md")
    assert passes.run(world.job(), world.house).memory_dir == usual(world, world.project)


def test_a_nested_repository_that_is_gone_keeps_its_memory_apart(world: World) -> None:
    """Its root was seen; by its path alone it would be the repository around it."""
    repository(world.project)
    nested = repository(world.project / "vendor" / "lib")
    assert extracted(world, nested).memory_dir == usual(world, nested)
    nested.rename(world.home / "away")
    nested.mkdir()
    with world.transcript().open("ab") as stream:
        again = (lines.prompt("h2", RULE), lines.answer("a2", "m2", lines.text("Yes.")))
        stream.write(lines.packed(*({**one, "cwd": str(nested), "sessionId": lines.SESSION} for one in again)))
    world.backend.script = saves(RULE, name="feedback_two.md")
    assert passes.run(world.job(), world.house).memory_dir == usual(world, nested)


def test_submodules_and_bare_repositories_are_their_own(world: World) -> None:
    library = repository(world.home / "library")
    repository(world.project)
    git("submodule", "--quiet", "add", library, "library", cwd=world.project)
    bare = repository(world.home / "bare.git", like=("--bare",))
    for number, root in enumerate((world.project / "library", bare, world.project)):
        assert extracted(world, root, session=f"{number}{lines.SESSION[1:]}").memory_dir == usual(world, root)


def test_of_two_roots_with_one_slug_the_later_is_refused(world: World) -> None:
    first, second = world.home / "web.app", world.home / "web-app"
    first.mkdir()
    second.mkdir()
    assert extracted(world, first).memory_dir == usual(world, first) == usual(world, second)
    with pytest.raises(RefusedError):
        extracted(world, second, session=f"2{lines.SESSION[1:]}")
    saved = sorted(path.name for path in Path(usual(world, first)).glob("feedback_*"))
    assert saved == [f"feedback_{lines.SESSION[:4]}.md"]
