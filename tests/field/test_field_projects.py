"""What went wrong elsewhere with whose memory it is, and how memories were lost; one test a kind.

The reports stand in the docstrings. CC is anthropics/claude-code, CR Digital-Process-Tools/claude-remember, OC
openclaw/openclaw.
"""

from __future__ import annotations

import ast
import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memd
from memd.agent.backend import Task
from memd.dream.proposal import TooMuchLostError
from memd.extract import run as passes
from memd.memory import history, log, topic
from memd.memory.log import Bullet
from tests.cli.conftest import Memd
from tests.dream.conftest import Bed
from tests.extract.conftest import World, saves
from tests.fakes import claude_lines as lines
from tests.fakes.shop import Scripted
from tests.fakes.talk import RULE, converse

SAID = "Never deploy on a Friday"
HOUSE = Path(memd.__file__).parent


def listed(near: Memd, project: Path) -> list[str]:
    """The memories that somebody in a directory has, by their descriptions."""
    answer = near.inside("list", "--json", "--project", str(project))
    return [one["description"] for one in answer.json["memories"]]


def work_tree(repository: Path, tree: Path) -> None:
    """A second work tree of a repository, as git lays it out."""
    own = repository / ".git" / "worktrees" / tree.name
    own.mkdir(parents=True)
    tree.mkdir()
    for place in (repository / ".git", own):
        (place / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    for name in ("objects", "refs"):
        (repository / ".git" / name).mkdir()
    (own / "commondir").write_text("../..\n", "utf-8")
    (own / "gitdir").write_text(f"{tree}/.git\n", "utf-8")
    (tree / ".git").write_text(f"gitdir: {own}\n", "utf-8")


# Which project


def test_project_what_is_written_in_a_subdirectory_is_read_in_a_work_tree(near: Memd) -> None:
    """CC#30667, CC#44130, CC#52772, CC#81833: written in one place, read in another."""
    tree = near.home / "tree"
    work_tree(near.project, tree)
    (near.project / "src").mkdir()
    assert near.inside("remember", SAID, "--project", str(near.project / "src")).code == 0
    assert listed(near, tree) == listed(near, near.project) == [SAID]


def test_project_two_with_one_slug_never_share(near: Memd) -> None:
    """CC#70076, CC#91735: slugs collide, and one client's credentials reached another's memory."""
    first, second = near.home / "web.app", near.home / "web-app"
    first.mkdir()
    second.mkdir()
    near.inside("remember", SAID, "--project", str(first))
    for command in (("list",), ("recall", "deploy"), ("show", "x"), ("remember", "Always use tabs"), ("log", "x")):
        answer = near.inside(*command, "--project", str(second))
        assert SAID not in answer.out
        assert str(first) in answer.err
        assert "autoMemoryDirectory" in answer.err
    assert listed(near, first) == [SAID]


def test_project_that_was_renamed_takes_its_memory_along(near: Memd) -> None:
    """CC#44038: a rename orphaned the memory."""
    near.inside("remember", SAID)
    moved = near.home / "store"
    near.project.rename(moved)
    near.project.mkdir()
    near.inside("project", "mv", str(near.project), str(moved), "--yes")
    assert (listed(near, moved), listed(near, near.project)) == ([SAID], [])


def test_project_behind_a_link_is_the_same(near: Memd) -> None:
    """CC#72049, CC#70938: symlinked and mapped paths."""
    link = near.home / "link"
    link.symlink_to(near.project)
    near.inside("remember", SAID, "--project", str(link))
    assert listed(near, near.project) == listed(near, link) == [SAID]
    converse(near.memory, link)  # the agent was started behind it
    assert near.inside("extract", "--last", "--json").json["memory_dir"] == str(near.memory)


def test_project_a_configured_directory_is_everybodys(near: Memd) -> None:
    """CC#36636, CC#39204: some writers passed over the directory that was configured."""
    kept = near.home / "kept"
    (near.home / ".claude" / "settings.json").write_text(json.dumps({"autoMemoryDirectory": str(kept)}), "utf-8")
    converse(near.memory, near.project)
    near.inside("remember", SAID)
    near.inside("log", "a note")
    near.inside("extract", "--last")
    near.inside("dream", "--force")
    assert near.inside("pin", "feedback_run_make_lint_before_commit").code == 0
    assert len(listed(near, near.project)) == 2
    assert str(kept) in near.inside("prompt").out
    assert near.inside("recall", "deploy", "--json").json["memories"][0]["path"].startswith(f"{kept}/")
    assert {run["memory_dir"] for run in near.inside("history", "--json").json["runs"]} == {str(kept)}
    assert not near.memory.exists()


def test_project_one_module_knows_where_memory_is() -> None:
    """CC#36636, CC#39204: there is one resolver, and nothing else makes a directory's name or reads its settings."""
    makers, readers = set(), set()
    for path in HOUSE.rglob("*.py"):
        name, text = path.relative_to(HOUSE).as_posix(), path.read_text("utf-8")
        if "MemoryDir(" in text or ('"projects"' in text and '"memory"' in text):
            makers |= {name for node in ast.walk(ast.parse(text)) if _makes_one(node)}
        if "from memd.memory.configured_directory import" in text:
            readers.add(name)
    assert makers == {"memory/location.py"}
    assert readers == {"memory/location.py", "memory/shown_directory.py"}  # the one asks the other


def _makes_one(node: ast.AST) -> bool:
    """Whether it puts a place together, or says that it is one."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith("MemoryDir")
    named = {str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant)}
    return isinstance(node, ast.BinOp) and {"projects", "memory"} <= named


# Loss


def test_loss_a_dream_that_empties_everything_is_refused_and_by_force_can_be_undone(bed: Bed) -> None:
    """CC#47959, vellum-ai/vellum-assistant#24045, yonatangross/orchestkit#3057: 23 files, 745 of 931, 11 of 11 gone."""
    for number in range(5):
        bed.topic(f"feedback_rule_{number}.md", f"Rule {number} is about subject{number} alone")
    before = bed.files()

    def empty(task: Task) -> None:
        for path in task.workspace.memory.glob("*.md"):
            path.unlink()

    with pytest.raises(TooMuchLostError):
        bed.dream(Scripted(empty))
    assert bed.files() == before
    done = bed.dream(Scripted(empty), force=True)
    assert set(bed.files()) == {"MEMORY.md"}
    assert len(bed.record(done).files) >= 5
    history.undo(done.id, history=bed.house.paths.history, now=bed.clock.now())
    assert bed.files() == before


def test_loss_two_who_write_the_index_both_keep_their_lines(world: World) -> None:
    """CC#58736, CC#85597: the last writer won; here MEMORY.md is edited between being read and being written."""
    live = world.memory / "MEMORY.md"

    def meanwhile(task: Task) -> None:
        saves(RULE)(task)
        with (task.workspace.memory / "MEMORY.md").open("a", encoding="utf-8") as proposed:
            proposed.write("- [Rule](feedback_rule.md) — said by a person\n")
        live.write_text(f"{live.read_text('utf-8')}\nwritten while the pass went on\n", "utf-8")

    world.memory.mkdir(parents=True)
    live.write_text("# Mine\n", "utf-8")
    world.write(*turn("h1", RULE))
    world.backend.script = meanwhile
    passes.run(world.job(), world.house)
    lines_of = live.read_text("utf-8").splitlines()
    assert {"# Mine", "written while the pass went on"} < set(lines_of)
    assert sum("](feedback_rule.md)" in line for line in lines_of) == 1


def turn(uuid: str, said: str) -> tuple[lines.Line, lines.Line]:
    return lines.prompt(uuid, said), lines.answer(f"a-{uuid}", f"m-{uuid}", lines.text("Yes."))


def test_loss_a_b_a_each_conversation_has_its_own_cursor(world: World) -> None:
    """CR#140: one cursor for all, so that what another session had said was summarised again."""
    a, b = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "ab")
    for session, said in ((a, "first of A"), (b, "first of B"), (a, "second of A"), (b, "second of B")):
        world.write(*turn(said.replace(" ", "-"), said), session=session)
        passes.run(world.job(session), world.house)
    new = [[one.text for one in task.new if one.text != "Yes."] for task in world.backend.tasks]
    assert new == [["first of A"], ["first of B"], ["second of A"], ["second of B"]]


