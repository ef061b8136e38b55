"""Sessions, runs, owners, roots and slots."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import text

from memd.ledger import Counts, JobRequest, Ledger, Outcome, Run, Session, open_ledger, process
from memd.ledger.nouns import Mark
from memd.ledger.sessions import mark
from tests.fakes.clock import FakeClock

SEEN = Session(key="x:a", agent="x", session_id="a", path="/t/a.jsonl", cwd="/p/sub", size=10, mtime_ns=5)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ledger(tmp_path: Path, clock: FakeClock) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "state" / "ledger.sqlite3", clock) as opened:
        yield opened


def test_a_session_comes_back_as_it_was_noted(ledger: Ledger, clock: FakeClock) -> None:
    ledger.note_session(SEEN)
    assert ledger.session("x:a") == replace(SEEN, first_seen=clock.now().timestamp())
    assert ledger.session("x:b") is None


def test_a_second_look_moves_size_and_place_but_never_the_cursor(ledger: Ledger, clock: FakeClock) -> None:
    first = replace(SEEN, cursor="c", settled=10, root="/p", noted_reason="backfill")
    ledger.note_session(first)
    began = clock.now().timestamp()
    clock.advance(50)
    ledger.note_session(replace(SEEN, path="/t2/a.jsonl", cwd=None, root="/other", size=30, mtime_ns=9))
    assert ledger.session("x:a") == replace(first, path="/t2/a.jsonl", size=30, mtime_ns=9, first_seen=began)
    assert ledger.session_at("/t2/a.jsonl") == ledger.session("x:a")
    assert ledger.session_at("/t/a.jsonl") is None


def test_settled_files_are_those_dealt_with_to_their_end(ledger: Ledger) -> None:
    ledger.note_sessions(
        replace(SEEN, key=f"x:{settled}", path=f"/t/{settled}", settled=settled) for settled in (None, 5, 10)
    )
    assert list(ledger.settled_files()) == [("/t/10", 10, 5)]


def test_a_rewound_session_is_as_no_pass_saw_it(ledger: Ledger) -> None:
    ledger.note_session(replace(SEEN, cursor="c", settled=10, noted_reason="backfill"))
    ledger.rewind("x:a")
    seen = ledger.session("x:a")
    assert seen is not None
    assert (seen.cursor, seen.settled, seen.noted_reason) == (None, None, None)


def test_a_session_s_treatment_is_kept(ledger: Ledger) -> None:
    ledger.note_session(SEEN)
    ledger.set_state("x:a", "off")
    ledger.note_session(SEEN)
    assert [one.state for one in ledger.sessions()] == ["off"]


def test_processed_messages_are_found_among_very_many(ledger: Ledger) -> None:
    uuids = [f"u{n}" for n in range(1800)]
    run = Run(id=ledger.start_run(), root="/p", outcome=Outcome.NOTHING)
    ledger.recover_pass(cursor=None, uuids=uuids[::2], run=run)
    assert ledger.processed("/p", uuids) == frozenset(uuids[::2])


@given(text(), text(), text(), text())
def test_marks_tell_projects_and_messages_apart(root: str, uuid: str, other_root: str, other_uuid: str) -> None:
    root, other_root = root.replace("\0", ""), other_root.replace("\0", "")
    same = (root, uuid) == (other_root, other_uuid)
    assert (mark(root, uuid) == mark(other_root, other_uuid)) == same
    assert -(2**63) <= mark(root, uuid) < 2**63


def test_old_marks_and_runs_are_dropped_and_numbers_never_reused(ledger: Ledger, clock: FakeClock) -> None:
    for uuid in ("old", "new"):
        ledger.recover_pass(cursor=None, uuids=(uuid,), run=Run(id=ledger.start_run(), root="/p"))
        clock.advance(100)
    ledger.forget_before(clock.now().timestamp() - 150)
    assert ledger.processed("/p", ("old", "new")) == {"new"}
    assert [run.id for run in ledger.runs()] == [2]
    clock.advance(1000)
    ledger.forget_before(clock.now().timestamp())
    assert ledger.start_run() == 3


def test_what_is_off_the_record_stays_marked_and_what_was_looked_at_before_is_not(ledger: Ledger) -> None:
    ledger.note_session(SEEN)
    ledger.recover_pass(cursor=None, uuids=("seen",), run=Run(id=1, root="/p", outcome=Outcome.NOTHING))
    ledger.keep_out(SEEN.key, "/p", ("seen", "off"), cursor="c", settled=7)
    assert ledger.marks("/p", ("seen", "off", "new")) == {"seen": Mark.LOOKED_AT, "off": Mark.OFF_THE_RECORD}
    ledger.recover_pass(cursor=None, uuids=("off",), run=Run(id=2, root="/p", outcome=Outcome.SAVED))
    ledger.forget_before(ledger.now() + 1)
    assert ledger.marks("/p", ("seen", "off")) == {"off": Mark.OFF_THE_RECORD}
    seen = ledger.session(SEEN.key)
    assert seen is not None
    assert (seen.cursor, seen.settled, seen.root) == ("c", 7, "/p")


@pytest.mark.parametrize(
    ("outcome", "reason", "mark"),
    [
        (Outcome.SKIPPED, "off_the_record", Mark.OFF_THE_RECORD),
        (Outcome.SKIPPED, "memory_off", Mark.PASSED_OVER),
        (Outcome.SKIPPED, "project_excluded", Mark.PASSED_OVER),
        (Outcome.SKIPPED, "own_session", Mark.PASSED_OVER),
        (Outcome.SKIPPED, "no_human_message", Mark.LOOKED_AT),
        (Outcome.HELD, None, Mark.LOOKED_AT),
    ],
    ids=str,
)
def test_a_mark_tells_what_became_of_a_message(ledger: Ledger, outcome: Outcome, reason: str, mark: Mark) -> None:
    ledger.recover_pass(cursor=None, uuids=("u",), run=Run(id=1, root="/p", outcome=outcome, reason=reason))
    assert ledger.marks("/p", ("u",)) == {"u": mark}


def test_the_conversations_off_the_record_are_found(ledger: Ledger) -> None:
    ledger.note_session(SEEN)
    assert ledger.off_sessions() == ()
    ledger.set_state(SEEN.key, "off")
    assert [one.key for one in ledger.off_sessions()] == [SEEN.key]


def test_run_numbers_are_small_and_go_on_after_a_loss(ledger: Ledger) -> None:
    assert [ledger.start_run(), ledger.start_run(at_least=9), ledger.start_run(at_least=2)] == [1, 9, 10]


def test_a_run_is_kept_whole_with_its_start(ledger: Ledger, clock: FakeClock) -> None:
    began = clock.now().timestamp()
    number = ledger.start_run("extract", session_key="x:a")
    clock.advance(3)
    ledger.end_run(Run(id=number, session_key="x:a", root="/p", memory_dir="/m", outcome=Outcome.SAVED,
                       files=("a.md", "MEMORY.md")))  # fmt: skip
    expected = Run(id=number, session_key="x:a", root="/p", memory_dir="/m", started=began, ended=began + 3,
                   outcome="saved", files=("a.md", "MEMORY.md"))  # fmt: skip
    assert ledger.run(number) == expected
    assert ledger.runs(session_key="x:a") == (expected,)
    assert ledger.runs(session_key="x:b") == ()


def test_recovery_moves_the_cursor_once_and_only_where_no_commit_came(ledger: Ledger) -> None:
    ledger.note_session(SEEN)
    number = ledger.start_run(session_key="x:a")
    run = Run(id=number, session_key="x:a", root="/p", outcome=Outcome.SAVED, files=("a.md",))
    assert ledger.recover_pass(cursor="c1", uuids=("u",), run=run)
    assert not ledger.recover_pass(cursor="c0", uuids=("v",), run=run)
    seen = ledger.session("x:a")
    assert seen is not None
    assert seen.cursor == "c1"
    assert ledger.processed("/p", ("u", "v")) == {"u"}


def test_recovery_works_for_a_run_a_new_ledger_never_heard_of(ledger: Ledger) -> None:
    ledger.note_session(SEEN)
    assert ledger.recover_pass(cursor="c", uuids=(), run=Run(id=7, session_key="x:a", outcome=Outcome.SAVED))
    assert ledger.start_run() == 8


def test_a_run_whose_process_died_has_failed(tmp_path: Path, ledger: Ledger) -> None:
    begin = (
        "import sys; from pathlib import Path; from memd.clock import SystemClock\n"
        "from memd.ledger import open_ledger\n"
        "with open_ledger(Path(sys.argv[1]), SystemClock()) as ledger: ledger.start_run()"
    )
    subprocess.run([sys.executable, "-c", begin, str(tmp_path / "state" / "ledger.sqlite3")], check=True)
    mine = ledger.start_run()
    assert ledger.close_dead_runs() == 1
    assert [(run.id, run.outcome, run.reason) for run in ledger.runs()] == [
        (mine, None, None),
        (1, "failed", "worker_died"),
    ]
    assert ledger.recover_pass(cursor=None, uuids=(), run=Run(id=1, outcome=Outcome.SAVED, files=("a.md",)))


def test_the_first_project_owns_a_slug_for_ever(ledger: Ledger) -> None:
    assert ledger.owner("-p-a", "/p/a")
    assert not ledger.owner("-p-a", "/p-a")
    assert ledger.owner("-p-a", "/p/a")


def test_a_root_is_new_once(ledger: Ledger) -> None:
    assert not ledger.known_root("/r")
    ledger.note_root("/r")
    ledger.note_root("/r")
    assert ledger.known_root("/r")


def test_slots_are_limited_and_the_dead_give_theirs_back(ledger: Ledger) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert ledger.acquire_worker(sleeper.pid, limit=2)
        assert ledger.acquire_worker(os.getpid(), limit=2)
        assert ledger.acquire_worker(os.getpid(), limit=2)  # its own already
        assert not ledger.acquire_worker(os.getppid(), limit=2)
    finally:
        sleeper.communicate(b"\n")
    assert not ledger.acquire_worker(sleeper.pid, limit=9)  # no such process
    assert ledger.acquire_worker(os.getppid(), limit=2)


def test_a_slot_whose_process_cannot_be_judged_is_free_after_a_while(ledger: Ledger, clock: FakeClock) -> None:
    assert ledger.acquire_worker(os.getppid(), limit=1)
    assert not ledger.acquire_worker(os.getpid(), limit=1)
    clock.advance(7200)
    assert ledger.acquire_worker(os.getpid(), limit=1)


def test_single_values(ledger: Ledger) -> None:
    assert ledger.meta("heartbeat") is None
    ledger.set_meta("heartbeat", "1")
    ledger.set_meta("heartbeat", "2")
    assert ledger.meta("heartbeat") == "2"


def test_counts(ledger: Ledger, clock: FakeClock) -> None:
    ledger.note_sessions((SEEN, replace(SEEN, key="x:b", noted_reason="backfill")))
    ledger.enqueue(JobRequest(session_key="x:a"))
    ledger.end_run(Run(id=ledger.start_run(), outcome=Outcome.SAVED))
    assert ledger.counts() == Counts(
        sessions=2, noted=1, queued=1, leased=0, runs=1, last_saved_at=clock.now().timestamp()
    )


def test_a_process_is_told_from_a_later_one_with_its_number() -> None:
    name = process.own_name()
    host, era, pid, start = name.split("|")
    assert not process.gone(name)
    assert process.gone(f"{host}|{era}|{pid}|{int(start) + 1}")
    assert process.gone(f"{host}|other boot|{pid}|{start}")
    assert not process.gone(f"elsewhere|{era}|{pid}|{start}")
    assert process.gone("rubbish")


def test_a_zombie_does_no_work() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE)
    name = process.name(child.pid)
    assert child.stdout is not None
    child.stdout.read()  # ends when the child does
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process.name(child.pid) is None
    assert name is None or process.gone(name)
    child.communicate()


_DAY = 86400.0


def test_the_ledgers_date_follows_the_clock_in_small_steps_and_never_back(ledger: Ledger, clock: FakeClock) -> None:
    began = ledger.today()
    assert began == clock.now().timestamp()
    clock.advance(_DAY)
    assert ledger.today() == began + _DAY
    clock.step(2000 * _DAY)
    assert ledger.today() == began + 3 * _DAY
    clock.step(-4000 * _DAY)
    assert ledger.today() == began + 3 * _DAY
    clock.step(2003 * _DAY)
    assert ledger.today() == began + 4 * _DAY  # with the clock right again, nothing of it is left


def test_what_is_dated_by_a_clock_that_is_behind_is_as_old_as_its_neighbours(ledger: Ledger, clock: FakeClock) -> None:
    today = ledger.today()
    ledger.recover_pass(cursor=None, uuids=("before",), run=Run(id=ledger.start_run(), root="/p"))
    clock.step(-2000 * _DAY)
    ledger.recover_pass(cursor=None, uuids=("then",), run=Run(id=ledger.start_run(), root="/p"))
    ledger.start_run()
    ledger.forget_before(today - 1)
    assert ledger.processed("/p", ("before", "then")) == {"before", "then"}
    assert [run.id for run in ledger.runs()] == [3, 2, 1]
    ledger.forget_before(today + 1)
    assert not ledger.processed("/p", ("before", "then"))
    assert [run.id for run in ledger.runs()] == [3]
