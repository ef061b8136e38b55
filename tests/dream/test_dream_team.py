"""A dream where a team shares memories: it leaves them alone, learns nothing from them, and takes up lost edits."""

from __future__ import annotations

import pytest

from memd.agent.backend import Task
from memd.ledger import Outcome, Run
from memd.memory import history, review, standing, store, topic
from memd.memory.decision import Held, Reason
from memd.memory.journal import RunNote
from memd.memory.log import Bullet
from memd.memory.topic import TopicType
from tests.dream.conftest import Bed
from tests.fakes.shop import Script, Scripted

NOTE = "Deployments to production go through the blue-green script, and nobody deploys on Fridays."
BASE = "The merge freeze begins on 2026-03-05."
OURS = "The merge freeze begins on 2026-03-12, says release management."
THEIRS = "The merge freeze begins on 2026-03-19."


def note(text: str, kind: TopicType = TopicType.FEEDBACK) -> bytes:
    return topic.render("a-note", text, kind, topic.body(text))


def shared(bed: Bed, text: str = NOTE) -> None:
    """A team mate's note."""
    (bed.memory / "team").mkdir(parents=True, exist_ok=True)
    (bed.memory / "team" / "feedback_deploys.md").write_bytes(note(text))


def held(bed: Bed, run: Run) -> tuple[Held, ...]:
    return history.load(run.id, history=bed.house.paths.history).run.held


def proposes(path: str, kind: TopicType, text: str, *quotes: str) -> Script:
    def script(task: Task) -> None:
        target = task.workspace.memory / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(topic.render("x", text[:100], kind, topic.body(text), evidence=quotes or (text,)))

    return script


def live(bed: Bed) -> set[str]:
    """The private topics."""
    return {path.name for path in bed.memory.glob("*.md")} - {"MEMORY.md"}


def test_a_dream_is_not_shown_what_the_team_shares(bed: Bed) -> None:
    shared(bed)
    bed.note("Always run make lint before a commit.")
    backend = Scripted()
    bed.dream(backend)
    (task,) = backend.tasks
    assert not [path for path in task.workspace.base if path.startswith("team/")]
    assert all(NOTE not in said.text for said in task.new)


@pytest.mark.parametrize("kind", list(TopicType))
@pytest.mark.parametrize("source", ["session s1, assistant, memory", "session s1, tool", "team, run 7"])
def test_what_repeats_a_team_mate_does_not_go_live(bed: Bed, kind: TopicType, source: str) -> None:
    shared(bed)
    said = "Deployments to production go through the blue-green script."
    bed.note(said, kind=kind.value, source=source)
    bed.dream(Scripted(proposes(f"{kind}_x.md", kind, said, said)))
    assert live(bed) == set()


@pytest.mark.parametrize("source", ["session s1, assistant, memory", "session s1, assistant"])
def test_nor_by_rules(bed: Bed, source: str) -> None:
    shared(bed)
    bed.note(NOTE, "Deployments to production go through the blue-green script.", kind="project", source=source)
    for _ in range(4):
        bed.dream(force=True)
    assert live(bed) == set()


def test_without_the_note_the_same_words_would_do(bed: Bed) -> None:
    said = "Deployments to production go through the blue-green script."
    bed.note(said, kind="project", source="session s1, assistant, memory")
    bed.dream(Scripted(proposes("project_x.md", TopicType.PROJECT, said, said)))
    assert live(bed) == {"project_x.md"}


def test_what_a_person_said_is_theirs_whatever_the_team_says(bed: Bed) -> None:
    shared(bed)
    said = "Deployments to production go through the blue-green script."
    bed.note(said)
    bed.dream(Scripted(proposes("feedback_x.md", TopicType.FEEDBACK, said, said)))
    assert live(bed) == {"feedback_x.md"}


def test_a_dream_does_not_write_to_the_team(bed: Bed) -> None:
    shared(bed)
    before = (bed.memory / "team" / "feedback_deploys.md").read_bytes()
    said = "In this project we never deploy on Fridays."
    bed.note(said)
    bed.dream(Scripted(proposes("team/feedback_deploys.md", TopicType.FEEDBACK, said, said)))
    bed.note("In this project we never deploy on Sundays.")
    bed.dream(Scripted(proposes("team/feedback_new.md", TopicType.FEEDBACK, said, said)))
    assert [path.name for path in (bed.memory / "team").iterdir() if path.name != "MEMORY.md"] == [
        "feedback_deploys.md"
    ]
    assert (bed.memory / "team" / "feedback_deploys.md").read_bytes() == before


