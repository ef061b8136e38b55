"""A pass, from a conversation to files, cursor and run."""

from __future__ import annotations

import errno
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memd import worker
from memd.agent.backend import Task
from memd.errors import LockedError, RefusedError, TransientError, UnwritableError
from memd.extract import proposal, window
from memd.extract import run as passes
from memd.ledger import Outcome
from memd.ledger.jobs import MAX_ATTEMPTS
from memd.memory import history, store, topic
from memd.memory.topic import TopicType
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Cursor
from tests.extract.conftest import World, saves
from tests.fakes import claude_lines as lines
from tests.fakes.shop import Script

RULE = "always run make lint before you commit"
TURN = (lines.prompt("h1", f"ok. {RULE}"), lines.answer("a1", "m1", lines.text("Will do.")))
SECOND = (lines.prompt("h2", "thanks, that is all"), lines.answer("a2", "m2", lines.text("Bye.")))


def cursor(world: World, session: str = lines.SESSION) -> Cursor:
    known = world.ledger.session(f"claude-code:{session}")
    assert known is not None
    return cursors.loads(known.cursor)


def test_what_a_backend_proposes_becomes_files_an_index_line_a_bullet_and_a_run(world: World) -> None:
    world.write(*TURN)
    world.backend.script = saves(RULE)
    done = passes.run(world.job(), world.house)
    assert (done.outcome, done.files) == (Outcome.SAVED, ("feedback_rule.md", "MEMORY.md"))
    files = world.files()
    assert list(files) == ["MEMORY.md", "feedback_rule.md", "logs/2026/04/2026-04-01.md"]
    assert "evidence" not in files["feedback_rule.md"]
    assert "(feedback_rule.md)" in files["MEMORY.md"]
    assert files["logs/2026/04/2026-04-01.md"] == (
        f"- 12:00 [feedback] {RULE} → feedback_rule.md  <!-- session {lines.SESSION}, human, memory -->\n"
    )
    assert cursor(world).offset == world.transcript().stat().st_size
    assert world.ledger.run(done.id) == done


def test_the_backend_sees_only_what_is_new(world: World) -> None:
    world.write(*TURN)
    passes.run(world.job(), world.house)
    world.write(*SECOND)
    passes.run(world.job(), world.house)
    assert [[said.text for said in task.new] for task in world.backend.tasks] == [
        [f"ok. {RULE}", "Will do."],
        ["thanks, that is all", "Bye."],
    ]


def test_nothing_worth_saving_is_a_result_and_moves_the_cursor(world: World) -> None:
    world.write(*TURN)
    done = passes.run(world.job(), world.house)
    assert (done.outcome, done.files) == (Outcome.NOTHING, ())
    assert cursor(world).offset == world.transcript().stat().st_size
    assert not world.memory.exists()


def test_a_turn_in_which_the_agent_wrote_memory_is_skipped_and_the_cursor_moves(world: World) -> None:
    wrote = lines.call("t1", "Write", file_path=str(world.memory / "user_role.md"), content="x")
    world.write(
        lines.prompt("h1", RULE),
        lines.answer("a1", "m1", wrote, stop="tool_use"),
        lines.result("r1", "t1"),
        lines.answer("a2", "m2", lines.text("Saved.")),
    )
    done = passes.run(world.job(), world.house)
    assert (done.outcome, done.reason) == (Outcome.SKIPPED, "agent_wrote_memory")
    assert cursor(world).offset == world.transcript().stat().st_size
    assert world.backend.tasks == []


def test_by_hand_that_gate_does_not_hold(world: World) -> None:
    wrote = lines.call("t1", "Write", file_path=str(world.memory / "user_role.md"), content="x")
    world.write(
        lines.prompt("h1", RULE),
        lines.answer("a1", "m1", wrote, stop="tool_use"),
        lines.result("r1", "t1"),
        lines.answer("a2", "m2", lines.text("Saved.")),
    )
    assert passes.run(world.job(by_hand=True), world.house).outcome == Outcome.NOTHING


