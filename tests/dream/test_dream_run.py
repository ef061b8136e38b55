"""What a dream's backend may not do, and what happens around it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.dream import backlog, drafts, gates, lock
from memd.dream import run as dreams
from memd.dream.proposal import TooMuchLostError
from memd.errors import LockedError, TransientError
from memd.ledger import Outcome, Run, open_ledger
from memd.memory import history, topic
from memd.memory.topic import TopicType
from tests.dream.conftest import Bed
from tests.fakes.shop import Script, Scripted

LINT = "Always run make lint before you commit"
RULES = {
    "feedback_lint.md": LINT,
    "feedback_tabs.md": "Indent the Makefile with tabs",
    "feedback_english.md": "Write log messages in English",
    "feedback_review.md": "Put Lena on review for billing changes",
    "feedback_csv.md": "Export reports as CSV files",
}


@pytest.fixture
def full(bed: Bed) -> Bed:
    """Five memories, one open note."""
    for place, (path, text) in enumerate(RULES.items()):
        bed.topic(path, text, days=20 + place)
    bed.note("Ship the crates with Kuehne since March")
    return bed


def files_of(bed: Bed) -> set[str]:
    return set(bed.files())


def delete_all(task: Task) -> None:
    for path in task.workspace.memory.glob("*.md"):
        path.unlink()


def announce_all_gone(task: Task) -> None:
    lines = [f"- [removed] {path.name}: derivable\n" for path in sorted(task.workspace.memory.glob("f*.md"))]
    task.workspace.bullets.write_text("".join(lines))


def delete_the_directory(task: Task) -> None:
    shutil.rmtree(task.workspace.memory)


def hollow_out(task: Task) -> None:
    for path in task.workspace.memory.glob("feedback_*.md"):
        data = topic.updated(path.read_bytes(), description="nothing much", body="Nothing much.")
        path.write_bytes(topic.with_evidence(data or b"", ["Always"]) or b"")


BOTH = "Always run make lint before you commit. Indent the Makefile with tabs"


def put_together(task: Task) -> None:
    """Let one memory go into another."""
    path = task.workspace.memory / "feedback_lint.md"
    data = topic.updated(path.read_bytes(), description=BOTH, body=topic.body(BOTH))
    path.write_bytes(topic.with_evidence(data or b"", [LINT, RULES["feedback_tabs.md"]]) or b"")
    task.workspace.bullets.write_text("- [merged] feedback_tabs.md → feedback_lint.md\n")


@pytest.mark.parametrize("script", [delete_all, announce_all_gone], ids=["deleted", "announced"])
def test_a_dream_that_deletes_everything_is_refused(full: Bed, script: Script) -> None:
    before = full.stamps()
    with pytest.raises(TooMuchLostError, match="5 of 5 topics"):
        full.dream(Scripted(script))
    assert full.stamps() == before
    run = full.ledger.runs(1)[0]
    assert (run.kind, run.outcome, run.reason) == ("dream", Outcome.FAILED, "too_much_lost")
    assert full.ledger.jobs() == ()
    assert lock.read(full.memory).mtime is None


def test_at_night_it_is_noted_and_not_tried_again(full: Bed) -> None:
    done = full.dream(Scripted(delete_all), by_hand=False)
    assert (done.outcome, done.reason) == (Outcome.FAILED, "too_much_lost")
    assert full.ledger.jobs() == ()
    assert full.ledger.dreamt(str(full.memory)).said == "too_much_lost"


def test_by_force_it_deletes_and_can_be_taken_back(full: Bed) -> None:
    done = full.dream(Scripted(delete_all), force=True)
    assert files_of(full) == {"MEMORY.md"}
    history.undo(done.id, history=full.house.paths.history, now=full.clock.now())
    assert files_of(full) == {"MEMORY.md", *RULES}


def test_a_quarter_may_go_and_says_why(full: Bed) -> None:
    def script(task: Task) -> None:
        task.workspace.bullets.write_text("- [removed] feedback_csv.md: derivable\n")

    done = full.dream(Scripted(script))
    assert files_of(full) == {"MEMORY.md", *RULES} - {"feedback_csv.md"}
    report = full.record(done).run.dream
    assert report is not None
    assert [(step.did, step.path, step.why) for step in report.steps] == [("removed", "feedback_csv.md", "derivable")]


def test_a_workspace_that_is_gone_is_no_proposal(full: Bed) -> None:
    before = full.files()
    full.dream(Scripted(delete_the_directory))
    assert full.files() == before


def test_memories_that_say_nothing_any_more_are_not_taken(full: Bed) -> None:
    before = full.files()
    done = full.dream(Scripted(hollow_out))
    assert full.files() == before
    assert {one.reason for one in full.record(done).run.held} <= {"quote_not_found", "few_quoted_words", "ungrounded"}


def test_an_emptied_index_is_made_anew_and_what_people_wrote_in_it_stays(full: Bed) -> None:
    index = full.memory / "MEMORY.md"
    index.write_text("# Ours\n\n" + index.read_text() + "\nBy hand.\n")

    def script(task: Task) -> None:
        (task.workspace.memory / "MEMORY.md").write_text("")

    full.dream(Scripted(script))
    text = index.read_text()
    assert text.startswith("# Ours\n")
    assert text.endswith("\nBy hand.\n")
    assert all(f"({path})" in text for path in RULES)


def test_nonsense_is_dropped_with_its_reason(full: Bed) -> None:
    def script(task: Task) -> None:
        memory = task.workspace.memory
        (memory / "feedback_lint.md").write_bytes(b"\xff\xfe nonsense")
        (memory / "feedback_new.md").write_text("no header")
        (memory / "Über.md").write_text("---\nname: x\ndescription: y\ntype: user\n---\nz\n")
        (memory / "feedback_big.md").write_text("x" * 40_000)
        task.workspace.bullets.write_bytes(b"\x00\xff - [distilled] 1 \xe2\x86\x92 ../../etc/passwd.md\n")

    before = full.files()
    done = full.dream(Scripted(script))
    assert full.files() == before
    reasons = {one.path: str(one.reason) for one in full.record(done).run.dropped}
    assert reasons["feedback_lint.md"] == "not_utf8"
    assert reasons["feedback_new.md"] == "bad_type"
    assert reasons["Über.md"] == "bad_name"
    report = full.record(done).run.dream
    assert report is not None
    assert report.notes == {"carried": 1}


def test_what_lies_outside_is_neither_read_nor_written(full: Bed) -> None:
    secret = full.home / "secret.md"
    secret.write_text("---\nname: x\ndescription: y\ntype: user\n---\nmine\n")

    def script(task: Task) -> None:
        (task.workspace.memory / "feedback_link.md").symlink_to(secret)
        os.link(secret, task.workspace.memory / "feedback_hard.md")
        os.mkfifo(task.workspace.memory / "feedback_pipe.md")
        (task.workspace.memory / "logs").mkdir()
        (task.workspace.memory / "logs" / "2026-03-31.md").write_text("- 10:00 [feedback] forged\n")

    logs = {path: path.read_bytes() for path in full.memory.glob("logs/**/*.md")}
    done = full.dream(Scripted(script))
    assert files_of(full) == {"MEMORY.md", *RULES}
    assert {path: path.read_bytes() for path in full.memory.glob("logs/**/*.md")} == logs
    assert {one.path for one in full.record(done).run.odd} >= {"feedback_link.md", "feedback_hard.md"}


def test_what_was_done_before_it_broke_off_is_judged_like_the_rest_and_the_note_comes_again(full: Bed) -> None:
    def script(task: Task) -> None:
        (task.workspace.memory / "feedback_lint.md").unlink()
        raise TransientError("the service is busy")

    before = full.stamps()
    with pytest.raises(TransientError):
        full.dream(Scripted(script))
    assert full.stamps() == before
    backend = Scripted()
    full.dream(backend)
    dream = backend.tasks[0].dream
    assert dream is not None
    assert [note.text for note in dream.notes] == ["Ship the crates with Kuehne since March"]


def test_a_topic_that_a_person_edits_meanwhile_wins_and_nothing_is_lost(full: Bed) -> None:
    edited = full.memory / "feedback_lint.md"

    def script(task: Task) -> None:
        put_together(task)
        edited.write_text(edited.read_text().replace("not stated", "I say so", 1))

    done = full.dream(Scripted(script))
    assert "I say so" in edited.read_text()
    assert full.record(done).conflicts == ("feedback_lint.md",)
    backend = Scripted()
    full.dream(backend)
    dream = backend.tasks[0].dream
    assert dream is not None
    assert BOTH in [note.text for note in dream.notes]


def test_a_topic_does_not_go_into_one_that_a_person_changed_meanwhile(full: Bed) -> None:
    into = full.memory / "feedback_lint.md"

    def script(task: Task) -> None:
        put_together(task)
        into.write_text(into.read_text().replace("not stated", "I say so", 1))

    full.dream(Scripted(script))
    assert "feedback_tabs.md" in files_of(full)


def test_a_merge_keeps_the_words_of_both(full: Bed) -> None:
    done = full.dream(Scripted(put_together))
    assert "feedback_tabs.md" not in files_of(full)
    found = history.why("feedback_lint.md", memory_dir=full.memory, history=full.house.paths.history)
    assert {quote.text for quote in found[0].quotes} == {LINT, RULES["feedback_tabs.md"]}
    report = full.record(done).run.dream
    assert report is not None
    assert ("merged", "feedback_tabs.md", "feedback_lint.md") in [(s.did, s.path, s.into) for s in report.steps]


def test_an_agent_s_note_becomes_no_rule_by_a_model_either(bed: Bed) -> None:
    text = "Skip the checks for small changes"
    bed.note(text, source="session s1, assistant")

    def script(task: Task) -> None:
        data = topic.render("skip", text, TopicType.FEEDBACK, topic.body(text), evidence=(text,))
        (task.workspace.memory / "feedback_skip.md").write_bytes(data)
        task.workspace.bullets.write_text("- [distilled] 1 → feedback_skip.md\n")

    done = bed.dream(Scripted(script))
    assert bed.files() == {}
    assert [str(one.reason) for one in bed.record(done).run.held] == ["low_class"]
    report = bed.record(done).run.dream
    assert report is not None
    assert report.notes == {"held": 1}


def drop_the_first(task: Task) -> None:
    task.workspace.bullets.write_text("- [dropped] 1: known\n")


@pytest.mark.parametrize("is_explicit", [False, True], ids=["remark", "explicit"])
def test_a_note_is_carried_over_and_given_up_on_after_the_third_dream(full: Bed, *, is_explicit: bool) -> None:
    if not is_explicit:
        full.dream(Scripted(drop_the_first))
        full.note("maybe cut the demo short", source="session s1, human")
    ends = []
    for _ in range(4):
        done = full.dream(Scripted())
        full.clock.advance(86400)
        try:
            report = full.record(done).run.dream
        except Exception:  # noqa: BLE001 - a dream without notes leaves no record
            report = None
        ends.append((report.notes, report.reasons) if report else None)
    third = ({"held": 1}, {}) if is_explicit else ({"dropped": 1}, {"undecided": 1})
    assert ends == [({"carried": 1}, {}), ({"carried": 1}, {}), third, None]
    assert full.ledger.dreamt(str(full.memory)).idle == 3


def test_the_cursor_moves_only_with_success(full: Bed) -> None:
    def broken(_: Task) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        full.dream(Scripted(broken))
    assert full.ledger.dreamt(str(full.memory)).cursor is None
    assert full.ledger.dreamt(str(full.memory)).idle == 1
    full.dream(Scripted())
    assert full.ledger.dreamt(str(full.memory)).cursor is not None


def test_saves_of_passes_are_no_open_notes(bed: Bed) -> None:
    bed.note("run the linter → feedback_lint.md")
    backend = Scripted()
    bed.dream(backend)
    dream = backend.tasks[0].dream
    assert dream is not None
    assert dream.notes == ()


def test_another_dream_keeps_this_one_out(full: Bed) -> None:
    (full.memory / lock.NAME).write_text(str(os.getppid()))
    now = full.clock.now().timestamp()
    os.utime(full.memory / lock.NAME, (now, now))
    # The parent began long before that, as seen from the machine's own clock: only a real time will do here.
    import time  # noqa: PLC0415

    full.clock.step(time.time() - now)
    os.utime(full.memory / lock.NAME)
    with pytest.raises(LockedError):
        full.dream()
    with pytest.raises(TransientError):
        full.dream(by_hand=False)


def test_the_gates_have_their_reasons(bed: Bed) -> None:
    def said(**environ: str) -> Run:
        house = replace(bed.house, environ={**bed.house.environ, **environ})
        return dreams.run(bed.job(by_hand=False), bed.place, house)

    assert said(MEMD_DISABLE="1").reason == "memory_off"
    assert said().reason == "no_memory"
    bed.topic("feedback_lint.md", LINT)
    assert said().reason == "nothing_to_do"
    bed.note("Ship the crates with Kuehne since March")
    assert said().outcome == Outcome.NOTHING
    assert said().reason == "date_done"
    for outcome in (Outcome.NOTHING, Outcome.HELD):  # the note was left open
        bed.clock.advance(86400)
        assert said().outcome == outcome
    bed.clock.advance(86400)
    assert said().reason == "nothing_to_do"
    assert [run.outcome for run in bed.ledger.runs() if run.kind == "dream"] == [
        Outcome.HELD,
        Outcome.NOTHING,
        Outcome.NOTHING,
    ]


def test_enough_conversations_make_a_dream_without_notes(bed: Bed) -> None:
    from memd.ledger import Session  # noqa: PLC0415

    bed.topic("feedback_lint.md", LINT)
    hour_ago = int((bed.clock.now().timestamp() - 3600) * 1e9)
    for number in range(5):
        bed.ledger.note_session(
            Session(key=f"claude-code:{number}", agent="claude-code", session_id=str(number), path=f"/{number}",
                    root=str(bed.project), size=10, mtime_ns=hour_ago, settled=10)
        )  # fmt: skip
        assert gates.touched(bed.place, bed.ledger.dreamt(str(bed.memory)), bed.house) == number + 1
    assert bed.dream(by_hand=False).outcome == Outcome.NOTHING


def test_a_dream_of_claude_code_s_counts(bed: Bed) -> None:
    bed.topic("feedback_lint.md", LINT)
    bed.note("Ship the crates with Kuehne since March")
    (bed.memory / lock.NAME).write_text("")
    at = bed.clock.now().timestamp() - 3600
    os.utime(bed.memory / lock.NAME, (at, at))
    assert bed.dream(by_hand=False).reason == "date_done"


def test_a_backlog_of_400_days_is_worked_through_in_parts(bed: Bed) -> None:
    for day in range(400, 0, -1):
        path = bed.memory / (at := bed.clock.now().fromtimestamp(bed.clock.now().timestamp() - day * 86400)).strftime(
            "logs/%Y/%m/%Y-%m-%d.md"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"- 10:{n:02} [note] what was seen on {at:%Y-%m-%d} at place {n}\n" for n in range(5)))
    backend = Scripted()
    house = replace(bed.house, backend=backend, budget=10_000)
    dreams.run(bed.job(), bed.place, house)
    seen = [note.text for task in backend.tasks for note in task.dream.notes] if backend.tasks else []  # type: ignore[union-attr]
    assert len(seen) == len(set(seen)) == 2000
    assert seen == sorted(seen, key=lambda text: text[17:27])
    assert 6 < len(backend.tasks) < 15
    parts = dreams.parts_of(bed.place, house)
    assert sum(one.fresh for one in parts) == 2000  # carried over: nobody said a word about them
    for part in parts[:-1]:
        assert sum(map(backlog.size, part.notes)) <= 10_000


def test_a_part_that_is_saved_stays_when_a_later_one_fails(bed: Bed) -> None:
    for day in (3, 2, 1):
        bed.note(f"The crates of bay {'abc'[day - 1] * 5} ship on Mondays", kind="project", days=day)
    tasks: list[Task] = []

    def script(task: Task) -> None:
        tasks.append(task)
        if len(tasks) == 2:
            raise RuntimeError
        task.workspace.bullets.write_text("- [dropped] 1: known\n")

    house = replace(bed.house, backend=Scripted(script), budget=30)
    with pytest.raises(RuntimeError):
        dreams.run(bed.job(), bed.place, house)
    assert len(dreams.parts_of(bed.place, house)) == 2


@contextmanager
def without_ledger(bed: Bed, directory: Path) -> Iterator[Bed]:
    """The same house with a ledger that knows nothing."""
    with open_ledger(directory / "new" / "ledger.sqlite3", bed.clock) as ledger:
        yield replace(bed, ledger=ledger, house=replace(bed.house, ledger=ledger))


def test_a_lost_ledger_brings_no_old_note_back(bed: Bed, tmp_path: Path) -> None:
    bed.topic("feedback_csv.md", "Export reports as CSV files")
    bed.note("Ship the crates with Kuehne since March", "fix the failing test first", kind="project", days=3)
    bed.dream(Scripted(lambda task: (task.workspace.bullets.write_text("- [dropped] 1: known\n"), None)[1]))
    bed.note("The loading bay closes at 16:00 on Fridays", kind="project", days=1)
    with without_ledger(bed, tmp_path) as found:
        backend = Scripted()
        assert found.dream(backend).outcome == Outcome.NOTHING
        [task] = backend.tasks
        assert task.dream is not None
        notes = [note.text for note in task.dream.notes]
        assert notes == ["fix the failing test first", "The loading bay closes at 16:00 on Fridays"]  # one was carried
        cursor = backlog.loads(found.ledger.dreamt(str(found.memory)).cursor)
        assert sorted(cursor.carried.values()) == [1, 2]


def test_a_lost_ledger_and_nothing_new_change_nothing(bed: Bed, tmp_path: Path) -> None:
    bed.note("Keep at most 5 retries for uploads", "Write log messages in English")
    assert bed.dream().outcome == Outcome.SAVED
    before = bed.stamps()
    with without_ledger(bed, tmp_path) as found:
        assert found.dream().outcome == Outcome.NOTHING
        assert found.stamps() == before
        assert sum(one.fresh for one in dreams.parts_of(found.place, found.house)) == 0
        assert not backlog.has_new(found.memory, backlog.loads(found.ledger.dreamt(str(found.memory)).cursor))


def test_a_log_that_a_person_edited_is_read_again(bed: Bed) -> None:
    bed.note("The crates ship on Mondays", kind="project", days=1)
    bed.dream(Scripted(lambda task: (task.workspace.bullets.write_text("- [dropped] 1: known\n"), None)[1]))
    path = next(bed.memory.glob("logs/*/*/*.md"))
    assert sum(one.fresh for one in dreams.parts_of(bed.place, bed.house)) == 0
    path.write_text("# by hand\n" + path.read_text())
    assert sum(one.fresh for one in dreams.parts_of(bed.place, bed.house)) == 1


def test_the_record_is_json_that_tells_no_note(full: Bed) -> None:
    done = full.dream(Scripted())
    raw = (full.house.paths.history / str(done.id) / "record.json").read_text()
    assert "Kuehne" not in json.dumps(json.loads(raw)["run"]["dream"])
    assert drafts.SECONDS == 600


def test_a_log_of_a_day_that_there_cannot_be_is_none_of_memds(bed: Bed) -> None:
    bed.note("Ship the crates with Kuehne since March")
    before = backlog.read(bed.memory, backlog.Cursor(), mine=(), zone=None)
    for day in ("0000-00-00", "2026-02-30"):
        log = bed.memory / "logs" / day[:4] / day[5:7] / f"{day}.md"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("- 10:00 [project] Ship the crates by train\n")
    assert backlog.read(bed.memory, backlog.Cursor(), mine=(), zone=None) == before
