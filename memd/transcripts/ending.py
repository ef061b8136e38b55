"""Whether a conversation is over; pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memd.transcripts.model import ProcessState, TailState, TurnState

UNKNOWN_FACTOR = 3  # times `stalled`, where nobody knows whether the process lives


class EndHint(StrEnum):
    """What a hook said about a session; hints only make it faster."""

    SESSION_END = "session_end"  # the agent said good-bye
    REMEMBER = "remember"  # the person asked for something to be remembered


class Reason(StrEnum):
    """Why a conversation is, or is not yet, due."""

    NO_TURN = "no_turn"  # nobody has spoken
    QUIET = "quiet"  # complete, and nothing more came
    SESSION_END = "session_end"  # the agent's hook said so
    PROCESS_GONE = "process_gone"  # complete, and its process has ended
    REMEMBER = "remember"  # complete, and the person asked for it
    STALLED = "stalled"  # the turn broke off and was not taken up again
    WORKING = "working"  # the process lives and is at it


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long is long enough; all in seconds."""

    quiet: float = 120.0  # after a complete turn
    stalled: float = 600.0  # after a turn that broke off
    settle: float = 3.0  # until the last line has landed


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether to extract now, why, and when to ask again."""

    due: bool
    reason: Reason
    check_in: float | None  # seconds; None: due already, or only an event can change it


def verdict(tail: TailState, *, quiet: float, hint: EndHint | None, process: ProcessState, timings: Timings) -> Verdict:
    """Whether the conversation is over after `quiet` seconds without a byte.

    The death of a living process raises no event: its `check_in` says when to look again.
    """
    reason, wait = _rule(tail.turn, hint, process, timings)
    if wait is None:
        return Verdict(due=False, reason=reason, check_in=None)
    if reason is Reason.WORKING:
        return Verdict(due=False, reason=reason, check_in=wait)
    if quiet >= wait:
        return Verdict(due=True, reason=reason, check_in=None)
    return Verdict(due=False, reason=reason, check_in=wait - max(quiet, 0.0))


def _rule(
    turn: TurnState, hint: EndHint | None, process: ProcessState, timings: Timings
) -> tuple[Reason, float | None]:
    """The table: the first row that fits, and the seconds of quiet it asks for."""
    settle = min(timings.settle, timings.quiet)  # a hint never makes it slower
    rule: tuple[Reason, float | None]
    match turn, hint, process:
        case TurnState.NONE, _, _:
            rule = Reason.NO_TURN, None
        case TurnState.PENDING_TOOL | TurnState.RUNNING, EndHint.SESSION_END, ProcessState.ALIVE:
            rule = Reason.WORKING, settle  # it is about to exit, or the hint was wrong
        case _, EndHint.SESSION_END, _:
            rule = Reason.SESSION_END, settle
        case TurnState.COMPLETE, _, ProcessState.GONE:
            rule = Reason.PROCESS_GONE, settle
        case TurnState.COMPLETE, EndHint.REMEMBER, _:
            rule = Reason.REMEMBER, settle
        case TurnState.COMPLETE, _, _:
            rule = Reason.QUIET, timings.quiet
        case TurnState.BROKEN, _, _:
            rule = Reason.STALLED, timings.stalled
        case _, _, ProcessState.ALIVE:
            rule = Reason.WORKING, timings.stalled
        case _, _, ProcessState.GONE:
            rule = Reason.STALLED, timings.stalled
        case _:
            rule = Reason.STALLED, timings.stalled * UNKNOWN_FACTOR
    return rule