def test_a_fork_is_not_learnt_from_twice(world: World) -> None:
    world.write(*TURN)
    passes.run(world.job(), world.house)
    world.write(*TURN, *SECOND, session="fork")
    passes.run(world.job("fork"), world.house)
    assert [said.text for said in world.backend.tasks[-1].new] == ["thanks, that is all", "Bye."]
    world.write(*TURN, session="copy")
    done = passes.run(world.job("copy"), world.house)
    assert (done.outcome, done.reason) == (Outcome.SKIPPED, "nothing_new")


def test_again_takes_everything_from_the_start(world: World) -> None:
    world.write(*TURN)
    passes.run(world.job(), world.house)
    passes.run(world.job(again=True), world.house)
    assert world.backend.tasks[0].new == world.backend.tasks[1].new


def test_a_turn_that_began_after_the_verdict_waits_for_its_end(world: World) -> None:
    world.write(*TURN)
    job = world.job()
    world.write(lines.prompt("h2", "one more thing"))
    passes.run(job, world.house)
    assert [said.text for said in world.backend.tasks[0].new] == [f"ok. {RULE}", "Will do."]
    assert cursor(world).last_uuid == "a1"


def test_a_turn_that_was_given_up_on_is_taken_as_it_is(world: World) -> None:
    world.write(lines.prompt("h1", RULE), lines.answer("a1", "m1", lines.call("t1"), stop="tool_use"))
    passes.run(world.job(), world.house)
    assert [said.text for said in world.backend.tasks[0].new] == [RULE]
    assert cursor(world).offset == world.transcript().stat().st_size


def test_run_once_leaves_a_turn_that_is_not_complete_for_later(world: World) -> None:
    world.write(*TURN)
    end_of_first = world.transcript().stat().st_size
    world.write(lines.prompt("h2", "one more thing"))
    passes.run(world.job(complete_only=True), world.house)
    assert [said.text for said in world.backend.tasks[0].new] == [f"ok. {RULE}", "Will do."]
    session = world.ledger.session(f"claude-code:{lines.SESSION}")
    assert session is not None
    assert session.settled == end_of_first
    passes.run(world.job(), world.house)
    assert [said.text for said in world.backend.tasks[1].new] == ["one more thing"]


@pytest.mark.parametrize(
    ("variables", "reason"),
    [({"MEMD_DISABLE": "1"}, "memory_off"), ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "true"}, "memory_off")],
)
def test_memory_that_is_off_moves_the_cursor_and_nothing_else(
    world: World, variables: dict[str, str], reason: str
) -> None:
    world.write(*TURN)
    house = replace(world.house, environ={**world.house.environ, **variables})
    done = passes.run(world.job(), house)
    assert (done.outcome, done.reason) == (Outcome.SKIPPED, reason)
    assert cursor(world).offset == world.transcript().stat().st_size
    assert world.ledger.processed(str(world.project), ["h1"]) == {"h1"}


def test_a_session_whose_prompt_has_no_memory_section_had_memory_off(world: World) -> None:
    world.write(lines.snapshot("s1", "You are an agent."), *TURN)
    done = passes.run(world.job(), world.house)
    assert (done.outcome, done.reason) == (Outcome.SKIPPED, "memory_off")


def test_an_excluded_project_is_skipped(world: World) -> None:
    world.write(*TURN)
    projects = replace(world.house.settings.projects, exclude=(f"{world.home}/sh*",))
    house = replace(world.house, settings=replace(world.house.settings, projects=projects))
    assert passes.run(world.job(), house).reason == "project_excluded"


def test_what_memd_itself_started_is_never_extracted(world: World) -> None:
    world.write(*({**record, "entrypoint": "memd"} for record in TURN))
    assert passes.run(world.job(), world.house).reason == "own_session"


def test_two_projects_with_one_slug_never_share_memory(world: World) -> None:
    world.write(*TURN)
    world.ledger.owner(world.transcript().parent.name, "/somewhere/else")
    with pytest.raises(RefusedError) as caught:
        passes.run(world.job(), world.house)
    assert "autoMemoryDirectory" in str(caught.value.hint)
    assert cursor(world) == Cursor()


