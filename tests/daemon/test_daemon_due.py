"""When a conversation is due: a pure question."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.due import Rules, Tracked, complete_only, decide, since
from memd.transcripts.ending import EndHint, Timings
from memd.transcripts.model import ProcessState, TailState, TurnState

RULES = Rules(timings=Timings(quiet=120, stalled=600), min_interval=600)
NOW = 10_000.0


def tracked(turn: TurnState = TurnState.COMPLETE, *, quiet: float = 0.0, growing: bool = False) -> Tracked:
    tail = TailState(session_id="a", cwd="/p", turn=turn, size=100)
    return Tracked(
        key="x:a", session_id="a", path="/a", tail=tail, size=100, mtime_ns=0, changed_at=NOW - quiet, growing=growing
    )


some_tracked = st.builds(
    Tracked,
    key=st.just("x:a"),
    session_id=st.just("a"),
    tail=st.builds(TailState, session_id=st.just("a"), cwd=st.none(), turn=st.sampled_from(TurnState), size=st.just(9)),
    size=st.integers(0, 3),
    changed_at=st.floats(NOW - 5000, NOW),
    settled=st.none() | st.integers(0, 3),
    asked=st.none() | st.integers(0, 3),
    passed_at=st.none() | st.floats(NOW - 5000, NOW),
    hint=st.none() | st.sampled_from(EndHint),
)


def test_a_complete_turn_is_due_after_its_quiet_time() -> None:
    assert decide(tracked(quiet=119), ProcessState.UNKNOWN, RULES, NOW).again_at == NOW + 1
    assert decide(tracked(quiet=120), ProcessState.UNKNOWN, RULES, NOW).due


def test_a_second_pass_has_to_wait_unless_the_conversation_ended() -> None:
    again = replace(tracked(quiet=300), settled=50, passed_at=NOW - 400)
    decision = decide(again, ProcessState.UNKNOWN, RULES, NOW)
    assert (decision.due, decision.reason, decision.again_at) == (False, "min_interval", NOW + 200)
    assert decide(again, ProcessState.GONE, RULES, NOW).due
    assert decide(replace(again, hint=EndHint.SESSION_END), ProcessState.ALIVE, RULES, NOW).due
    assert decide(replace(again, passed_at=NOW - 600), ProcessState.UNKNOWN, RULES, NOW).due


@pytest.mark.parametrize("field", ["settled", "asked"])
def test_nothing_new_is_never_due(field: str) -> None:
    done = replace(tracked(quiet=9999), **{field: 100})  # type: ignore[arg-type]  # by name
    assert decide(done, ProcessState.GONE, RULES, NOW).again_at == math.inf
    assert not decide(done, ProcessState.GONE, replace(RULES, once=True), NOW).due


def test_once_takes_complete_turns_as_ended_and_leaves_the_others_for_later() -> None:
    once = replace(RULES, once=True)
    due = {turn: decide(tracked(turn), ProcessState.ALIVE, once, NOW).due for turn in TurnState}
    assert due == {turn: turn is not TurnState.NONE for turn in TurnState}
    assert [turn for turn in TurnState if not complete_only(tracked(turn), once)] == [TurnState.COMPLETE]
    assert not any(complete_only(tracked(turn), RULES) for turn in TurnState)


def test_a_live_process_is_asked_about_every_few_seconds() -> None:
    assert decide(tracked(), ProcessState.ALIVE, RULES, NOW).again_at == NOW + 5


@given(some_tracked, st.sampled_from(ProcessState))
def test_who_is_not_due_is_told_a_time_in_the_future_or_never(one: Tracked, process: ProcessState) -> None:
    decision = decide(one, process, RULES, NOW)
    assert decision.again_at > NOW
    assert not (decision.due and one.size in {one.settled, one.asked})
    if decision.due and process is not ProcessState.GONE and one.hint is not EndHint.SESSION_END:
        assert one.passed_at is None or NOW - one.passed_at >= RULES.min_interval


@given(some_tracked)
def test_waiting_as_told_ends(one: Tracked) -> None:
    """Following `again_at` comes to an end within the longest time there is, for every conversation."""
    now = NOW
    for _ in range(5):
        decision = decide(one, ProcessState.UNKNOWN, RULES, now)
        if decision.due or math.isinf(decision.again_at):
            return
        now = decision.again_at + 1e-6
    pytest.fail("asked to come back again and again")


@given(st.floats(allow_nan=False))
def test_a_date_is_believed_within_bounds(age: float) -> None:
    assert NOW - 86400 <= since(age, NOW) <= NOW


def test_what_grows_is_never_due_whatever_its_tail_said() -> None:
    for process in ProcessState:
        seen = decide(tracked(quiet=2, growing=True), process, RULES, NOW)
        assert (seen.due, seen.reason, seen.again_at) == (False, "growing", NOW + 1)