def test_loss_eight_who_append_to_a_log_at_once_lose_no_line_and_write_none_twice(tmp_path: Path) -> None:
    """OC#6877, OC#99509, OC#117741: a daily log was overwritten, or appended twice. With processes: test_memory_log."""
    now = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)

    def write(who: int) -> None:
        for number in range(25):
            log.append(tmp_path, [Bullet(type="user", text=f"{who} {number}")], now)

    writers = [threading.Thread(target=write, args=(who,)) for who in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = [one.text for one in log.parse((tmp_path / log.path_for(now.date())).read_bytes())]
    assert sorted(found) == sorted(f"{who} {number}" for who in range(8) for number in range(25))
    assert [text for text in found if text.startswith("3 ")] == [f"3 {number}" for number in range(25)]


def test_loss_a_file_that_cannot_be_read_back_is_left_alone_and_reported(near: Memd) -> None:
    """hermes-agent memory tool: a file that the parser could not round-trip was rewritten."""
    odd = near.memory / "feedback_odd.md"
    odd.parent.mkdir(parents=True)
    odd.write_bytes(
        b"---\nname: odd\ndescription: [Never deploy, on a Friday\ntype: feedback\n---\n\xff\xfeNever deploy\n"
    )
    os.utime(odd, (1_700_000_000, 1_700_000_000))
    before = (odd.read_bytes(), odd.stat().st_mtime_ns)
    assert topic.parse(odd.read_bytes()).problems
    near.inside("remember", "Never deploy on a Friday")
    near.inside("pin", "feedback_odd")
    near.inside("dream", "--force")
    assert (odd.read_bytes(), odd.stat().st_mtime_ns) == before
    assert "feedback_odd.md" in near.inside("list").out
    assert "feedback_odd.md: not UTF-8 text" in near.inside("status").out
