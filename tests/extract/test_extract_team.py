"""A pass where a team shares the project's memory: what it may share, and what it does not learn from others."""

from __future__ import annotations

import pytest

from memd.agent.backend import Task
from memd.extract import run as passes
from memd.ledger import Outcome, Run
from memd.memory import history, membership, topic
from memd.memory.decision import Held, Reason
from memd.memory.prompt import MARK
from memd.memory.topic import TopicType
from tests.extract.conftest import World
from tests.fakes import claude_lines as lines
from tests.fakes.shop import Script

NOTE = "Deployments to production go through the blue-green script, and nobody deploys on Fridays."
FREEZE = "We freeze all merges from 2026-04-09 on because mobile cuts a release branch."
CONVENTION = "In this project nobody mocks the database in tests."
TASTE = "Never end your answers with a summary."


@pytest.fixture
def team(world: World) -> World:
    """The same with team memory, and a team mate's note in it."""
    one = membership.planned(
        world.house.paths, root=world.project, memory_dir=world.memory, remote="/srv/memory.git", branch="memd"
    )
    membership.note(one, world.clock.now())
    (world.memory / "team").mkdir(parents=True)
    (world.memory / "team" / "feedback_deploys.md").write_bytes(
        topic.render("deploys", NOTE, TopicType.FEEDBACK, topic.body(NOTE))
    )
    return world


def proposes(path: str, kind: TopicType, text: str, *quotes: str) -> Script:
    """A model that is sure of itself."""

    def propose(task: Task) -> None:
        body = topic.body(text) if kind in {TopicType.FEEDBACK, TopicType.PROJECT} else text
        target = task.workspace.memory / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(topic.render("x", text[:100], kind, body, evidence=quotes or (text,)))

    return propose


def passed(world: World, *said: str, by: Script) -> Run:
    """One pass over a conversation of these turns, the person's and the agent's by turns."""
    before = len(world.backend.tasks)
    for place, text in enumerate(said):
        name = f"{before}-{place}"
        if place % 2 == 0:
            world.write(lines.prompt(f"h{name}", text))
        else:
            world.write(lines.answer(f"a{name}", f"m{name}", lines.text(text)))
    world.backend.script = by
    return passes.run(world.job(by_hand=True), world.house)


def held(world: World, run: Run) -> tuple[Held, ...]:
    return history.load(run.id, history=world.house.paths.history).run.held


def test_a_backend_gets_the_teams_files_too(team: World) -> None:
    passed(team, "hello", "Hi.", by=lambda _: None)
    (task,) = team.backend.tasks
    assert task.workspace.team
    assert "team/feedback_deploys.md" in task.workspace.base


def test_without_team_memory_nothing_of_it_is_shown_or_taken(world: World) -> None:
    (world.memory / "team").mkdir(parents=True)
    (world.memory / "team" / "project_x.md").write_bytes(b"x")
    done = passed(world, FREEZE, "Noted.", by=proposes("team/project_freeze.md", TopicType.PROJECT, FREEZE))
    assert done.outcome is Outcome.NOTHING
    assert list(world.backend.tasks[0].workspace.base) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [(TopicType.PROJECT, FREEZE), (TopicType.FEEDBACK, CONVENTION)],
)
def test_what_concerns_all_is_shared(team: World, kind: TopicType, text: str) -> None:
    done = passed(team, text, "Noted.", by=proposes(f"team/{kind}_new.md", kind, text))
    assert (done.outcome, f"team/{kind}_new.md" in done.files) == (Outcome.SAVED, True)
    files = team.files()
    assert "evidence" not in files[f"team/{kind}_new.md"]
    assert "MEMORY.md" not in files or "_new.md" not in files["MEMORY.md"]
    assert any(f"→ team/{kind}_new.md" in text for path, text in files.items() if path.startswith("logs/"))


def test_how_one_person_likes_it_waits_for_them(team: World) -> None:
    done = passed(team, TASTE, "Noted.", by=proposes("team/feedback_new.md", TopicType.FEEDBACK, TASTE))
    assert (done.outcome, [one.reason for one in held(team, done)]) == (Outcome.HELD, [Reason.NOT_FOR_TEAM])


def test_who_somebody_is_and_secrets_are_not_shared(team: World) -> None:
    role = "I am the only one here who has never used Kubernetes."
    done = passed(team, role, "Noted.", by=proposes("team/user_role.md", TopicType.USER, role))
    assert done.outcome is Outcome.NOTHING
    key = "We all deploy with AKIA" + "Z7KQ4M2PXW5TRN3B here."
    done = passed(team, key, "Noted.", by=proposes("team/project_key.md", TopicType.PROJECT, key))
    assert done.outcome is Outcome.NOTHING
    assert [path for path in team.files() if path.startswith("team/")] == ["team/feedback_deploys.md"]


def test_a_team_mates_words_are_not_taken_away(team: World) -> None:
    before = team.files()["team/feedback_deploys.md"]
    text = "In this project deployments may happen on Fridays, too."
    passed(team, text, "Noted.", by=proposes("team/feedback_deploys.md", TopicType.FEEDBACK, text))
    assert team.files()["team/feedback_deploys.md"] == before

    def deletes(task: Task) -> None:
        (task.workspace.memory / "team" / "feedback_deploys.md").unlink()

    passed(team, "Forget the deployments.", "Done.", by=deletes)
    assert team.files()["team/feedback_deploys.md"] == before


RULE = "Deployments to production go through the blue-green script"


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        (("How do I ship this?", f"The team's memory says: {RULE}."), (f"{RULE}.",)),
        (
            ("How do I ship this?", f"{RULE}. Shall I go on like that?", "yes"),
            (f"{RULE}. Shall I go on like that?", "yes"),
        ),
        (("Ship it.", f"As you said, {RULE}.", "ok"), (f"{RULE}.", "ok")),
        ((f"> {NOTE}\nwhat is this?", "It is the team's rule."), (NOTE,)),
    ],
    ids=["quoted by the agent", "agreed to", "put into the person's mouth", "cited"],
)  # fmt: skip
@pytest.mark.parametrize("kind", [TopicType.FEEDBACK, TopicType.PROJECT, TopicType.REFERENCE])
def test_a_note_that_was_recalled_does_not_become_the_persons(
    team: World, said: tuple[str, ...], quotes: tuple[str, ...], kind: TopicType
) -> None:
    done = passed(team, *said, by=proposes(f"{kind}_deploys.md", kind, f"{RULE}.", *quotes))
    assert done.outcome is Outcome.HELD
    assert f"{kind}_deploys.md" not in team.files()


def test_what_a_hook_put_before_the_agent_is_no_word_of_the_persons(team: World) -> None:
    shown = f"<{MARK}>\n{NOTE}\n</{MARK}>"
    done = passed(team, f"Ship it.\n{shown}", "Shipped.", by=proposes("feedback_x.md", TopicType.FEEDBACK, NOTE, NOTE))
    assert "feedback_x.md" not in team.files()
    assert done.outcome in {Outcome.HELD, Outcome.NOTHING}


def test_the_agents_own_write_into_the_teams_memory_counts(team: World) -> None:
    path = str(team.memory / "team" / "project_x.md")
    call = lines.call("t1", "Write", file_path=path, content="x")
    team.write(lines.prompt("h1", FREEZE), lines.answer("a1", "m1", call), lines.result("r1", "t1", "ok"))
    team.write(lines.answer("a2", "m2", lines.text("Done.")))
    done = passes.run(team.job(), team.house)
    assert (done.outcome, done.reason) == (Outcome.SKIPPED, "agent_wrote_memory")