def test_a_deleted_work_tree_keeps_the_root_it_had(world: World) -> None:
    world.write(*TURN)
    passes.run(world.job(), world.house)
    shutil.rmtree(world.project)
    world.write(*SECOND)
    assert passes.run(world.job(), world.house).root == str(world.project)


def test_one_pass_a_memory_directory(world: World) -> None:
    world.write(*TURN)
    world.write(*SECOND, session="other")
    first = world.job()
    assert world.ledger.bind(first, str(world.memory))
    second = world.job("other")
    with pytest.raises(LockedError):
        passes.run(second, world.house)


def test_in_log_mode_only_bullets_are_written(world: World) -> None:
    world.write(*TURN)
    world.backend.script = saves(RULE)
    extract = replace(world.house.settings.extract, mode="log")
    house = replace(world.house, settings=replace(world.house.settings, extract=extract))
    assert passes.run(world.job(), house).outcome == Outcome.SAVED
    assert [name for name in world.files() if not name.startswith("logs/")] == []
    assert f"[feedback] {RULE}  <!--" in world.files()["logs/2026/04/2026-04-01.md"]


def test_a_memory_without_a_persons_words_behind_it_is_held(world: World) -> None:
    world.write(*TURN)
    world.backend.script = saves("never deploy on Fridays, ever")
    done = passes.run(world.job(), world.house)
    assert (done.outcome, done.files) == (Outcome.HELD, ())
    assert not (world.memory / "feedback_rule.md").exists()
    record = next(iter(history.runs(world.house.paths.history)))
    assert [held.reason for held in record.run.held] == ["quote_not_found"]


def test_a_memory_that_a_person_edited_meanwhile_stands_and_the_change_becomes_an_open_bullet(world: World) -> None:
    world.write(*TURN)
    world.backend.script = saves(RULE)
    passes.run(world.job(), world.house)
    again = "from now on always run make lint before you push"
    world.write(lines.prompt("h2", again), lines.answer("a2", "m2", lines.text("ok")))

    def edit_behind_its_back(task: Task) -> None:
        saves(again)(task)
        (world.memory / "feedback_rule.md").write_text("mine")

    world.backend.script = edit_behind_its_back
    passes.run(world.job(), world.house)
    assert world.files()["feedback_rule.md"] == "mine"
    assert (
        f"[feedback] {again}  <!-- session {lines.SESSION}, human, memory -->"
        in world.files()["logs/2026/04/2026-04-01.md"]
    )


def rewrites(quote: str, *, pinned: bool = False) -> Script:
    """A script that puts other words in a topic's place."""

    def propose(task: Task) -> None:
        saves(quote)(task)
        path = task.workspace.memory / "feedback_rule.md"
        path.write_bytes(
            path.read_bytes().replace(b"---\n", b"---\npinned: true\n", 1) if pinned else path.read_bytes()
        )

    return propose


@pytest.mark.parametrize("pinned", [False, True], ids=["by-hand", "pinned"])
def test_a_rule_that_a_persons_file_cannot_take_in_becomes_an_open_bullet(world: World, *, pinned: bool) -> None:
    world.memory.mkdir(parents=True)
    mine = topic.render("rule", "Run make test first", TopicType.FEEDBACK, "Run make test first, as I wrote it.")
    mine = mine.replace(b"---\n", b"---\npinned: true\n", 1) if pinned else mine
    (world.memory / "feedback_rule.md").write_bytes(mine)
    world.write(*TURN)
    world.backend.script = rewrites(RULE, pinned=pinned)
    done = passes.run(world.job(), world.house)
    assert (world.memory / "feedback_rule.md").read_bytes() == mine
    line = f"[feedback] {RULE}  <!-- session {lines.SESSION}, human, memory -->\n"  # which the dream makes one
    assert line in world.files()["logs/2026/04/2026-04-01.md"]
    assert done.outcome == Outcome.SAVED