# edits that lost


def lost(bed: Bed, ours: str = OURS, theirs: str = THEIRS) -> int:
    """A sync in which a team mate's edit stood, as its run in the history has it."""
    now = bed.clock.now()
    bed.save({"team/project_freeze.md": note(ours, TopicType.PROJECT)}, now)
    runs = {record.id for record in history.runs(bed.house.paths.history)}
    number = max(runs) + 1
    text = f"{ours[:100]} (so said team/project_freeze.md here; a team mate's edit of it stands)"
    bullet = Bullet(type="project", text=text, source=f"team, run {number}")
    bed.save({"team/project_freeze.md": note(theirs, TopicType.PROJECT)}, now, bullets=[bullet])
    return number


def file(bed: Bed) -> str:
    return (bed.memory / "team" / "project_freeze.md").read_text()


def accepted(bed: Bed) -> None:
    """A person wants it."""
    (waiting,) = standing.waiting(tuple(history.runs(bed.house.paths.history)))
    run = RunNote(kind="review", started=bed.clock.now(), project=str(bed.project))
    store.transact(
        bed.memory, lambda memory: review.acceptance(waiting, memory), run=run, history=bed.house.paths.history
    )


@pytest.mark.parametrize("by_rules", [True, False])
def test_an_edit_that_lost_is_put_to_a_person(bed: Bed, by_rules: bool) -> None:  # noqa: FBT001 - a case
    number = lost(bed)
    backend = Scripted()
    done = bed.dream(None if by_rules else backend)
    assert done.outcome is Outcome.HELD
    (one,) = held(bed, done)
    assert (one.path, one.reason, one.detail) == ("team/project_freeze.md", Reason.CONFLICT, f"run {number}")
    assert THEIRS in file(bed)
    assert OURS not in file(bed)
    assert all(not task.new for task in backend.tasks)  # nothing for a model to decide
    accepted(bed)
    assert THEIRS in file(bed)
    assert OURS in file(bed)


def test_it_is_taken_up_once(bed: Bed) -> None:
    lost(bed)
    bed.dream()
    for _ in range(2):
        bed.note("Always run make lint before a commit.")
        assert not [one for one in held(bed, bed.dream(force=True)) if one.reason is Reason.CONFLICT]


def test_what_the_file_says_by_now_needs_nobody(bed: Bed) -> None:
    lost(bed)
    both = topic.render("a-note", THEIRS, TopicType.PROJECT, topic.body(f"{THEIRS}\n{OURS}"))
    bed.save({"team/project_freeze.md": both}, bed.clock.now())
    assert bed.dream().outcome is Outcome.NOTHING
    assert standing.waiting(tuple(history.runs(bed.house.paths.history))) == ()


def test_a_file_that_is_gone_may_come_back(bed: Bed) -> None:
    lost(bed)
    (bed.memory / "team" / "project_freeze.md").unlink()
    bed.dream()
    accepted(bed)
    assert OURS in file(bed)


@pytest.mark.parametrize("source", ["team, run 99999", "team, run 0", "team", "team, run 1; x"])
def test_a_line_that_leads_nowhere_is_a_note_like_any_other(bed: Bed, source: str) -> None:
    bed.note("The freeze is off (so said team/project_freeze.md here; a team mate's edit of it stands)", source=source)
    bed.dream()
    assert standing.waiting(tuple(history.runs(bed.house.paths.history))) == ()


def test_a_line_that_memd_did_not_write_is_not_believed(bed: Bed) -> None:
    number = lost(bed)
    bed.dream()
    log = next(bed.memory.glob("logs/*/*/*.md"))
    text = "x (so said team/project_freeze.md here; a team mate's edit of it stands)"
    with log.open("a") as stream:
        stream.write(f"- 10:00 [project] {text}  <!-- team, run {number} -->\n")
    assert not [one for one in held(bed, bed.dream(force=True)) if one.reason is Reason.CONFLICT]
