"""The daemon's decisions under any order of events: the real keeper, tracker and ledger over fake time and workers.

What has to hold: what a person said is extracted once, never before its time, never by two at once in one project,
and, once all is quiet, all of it.
"""

from __future__ import annotations

import asyncio
import io
import math
import os
import shutil
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memd import config, logs
from memd.clock import Clock
from memd.daemon.clock import Alarm
from memd.daemon.events import Asked, Beat, Changed, Event, Sweep, WorkerEnded
from memd.daemon.keeper import Keeper
from memd.daemon.requests import Request, Verb
from memd.daemon.setup import Setup
from memd.daemon.watcher import Watcher
from memd.daemon.workers import Staff, Workers
from memd.errors import LeaseLostError
from memd.ledger import Job, Outcome, Run, Session, open_ledger
from memd.transcripts.ending import EndHint
from memd.transcripts.model import ProcessState, TurnState
from tests.fakes.clock import FakeClock
from tests.fakes.crew import FakeAlarm, FakeWatcher, FakeWorker, FakeWorkers, breathe
from tests.fakes.transcripts import LineTranscripts

STEPS = 2000  # at least, in one run of the tests
EXAMPLES, LENGTH = 64, 40
LEASE, LIMIT = 900.0, 900.0  # seconds, as the real worker's and the real daemon's
SETTLE, QUIET, STALLED, INTERVAL = 3.0, 120.0, 600.0, 600.0  # the defaults
BEAT = 30.0
PATIENCE = 5400.0  # seconds in which everything has to be done, once nothing more happens
HOUR = 3600.0
TURNS = 30  # that may come at once

sessions = st.sampled_from(["a", "b", "c", "d"])
PROJECT = {"a": "p", "b": "p", "c": "q", "d": "q", "a2": "p", "b2": "p", "c2": "q", "d2": "q"}


@dataclass
class Written:
    """A conversation as it really is."""

    path: Path
    changed_at: float  # monotonic seconds


