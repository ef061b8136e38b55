"""Team memory: from an edit to its arrival, and what a sync costs that finds nothing new: `bench_team.py [--smoke]`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import psutil

from memd.daemon.members import SETTLE
from memd.daemon.teams import SYNC
from tests.bench import measure
from tests.bench.measure import Row, processor_seconds, resident, timed, until
from tests.fakes.git_remote import Server, bare, git, serving
from tests.fakes.team_mate import Daemon, Mate, mate

_PULL = 1.0  # seconds, where the way from the remote is measured
_RARE = {"MEMD_TEAM_PULL": "1h"}  # no pull comes in between


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """All that is measured of team memory."""
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as scratch, serving(_made(Path(scratch) / "srv")) as server:
        remote = bare(server.root / "team.git")
        ana, bo = (mate(Path(scratch).resolve() / name) for name in ("ana", "bo"))
        for number in range(5 if smoke else 100):
            ana.write(f"project_{number}.md", f"Rule number {number}")
        for one in (ana, bo):
            one.join(server.url())
        with ana.daemon(**_RARE) as hers:
            _at_rest(hers)
            yield _to_remote(ana, remote, 1 if smoke else 10)
            with bo.daemon(MEMD_TEAM_PULL=f"{_PULL}s"):
                yield _to_other(ana, bo, 1 if smoke else 10)
            yield from _idle(hers, 1.0 if smoke else 30.0)
        yield _no_change(ana, server, 1 if smoke else 15)


def _made(place: Path) -> Path:
    place.mkdir()
    return place


def _at_rest(running: Daemon) -> None:
    """Its first pull is over."""
    time.sleep(1.0)
    until(lambda: not running.children())


def _to_remote(ana: Mate, remote: Path, rounds: int) -> Row:
    """From a save to the commit on the remote, without the two seconds in which more may be saved; beside a push."""
    own, bound = [], []
    for number in range(rounds):
        tip = remote / "refs" / "heads" / "memd"  # asking git would take the time that is measured
        before = tip.read_text("ascii")
        began = time.perf_counter()
        ana.write("project_0.md", f"Edit {number} of a rule")
        until(lambda file=tip, known=before: file.read_text("ascii") != known, pause=0.01)  # type: ignore[misc]
        own.append(time.perf_counter() - began - SETTLE)
        bound.append(_push(remote))
    return Row(
        what="saved, on the remote; 2 s left out | git push", measured=median(own), limit=median(bound), target=15.0
    )


def _push(remote: Path) -> float:
    """A commit and a push by git alone."""
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as scratch:
        work = Path(scratch)
        git(work, "clone", "--quiet", "--branch=memd", str(remote), ".")

        def push() -> None:
            git(work, "commit", "--quiet", "--allow-empty", "-m", "x")
            git(work, "push", "--quiet", "origin", "+HEAD:refs/heads/bench")

        return timed(push)


def _to_other(ana: Mate, bo: Mate, rounds: int) -> Row:
    """From a save on one machine to the file on the other, where that one asks every second."""
    own = []
    for number in range(rounds):
        words = f"Arrival {number} of a rule"
        began = time.perf_counter()
        ana.write("project_1.md", words)
        until(lambda text=words: text in bo.text("project_1.md"), pause=0.01)  # type: ignore[misc]
        own.append(time.perf_counter() - began)
    return Row(
        what="saved here, live there; pull = 1s | 2 s + 1 s", measured=median(own), limit=SETTLE + _PULL, target=2.5
    )


def _idle(running: Daemon, seconds: float) -> Iterator[Row]:
    until(lambda: not running.children())
    used = processor_seconds(running.process.pid)
    time.sleep(seconds)
    share = (processor_seconds(running.process.pid) - used) / seconds
    yield Row(what="processor at rest, one team | one core", measured=share, limit=1.0, target=0.001, unit="")
    yield Row(what="memory at rest, one team | 64 MB", measured=resident(running.process.pid), limit=64e6, target=1.0,
              unit="B")  # fmt: skip


def _no_change(ana: Mate, server: Server, rounds: int) -> Row:
    """A whole process that finds nothing new, beside `git fetch` and Python's start."""
    key = next((ana.home / ".local" / "state" / "memd" / "team").iterdir()).name
    repository = ana.home / ".local" / "state" / "memd" / "team" / key / "repository.git"
    environ = ana.environ()

    def sync() -> float:
        return _cost([*SYNC, key], environ)

    def bare_minimum() -> float:
        fetch = ["git", f"--git-dir={repository}", "fetch", "--quiet", server.url(), "+refs/heads/memd:refs/bench/memd"]
        return _cost(fetch, environ) + _cost([sys.executable, "-c", "pass"], environ)

    return measure.side_by_side(sync, bare_minimum, rounds).row("sync without news | git fetch + python -c pass", 12.0)


def _cost(command: list[str], environ: dict[str, str]) -> float:
    """Seconds of processor that it and what it starts take: what an idle machine pays every five minutes."""
    before = _children()
    with subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:  # whose standard input is open until it has ended
        assert running.wait() == 0
    return _children() - before


def _children() -> float:
    times = psutil.Process().cpu_times()
    return float(times.children_user + times.children_system)


if __name__ == "__main__":
    measure.main("Team memory", rows)
