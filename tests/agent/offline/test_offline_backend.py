"""What the backend leaves in a workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.agent.offline.backend import Offline
from memd.memory import topic, validate, workspace
from memd.memory.quotes import Utterance
from memd.memory.topic import Topic, TopicType
from memd.memory.workspace import Workspace

Save = Callable[..., dict[str, Topic]]
Talk = Callable[..., tuple[Utterance, ...]]

RULE = "from now on run the linter before every commit, ci rejects it otherwise"


def test_a_rule_becomes_a_file_and_an_index_line(save: Save, space: Workspace) -> None:
    ((name, saved),) = save(RULE).items()
    assert saved.type is TopicType.FEEDBACK
    assert saved.evidence == (RULE, "ci rejects it otherwise")
    assert saved.body.split("\n\n") == [
        "Run the linter before every commit.",
        "**Why:** ci rejects it otherwise.",
        "**How to apply:** Before every commit.",
    ]
    index = (space.memory / "MEMORY.md").read_text(encoding="utf-8")
    assert index.startswith("- [")
    assert f"]({name}) — " in index
    assert len(index.strip()) <= 150


def test_a_reason_that_nobody_gave_is_not_made_up(save: Save) -> None:
    (saved,) = save("以后提交信息都用英文").values()
    assert "**Why:** not stated" in saved.body


def test_a_plan_has_its_absolute_date(save: Save) -> None:
    (saved,) = save("heads up, code freeze starts next Friday").values()
    assert saved.type is TopicType.PROJECT
    assert "2026-05-22 (next Friday)" in saved.body


def test_nothing_to_say_leaves_nothing(save: Save, space: Workspace) -> None:
    assert save("why is the build red", "A: a typo", "ok fix it") == {}
    assert list(space.memory.iterdir()) == []
    assert not space.bullets.exists()


def test_a_hint_becomes_a_bullet(save: Save, space: Workspace) -> None:
    assert save("always mention the size of the file") == {}
    assert space.bullets.read_text(encoding="utf-8") == "- [feedback] always mention the size of the file\n"


def test_the_same_rule_again_changes_no_byte(save: Save, space: Workspace) -> None:
    save(RULE)
    before = {path: path.read_bytes() for path in space.memory.iterdir()}
    save(RULE)
    assert {path: path.read_bytes() for path in space.memory.iterdir()} == before


def test_a_changed_rule_updates_its_file(save: Save) -> None:
    (first,) = save("from now on keep commit messages under 50 characters")
    ((second, saved),) = save("from now on keep commit messages under 72 characters").items()
    assert first == second
    assert "72" in saved.body
    assert "50" not in saved.body
    assert saved.evidence == ("from now on keep commit messages under 72 characters",)


def test_what_is_said_against_a_pinned_topic_is_proposed_so_that_it_is_not_lost(space: Workspace, save: Save) -> None:
    data = topic.render(
        "style", "commit messages under 50 characters", TopicType.FEEDBACK, "keep commit messages under 50 characters"
    )
    path = space.memory / "feedback_style.md"
    path.write_bytes(data.replace(b"type: feedback\n", b"type: feedback\npinned: true\n", 1))
    text = "from now on keep commit messages under 72 characters"
    ((name, saved),) = save(text).items()
    assert name == path.name
    assert saved.pinned
    assert saved.evidence == (text,)
    assert not space.bullets.exists()


def test_a_file_that_takes_nothing_in_is_left_alone_and_a_memory_of_its_own_made_once(
    space: Workspace, save: Save
) -> None:
    path = space.memory / "feedback_style.md"
    path.write_bytes(
        b"---\nname: style\ntype: feedback\nkey: [unclosed\n---\nkeep commit messages under 50 characters\n"
    )
    before = path.read_bytes()
    text = "from now on keep commit messages under 72 characters"
    assert len(save(text)) == 2
    assert len(save(text)) == 2
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["[[x]] (y) always use tabs in this repo, the linter wants it", "以后" + "很长" * 200 + "都用英文写"]
)
def test_odd_titles_still_make_one_index_line(text: str, save: Save, space: Workspace) -> None:
    save(text)
    index = space.memory / "MEMORY.md"
    lines = index.read_text(encoding="utf-8").splitlines() if index.exists() else []
    assert all(len(line) <= 150 for line in lines)


@pytest.mark.parametrize(
    "texts",
    [
        (RULE,),
        ("我干了十年 dba，sql 不用解释，前端的东西麻烦讲细点",),
        ("the demo for the board is next Tuesday so the dashboard has to work by then",),
        ("the metabase dashboard is metabase.corp.example/dashboard/41, look there for numbers",),
        (
            "A: I kept one migration per table instead of a big one.",
            "good call, one migration per table, do that for every schema change",
        ),
    ],
)
def test_what_it_proposes_is_accepted(texts: tuple[str, ...], talk: Talk, tmp_path: Path) -> None:
    window = talk(*texts)
    (tmp_path / "live").mkdir()
    with workspace.make(tmp_path / "live", tmp_path) as made:
        Offline().propose(Task(workspace=made, new=window))
        changes = [change for change in workspace.difference(made) if change.path != "MEMORY.md"]
    decision = validate.check(changes, window=window)
    assert (len(decision.accepted), decision.held, decision.dropped) == (1, (), ())


def test_secrets_reach_no_file(save: Save, space: Workspace) -> None:
    save("from now on log in with password=Zr8kQw2LmN71x please, always", "always use token=ghp_" + "a1B2" * 9)
    text = "".join(path.read_text(encoding="utf-8") for path in space.memory.iterdir())
    bullets = space.bullets.read_text(encoding="utf-8") if space.bullets.exists() else ""
    assert "Zr8kQw2LmN71x" not in text + bullets
    assert "a1B2" not in text + bullets
