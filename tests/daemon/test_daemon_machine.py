"""The daemon's decisions under any order of events: the real keeper, tracker and ledger over fake time and workers.

What has to hold: what a person said is extracted once, never before its time, never by two at once in one project,
and, once all is quiet, all of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from memd.daemon.events import Asked, Changed, Sweep
from memd.daemon.requests import Request, Verb
from memd.transcripts.ending import EndHint
from memd.transcripts.model import ProcessState
from tests.daemon.machine_world import LEASE, PROJECT, World

STEPS = 2000  # at least, in one run of the tests
EXAMPLES, LENGTH = 64, 40
HOUR = 3600.0

sessions = st.sampled_from(["a", "b", "c", "d"])


class Machine(World):
    """One home, one daemon after the other: what may happen, and what has to hold then."""

    steps = 0  # of all runs

    # What people, agents and machines do.

    @rule(name=sessions, turn=st.sampled_from(["done", "tool", "broken", "running", "done"]), told=st.booleans())
    def append(self, name: str, turn: str, told: bool) -> None:  # noqa: FBT001
        """A person says something, and the agent answers, or not quite."""
        self._append(name, [f"human {next(self.numbers)}", *([turn] if turn != "running" else [])], told=told)

    @rule(name=sessions)
    def go_on(self, name: str) -> None:
        """The agent finishes what was open; nobody has said anything new."""
        if self.spoken.get(name):
            self._append(name, ["done"], told=True)

    @rule(name=st.sampled_from(["a", "b", "c", "d"]), told=st.booleans())
    def fork(self, name: str, told: bool) -> None:  # noqa: FBT001
        """A new conversation that begins with a copy of another, and goes on."""
        if name not in self.written or not self.written[name].path.exists():
            return
        other = self.root / PROJECT[name] / f"{name}2.talk"
        shutil.copyfile(self.written[name].path, other)
        self.spoken[f"{name}2"] = set(self.spoken[name])
        self._append(f"{name}2", [f"human {next(self.numbers)}", "done"], told=told)

    @rule(name=sessions, told=st.booleans())
    def delete(self, name: str, told: bool) -> None:  # noqa: FBT001
        """A transcript is gone, with or without an event."""
        if name in self.written and self.written[name].path.exists():
            path = self.written[name].path
            path.unlink()
            self.spoken[name] = set()
            if told:
                self._act(Changed(paths=frozenset({str(path)})))

    @rule(name=sessions, keep=st.integers(0, 3))
    def cut(self, name: str, keep: int) -> None:
        """A transcript is written anew, shorter."""
        if name in self.written and self.written[name].path.exists():
            path = self.written[name].path
            lines = path.read_text("utf-8").splitlines(keepends=True)[:keep]
            path.write_text("".join(lines), "utf-8")
            self.spoken[name] = {line.split()[1] for line in lines if line.startswith("human")}
            self._dated(name, path, told=True)
            self._act(Changed(paths=frozenset({str(path)})))

    @rule(name=sessions)
    def process_lives(self, name: str) -> None:
        """The session's process is listed."""
        self.transcripts.states[name] = ProcessState.ALIVE
        self.gone.discard(name)
        self._advance()

    @rule(name=sessions, listed=st.booleans())
    def process_dies(self, name: str, listed: bool) -> None:  # noqa: FBT001
        """It ended, cleanly or not."""
        self._dies(name, listed=listed)

    @rule(name=sessions, hint=st.sampled_from(EndHint))
    def tell(self, name: str, hint: EndHint) -> None:
        """A hook says something."""
        answer = self.loop.create_future()
        self.hinted.add(name)
        self._act(Asked(request=Request(verb=Verb.HINT, session=name, hint=hint), answer=answer))
        assert answer.result()["ok"]

    @rule(names=st.sampled_from(["ab", "cd", "abcd"]))
    def all_end(self, names: str) -> None:
        """Several conversations end at once, in one project or two."""
        for name in names:
            self._append(name, [f"human {next(self.numbers)}", "done"], told=True)
            self.tell(name, EndHint.SESSION_END)
        self._pass_time(4.0)

    @rule(paused=st.booleans())
    def pause_or_resume(self, paused: bool) -> None:  # noqa: FBT001
        """Somebody at the command line does, past the daemon."""
        (self.ledger.pause if paused else self.ledger.resume)()

    @rule(seconds=st.sampled_from([1.0, 4.0, 30.0, 130.0, 650.0]))
    def wait(self, seconds: float) -> None:
        """Time passes."""
        self._pass_time(seconds)

    @rule(seconds=st.sampled_from([-7 * 365 * 24 * HOUR, -HOUR, -5.0, 5.0, HOUR, 7 * 365 * 24 * HOUR, 10 * HOUR]))
    def step_clock(self, seconds: float) -> None:
        """The wall clock is set, or the machine slept: the monotonic one does not tell of either."""
        self.clock.step(seconds)
        self.stepped_at = self.clock.monotonic()
        self._advance()

    @rule(missing=st.booleans())
    def trust_events(self, missing: bool) -> None:  # noqa: FBT001
        """The system runs out of watches, or has some again."""
        self.watcher.missing = int(missing)
        self._act(Sweep())

    @rule(kill=st.booleans())
    def restart(self, kill: bool) -> None:  # noqa: FBT001
        """Another daemon over the same files and ledger; the workers of the first are gone with it."""
        for worker in self.workers.at_work.values():
            if worker.job is not None and not kill:
                self.ledger.release(worker.job) if self._holds(worker.job) else None
            elif worker.job is not None:
                self._die(worker.job)
        self.transcripts.states.clear()
        self.gone.clear()
        self.hinted.clear()
        self._start()

    # What workers do.

    @precondition(lambda self: any(one.job is None for one in self.workers.at_work.values()))
    @rule()
    def claim(self) -> None:
        """A worker takes a job, or ends as there is none."""
        pid = next(pid for pid, one in self.workers.at_work.items() if one.job is None)
        job = None if self.ledger.paused_at() is not None else self.ledger.claim(lease=LEASE)
        if job is None:
            self._end(pid, 0)
        else:
            self.workers.at_work[pid].job = job

    @precondition(lambda self: any(one.job is not None for one in self.workers.at_work.values()))
    @rule(which=st.integers(0, 1))
    def finish(self, which: int) -> None:
        """A worker ends its job, and looks for another."""
        busy = [one for one in self.workers.at_work.values() if one.job is not None]
        self._finish(busy[which % len(busy)])

    @precondition(lambda self: any(one.job is not None for one in self.workers.at_work.values()))
    @rule(counted=st.booleans())
    def put_off(self, counted: bool) -> None:  # noqa: FBT001
        """Something stands in a worker's way for a while."""
        worker = next(one for one in self.workers.at_work.values() if one.job is not None)
        assert worker.job is not None
        if self._holds(worker.job):
            if counted and worker.job.attempts >= 2:
                return
            self.ledger.retry(worker.job, at=self.ledger.now() + 30, counted=counted)
        worker.job = None

    @rule()
    def work(self) -> None:
        """Whoever is there does all there is to do."""
        if self.ledger.paused_at() is None:
            self._work()

    @precondition(lambda self: len(self.workers.at_work) > 0)
    @rule(which=st.integers(0, 1))
    def crash(self, which: int) -> None:
        """A worker dies on the spot."""
        pids = list(self.workers.at_work)
        self._crash(pids[which % len(pids)])

    # What has to hold at any time.

    @invariant()
    def count(self) -> None:
        """This, too, is a step."""
        type(self).steps += 1

    @invariant()
    def one_at_a_time(self) -> None:
        """One pass a project, and no more workers than allowed."""
        if hasattr(self, "ledger"):
            places = [job.place for job in self.ledger.jobs() if job.state == "leased"]
            assert len(places) == len(set(places))
            assert len(self.workers) <= 2

    def teardown(self) -> None:
        """Once nothing more happens, everything is done before long."""
        try:
            if hasattr(self, "keeper"):
                self._come_to_rest()
                self._everything_was_heard()
        finally:
            self.stack.close()


