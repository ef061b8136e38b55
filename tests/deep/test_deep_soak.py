"""Five hundred passes through one daemon, with real workers: whatever it holds, it holds no more of it at the end.

`python -m pytest -m deep -n0 -s tests/deep/test_deep_soak.py` prints the figures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import psutil
import pytest

from memd import config
from memd.clock import SystemClock
from memd.daemon.control import ask
from memd.daemon.requests import Request, Verb
from memd.ledger import read_ledger
from memd.memory import location
from tests.daemon.conftest import until
from tests.fakes import claude_lines as lines

pytestmark = [pytest.mark.deep, pytest.mark.timeout(3600)]

PASSES, AT_ONCE = 500, 4
CONVERSATIONS, PROJECTS = 40, 8
MEGABYTE = 1024.0**2
SETTINGS = {"MEMD_EXTRACT_QUIET": "0.1s", "MEMD_EXTRACT_STALLED": "0.2s", "MEMD_EXTRACT_MIN_INTERVAL": "0s"}


@dataclass(frozen=True)
class Held:
    """What a daemon holds at rest."""

    resident: float  # megabytes
    descriptors: int
    threads: int
    children: int
    zombies: int
    ledger: float  # megabytes, with its log


@contextmanager
def running(home: Path) -> Iterator[psutil.Process]:
    """The real daemon, once it is ready."""
    with (home / "log").open("wb") as log:
        command = [sys.executable, "-m", "memd.cli.main", "run"]
        process = subprocess.Popen(command, env=os.environ | SETTINGS, stdout=log, stderr=log)
    try:
        until(lambda: b"daemon_ready" in (home / "log").read_bytes())
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        assert process.wait(timeout=5) == 0


def converse(home: Path, number: int) -> None:
    """One more turn of a conversation; now and then there is something to remember in it."""
    project = home / f"shop{number % PROJECTS}"
    project.mkdir(exist_ok=True)
    session = f"{number % CONVERSATIONS:08}-0000-4000-8000-000000000000"
    said = f"from now on always run `make lint{number}` first" if number % 50 == 0 else f"what does line {number} do?"
    records = (
        lines.prompt(f"h{number}", said),
        lines.answer(f"a{number}", f"m{number}", lines.text("It adds two numbers. " * 50)),
    )
    path = home / ".claude" / "projects" / location.slug(str(project)) / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(lines.packed(*({**one, "cwd": str(project), "sessionId": session} for one in records)))


def passes() -> int:
    """How many passes have ended."""
    with read_ledger(config.find_paths(os.environ).ledger, SystemClock()) as ledger:
        return sum(run.ended is not None for run in ledger.runs(limit=-1))


def workers(home: Path) -> tuple[int, int]:
    """How many the daemon has started, and how many of them it has reaped."""
    said = (home / "log").read_bytes()
    return said.count(b'"event": "worker_started"'), said.count(b'"event": "worker_ended"')


def held(daemon: psutil.Process, home: Path, threads: int) -> Held:
    """Measured once every worker was reaped, and the thread that waited for it is gone; anew where one began since."""
    until(lambda: len(set(workers(home))) == 1)
    before = workers(home)
    until(lambda: daemon.num_threads() <= threads or workers(home) != before)
    paths = config.find_paths(os.environ)
    assert ask(paths.control, Request(verb=Verb.STATUS))["ok"]
    time.sleep(0.05)  # its answer's connection is closed by then
    children = daemon.children(recursive=True)
    found = Held(
        resident=daemon.memory_info().rss / MEGABYTE,
        descriptors=daemon.num_fds(),
        threads=daemon.num_threads(),
        children=len(children),
        zombies=sum(one.status() == psutil.STATUS_ZOMBIE for one in children),
        ledger=sum(one.stat().st_size for one in paths.state.glob("ledger.sqlite3*")) / MEGABYTE,
    )
    return found if workers(home) == before else held(daemon, home, threads)


def test_five_hundred_passes_leave_the_daemon_as_it_was(home: Path) -> None:
    (home / ".claude" / "projects").mkdir(parents=True)
    began, seen, most = time.monotonic(), [], 0
    with running(home) as daemon:
        time.sleep(1)  # whoever starts a thread has done so
        threads = daemon.num_threads()
        for number in range(0, PASSES, AT_ONCE):
            for one in range(number, number + AT_ONCE):
                converse(home, one)
            while passes() < number + AT_ONCE:
                most = max(most, len(daemon.children()))
                time.sleep(0.05)
            if number % 16 == 0:
                seen.append(held(daemon, home, threads))
        seen.append(held(daemon, home, threads))
        used = daemon.cpu_times()
    events = [json.loads(line)["event"] for line in (home / "log").read_text("utf-8").splitlines()]
    third = len(seen) // 3
    parts = (seen[:third], seen[third : 2 * third], seen[2 * third :])
    first, second, last = (mean(one.resident for one in part) for part in parts)
    sys.stdout.write(
        f"\n{passes()} passes by {events.count('worker_started')} workers in {time.monotonic() - began:.0f} s, of which"
        f" the daemon used {used.user + used.system:.1f} s\nfirst {seen[0]}\nlast  {seen[-1]}\n"
        f"resident, mean of the thirds: {first:.2f} {second:.2f} {last:.2f} MB;"
        f" children at once, at most: {most}; log lines: {len(events)}\n"
    )
    assert passes() == PASSES
    assert last <= first + 5
    assert last <= second + 1
    assert {one.descriptors for one in seen} == {seen[0].descriptors}
    assert max(one.threads for one in seen) <= threads
    assert {(one.children, one.zombies) for one in seen} == {(0, 0)}
    assert 1 <= most <= 2
    assert max(one.ledger for one in seen) < 8
    assert {"turn_failed", "ledger_lost", "pass_failed", "pass_given_up"}.isdisjoint(events)
