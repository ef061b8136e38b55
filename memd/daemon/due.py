"""What is due now, and when to look again; pure. Times are monotonic seconds, so a clock step changes nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

from memd.transcripts.ending import EndHint, Reason, Timings, verdict
from memd.transcripts.model import ProcessState, TailState, TurnState

_AT_ONCE = frozenset({Reason.SESSION_END, Reason.PROCESS_GONE, Reason.REMEMBER})  # however short ago the last pass was
_NEVER = math.inf
_PROCESS_CHECK = 5.0  # seconds; the end of a process raises no event
_OLDEST = 86400.0  # seconds of quiet that a file's date is believed for


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """A conversation with something new in it."""

    key: str
    session_id: str
    path: str
    tail: TailState
    size: int  # bytes of the whole file, which is what `settled` and `asked` speak of
    mtime_ns: int
    changed_at: float
    growing: bool = False  # it has grown since the tail was read
    settled: int | None = None  # the size up to which nothing is left to do
    asked: int | None = None  # the size for which a job waits or runs
    passed_at: float | None = None  # when its last pass ended,
    pass_written: float | None = None  # and by the wall clock, as the ledger has it
    hint: EndHint | None = None
    hinted_at: float = -_NEVER  # what lands then, or shortly after, is waited for
    hurried: bool = False  # a person does not want to wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How long is long enough; seconds."""

    timings: Timings
    min_interval: float
    once: bool = False  # complete turns count as ended, now


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a conversation is due; if not, when to ask again, `inf`: only an event can change it."""

    due: bool
    reason: str
    again_at: float


def decide(tracked: Tracked, process: ProcessState, rules: Rules, now: float) -> Decision:
    """Whether to put the conversation into the queue now."""
    if tracked.size in {tracked.settled, tracked.asked}:
        return Decision(due=False, reason="nothing_new", again_at=_NEVER)
    if tracked.growing:
        return Decision(due=False, reason="growing", again_at=rests_at(tracked, rules))
    if rules.once and tracked.passed_at is not None and tracked.passed_at >= tracked.changed_at:
        return Decision(due=False, reason="left_for_later", again_at=_NEVER)  # a turn that is not complete yet
    if rules.once and tracked.tail.turn is not TurnState.NONE:
        return Decision(due=True, reason="once", again_at=_NEVER)
    if tracked.hurried and tracked.tail.turn is TurnState.COMPLETE:
        return Decision(due=True, reason="run_now", again_at=_NEVER)
    quiet = now - max(tracked.changed_at, tracked.hinted_at)
    said = verdict(tracked.tail, quiet=quiet, hint=tracked.hint, process=process, timings=rules.timings)
    if not said.due:
        return Decision(due=False, reason=said.reason, again_at=_next_look(said.check_in, process, now))
    free_at = -_NEVER if tracked.passed_at is None else tracked.passed_at + rules.min_interval
    if said.reason not in _AT_ONCE and now < free_at:
        return Decision(due=False, reason="min_interval", again_at=_next_look(free_at - now, process, now))
    return Decision(due=True, reason=said.reason, again_at=_NEVER)


def outlook(tracked: Tracked, process: ProcessState, rules: Rules, now: float) -> Decision:
    """As `decide`, but `again_at` is when it will be due if nothing happens, not when its process is looked at."""
    said = decide(tracked, process, rules, now)
    if process is ProcessState.ALIVE and said.reason in {Reason.QUIET, "min_interval"}:
        return decide(tracked, ProcessState.UNKNOWN, rules, now)
    return said


def rests_at(tracked: Tracked, rules: Rules) -> float:
    """Until when its tail is of no use: nothing makes a conversation due that has grown just now."""
    return tracked.changed_at + rest(rules)


def rest(rules: Rules) -> float:
    """Seconds without growth before which nothing is due."""
    return min(rules.timings.settle, rules.timings.quiet, rules.timings.stalled)


def complete_only(tracked: Tracked, rules: Rules) -> bool:
    """Whether the pass leaves the last turn for later: it was taken before that was over."""
    return rules.once and tracked.tail.turn is not TurnState.COMPLETE


def since(age: float, now: float) -> float:
    """When something happened that a wall clock dates `age` seconds ago: never in the future, never too long ago."""
    return now - min(max(age, 0.0), _OLDEST)


def _next_look(check_in: float | None, process: ProcessState, now: float) -> float:
    if check_in is None:
        return _NEVER
    return now + (min(check_in, _PROCESS_CHECK) if process is ProcessState.ALIVE else check_in)