@contextmanager
def machine() -> Iterator[Machine]:
    """One, to be driven by hand; at the end, all that has to hold then is checked."""
    driven = Machine()
    try:
        driven.begin()
        yield driven
    finally:
        driven.teardown()


def test_the_date_of_a_file_tells_a_new_daemon_how_quiet_it_is_and_no_later_step_of_the_clock_matters() -> None:
    with machine() as home:
        home.append("a", "done", told=False)
        home.step_clock(5.0)
        home.restart(kill=False)  # by its date, five seconds have passed
        home.step_clock(-7 * 365 * 24 * HOUR)
        home.wait(114.0)
        assert not home.ledger.jobs()
        home.wait(2.0)
        assert [job.session_key for job in home.ledger.jobs()] == ["lines:a"]


def test_what_no_event_told_of_is_seen_before_anything_comes_of_it() -> None:
    with machine() as home:
        home.append("a", "done", told=True)
        home.wait(30.0)
        home.append("a", "running", told=False)
        home.wait(130.0)
        assert not home.ledger.jobs()


def test_a_pass_that_saw_more_than_the_daemon_knows_of_leaves_nothing_to_be_done_again() -> None:
    with machine() as home:
        home.all_end("ab")
        home.cut("a", keep=0)
        home.claim()
        home.all_end("ab")
        home.append("a", "done", told=False)
        home.work()
        assert not home.ledger.jobs()


def test_a_dead_workers_job_is_joined_with_what_waits_behind_it_and_nothing_is_asked_anew() -> None:
    with machine() as home:
        home.all_end("cd")
        home.claim()
        home.all_end("cd")
        asked = home.wanted()
        home.restart(kill=True)
        home.all_end("ab")
        left = {key: size for key, size in home.wanted() if key in {"lines:c", "lines:d"}}
        assert left == dict(sorted(asked))  # of each conversation the larger size


@pytest.mark.parametrize("years", [-7, 7])
def test_a_clock_that_was_years_off_makes_nobody_hear_again_what_was_heard(years: int) -> None:
    with machine() as home:
        home.append("a", "done", told=True)
        home.step_clock(min(years, 0) * 365 * 24 * HOUR)
        home.wait(130.0)
        home.work()
        assert home.extracted == {"0": 1}
        home.step_clock(abs(years) * 365 * 24 * HOUR)
        home.restart(kill=False)  # which clears the ledger of what is old
        home.cut("a", keep=1)  # its cursor is of no use any more
        home.fork("a", told=True)


@pytest.mark.timeout(120)
def test_whatever_happens_what_was_said_is_extracted_once_in_its_time_and_all_of_it() -> None:
    Machine.steps = 0
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=EXAMPLES, stateful_step_count=LENGTH, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert Machine.steps >= STEPS