@pytest.mark.parametrize("cwd", ["relative/shop", "/home/shop\0x"], ids=["relative", "nul"])
def test_a_directory_that_can_be_none_is_refused_for_good(world: World, cwd: str) -> None:
    world.write(*TURN)
    path = world.transcript()
    records = [json.loads(line) | {"cwd": cwd} for line in path.read_bytes().splitlines()]
    path.write_bytes(lines.packed(*records))
    known = world.ledger.session(f"claude-code:{lines.SESSION}")
    assert known is not None
    world.ledger.note_session(replace(known, cwd=cwd))
    job = world.job()
    with pytest.raises(RefusedError, match="absolute"):
        passes.run(job, world.house)
    worker.work(job, world.house)
    assert world.ledger.jobs() == ()
    assert not list((world.home / ".claude" / "projects").glob("-relative*"))


def test_what_is_passed_over_is_in_the_record_and_the_log(world: World) -> None:
    world.memory.mkdir(parents=True)
    (world.memory / "user_link.md").symlink_to("elsewhere.md")
    (world.memory / "user_huge.md").write_bytes(b"x" * 40_000)
    (world.memory / "user_latin.md").write_bytes(b"caf\xe9")
    world.write(*TURN)

    def propose(task: Task) -> None:
        saves(RULE)(task)
        (task.workspace.memory / "user_planted.md").symlink_to("/etc/passwd")

    world.backend.script = propose
    passes.run(world.job(), world.house)
    odd = [(one.path, one.what) for one in next(history.runs(world.house.paths.history)).run.odd]
    assert odd == [
        ("user_huge.md", "more than 32 KB"),
        ("user_link.md", "symbolic link"),
        ("user_latin.md", "not UTF-8 text"),
        ("user_planted.md", "symbolic link"),
    ]
    assert world.events().count("file_passed_over") == len(odd)


def test_a_dry_run_writes_nothing(world: World) -> None:
    world.write(*TURN)
    world.backend.script = saves(RULE)
    session = world.ledger.session(f"claude-code:{lines.SESSION}")
    assert session is not None
    new = window.read(session, world.house, again=False, watermark=10**9)
    found = proposal.propose(new, world.house, by_hand=True)
    assert [change.path for change in found.decision.accepted] == ["feedback_rule.md"]
    assert not world.memory.exists()
    assert cursor(world) == Cursor()
    assert list(world.house.paths.scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (TransientError("busy", retry_after=7.0), 0),
        (OSError(errno.ENOSPC, "No space left on device"), 0),
        (OSError(errno.EACCES, "Permission denied"), 1),
        (FileNotFoundError(errno.ENOENT, "No such file"), 1),
        (ValueError("broken"), 1),
    ],
)
def test_a_failure_is_tried_again_and_only_what_is_no_weather_counts(
    world: World, error: Exception, attempts: int
) -> None:
    world.write(*TURN)

    def fail(_: Task) -> None:
        raise error

    world.backend.script = fail
    worker.work(world.job(), world.house)
    [job] = world.ledger.jobs()
    assert (job.state, job.attempts) == ("queued", attempts)
    assert job.not_before > world.clock.now().timestamp()
    assert cursor(world) == Cursor()
    assert "broken" not in world.log.getvalue()


@pytest.mark.parametrize(
    ("failpoint", "said"),
    [
        (None, "memory is a file, where a directory should be"),
        ("files.before_append:error=EACCES", "Permission denied"),
    ],
    ids=["a-file", "log"],
)
def test_a_memory_directory_that_cannot_be_used_costs_no_attempt(
    world: World, monkeypatch: pytest.MonkeyPatch, failpoint: str | None, said: str
) -> None:
    world.write(*TURN)
    world.backend.script = saves(RULE)
    if failpoint is None:
        world.memory.write_text("not a directory")
    else:
        world.memory.mkdir()
    job = world.job()
    with monkeypatch.context() as patch:
        if failpoint:
            patch.setenv("MEMD_FAILPOINT", failpoint)
        with pytest.raises(UnwritableError, match=said):
            passes.run(job, world.house)
    for _ in range(MAX_ATTEMPTS + 1 if failpoint is None else 0):
        worker.work(job, world.house)
        job = world.job()
    assert [one.attempts for one in world.ledger.jobs()] == [0]


