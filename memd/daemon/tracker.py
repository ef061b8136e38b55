"""The conversations with something new in them; the daemon's loop is the sole owner."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memd.clock import Clock
from memd.daemon.due import Decision, Rules, Tracked, complete_only, decide, outlook, rest, rests_at, since
from memd.daemon.hints import Hints
from memd.daemon.shape import Growth, is_copy, shape_at, shape_of
from memd.ledger import Job, JobRequest, Ledger, Session
from memd.transcripts.ending import EndHint
from memd.transcripts.model import ProcessState, TailState, TranscriptFile, Transcripts

RootOf = Callable[[str], str | None]  # from a session's cwd to its project


class Tracker:
    """Looks at transcripts, remembers what is new, and asks for passes when they are due."""

    def __init__(self, ledger: Ledger, transcripts: Transcripts, clock: Clock, rules: Rules, root_of: RootOf) -> None:
        self._ledger = ledger
        self._transcripts = transcripts
        self._clock = clock
        self._rules = rules
        self._root_of = root_of
        self._tracked: dict[str, Tracked] = {}
        self._keys: dict[str, str] = {}  # of the tracked conversations, by path
        self._growth: dict[str, Growth] = {}  # by key; taken into the above once somebody asks
        self._lived: set[str] = set()  # sessions whose process was seen alive
        self._hints = Hints()

    def __len__(self) -> int:
        """How many conversations have something new."""
        return len(self._tracked)

    def shape(self, key: str) -> tuple[int, int] | None:
        """The size and date (ns) that a tracked conversation had when last looked at."""
        seen = self._growth.get(key) or self._tracked.get(key)
        return None if seen is None else (seen.size, seen.mtime_ns)

    def adopt(self, transcripts: Transcripts, rules: Rules, root_of: RootOf) -> None:
        """Go on by other settings."""
        self._transcripts, self._rules, self._root_of = transcripts, rules, root_of

    def heed(self, session_id: str, hint: EndHint) -> None:
        """A hook or a person says something about a session, which memd may not know yet, or not all of."""
        self._hints.take(session_id, hint, self._clock.monotonic())
        for path in [one.path for one in self._tracked.values() if one.session_id == session_id]:
            self.hint(path)

    def hurry(self) -> None:
        """Somebody does not want to wait: what stands complete now is due."""
        self._take_in()
        for key, tracked in self._tracked.items():
            self._tracked[key] = replace(tracked, hurried=True)

    def hint(self, path: str) -> float:
        """An event says that a file has changed just now; when to ask what is due (monotonic seconds).

        Of a conversation that goes on growing, a thousand times a minute perhaps, the size is enough.
        """
        at = self._touch(path)
        if at is None:
            self.look(path, hinted=True)
            return -math.inf
        return at

    def _touch(self, path: str) -> float | None:
        """Take in the size of a tracked conversation; when it will be at rest. None: it needs a real look."""
        key = self._keys.get(path)
        if key is None:
            return None
        seen = self._growth.get(key) or self._tracked[key]
        try:
            status = os.lstat(path)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_size < seen.size:
            return None
        if shape_of(status) == (seen.size, seen.mtime_ns):
            return math.inf  # nothing but an attribute changed
        now = self._clock.monotonic()
        self._growth[key] = Growth(*shape_of(status), now)
        return now + rest(self._rules)

    def _take_in(self) -> None:
        for key, seen in self._growth.items():
            self._tracked[key] = replace(
                self._tracked[key], size=seen.size, mtime_ns=seen.mtime_ns, changed_at=seen.at, growing=True
            )
        self._growth.clear()

    def look(self, path: str, *, hinted: bool) -> bool:
        """Look at a file, and track it if it is a conversation with news. False: nothing came of it.

        `hinted`: an event says that it has changed just now; otherwise its own date says when.
        """
        self._take_in()
        known = self._ledger.session_at(path)
        file = self._transcripts.recognise(Path(path)) if known is None else _file(known)
        if file is None:
            return False
        try:
            status = file.path.stat()  # first: what is appended meanwhile is then seen as new by the next look
            tail = self._transcripts.tail(file.path)
        except OSError:  # deleted between the event and the look
            self._forget(key_of(file))
            return False
        return self._see(file, tail, status, known or self._ledger.session(key_of(file)), hinted=hinted)

    def forget_missing(self) -> None:
        """Stop tracking conversations whose files are gone."""
        for tracked in [tracked for tracked in self._tracked.values() if not os.path.lexists(tracked.path)]:
            self._forget(tracked.key)

    def _forget(self, key: str) -> None:
        self._growth.pop(key, None)
        tracked = self._tracked.pop(key, None)
        if tracked is not None:
            self._keys.pop(tracked.path, None)

    def _track(self, tracked: Tracked) -> None:
        self._forget(tracked.key)  # at another path, perhaps
        self._tracked[tracked.key] = tracked
        self._keys[tracked.path] = tracked.key

    def refresh(self) -> None:
        """Read again from the ledger how far passes have come."""
        self._take_in()
        jobs = {job.session_key: job for job in self._ledger.jobs()}
        for key in [key for key, tracked in self._tracked.items() if tracked.asked is not None]:
            self._refresh(key, jobs.get(key))

    def enqueue_due(self) -> tuple[float, tuple[tuple[str, str], ...]]:
        """Put what is due into the queue: when to come again (monotonic seconds), and (key, reason) of each new job."""
        self._take_in()
        now, processes = self._clock.monotonic(), self._processes()
        again_at, asked = math.inf, []
        for key in list(self._tracked):
            if not self._at_rest(key, now):
                continue
            decision = self._decide(key, processes, now)
            again_at = min(again_at, decision.again_at)
            if decision.due:
                self._ask(key)
                asked.append((key, decision.reason))
        return again_at, tuple(asked)

    def judged(self) -> tuple[tuple[Tracked, Decision], ...]:
        """Every tracked conversation, with what would be decided about it now; nothing is queued."""
        self._take_in()
        now, processes = self._clock.monotonic(), self._processes()
        return tuple(
            (one, outlook(one, processes.get(one.session_id, ProcessState.UNKNOWN), self._rules, now))
            for one in self._tracked.values()
        )

    def _at_rest(self, key: str, now: float) -> bool:
        """Look properly at a conversation that has stopped growing. False: it is none of ours any more."""
        tracked = self._tracked[key]
        if tracked.growing and now >= rests_at(tracked, self._rules):
            self.look(tracked.path, hinted=False)
            if self._tracked.get(key) is tracked:  # nothing came of it: the next rescan has a look
                self._forget(key)
        return key in self._tracked

    def _decide(self, key: str, processes: dict[str, ProcessState], now: float) -> Decision:
        decision = self._judge(key, processes, now)
        if not decision.due:
            return decision
        self._confirm(key)
        if key not in self._tracked:
            return Decision(due=False, reason="nothing_new", again_at=math.inf)
        return self._judge(key, processes, now)

    def _judge(self, key: str, processes: dict[str, ProcessState], now: float) -> Decision:
        tracked = self._tracked[key] = self._hinted(self._tracked[key], now)
        return decide(tracked, processes.get(tracked.session_id, ProcessState.UNKNOWN), self._rules, now)

    def _confirm(self, key: str) -> None:
        """Ask the disk and the ledger once more: an event may be late or lost, and others write to the ledger too."""
        tracked = self._tracked[key]
        if shape_at(tracked.path) != (tracked.size, tracked.mtime_ns):
            self.look(tracked.path, hinted=False)
        if key in self._tracked:
            self._refresh(key, None)

    def _hinted(self, tracked: Tracked, now: float) -> Tracked:
        """The same with what was said about it, if that holds."""
        said = self._hints.of(tracked.session_id, tracked.changed_at, now)
        if said is not None:
            return replace(tracked, hint=said.hint, hinted_at=said.at)
        return tracked if tracked.hint is None else replace(tracked, hint=None, hinted_at=-math.inf)

    def _ask(self, key: str) -> None:
        tracked = self._tracked[key]
        self._ledger.enqueue(
            JobRequest(session_key=key, watermark=tracked.size, complete_only=complete_only(tracked, self._rules))
        )
        self._tracked[key] = replace(tracked, asked=tracked.size, hurried=False)
        self._hints.drop(tracked.session_id)

    def _refresh(self, key: str, job: Job | None) -> None:
        session, tracked = self._ledger.session(key), self._tracked[key]
        if session is None or session.settled == tracked.size:
            self._forget(key)
            return
        asked = None if job is None else job.watermark
        self._tracked[key] = replace(
            tracked, settled=session.settled, asked=asked, passed_at=self._passed_at(session.last_pass_at, tracked),
            pass_written=session.last_pass_at,
        )  # fmt: skip

    def _see(
        self, file: TranscriptFile, tail: TailState, status: os.stat_result, known: Session | None, *, hinted: bool
    ) -> bool:
        if known is not None and is_copy(file, status, known):
            return False
        key = key_of(file)
        before = self._tracked.get(key)
        seen = before is not None and not before.growing
        if seen and known is not None and (known.size, known.mtime_ns) == shape_of(status):
            return False  # nothing but an attribute changed, or this was seen already
        self._ledger.note_session(self._session(file, tail, status, known))
        if known is not None and known.settled == status.st_size:
            self._forget(key)
        else:
            self._track(self._new(file, tail, status, known, hinted=hinted))
        return True

    def _new(
        self, file: TranscriptFile, tail: TailState, status: os.stat_result, known: Session | None, *, hinted: bool
    ) -> Tracked:
        key = key_of(file)
        before = self._tracked.get(key)
        written = None if known is None else known.last_pass_at
        return Tracked(
            key=key,
            session_id=file.session_id,
            path=str(file.path),
            tail=tail,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            changed_at=self._changed_at(before, status, hinted=hinted),
            settled=None if known is None else known.settled,
            asked=self._ledger.watermark(key) if before is None else before.asked,
            passed_at=self._passed_at(written, before),
            pass_written=written,
        )

    def _changed_at(self, before: Tracked | None, status: os.stat_result, *, hinted: bool) -> float:
        now = self._clock.monotonic()
        if hinted:
            return now
        if before is not None and (before.size, before.mtime_ns) == shape_of(status):
            return before.changed_at  # seen as it grew, which is surer than a date
        return since(self._clock.now().timestamp() - status.st_mtime, now)

    def _session(self, file: TranscriptFile, tail: TailState, status: os.stat_result, known: Session | None) -> Session:
        root = self._root_of(tail.cwd) if tail.cwd and (known is None or known.root is None) else None
        size, mtime_ns = shape_of(status)
        return Session(
            key=key_of(file), agent=file.agent, session_id=file.session_id, path=str(file.path), root=root,
            cwd=tail.cwd, size=size, mtime_ns=mtime_ns,
        )  # fmt: skip

    def _passed_at(self, when: float | None, before: Tracked | None) -> float | None:
        """When a pass ended that the ledger dates: reckoned once, since the wall clock may be set at any time."""
        if when is None:
            return None
        if before is not None and before.pass_written == when:
            return before.passed_at
        return since(self._clock.now().timestamp() - when, self._clock.monotonic())

    def _processes(self) -> dict[str, ProcessState]:
        """What is known of the sessions' processes. One that lived and is not listed any more ended cleanly."""
        if not self._tracked:
            return {}
        listed = dict(self._transcripts.processes())
        gone = self._lived - listed.keys()
        self._lived |= {name for name, state in listed.items() if state is ProcessState.ALIVE}
        return listed | dict.fromkeys(gone, ProcessState.GONE)


def key_of(file: TranscriptFile) -> str:
    """The ledger's key for a transcript."""
    return f"{file.agent}:{file.session_id}"


def _file(known: Session) -> TranscriptFile:
    return TranscriptFile(agent=known.agent, session_id=known.session_id, path=Path(known.path))
