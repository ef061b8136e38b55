"""`memd run --once`: the settings reach the pass."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memd.memory import location
from tests.cli.conftest import Memd
from tests.fakes import claude_lines as lines

RULE = "from now on always run `make lint` before you commit, the build server takes 40 minutes to tell me"


def git(*arguments: str, cwd: Path) -> None:
    """Run git as nobody in particular, with nobody's configuration."""
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments]
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(command, cwd=cwd, env=environ, check=True, capture_output=True)


@pytest.mark.parametrize("worktrees", ["shared", "separate"])
def test_a_work_tree_is_a_project_of_its_own_where_the_settings_say_so(memd: Memd, worktrees: str) -> None:
    tree = memd.home / "tree"
    git("init", "-q", "-b", "main", cwd=memd.project)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=memd.project)
    git("worktree", "add", "-q", str(tree), cwd=memd.project)
    own = memd.home / ".claude" / "projects" / location.slug(str(tree))
    own.mkdir(parents=True)
    records = (lines.prompt("h1", RULE), lines.answer("a1", "m1", lines.text("Will do.")))
    said = lines.packed(*({**record, "cwd": str(tree)} for record in records))
    (own / f"{lines.SESSION}.jsonl").write_bytes(said)
    done = memd("run", "--once", environ={"MEMD_PROJECTS_WORKTREES": worktrees})
    assert done.code == 0, done.err
    found = {where.parent for where in (memd.home / ".claude").rglob("MEMORY.md")}
    assert found == {memd.memory if worktrees == "shared" else own / "memory"}


def test_a_directory_that_no_disk_can_hold_stops_no_other_conversation(memd: Memd) -> None:
    own = memd.home / ".claude" / "projects" / location.slug(str(memd.project))
    own.mkdir(parents=True)
    for session, cwd in (("long", "/" + "x" * 5000), ("nul", "/a\0b"), ("good", str(memd.project))):
        records = (lines.prompt(f"h-{session}", RULE), lines.answer(f"a-{session}", session, lines.text("Will do.")))
        said = lines.packed(*({**record, "cwd": cwd, "sessionId": session} for record in records))
        (own / f"{session}.jsonl").write_bytes(said)
    done = memd("run", "--once")
    assert "Traceback" not in done.err
    assert (memd.memory / "MEMORY.md").exists()
