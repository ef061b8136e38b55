"""A dream mends what an agent wrote like what memd wrote; what a person says against a person's file is put to them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from memd.agent import fates
from memd.agent.backend import Task
from memd.agent.fates import Claim, Fate
from memd.ledger import Outcome, Run
from memd.memory import history, log, review, standing, store, topic
from memd.memory.decision import Held, Reason, Verdict
from memd.memory.store import Plan, RunNote
from memd.memory.topic import TopicType
from tests.dream.conftest import Bed
from tests.fakes.shop import Script, Scripted

FREEZE = "The merge freeze starts on 2026-04-10"
LATER = "The merge freeze starts on 2026-04-17, not on 2026-04-10"
PATH = "project_freeze.md"


def lay(bed: Bed, path: str, text: str, *, by_agent: bool, pinned: bool = False, days: float = 10) -> None:
    """A topic that an agent wrote with its date in it, or that a person did."""
    at = (bed.clock.now() - timedelta(days=days)).astimezone(UTC)
    metadata = {"modified": at.strftime("%Y-%m-%dT%H:%M:%SZ")} if by_agent else {}
    kind = TopicType(path.partition("_")[0])
    data = topic.render(path.removesuffix(".md"), text, kind, topic.body(text), metadata=metadata)
    (bed.memory / path).write_bytes(data.replace(b"---\n", b"---\npinned: true\n", 1) if pinned else data)
    os.utime(bed.memory / path, (at.timestamp(), at.timestamp()))


def held(bed: Bed, run: Run) -> tuple[Held, ...]:
    return bed.record(run).run.held


def accept(bed: Bed) -> None:
    (waiting,) = standing.waiting(tuple(history.runs(bed.house.paths.history)))
    run = RunNote(kind="review", started=bed.clock.now(), project=str(bed.project))
    runs = bed.house.paths.history
    store.transact(bed.memory, lambda memory: review.acceptance(waiting, memory), run=run, history=runs)


def test_an_agents_fact_is_corrected(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=True)
    bed.note(LATER, kind="project")
    assert bed.dream().outcome is Outcome.SAVED
    assert LATER in bed.files()[PATH]
    bed.note("The merge freeze starts on 2026-04-24, not on 2026-04-17", kind="project", days=0.1)
    bed.dream()
    assert "2026-04-24" in bed.files()[PATH]


def test_two_of_an_agents_become_one_and_what_is_over_goes(bed: Bed) -> None:
    rule = "Always run `make lint` before you commit"
    lay(bed, "feedback_lint.md", rule, by_agent=True)
    lay(bed, "feedback_lint_too.md", rule, by_agent=True, days=5)
    lay(bed, "project_over.md", "Merges are frozen until 2026-02-20", by_agent=True, days=60)
    for number in range(4):
        bed.topic(f"feedback_{number}.md", f"Keep {'abcd'[number] * 6} out of {'efgh'[number] * 7}", days=20)
    bed.dream()
    assert len({"feedback_lint.md", "feedback_lint_too.md"} & set(bed.files())) == 1
    assert "project_over.md" not in bed.files()


def test_what_a_person_changed_in_an_agents_file_is_theirs_again(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=True)
    bed.dream()
    file = bed.memory / PATH
    file.write_text(file.read_text().replace("not stated", "says Ada", 1))
    bed.note(LATER, kind="project")
    before = file.read_bytes()
    assert [one.path for one in held(bed, bed.dream())] == [PATH]
    assert file.read_bytes() == before


@pytest.mark.parametrize("pinned", [False, True], ids=["persons", "pinned"])
@pytest.mark.parametrize("days", [10.0, 0.5], ids=["before", "since"])
def test_what_a_person_says_against_it_is_put_to_them(bed: Bed, days: float, *, pinned: bool) -> None:
    lay(bed, PATH, FREEZE, by_agent=pinned, pinned=pinned, days=days)
    before = (bed.memory / PATH).read_bytes()
    bed.note(LATER, kind="project")
    done = bed.dream()
    (one,) = held(bed, done)
    assert (one.path, one.reason) == (PATH, Reason.CONTRADICTS)
    assert [quote.text for quote in one.quotes] == [LATER]
    report = bed.record(done).run.dream
    assert report is not None
    assert report.notes == {"held": 1}
    assert (bed.memory / PATH).read_bytes() == before
    assert bed.dream().outcome is Outcome.NOTHING
    accept(bed)
    said = topic.parse((bed.memory / PATH).read_bytes())
    assert said.body.startswith(LATER)
    assert said.pinned is pinned


def test_what_is_taken_back_in_other_words_is_put_to_them_and_what_is_beside_it_is_a_memory(bed: Bed) -> None:
    rule = "Always mock the database in the integration tests"
    lay(bed, "feedback_mock.md", rule, by_agent=True, pinned=True)
    bed.note("From now on never mock the database in the integration tests, use the real one.")
    bed.note("Mock the mail server in the integration tests")
    done = bed.dream()
    (one,) = held(bed, done)
    assert (one.path, one.reason) == ("feedback_mock.md", Reason.CONTRADICTS)
    assert "use the real one" in (one.change.after or b"").decode()
    assert len(done.files) == 2  # the other one, and the index


def test_a_correction_that_is_said_again_is_one_question_and_none_once_it_was_rejected(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=False)
    bed.note(LATER, kind="project")
    assert len(held(bed, bed.dream())) == 1
    bed.note(LATER, kind="project", days=0.5, source="session s2, human, memory")
    again = bed.record(bed.dream()).run
    assert (again.held, again.dream and again.dream.notes) == ((), {"held": 1})
    runs = bed.house.paths.history
    (waiting,) = standing.waiting(tuple(history.runs(runs)))
    no = RunNote(kind="review", started=bed.clock.now(), reviews=review.verdict(waiting, Verdict.REJECTED))
    store.transact(bed.memory, lambda _: Plan(changes=()), run=no, history=runs)
    bed.note(LATER, kind="project", days=0.2, source="session s3, human, memory")
    report = bed.record(bed.dream()).run.dream
    assert report is not None
    assert (report.notes, report.reasons) == ({"dropped": 1}, {"rejected by a person": 1})
    assert FREEZE in bed.files()[PATH]


def test_two_corrections_are_one_question_and_other_memories_stay(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=False)
    bed.topic("project_other.md", "The demo for Acme is on 2026-05-04", "project")
    bed.note(LATER, kind="project", days=2)
    bed.note("The merge freeze starts on 2026-04-24, not on 2026-04-10", kind="project", days=1)
    done = bed.dream()
    (one,) = held(bed, done)
    assert "2026-04-24" in topic.parse(one.change.after or b"").description
    assert len(one.quotes) == 2
    assert "project_other.md" in bed.files()


@pytest.mark.parametrize("source", ["session s1, human", "session s1, assistant, memory"], ids=["remark", "agents"])
def test_who_did_not_ask_for_a_memory_is_not_asked_about_one(bed: Bed, source: str) -> None:
    lay(bed, PATH, FREEZE, by_agent=False)
    bed.note(LATER, kind="project", source=source)
    done = bed.dream()
    assert not held(bed, done)
    assert FREEZE in bed.files()[PATH]


def test_few_words_that_a_person_wanted_kept_are_put_to_them(bed: Bed) -> None:
    bed.note("Tabs", kind="feedback")
    assert [one.path for one in held(bed, bed.dream())] == ["feedback_tabs.md"]
    bed.note("Tubs", kind="feedback", source="session s1, human")
    assert not held(bed, bed.dream())


def test_what_a_person_wrote_down_is_not_given_up_on_because_it_is_unclear(bed: Bed) -> None:
    texts = (
        "Never force-push the shared branch without telling Kim",
        "Our customer in Basel wants invoices as PDF only",
    )
    bed.note(*texts, kind="note", source="memd log, human")
    done = bed.dream()
    assert {quote.text for one in held(bed, done) for quote in one.quotes} | words_of(bed) == set(texts)
    bed.note("Never deploy on a Friday, says somebody", kind="note", source="session s1, human")
    assert not held(bed, bed.dream())


def words_of(bed: Bed) -> set[str]:
    return {topic.parse(text.encode()).description for path, text in bed.files().items() if path != "MEMORY.md"}


def rewrites(number: int | None, text: str, quote: str, *, pin: bool = False) -> Script:
    """A model that puts other words into the topic, and says so of a note."""

    def propose(task: Task) -> None:
        path = task.workspace.memory / PATH
        data = topic.updated(path.read_bytes(), description=text, body=topic.body(text))
        data = topic.with_evidence(data or b"", (quote,)) or b""
        path.write_bytes(data.replace(b"---\n", b"---\npinned: true\n", 1) if pin else data)
        claims = [] if number is None else [Claim(fate=Fate.DISTILLED, number=number, into=PATH)]
        task.workspace.bullets.write_text(fates.render(claims), encoding="utf-8")

    return propose


def test_a_models_correction_of_a_persons_file_is_put_to_them_too(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=False)
    bed.note(LATER, kind="project")
    backend = Scripted(rewrites(1, LATER, LATER))
    done = bed.dream(backend)
    assert [(one.path, one.reason) for one in held(bed, done)] == [(PATH, Reason.CONTRADICTS)]
    assert backend.tasks[0].protected == {PATH}
    assert FREEZE in bed.files()[PATH]


def test_a_model_that_pins_or_rewrites_without_a_persons_word_is_refused(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=False)
    bed.note(LATER, kind="project")
    done = bed.dream(Scripted(rewrites(1, LATER, LATER, pin=True)))
    assert not held(bed, done)
    assert [one.reason for one in bed.record(done).run.dropped] == [Reason.PINNED]
    done = bed.dream(Scripted(rewrites(None, "The merge freeze is off", FREEZE)))
    assert not held(bed, done)
    assert [one.reason for one in bed.record(done).run.dropped] == [Reason.PROTECTED]


def test_what_a_person_wanted_kept_and_no_model_takes_up_is_put_to_them(bed: Bed) -> None:
    bed.note(LATER, kind="project")
    bed.note("maybe look at the cache some day", kind="project", source="session s1, human")
    backend = Scripted()
    first, second, third = (bed.dream(backend) for _ in range(3))
    assert not any(held(bed, run) for run in (first, second) if run.id)
    (one,) = held(bed, third)
    assert (one.reason, [quote.text for quote in one.quotes]) == (Reason.UNDECIDED, [LATER])
    report = bed.record(third).run.dream
    assert report is not None
    assert report.notes == {"dropped": 1, "held": 1}
    accept(bed)
    assert LATER in bed.files()[one.path]


def test_a_note_whose_topic_was_edited_meanwhile_is_open_again_as_it_was(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=True)
    bed.note(LATER, kind="project")

    def propose(task: Task) -> None:
        rewrites(1, LATER, LATER)(task)
        (bed.memory / PATH).write_text("mine")

    bed.dream(Scripted(propose))
    assert (bed.memory / PATH).read_text() == "mine"
    lines = [line for _, data in log.everything(bed.memory) for line in log.parse(data)]
    assert (LATER, "memd dream, human, memory") in [(line.text, line.source) for line in lines]


def test_what_a_person_had_a_part_in_is_noted_by_a_dream(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=False)
    bed.dream()
    lay(bed, PATH, f"{FREEZE}, at noon", by_agent=True, days=0)
    bed.note(LATER, kind="project", days=-0.01)
    assert [one.path for one in held(bed, bed.dream())] == [PATH]


def test_an_hour_that_no_clock_has_is_no_agents(bed: Bed) -> None:
    lay(bed, PATH, FREEZE, by_agent=True)
    at = datetime(2040, 1, 1, tzinfo=UTC).timestamp()
    os.utime(bed.memory / PATH, (at, at))
    bed.note(LATER, kind="project")
    assert [one.path for one in held(bed, bed.dream())] == [PATH]
