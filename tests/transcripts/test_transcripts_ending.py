"""When a conversation is over: the whole grid, against a table written the other way round."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.transcripts.ending import EndHint, Reason, Timings, Verdict, verdict
from memd.transcripts.model import ProcessState, TailState, TurnState

TIMINGS = Timings(quiet=100.0, stalled=500.0, settle=3.0)
HINTS = (None, *EndHint)
GRID = tuple(product(TurnState, HINTS, ProcessState))
UNFINISHED = {TurnState.RUNNING, TurnState.PENDING_TOOL}


def ask(
    turn: TurnState,
    quiet: float,
    hint: EndHint | None = None,
    process: ProcessState = ProcessState.UNKNOWN,
    timings: Timings = TIMINGS,
) -> Verdict:
    tail = TailState(session_id="s", cwd="/p", turn=turn, size=1)
    return verdict(tail, quiet=quiet, hint=hint, process=process, timings=timings)


def expected_wait(turn: TurnState, hint: EndHint | None, process: ProcessState) -> float | None:
    """The seconds of quiet after which it is due; None: never."""
    if turn is TurnState.NONE or (turn in UNFINISHED and process is ProcessState.ALIVE):
        return None
    if hint is EndHint.SESSION_END:
        return 3.0
    if turn is TurnState.COMPLETE:
        return 3.0 if hint is EndHint.REMEMBER or process is ProcessState.GONE else 100.0
    if turn is TurnState.BROKEN or process is ProcessState.GONE:
        return 500.0
    return 1500.0


@pytest.mark.parametrize(("turn", "hint", "process"), GRID)
def test_due_exactly_when_the_wait_is_over(turn: TurnState, hint: EndHint | None, process: ProcessState) -> None:
    wait = expected_wait(turn, hint, process)
    if wait is None:
        assert not ask(turn, 1e9, hint, process).due
    else:
        assert not ask(turn, wait - 0.5, hint, process).due
        assert ask(turn, wait, hint, process).due


@pytest.mark.parametrize(("turn", "hint", "process"), GRID)
def test_check_in_names_the_moment_it_becomes_due(turn: TurnState, hint: EndHint | None, process: ProcessState) -> None:
    if expected_wait(turn, hint, process) is None:
        return
    before = ask(turn, 1.0, hint, process)
    assert before.check_in is not None
    assert ask(turn, 1.0 + before.check_in, hint, process) == Verdict(due=True, reason=before.reason, check_in=None)


@pytest.mark.parametrize(
    ("turn", "hint", "process", "reason"),
    [
        (TurnState.NONE, EndHint.SESSION_END, ProcessState.GONE, Reason.NO_TURN),
        (TurnState.COMPLETE, None, ProcessState.ALIVE, Reason.QUIET),
        (TurnState.COMPLETE, None, ProcessState.GONE, Reason.PROCESS_GONE),
        (TurnState.COMPLETE, EndHint.REMEMBER, ProcessState.ALIVE, Reason.REMEMBER),
        (TurnState.COMPLETE, EndHint.SESSION_END, ProcessState.ALIVE, Reason.SESSION_END),
        (TurnState.BROKEN, None, ProcessState.GONE, Reason.STALLED),
        (TurnState.BROKEN, EndHint.REMEMBER, ProcessState.ALIVE, Reason.STALLED),
        (TurnState.BROKEN, EndHint.SESSION_END, ProcessState.ALIVE, Reason.SESSION_END),
        (TurnState.PENDING_TOOL, None, ProcessState.ALIVE, Reason.WORKING),
        (TurnState.RUNNING, None, ProcessState.GONE, Reason.STALLED),
        (TurnState.RUNNING, None, ProcessState.UNKNOWN, Reason.STALLED),
        (TurnState.RUNNING, EndHint.SESSION_END, ProcessState.UNKNOWN, Reason.SESSION_END),
    ],
)
def test_the_reason_is_named(turn: TurnState, hint: EndHint | None, process: ProcessState, reason: Reason) -> None:
    assert ask(turn, 1.0, hint, process).reason is reason


def test_a_living_process_is_looked_at_again() -> None:
    assert ask(TurnState.PENDING_TOOL, 1e9, None, ProcessState.ALIVE) == Verdict(
        due=False, reason=Reason.WORKING, check_in=500.0
    )
    assert ask(TurnState.RUNNING, 0.0, EndHint.SESSION_END, ProcessState.ALIVE).check_in == 3.0


def test_nothing_said_waits_for_an_event() -> None:
    assert ask(TurnState.NONE, 1e9) == Verdict(due=False, reason=Reason.NO_TURN, check_in=None)


def test_a_hint_never_makes_it_slower() -> None:
    fast = Timings(quiet=1.0, stalled=2.0)
    for hint in HINTS:
        assert ask(TurnState.COMPLETE, 1.0, hint, timings=fast).due
        assert ask(TurnState.BROKEN, 2.0, hint, timings=fast).due


def test_a_quiet_time_below_zero_counts_as_none() -> None:
    assert ask(TurnState.COMPLETE, -50.0).check_in == 100.0


@given(st.sampled_from(GRID), st.floats(0, 1e6), st.floats(0, 1e6))
def test_more_quiet_never_makes_it_less_due(
    row: tuple[TurnState, EndHint | None, ProcessState], quiet: float, more: float
) -> None:
    turn, hint, process = row
    assert ask(turn, quiet + more, hint, process).due >= ask(turn, quiet, hint, process).due