def test_bad_weather_is_waited_out_longer_each_time(world: World) -> None:
    world.write(*TURN)

    def fail(_: Task) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    world.backend.script = fail
    job, waits = world.job(), []
    for _ in range(9):
        worker.work(job, world.house)
        [waiting] = world.ledger.jobs()
        waits.append(waiting.not_before - world.clock.now().timestamp())
        world.clock.advance(5000)
        claimed = world.ledger.claim(lease=60.0)
        assert claimed is not None
        job = claimed
    assert all(0.75 * 30 * 2**n <= wait <= 1.25 * 30 * 2**n for n, wait in enumerate(waits[:6]))
    assert all(0.75 * 3600 <= wait <= 1.25 * 3600 for wait in waits[7:])


def test_however_often_it_failed_there_is_a_next_time(world: World) -> None:
    world.write(*TURN)

    def fail(_: Task) -> None:
        raise TransientError

    world.backend.script = fail
    worker.work(replace(world.job(), failures=100_000), world.house)
    [waiting] = world.ledger.jobs()
    assert 0.75 * 3600 <= waiting.not_before - world.clock.now().timestamp() <= 1.25 * 3600


def test_a_conversation_that_fails_three_times_is_given_up_and_says_why(world: World) -> None:
    world.write(*TURN)

    def fail(_: Task) -> None:
        raise ValueError(RULE)

    world.backend.script = fail
    worker.work(world.job(), world.house)
    for _ in range(2):
        world.clock.advance(3600)
        job = world.ledger.claim(lease=60.0)
        assert job is not None
        worker.work(job, world.house)
    assert world.ledger.jobs() == ()
    assert (world.ledger.runs(1)[0].outcome, world.ledger.runs(1)[0].reason) == (Outcome.FAILED, "ValueError")
    assert RULE not in world.log.getvalue()


def test_a_transcript_that_was_deleted_ends_its_job(world: World) -> None:
    world.write(*TURN)
    job = world.job()
    world.transcript().unlink()
    worker.work(job, world.house)
    assert world.ledger.jobs() == ()
    assert world.ledger.runs(1)[0].reason == "transcript_gone"


def test_a_busy_memory_directory_is_tried_again_without_counting(world: World) -> None:
    world.write(*TURN)
    job = world.job()

    def busy(_: Task) -> None:
        raise LockedError

    world.backend.script = busy
    worker.work(job, world.house)
    assert [job.attempts for job in world.ledger.jobs()] == [0]


def test_a_worker_that_was_asked_to_stop_gives_its_job_back(world: World) -> None:
    world.write(*TURN)

    def stop(_: Task) -> None:
        raise worker.StoppedError

    world.backend.script = stop
    with pytest.raises(worker.StoppedError):
        worker.work(world.job(), world.house)
    assert [(job.state, job.attempts) for job in world.ledger.jobs()] == [("queued", 0)]


def test_recovery_moves_the_cursor_of_a_pass_that_died_before_its_commit(world: World) -> None:
    world.write(*TURN)
    world.backend.script = saves(RULE)
    job = world.job()
    new = window.read(passes.session_of(job, world.house), world.house, again=False, watermark=job.watermark)
    found = proposal.propose(new, world.house, by_hand=False)
    begun = passes.begin(job, new, world.house)

    def die(_: store.Applied) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.apply(
            new.place.path,
            found.decision.accepted,
            run=passes.run_note(replace(begun, outcome=Outcome.SAVED, ended=begun.started), found, new),
            history=world.house.paths.history,
            bullets=found.bullets,
            commit=die,
        )
    assert cursor(world) == Cursor()
    worker.recover(world.house)
    assert cursor(world).offset == world.transcript().stat().st_size
    run = world.ledger.run(begun.id)
    assert run is not None
    assert run.outcome == Outcome.SAVED
    assert Path(world.memory / "feedback_rule.md").exists()
