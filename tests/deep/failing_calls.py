"""One pass, broken off by the n-th failing file call of a kind, for every n; `failing_calls.so` is preloaded.

    python failing_calls.py DIRECTORY KIND ERROR [short]

ERROR is a name such as ENOSPC. Prints a JSON object: how many calls failed, what became of the passes, what was wrong.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

from memd import worker
from memd.extract.house import House
from memd.ledger import Outcome
from memd.memory import workspace
from tests.deep import small_house
from tests.fakes.clock import FakeClock

SHIM = ctypes.CDLL(None)
MOST = 2000


def undisturbed(home: Path) -> dict[str, bytes]:
    """What a pass leaves when nothing fails; warms everything up, too."""
    small_house.lay_out(home)
    with small_house.opened(home) as house:
        small_house.enqueue(house, home)
        job = house.ledger.claim(lease=60.0)
        assert job is not None
        worker.work(job, house)
        done = small_house.contents(home)
        found = small_house.problems(home, house.ledger, done)
    assert not found, found
    return done


def tried(home: Path, nth: int, done: dict[str, bytes]) -> dict[str, object] | None:
    """One pass with its n-th call failing, then a worker that makes up for it. None: it never came to n calls."""
    small_house.lay_out(home)
    clock = FakeClock()
    with small_house.opened(home, clock) as house:
        small_house.enqueue(house, home)
        job = house.ledger.claim(lease=60.0)
        assert job is not None
        SHIM.failing_arm(sys.argv[2].encode(), nth, getattr(errno, sys.argv[3]), int("short" in sys.argv), 0)
        try:
            worker.work(job, house)
            error = None
        except Exception as raised:  # noqa: BLE001 - what comes out of the worker is what is asked here
            error = type(raised).__name__
        fired = SHIM.failing_disarm()
        now = small_house.contents(home)
        jobs = [(job.state, job.attempts) for job in house.ledger.jobs()]
        failed = [run.reason for run in house.ledger.runs(10) if run.outcome == Outcome.FAILED and not jobs]
        after = [f"torn: {path}" for path in small_house.torn(now, done)]
        made_up(house, clock, fresh=nth % 2 == 0)
        with workspace.make(small_house.memory_of(home), house.paths.scratch):
            pass  # clears away what a failed deletion left
        after += small_house.problems(home, house.ledger, done) if not failed else [f"given up: {failed}"]
    if not fired:
        return None
    return {"n": nth, "jobs": jobs, "error": error, "wrong": after}


def made_up(house: House, clock: FakeClock, *, fresh: bool) -> None:
    """Later: by the same worker, which goes on with its queue, or by a fresh one, which recovers first."""
    for _ in range(3):
        clock.advance(3600)
        if fresh:
            worker.recover(house)
        while (job := house.ledger.claim(lease=60.0)) is not None:
            worker.work(job, house)
        fresh = True


def main() -> None:
    """Try every n, each in a directory that is gone afterwards."""
    root = Path(sys.argv[1])
    done = undisturbed(root / "done")
    states: Counter[str] = Counter()
    wrong = []
    for nth in range(1, MOST):
        home = root / str(nth)
        os.environ["HOME"] = str(home)
        found = tried(home, nth, done)
        shutil.rmtree(home)
        if found is None:
            break
        states[f"{found['jobs']} {found['error'] or ''}".strip()] += 1
        if found["wrong"]:
            wrong.append(found)
    print(json.dumps({"failed": nth - 1, "states": states, "wrong": wrong}, default=str))  # noqa: T201


if __name__ == "__main__":
    main()
