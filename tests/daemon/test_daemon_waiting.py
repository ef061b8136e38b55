"""What open conversations wait for, as whoever asks the daemon is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memd.daemon.due import Decision, Rules, Tracked, decide, outlook
from memd.daemon.waiting import told
from memd.transcripts.ending import Timings
from memd.transcripts.model import ProcessState, TailState, TurnState
from tests.fakes.clock import FakeClock

RULES = Rules(timings=Timings(quiet=120.0, stalled=600.0), min_interval=600.0)


def conversation(turn: TurnState = TurnState.COMPLETE, **more: object) -> Tracked:
    tail = TailState(turn=turn, session_id="1", cwd=None, size=9)
    plain = Tracked(key="a:1", session_id="1", path="/1", tail=tail, size=9, mtime_ns=0, changed_at=1000.0)
    return replace(plain, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("process", list(ProcessState))
def test_a_living_process_is_looked_at_often_but_nobody_is_told_that_it_is_over_so_soon(process: ProcessState) -> None:
    said = outlook(conversation(), process, RULES, 1010.0)
    if process is ProcessState.GONE:
        assert said.due
        return
    assert (said.due, said.again_at) == (False, 1120.0)
    looked_at = decide(conversation(), process, RULES, 1010.0).again_at
    assert looked_at == (1015.0 if process is ProcessState.ALIVE else 1120.0)


def test_what_had_a_pass_lately_waits_for_the_next() -> None:
    said = outlook(conversation(passed_at=900.0), ProcessState.ALIVE, RULES, 1130.0)
    assert (said.due, said.reason, said.again_at) == (False, "min_interval", 1500.0)


def test_the_soonest_comes_first_and_what_is_queued_is_said_to_be() -> None:
    clock = FakeClock()
    now = clock.monotonic()
    later = Decision(due=False, reason="quiet", again_at=now + 60)
    never = Decision(due=False, reason="no_turn", again_at=float("inf"))
    rows = told(
        [
            (conversation(session_id="b"), never),
            (conversation(session_id="c", asked=9), later),
            (conversation(session_id="a"), later),
        ],
        clock,
    )
    assert [(row["session"], row["reason"], row["seconds"]) for row in rows] == [
        ("a", "quiet", 60.0),
        ("b", "no_turn", None),
        ("c", "queued", None),
    ]
    assert len(told([(conversation(), later)] * 99, clock)) == 50