class Machine(RuleBasedStateMachine):
    """One home, one daemon after the other."""

    steps = 0  # of all runs

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="memd-machine-"))
        self.stack = ExitStack()
        self.stack.callback(shutil.rmtree, self.home, ignore_errors=True)
        self.loop = asyncio.new_event_loop()
        self.stack.callback(self.loop.close)
        self.clock = FakeClock()
        self.root = self.home / "root"
        self.root.mkdir()
        self.transcripts = LineTranscripts(self.root)
        self.written: dict[str, Written] = {}
        self.spoken: dict[str, set[str]] = {}  # what each conversation holds now
        self.numbers = iter(range(10**9))
        self.hinted: set[str] = set()  # whatever was said of a session holds till it has been extracted, or longer
        self.gone: set[str] = set()  # sessions whose process this daemon has seen alive, and sees no more
        self.extracted: Counter[str] = Counter()
        self.passes: dict[str, list[float]] = {}  # when each session's passes ended, in monotonic seconds
        self.stepped_at = -math.inf  # when the wall clock was last moved by force, in monotonic seconds
        self.suspended = 0.0
        self.log = io.StringIO()

    @initialize()
    def begin(self) -> None:
        """A daemon that has seen the empty root."""
        paths = config.Paths(home=self.home, config_file=self.home / "none", state=self.home / "state")
        self.setup = Setup(
            settings=config.Settings(),
            paths=paths,
            transcripts=self.transcripts,
            clock=self.clock,
            log=logs.configure(self.log, json=True),
            staff=Staff(concurrency=2),
            environ={},
            root_of=lambda cwd: cwd,
        )
        self.ledger = self.stack.enter_context(open_ledger(paths.ledger, cast("Clock", self.clock)))
        self._start()

    def _start(self) -> None:
        self.workers, self.watcher, self.alarm = FakeWorkers(self.clock), FakeWatcher(), FakeAlarm()
        self.keeper = Keeper(
            self.setup, self.ledger, cast("Workers", self.workers), cast("Watcher", self.watcher),
            cast("Alarm", self.alarm), breathe,
        )  # fmt: skip
        self.loop.run_until_complete(self.keeper.start())
        self.swept_at = self.beat_at = self.clock.monotonic()
        self._advance()

    # What the loop does.

    def _advance(self) -> float:
        before = {job.id: job.watermark for job in self.ledger.jobs()}
        self.log.truncate(self.log.seek(0))
        wait = self.loop.run_until_complete(self.keeper.advance())
        for job in self.ledger.jobs():
            if before.get(job.id) != job.watermark:  # not one that was only put back
                self._check_time(job)
        return wait

    def _act(self, event: Event) -> None:
        self.loop.run_until_complete(self.keeper.act(event))
        self._advance()

    def _pass_time(self, seconds: float) -> None:
        """As the loop does: until something is due, a beat, a sweep, or the time is over."""
        end = self.clock.monotonic() + seconds
        wait, turns = self._advance(), 0
        while (now := self.clock.monotonic()) < end:
            turns += 1
            assert turns <= TURNS + seconds / 2, (wait, self.keeper.__dict__)
            due = min(now + max(wait, 0.01), self.beat_at + BEAT, self.swept_at + max(self.alarm.sweep, BEAT), end)
            self.clock.advance(max(due - now, 0.0))
            self._end_late_workers()
            if self.clock.monotonic() >= self.beat_at + BEAT:
                self.beat_at = self.clock.monotonic()
                self.loop.run_until_complete(self.keeper.act(Beat()))
            if self.clock.monotonic() >= self.swept_at + max(self.alarm.sweep, BEAT):
                self.swept_at = self.clock.monotonic()
                self.loop.run_until_complete(self.keeper.act(Sweep()))
            wait = self._advance()

    def _end_late_workers(self) -> None:
        late = [pid for pid, one in self.workers.at_work.items() if self.clock.monotonic() - one.since >= LIMIT]
        for pid in late:
            self._crash(pid)

    # What has to hold whenever something is put into the queue.

    def _check_time(self, job: Job) -> None:
        """A job is asked for only after the time that its last turn needs, by one of the two clocks."""
        name = (job.session_key or "").partition(":")[2]
        one = self.written[name]
        now = self.clock.monotonic()
        try:
            wall = self.clock.now().timestamp() - one.path.stat().st_mtime
        except FileNotFoundError:
            return
        moved = self.stepped_at >= one.changed_at
        quiet = max(now - one.changed_at, wall) if moved else now - one.changed_at
        ended = name in self.hinted | self.gone
        turn = self.transcripts.tail(one.path).turn
        needed = SETTLE if ended else QUIET if turn is TurnState.COMPLETE else STALLED
        assert quiet >= needed - 0.2, (job, quiet, needed, turn)
        passes = self.passes.get(job.session_key or "", [])
        if passes and not ended and self.stepped_at < passes[-1]:
            assert now - passes[-1] >= INTERVAL - 0.2, (job, now - passes[-1])

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

    def _append(self, name: str, lines: list[str], *, told: bool) -> None:
        path = self.root / PROJECT[name] / f"{name}.talk"
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        self._dated(name, path)
        self.spoken.setdefault(name, set()).update(line.split()[1] for line in lines if line.startswith("human"))
        if told:
            self._act(Changed(paths=frozenset({str(path)})))

    def _dated(self, name: str, path: Path) -> None:
        when = self.clock.now().timestamp()
        os.utime(path, (when, when))
        self.written[name] = Written(path, self.clock.monotonic())

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
            self._dated(name, path)
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
        if self.transcripts.states.get(name) is ProcessState.ALIVE:
            self.transcripts.states[name] = ProcessState.GONE
            if not listed:
                del self.transcripts.states[name]
            self.gone.add(name)
            self._advance()

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

    def _crash(self, pid: int) -> None:
        worker = self.workers.at_work[pid]
        if worker.job is not None:
            self._die(worker.job)
        self._end(pid, -9)

    def _die(self, job: Job) -> None:
        """Nobody is there any more who holds the job."""
        self.ledger._db.execute("UPDATE jobs SET holder = 'dead' WHERE id = ? AND token = ?", (job.id, job.token))  # noqa: SLF001

    def _end(self, pid: int, code: int) -> None:
        del self.workers.at_work[pid]
        self._act(WorkerEnded(pid=pid, code=code))

    def _holds(self, job: Job) -> bool:
        return any(one.id == job.id and one.token == job.token for one in self.ledger.jobs())

    def _finish(self, worker: FakeWorker) -> None:
        job = worker.job
        assert job is not None
        worker.job = None
        session = self.ledger.session(job.session_key or "")
        assert session is not None
        held = self._holds(job)
        try:
            said = self._pass(job, session)
        except LeaseLostError:
            assert not held
            return
        assert held
        self.extracted.update(said)
        self.passes.setdefault(session.key, []).append(self.clock.monotonic())

    def _pass(self, job: Job, session: Session) -> list[str]:
        """What the real pass does: all that is over since the cursor, without what was dealt with elsewhere."""
        run = Run(
            id=self.ledger.start_run(session_key=session.key), session_key=session.key, root=session.root,
            outcome=Outcome.NOTHING,
        )  # fmt: skip
        try:
            data = Path(session.path).read_bytes()
        except FileNotFoundError:
            self.ledger.finish(job, run)
            return []
        start, mark = (session.cursor or "0 ").split(" ")
        begin = int(start) if digest(data[: int(start)]) == mark else 0
        turn = self.transcripts.tail(Path(session.path)).turn
        whole = turn is TurnState.COMPLETE or len(data) <= job.watermark
        over = data.rfind(b"done\n", begin)
        end = len(data) if whole else over + 5 if over >= 0 else begin
        uuids = [line.split()[1] for line in data[begin:end].decode().splitlines() if line.startswith("human")]
        known = self.ledger.processed(session.root or session.key, uuids)
        cursor = f"{end} {digest(data[:end])}"
        self.ledger.commit_pass(job, cursor=cursor, uuids=uuids, run=run, settled=end if whole else None)
        return [uuid for uuid in uuids if uuid not in known]

    # What has to hold at any time.

    @invariant()
    def count(self) -> None:
        """This, too, is a step."""
        type(self).steps += 1

    @invariant()
    def nothing_twice(self) -> None:
        """What a person said is extracted once at most."""
        assert all(times == 1 for times in self.extracted.values()), self.extracted

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

    def _come_to_rest(self) -> None:
        self.ledger.resume()
        for name in list(self.transcripts.states):
            self.process_dies(name, listed=False)
        self.transcripts.states.clear()
        self.watcher.missing = 0
        end = self.clock.monotonic() + PATIENCE
        self._act(Sweep())
        while self._unsettled() or self.workers.at_work or self.ledger.jobs():
            assert self.clock.monotonic() < end, (self._unsettled(), self.ledger.jobs(), self.clock.now())
            self._work()
            self._pass_time(20)
        assert self.loop.run_until_complete(self.keeper.advance()) > 0

    def _work(self) -> None:
        for pid, worker in list(self.workers.at_work.items()):
            if worker.job is not None:
                self._finish(worker)
            while (job := self.ledger.claim(lease=LEASE)) is not None:
                worker.job = job
                self._finish(worker)
            self._end(pid, 0)

    def _unsettled(self) -> list[Session]:
        known = {one.path: one for one in self.ledger.sessions()}
        there = [one.path for name, one in self.written.items() if self.spoken.get(name) and one.path.exists()]
        return [known[str(path)] for path in there if known[str(path)].settled != path.stat().st_size]

    def _everything_was_heard(self) -> None:
        """Of what was given up, the next words bring all back."""
        for name, one in list(self.written.items()):
            if self.spoken.get(name) and one.path.exists():
                self._append(name, [f"human {next(self.numbers)}", "done"], told=False)
        self._come_to_rest()
        here = {uuid for name, said in self.spoken.items() if self.written[name].path.exists() for uuid in said}
        assert here <= self.extracted.keys(), here - self.extracted.keys()
        self.nothing_twice()


def digest(data: bytes) -> str:
    return blake2b(data, digest_size=4).hexdigest() if data else ""


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
