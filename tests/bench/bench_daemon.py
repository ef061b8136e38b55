"""The daemon at rest and at work: `bench_daemon.py [--smoke]`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median

from memd.clock import SystemClock
from memd.config import Settings
from memd.daemon.due import Rules
from memd.daemon.reconcile import rescan
from memd.daemon.tracker import Tracker
from memd.daemon.watcher import WINDOW
from memd.ledger import open_ledger
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.ending import Timings
from tests.bench import measure, transcript
from tests.bench.house import NEVER, Daemon, House, daemon, furnished, seen, sizes
from tests.bench.measure import Row, paired, processor_seconds, resident, side_by_side, timed, until
from tests.fakes.rescans import at_once

_BARE = (sys.executable, "-c", "pass")
_ASLEEP = (sys.executable, "-c", "import time; time.sleep(1e6)")
_RAW = (sys.executable, "-S", str(Path(__file__).with_name("raw_events.py")))
_GROWING, _RATE = 50, 20  # files, and how often each grows in a second
_QUIET = 1.0  # seconds
_START = 0.3  # seconds that a worker may be late


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """All that is measured of the daemon."""
    with furnished(0) as house:
        yield _ready(house, 2 if smoke else 9)
        yield _worker_start(house, 1 if smoke else 5)
    with furnished(200 if smoke else 20_000) as house:
        reconciled = _reconciliation(house, 2 if smoke else 9)
        yield reconciled
        with daemon(house, NEVER) as running:
            yield from _at_rest(running, reconciled.measured, 1.0 if smoke else 30.0)
            yield _seen_after(house, 3 if smoke else 40)
            yield _growth(house, running, 1.0 if smoke else 15.0)


def _ready(house: House, rounds: int) -> Row:
    def start() -> float:
        with daemon(house, NEVER) as running:
            return running.ready_after

    bare = measure.environ_of(house.home)
    pair = side_by_side(start, lambda: timed(lambda: subprocess.run(_BARE, env=bare, check=True)), rounds)
    return pair.row("daemon ready | python -c pass", 12.0)


def _worker_start(house: House, rounds: int) -> Row:
    """From the end of a conversation to the start of a worker, without the quiet time in between."""
    late: list[float] = []
    with daemon(house, {"MEMD_EXTRACT_QUIET": f"{_QUIET}s", "MEMD_EXTRACT_MIN_INTERVAL": "0s"}) as running:
        for number in range(rounds):
            before = running.logged("worker_started")
            path = house.path(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(next(transcript.turns()))
            over = time.perf_counter()
            until(lambda count=before: running.logged("worker_started") > count)  # type: ignore[misc]
            late.append(time.perf_counter() - over - _QUIET)
            until(lambda count=before: running.logged("worker_ended") > count)  # type: ignore[misc]
    return Row(what="conversation over and quiet, worker started | 300 ms", measured=median(late), limit=_START,
               target=1.0)  # fmt: skip


def _reconciliation(house: House, rounds: int) -> Row:
    """A rescan with everything known, which is also what a start does."""
    claude = ClaudeCode(house.projects.parent)
    rules = Rules(timings=Timings(), min_interval=Settings().extract.min_interval)
    with open_ledger(house.ledger, SystemClock()) as ledger:
        tracker = Tracker(ledger, claude, SystemClock(), rules, lambda _: None)

        def scan() -> None:
            at_once(rescan(ledger, claude, tracker, now=time.time(), began=time.time()))

        scan()
        count = ledger.counts().sessions
        pair = paired(scan, lambda: _scandir(house.projects), rounds)
    return pair.row(f"rescan, {count} known | scandir + stat", 1.6)


def _scandir(root: Path) -> int:
    found = 0
    for project in os.scandir(root):
        for entry in os.scandir(project.path):
            found += os.stat(entry.path).st_size  # noqa: PTH116 - the quickest way is the limit
    return found


def _at_rest(running: Daemon, rescan_time: float, seconds: float) -> Iterator[Row]:
    with measure.process(_ASLEEP, dict(os.environ), Path(os.devnull)) as bare:
        time.sleep(min(seconds, 2.0))
        yield Row(what="memory at rest, all known | bare python", measured=resident(running.pid),
                  limit=resident(bare.pid), target=4.5, unit="B")  # fmt: skip
    used = processor_seconds(running.pid)
    time.sleep(seconds)
    share = (processor_seconds(running.pid) - used) / seconds + rescan_time / Settings().watch.sweep
    yield Row(what="processor at rest, rescans included | one core", measured=share, limit=1.0, target=0.001, unit="")


def _seen_after(house: House, rounds: int) -> Row:
    """From a write to the ledger's row, less the time in which events are collected; beside a bare read.

    Each time it is another file, at rest till then: of one that goes on growing only the size is taken in.
    """
    paths, said = map(house.path, count()), _lines()
    other = house.path(0).with_name("other.txt")
    other.touch()
    with sizes(house) as db, _raw(other.parent) as raw:

        def by_daemon() -> float:
            path = next(paths)
            began, size = _append(path, next(said))
            until(lambda: seen(db, path) == size, pause=0.0001)
            taken = time.perf_counter() - began - WINDOW
            _take(raw)
            return taken

        def by_nobody() -> float:
            time.sleep(2 * WINDOW)
            began, _ = _append(other, next(said))
            _take(raw)
            return time.perf_counter() - began

        pair = side_by_side(by_daemon, by_nobody, rounds)
    return pair.row("event seen, window left out | bare inotify", 5.0)


def _growth(house: House, running: Daemon, seconds: float) -> Row:
    """Both watch the same files."""
    paths = [house.path(number) for number in range(_GROWING)]
    with _raw(*{path.parent for path in paths}) as raw:
        pids = (running.pid, raw.pid)
        before = [processor_seconds(pid) for pid in pids]
        _grow(paths, seconds)
        time.sleep(2 * WINDOW)
        own, limit = (processor_seconds(pid) - used for pid, used in zip(pids, before, strict=True))
    return Row(what=f"processor, {_GROWING} files grow {_RATE} times a second | inotify", measured=own, limit=limit,
               target=6.0)  # fmt: skip


def _grow(paths: list[Path], seconds: float) -> None:
    """Append the lines of a conversation to each file in turn, evenly over the time."""
    said, began = _lines(), time.monotonic()
    files = [path.open("ab", buffering=0) for path in paths]
    for step in range(int(seconds * _RATE)):
        line = next(said)
        for file in files:
            file.write(line)
        time.sleep(max(0.0, began + (step + 1) / _RATE - time.monotonic()))
    for file in files:
        file.close()


def _lines() -> Iterator[bytes]:
    return (line + b"\n" for turn in transcript.turns() for line in turn.splitlines())


def _append(path: Path, data: bytes) -> tuple[float, int]:
    """When it was written, and the size since."""
    with path.open("ab", buffering=0) as file:
        began = time.perf_counter()
        file.write(data)
        return began, file.tell()


@contextmanager
def _raw(*directories: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that reads events and nothing else."""
    with subprocess.Popen((*_RAW, *map(str, directories)), stdout=subprocess.PIPE, bufsize=0) as running:
        _take(running)
        yield running
        running.kill()


def _take(running: subprocess.Popen[bytes]) -> None:
    """Wait for what it says."""
    if running.stdout is not None:
        running.stdout.read(65536)


if __name__ == "__main__":
    measure.main("The daemon", rows)
