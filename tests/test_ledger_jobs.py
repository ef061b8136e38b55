"""The queue: who may work on what, and whose result counts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, MultipleResults, RuleBasedStateMachine, consumes, invariant, multiple, rule
from hypothesis.strategies import booleans, floats, sampled_from

from memd.errors import LeaseLostError
from memd.ledger import Job, JobRequest, Ledger, Outcome, Run, Session, open_ledger
from tests.fakes.clock import FakeClock

LEASE = 60.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ledger(tmp_path: Path, clock: FakeClock) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "state" / "ledger.sqlite3", clock) as opened:
        yield opened


def session(name: str, *, root: str | None = None, size: int = 100) -> Session:
    return Session(key=f"claude-code:{name}", agent="claude-code", session_id=name, path=f"/t/{name}.jsonl", root=root,
                   size=size)  # fmt: skip


def add(ledger: Ledger, name: str, *, root: str | None = None, watermark: int = 100, by_hand: bool = False) -> int:
    ledger.note_session(session(name, root=root))
    return ledger.enqueue(JobRequest(session_key=f"claude-code:{name}", watermark=watermark, by_hand=by_hand))


def claim(ledger: Ledger) -> Job:
    job = ledger.claim(lease=LEASE)
    assert job is not None
    return job


def commit(ledger: Ledger, job: Job, *, cursor: str | None = "c1", settled: int | None = None) -> None:
    number = ledger.start_run(session_key=job.session_key)
    run = Run(id=number, session_key=job.session_key, root="/p", outcome=Outcome.NOTHING)
    ledger.commit_pass(job, cursor=cursor, uuids=("u1",), run=run, settled=settled)


def test_the_same_request_twice_is_one_job_that_keeps_the_newer_watermark(ledger: Ledger) -> None:
    first = add(ledger, "a", watermark=100)
    assert add(ledger, "a", watermark=150) == first
    assert [(job.id, job.watermark) for job in ledger.jobs()] == [(first, 150)]


def test_a_job_is_queued_and_claimed_in_one_step_or_not_at_all(ledger: Ledger) -> None:
    wanted = JobRequest(kind="dream", memory_dir="/m", by_hand=True)
    job = ledger.take(wanted, lease=LEASE)
    assert job is not None
    assert (job.by_hand, job.state, job.place) == (True, "leased", "/m")
    assert ledger.take(wanted, lease=LEASE) is None
    assert ledger.take(JobRequest(kind="dream", memory_dir="/n"), lease=LEASE) is not None
    assert [one.place for one in ledger.jobs()] == ["/m", "/n"]


def test_one_that_waits_is_taken_as_it_is_and_waits_again_when_it_is_given_back(ledger: Ledger) -> None:
    number = ledger.enqueue(JobRequest(kind="dream", memory_dir="/m"))
    job = ledger.take(JobRequest(kind="dream", memory_dir="/m", by_hand=True), lease=LEASE)
    assert job is not None
    assert (job.id, job.by_hand) == (number, False)
    ledger.release(job)
    assert [(one.id, one.state, one.by_hand) for one in ledger.jobs()] == [(number, "queued", False)]


def test_a_pass_at_work_in_a_directory_keeps_a_dream_out(ledger: Ledger) -> None:
    add(ledger, "a", root="/p")
    ledger.bind(claim(ledger), "/m")
    assert ledger.take(JobRequest(kind="dream", memory_dir="/m", by_hand=True), lease=LEASE) is None
    assert len(ledger.jobs()) == 1


def test_what_comes_while_a_pass_runs_makes_exactly_one_trailing_job(ledger: Ledger) -> None:
    add(ledger, "a")
    job = claim(ledger)
    trailing = {add(ledger, "a", watermark=100 + more) for more in range(1, 20)}
    assert len(trailing) == 1
    assert ledger.claim(lease=LEASE) is None
    commit(ledger, job)
    assert claim(ledger).id in trailing


def test_a_pass_that_read_further_takes_its_trailing_job_along(ledger: Ledger) -> None:
    add(ledger, "a")
    job = claim(ledger)
    add(ledger, "a", watermark=130)
    commit(ledger, job, settled=130)
    assert ledger.jobs() == ()


def test_a_person_s_trailing_request_is_never_dropped(ledger: Ledger) -> None:
    add(ledger, "a")
    job = claim(ledger)
    add(ledger, "a", watermark=100, by_hand=True)
    commit(ledger, job, settled=130)
    assert [job.by_hand for job in ledger.jobs()] == [True]


def test_whoever_wants_the_whole_conversation_gets_it(ledger: Ledger) -> None:
    ledger.note_session(session("a"))
    some = JobRequest(session_key="claude-code:a", complete_only=True)
    ledger.enqueue(some)
    assert [job.complete_only for job in ledger.jobs()] == [True]
    job = claim(ledger)
    ledger.enqueue(some)
    ledger.release(job)
    assert [job.complete_only for job in ledger.jobs()] == [True]
    add(ledger, "a")
    assert [job.complete_only for job in ledger.jobs()] == [False]


def test_one_job_at_a_time_for_one_project_and_others_go_on(ledger: Ledger) -> None:
    for name, root in (("a", "/p"), ("b", "/p"), ("c", "/q")):
        add(ledger, name, root=root)
    assert [claim(ledger).session_key, claim(ledger).session_key] == ["claude-code:a", "claude-code:c"]
    assert ledger.claim(lease=LEASE) is None


def test_what_a_person_asks_for_comes_first(ledger: Ledger) -> None:
    add(ledger, "a")
    add(ledger, "b", by_hand=True)
    assert claim(ledger).session_key == "claude-code:b"


def test_a_job_bound_to_a_busy_memory_directory_has_to_wait(ledger: Ledger) -> None:
    add(ledger, "a")
    add(ledger, "b")
    first, second = claim(ledger), claim(ledger)
    assert ledger.bind(first, "/memory")
    assert not ledger.bind(second, "/memory")
    ledger.retry(second, at=0.0, counted=False)
    commit(ledger, first)
    assert ledger.bind(claim(ledger), "/memory")


def test_a_trailing_job_waits_also_when_the_first_turned_out_to_touch_another_place(ledger: Ledger) -> None:
    add(ledger, "a")
    job = claim(ledger)
    assert ledger.bind(job, "/memory")
    add(ledger, "a", watermark=200)
    assert ledger.queue().ready == 0
    assert ledger.claim(lease=LEASE) is None
    commit(ledger, job)
    claim(ledger)


def test_a_commit_moves_cursor_messages_run_and_job_together(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a", watermark=120)
    commit(ledger, claim(ledger), cursor="here")
    seen = ledger.session("claude-code:a")
    assert seen is not None
    assert (seen.cursor, seen.settled, seen.root, seen.last_pass_at) == ("here", 120, "/p", clock.now().timestamp())
    assert ledger.processed("/p", ("u1", "u2")) == {"u1"}
    assert ledger.processed("/q", ("u1",)) == frozenset()
    assert [(run.id, run.outcome) for run in ledger.runs()] == [(1, "nothing")]
    assert ledger.jobs() == ()


def test_a_late_worker_s_result_is_thrown_away(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    late = claim(ledger)
    clock.advance(LEASE + 1)
    assert ledger.claim(lease=LEASE) is None  # rests a moment first
    clock.advance(10)
    second = claim(ledger)
    with pytest.raises(LeaseLostError):
        commit(ledger, late, cursor="late")
    with pytest.raises(LeaseLostError):
        ledger.renew(late, lease=LEASE)
    commit(ledger, second, cursor="right")
    seen = ledger.session("claude-code:a")
    assert seen is not None
    assert seen.cursor == "right"


def test_a_renewed_lease_holds(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    job = claim(ledger)
    for _ in range(5):
        clock.advance(LEASE - 1)
        ledger.renew(job, lease=LEASE)
        assert ledger.claim(lease=LEASE) is None
    commit(ledger, job)


def test_a_job_whose_workers_die_is_over_after_the_third_and_says_so(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a", watermark=77)
    for attempt in range(3):
        assert claim(ledger).attempts == attempt
        clock.advance(LEASE + 1)
        assert ledger.claim(lease=LEASE) is None
        clock.advance(600)
    assert ledger.jobs() == ()
    assert [(run.outcome, run.reason) for run in ledger.runs()] == [("failed", "worker_died")]
    seen = ledger.session("claude-code:a")
    assert seen is not None
    assert (seen.cursor, seen.settled) == (None, 77)


def test_a_retry_waits_and_more_of_the_same_does_not_hurry_it(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    later = clock.now().timestamp() + 300
    ledger.retry(claim(ledger), at=later, counted=False)
    add(ledger, "a", watermark=140)
    assert ledger.claim(lease=LEASE) is None
    assert (ledger.queue().ready, ledger.queue().next_at) == (0, later)
    clock.advance(301)
    job = claim(ledger)
    assert (job.attempts, job.watermark) == (0, 140)


def test_a_person_does_hurry_a_retry(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    ledger.retry(claim(ledger), at=clock.now().timestamp() + 300, counted=True)
    add(ledger, "a", by_hand=True)
    job = claim(ledger)
    assert (job.by_hand, job.attempts) == (True, 1)


def test_a_retry_joins_the_trailing_job(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    job = claim(ledger)
    add(ledger, "a", watermark=200)
    ledger.retry(job, at=clock.now().timestamp() + 60, counted=True)
    assert [(one.id, one.watermark, one.attempts) for one in ledger.jobs()] == [(job.id, 200, 1)]


def test_released_is_ready_at_once_and_costs_no_attempt(ledger: Ledger) -> None:
    add(ledger, "a")
    ledger.release(claim(ledger))
    assert claim(ledger).attempts == 0


def test_a_clock_set_back_does_not_make_a_waiting_job_wait_for_ever(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    ledger.retry(claim(ledger), at=clock.now().timestamp() + 300, counted=False)
    clock.step(-86400)
    assert ledger.queue().ready == 1
    claim(ledger)


def test_a_clock_set_back_does_not_take_a_lease_from_a_live_worker(ledger: Ledger, clock: FakeClock) -> None:
    add(ledger, "a")
    job = claim(ledger)
    clock.step(-86400)
    assert ledger.claim(lease=LEASE) is None
    commit(ledger, job)


def test_a_claim_by_number_passes_the_waiting_time_but_not_a_busy_project(ledger: Ledger, clock: FakeClock) -> None:
    mine = add(ledger, "a", root="/p")
    ledger.retry(claim(ledger), at=clock.now().timestamp() + 300, counted=False)
    add(ledger, "b", root="/p")
    busy = claim(ledger)
    assert ledger.claim(lease=LEASE, only=mine) is None
    commit(ledger, busy)
    taken = ledger.claim(lease=LEASE, only=mine)
    assert taken is not None
    assert taken.id == mine


def test_a_finished_job_leaves_the_cursor_and_settles_what_made_it_due(ledger: Ledger) -> None:
    add(ledger, "a", watermark=90)
    ledger.finish(claim(ledger), Run(id=ledger.start_run(), session_key="claude-code:a", outcome=Outcome.FAILED))
    seen = ledger.session("claude-code:a")
    assert seen is not None
    assert (seen.cursor, seen.settled, ledger.jobs()) == (None, 90, ())


def test_a_dry_run_moves_nothing(ledger: Ledger) -> None:
    ledger.note_session(session("a"))
    ledger.enqueue(JobRequest(session_key="claude-code:a", dry_run=True, watermark=90))
    commit(ledger, claim(ledger), cursor="moved")
    seen = ledger.session("claude-code:a")
    assert seen is not None
    assert (seen.cursor, seen.settled, seen.last_pass_at) == (None, None, None)
    assert ledger.processed("/p", ("u1",)) == frozenset()


def test_a_failed_transaction_leaves_nothing_behind(ledger: Ledger) -> None:
    add(ledger, "a")
    job = claim(ledger)

    def broken() -> Iterator[str]:
        yield "u1"
        raise RuntimeError

    run = Run(id=ledger.start_run(), session_key=job.session_key, root="/p", outcome=Outcome.SAVED)
    with pytest.raises(RuntimeError):
        ledger.commit_pass(job, cursor="moved", uuids=broken(), run=run)
    assert ledger.processed("/p", ("u1",)) == frozenset()
    assert [one.state for one in ledger.jobs()] == ["leased"]
    commit(ledger, job)


def test_the_queue_tells_how_many_projects_could_be_worked_on(ledger: Ledger) -> None:
    for name, root in (("a", "/p"), ("b", "/p"), ("c", "/q")):
        add(ledger, name, root=root)
    assert ledger.queue().ready == 2
    claim(ledger)
    assert (ledger.queue().ready, ledger.queue().leased) == (1, 1)


class Workers(RuleBasedStateMachine):
    """Several workers, any order of events: at most one lease a project, and only the last holder's result counts."""

    held: Bundle[Job] = Bundle("held")

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.opening = open_ledger(Path(self.directory.name) / "l.sqlite3", self.clock)
        self.ledger = self.opening.__enter__()
        self.commits: set[int] = set()

    def teardown(self) -> None:
        """Close the ledger."""
        self.opening.__exit__(None, None, None)
        self.directory.cleanup()

    @rule(name=sampled_from("abcd"), by_hand=booleans())
    def request(self, name: str, *, by_hand: bool) -> None:
        """Ask for a pass."""
        add(self.ledger, name, root=f"/{'p' if name in 'ab' else 'q'}", by_hand=by_hand)

    @rule(target=held)
    def take(self) -> MultipleResults[Job]:
        """Claim whatever is ready."""
        job = self.ledger.claim(lease=LEASE)
        return multiple() if job is None else multiple(job)

    @rule(job=consumes(held))
    def commit(self, job: Job) -> None:
        """Commit; only the newest token counts."""
        newest = [one.token for one in self.ledger.jobs() if one.id == job.id]
        try:
            commit(self.ledger, job)
        except LeaseLostError:
            assert newest != [job.token]
        else:
            assert newest == [job.token]
            assert job.token not in self.commits
            self.commits.add(job.token or 0)

    @rule(job=held, counted=booleans())
    def put_back(self, job: Job, *, counted: bool) -> None:
        """Let a job wait again."""
        try:
            self.ledger.retry(job, at=self.clock.now().timestamp() + 30, counted=counted)
        except LeaseLostError:
            assert job.token not in [one.token for one in self.ledger.jobs()]

    @rule(seconds=floats(-500, 500))
    def time_moves(self, seconds: float) -> None:
        """Step the wall clock."""
        self.clock.step(seconds)

    @invariant()
    def one_lease_a_project(self) -> None:
        """Two projects, at most two leases."""
        places = [job.place for job in self.ledger.jobs() if job.state == "leased"]
        assert len(places) == len(set(places)) <= 2

    @invariant()
    def one_waiting_job_a_conversation(self) -> None:
        """No conversation waits twice."""
        waiting = [job.session_key for job in self.ledger.jobs() if job.state == "queued"]
        assert len(waiting) == len(set(waiting))


TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)


def test_after_a_part_the_job_waits_anew_behind_the_others_and_only_the_cursor_tells_of_it(ledger: Ledger) -> None:
    add(ledger, "long", watermark=100, by_hand=True)
    job = claim(ledger)
    other = add(ledger, "other", root="/q", by_hand=True)
    add(ledger, "long", watermark=170)
    number = ledger.start_run(session_key=job.session_key)
    run = Run(id=number, session_key=job.session_key, root="/p", outcome=Outcome.NOTHING)
    ledger.commit_part(job, cursor="inside", run=run)
    first, second = ledger.jobs()
    assert (first.id, second.session_key, second.state) == (other, "claude-code:long", "queued")
    assert (second.by_hand, second.watermark, second.attempts) == (True, 170, 0)
    known = ledger.session("claude-code:long")
    assert known is not None
    assert (known.cursor, known.settled) == ("inside", None)
    assert ledger.processed("/p", ["u1"]) == frozenset()
    with pytest.raises(LeaseLostError):
        ledger.commit_part(job, cursor="again", run=run)
