"""`memd export` and `memd import`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from memd import config
from memd.memory import whose
from tests.cli.conftest import Memd, Near


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def everything(memory: Path) -> dict[str, bytes]:
    return {path.relative_to(memory).as_posix(): path.read_bytes() for path in memory.rglob("*.md")}


def other(memd: Memd) -> tuple[Path, Path]:
    """Another project, and where its memory will be."""
    project = memd.home / "other"
    project.mkdir(exist_ok=True)
    return project, memd.memory.parent.parent / f"{memd.memory.parent.name.removesuffix('shop')}other" / "memory"


def test_a_whole_memory_moves_and_keeps_its_age(memd: Memd, tmp_path: Path) -> None:
    memd.save("feedback_a.md", "A rule", "A rule → feedback_a.md")
    old = memd.remember("old", "An old rule", days=40)
    (memd.memory / "MEMORY.md").write_bytes(
        b"# By hand\n- [Mine](feedback_a.md) - my words\n- [Old](feedback_old.md)\n"
    )
    target = tmp_path / "out.tar.gz"
    assert memd("export", str(target)).code == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    project, memory = other(memd)
    assert memd("import", str(target), "--project", str(project), "--yes").code == 0
    assert everything(memory) == everything(memd.memory)
    assert int((memory / old.name).stat().st_mtime) == int(old.stat().st_mtime)
    again = memd.inside("import", str(target), "--project", str(project), "--yes")
    assert again.out.endswith("Nothing to import.\n")


def test_an_import_is_a_run_that_can_be_undone(memd: Memd, tmp_path: Path) -> None:
    memd.remember("a", "A rule")
    target = str(tmp_path / "out.tar.gz")
    memd.inside("export", target)
    (memd.memory / "feedback_a.md").write_bytes(b"---\nname: a\ndescription: newer\ntype: feedback\n---\nNewer.\n")
    before = everything(memd.memory)
    answer = memd.inside("import", target, "--yes")
    assert "new      feedback_a_imported.md, beside feedback_a.md, which says something else" in answer.out
    assert everything(memd.memory)["feedback_a.md"] == before["feedback_a.md"]
    assert memd.inside("undo", "1", "--yes").code == 0
    assert everything(memd.memory) == before


def test_through_pipes(memd: Memd) -> None:
    memd.remember("a", "A rule")
    target = memd.home / "out.tar.gz"
    memd.inside("export", str(target))
    project, memory = other(memd)
    answer = memd("import", "-", "--project", str(project), "--yes", said=target.read_bytes())
    assert (answer.code, sorted(everything(memory))) == (0, ["MEMORY.md", "feedback_a.md"])


def test_all_projects_in_one_file(memd: Memd, tmp_path: Path) -> None:
    memd.inside("remember", "Always run make lint before you commit")
    project, memory = other(memd)
    memd.inside("remember", "Never push to main on Fridays", "--project", str(project))
    target = str(tmp_path / "all.tar.gz")
    assert "of 2 projects" in memd.inside("export", "--all", target).err
    (topic,) = (path for path in memory.glob("feedback*"))
    topic.unlink()
    assert memd.inside("import", target, "--project", str(project), "--yes").code == 0
    assert topic.exists()
    third = memd.home / "third"
    third.mkdir()
    refused = memd.inside("import", target, "--project", str(third), "--yes")
    assert (refused.code, str(project) in refused.err) == (2, True)
    unknown = memd.inside("import", target, "--project", str(third), "--from", "hop", "--yes")
    assert (unknown.code, "none of them is hop" in unknown.err) == (2, True)
    taken = memd.inside("import", target, "--project", str(third), "--from", "shop", "--yes")
    assert taken.code == 0
    slug = f"{memd.memory.parent.name.removesuffix('shop')}third"
    found = sorted(path.name for path in (memd.memory.parent.parent / slug / "memory").glob("feedback*"))
    assert found == ["feedback_always_run_make_lint_before_you_commit.md"]


def test_what_does_not_happen(memd: Memd, tmp_path: Path, tree: Callable[[], frozenset[str]]) -> None:
    target = tmp_path / "out.tar.gz"
    assert memd.inside("export", str(target)).code == 2  # no memories yet
    memd.remember("a", "A rule")
    memd.inside("export", str(target))
    before, data = tree(), target.read_bytes()
    (memd.memory / "feedback_b.md").write_bytes((memd.memory / "feedback_a.md").read_bytes())
    (memd.memory / "feedback_b.md").rename(memd.memory / "feedback_a.md")
    codes = {
        "overwrite": memd.inside("export", str(target)).code,
        "no terminal": memd("import", str(target), "--project", str(other(memd)[0])).code,
        "dry run": memd.inside("import", str(target), "--project", str(other(memd)[0]), "--dry-run").code,
        "no archive": memd.inside("import", str(memd.memory / "feedback_a.md"), "--yes").code,
        "no file": memd.inside("import", str(tmp_path / "none"), "--yes").code,
        "agent": memd.inside("import", str(target), "--yes", environ={"CLAUDECODE": "1"}).code,
    }
    assert codes == {"overwrite": 2, "no terminal": 2, "dry run": 0, "no archive": 2, "no file": 2, "agent": 7}
    assert (target.read_bytes(), tree() - before) == (data, frozenset({"other"}))


def test_what_a_person_wrote_stays_theirs(memd: Memd, tmp_path: Path) -> None:
    memd.memory.mkdir(parents=True)
    (memd.memory / "feedback_a.md").write_bytes(b"---\nname: a\ndescription: mine\ntype: feedback\n---\nMine.\n")
    memd.inside("export", target := str(tmp_path / "out.tar.gz"))
    project, memory = other(memd)
    memd.inside("import", target, "--project", str(project), "--yes")
    assert "feedback_a.md" in whose.foreign(memory, history=config.load(os.environ).paths.history)
