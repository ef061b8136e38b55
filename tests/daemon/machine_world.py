"""The home, the daemon, the workers and the people of the state machine, and what each of them can do."""

from __future__ import annotations

import asyncio
import io
import math
import os
import shutil
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import cast

from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from memd import config, logs
from memd.clock import Clock
from memd.daemon.clock import Alarm
from memd.daemon.events import Beat, Changed, Event, Sweep, WorkerEnded
from memd.daemon.keeper import Keeper
from memd.daemon.setup import Setup
from memd.daemon.watcher import Watcher
from memd.daemon.workers import Staff, Workers
from memd.errors import LeaseLostError
from memd.ledger import Job, Outcome, Run, Session, open_ledger
from memd.transcripts.model import ProcessState, TurnState
from tests.fakes.clock import FakeClock
from tests.fakes.crew import FakeAlarm, FakeWatcher, FakeWorker, FakeWorkers, breathe
from tests.fakes.transcripts import LineTranscripts
from tests.fakes.written import Written, digest

LEASE, LIMIT = 900.0, 900.0  # seconds, as the real worker's and the real daemon's
SETTLE, QUIET, STALLED, INTERVAL = 3.0, 120.0, 600.0, 600.0  # the defaults
BEAT = 30.0
PATIENCE = 5400.0  # seconds in which everything has to be done, once nothing more happens
TURNS = 30  # that may come at once

PROJECT = {"a": "p", "b": "p", "c": "q", "d": "q", "a2": "p", "b2": "p", "c2": "q", "d2": "q"}


class World(RuleBasedStateMachine):
    """One home, one daemon after the other."""

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
        for one in self.written.values():
            one.seen_at, one.known = one.changed_at, False
        self.keeper = Keeper(
            self.setup, self.ledger, cast("Workers", self.workers), cast("Watcher", self.watcher),
            cast("Alarm", self.alarm), breathe,
        )  # fmt: skip
        self.loop.run_until_complete(self.keeper.start())
        self._dates_are_seen(by_all=True)
        self.swept_at = self.beat_at = self.clock.monotonic()
        self._advance()

    # What the loop does.

    def _advance(self) -> float:
        before = self.wanted()
        self._dates_are_seen(by_all=False)
        self.log.truncate(self.log.seek(0))
        wait = self.loop.run_until_complete(self.keeper.advance())
        new = self.wanted() - before  # not what was only put back, joined perhaps with what waited behind it
        for job in self.ledger.jobs():
            if (job.session_key, job.watermark) in new:
                self._check_time(job)
        return wait

    def wanted(self) -> Counter[tuple[str | None, int]]:
        """Whose transcripts are in the queue, or at work, up to which size."""
        return Counter((job.session_key, job.watermark) for job in self.ledger.jobs())

    def _act(self, event: Event) -> None:
        self._happens(event)
        self._advance()

    def _happens(self, event: Event) -> None:
        self.loop.run_until_complete(self.keeper.act(event))
        if isinstance(event, Sweep):
            self._dates_are_seen(by_all=True)

    def _dates_are_seen(self, *, by_all: bool) -> None:
        """A rescan looks at whatever no event has told of; what has grown meanwhile may be looked at at any time."""
        for one in self.written.values():
            if not one.known:
                one.look(self.clock.monotonic(), self.clock.now().timestamp())
                one.known = by_all

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
                self._happens(Beat())
            if self.clock.monotonic() >= self.swept_at + max(self.alarm.sweep, BEAT):
                self.swept_at = self.clock.monotonic()
                self._happens(Sweep())
            wait = self._advance()

    def _end_late_workers(self) -> None:
        late = [pid for pid, one in self.workers.at_work.items() if self.clock.monotonic() - one.since >= LIMIT]
        for pid in late:
            self._crash(pid)

    def _check_time(self, job: Job) -> None:
        """A job is asked for only after the time that its last turn needs.

        That is monotonic time since the daemon knows of the change. How old that was then, it takes from an event, or,
        as after a restart, from the file's date and the wall clock as they stand at that moment.
        """
        name = (job.session_key or "").partition(":")[2]
        one = self.written[name]
        if not one.path.exists():
            return
        now = self.clock.monotonic()
        quiet = now - one.seen_at
        ended = name in self.hinted | self.gone
        turn = self.transcripts.tail(one.path).turn
        needed = SETTLE if ended else QUIET if turn is TurnState.COMPLETE else STALLED
        assert quiet >= needed - 0.2, (job, quiet, needed, turn)
        passes = self.passes.get(job.session_key or "", [])
        if passes and not ended and self.stepped_at < passes[-1]:
            assert now - passes[-1] >= INTERVAL - 0.2, (job, now - passes[-1])

    # What people, agents and machines do.

    def _append(self, name: str, lines: list[str], *, told: bool) -> None:
        path = self.root / PROJECT[name] / f"{name}.talk"
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        self._dated(name, path, told=told)
        self.spoken.setdefault(name, set()).update(line.split()[1] for line in lines if line.startswith("human"))
        if told:
            self._act(Changed(paths=frozenset({str(path)})))

    def _dated(self, name: str, path: Path, *, told: bool) -> None:
        when, now = self.clock.now().timestamp(), self.clock.monotonic()
        os.utime(path, (when, when))
        self.written[name] = Written(path, changed_at=now, dated=when, seen_at=now, known=told)

    def _dies(self, name: str, *, listed: bool) -> None:
        """It ended, cleanly or not."""
        if self.transcripts.states.get(name) is ProcessState.ALIVE:
            self.transcripts.states[name] = ProcessState.GONE
            if not listed:
                del self.transcripts.states[name]
            self.gone.add(name)
            self._advance()

    # What workers do.

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

    def _work(self) -> None:
        for pid, worker in list(self.workers.at_work.items()):
            if worker.job is not None:
                self._finish(worker)
            while (job := self.ledger.claim(lease=LEASE)) is not None:
                worker.job = job
                self._finish(worker)
            self._end(pid, 0)

    @invariant()
    def nothing_twice(self) -> None:
        """What a person said is extracted once at most."""
        assert all(times == 1 for times in self.extracted.values()), self.extracted

    def _come_to_rest(self) -> None:
        self.ledger.resume()
        for name in list(self.transcripts.states):
            self._dies(name, listed=False)
        self.transcripts.states.clear()
        self.watcher.missing = 0
        end = self.clock.monotonic() + PATIENCE
        self._act(Sweep())
        while self._unsettled() or self.workers.at_work or self.ledger.jobs():
            assert self.clock.monotonic() < end, (self._unsettled(), self.ledger.jobs(), self.clock.now())
            self._work()
            self._pass_time(20)
        assert self.loop.run_until_complete(self.keeper.advance()) > 0

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
