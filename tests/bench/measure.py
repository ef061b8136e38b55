"""Measuring side by side: every figure beside a limit taken in the same run, on machines that do other things too."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Rows = Callable[[bool], Iterator["Row"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table: what memd took, what nobody could beat, and how far apart the two may be."""

    what: str
    measured: float
    limit: float
    target: float  # the ratio that is good enough
    ratio: float | None = None  # the median of the rounds' ratios; None: of the two figures as they stand
    unit: str = "s"  # seconds, "B" for bytes, or "" for a plain number

    @property
    def found(self) -> float:
        """How many limits it took."""
        if self.ratio is not None:
            return self.ratio
        return self.measured / self.limit if self.limit else float(self.measured > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two things measured in turns: their medians, and the median of each round's ratio."""

    measured: float
    limit: float
    ratio: float

    def row(self, what: str, target: float) -> Row:
        """The same as a line of a table; times in seconds."""
        return Row(what=what, measured=self.measured, limit=self.limit, ratio=self.ratio, target=target)


def timed(work: Callable[[], object]) -> float:
    """How many seconds one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def side_by_side(work: Callable[[], float], limit: Callable[[], float], rounds: int) -> Pair:
    """Both in turns, so that whatever else the machine does slows both down; each returns its figure."""
    pairs = [(work(), limit()) for _ in range(rounds)]
    return Pair(
        measured=median(own for own, _ in pairs),
        limit=median(bound for _, bound in pairs),
        ratio=median(own / bound for own, bound in pairs),
    )


def paired(work: Callable[[], object], limit: Callable[[], object], rounds: int) -> Pair:
    """The seconds of both in turns."""
    return side_by_side(lambda: timed(work), lambda: timed(limit), rounds)


def repeated(work: Callable[[], object], times: int) -> Callable[[], float]:
    """The seconds of one call, from many in a row: for what is over at once."""

    def run() -> float:
        return timed(lambda: [work() for _ in range(times)]) / times

    return run


def processor_seconds(pid: int) -> float:
    """What the threads of a process have used of the processor so far (Linux)."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text("ascii").split()[0]) for thread in threads) / 1e9


def resident(pid: int) -> int:
    """The bytes that a process holds in memory (Linux)."""
    pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def until(question: Callable[[], object], patience: float = 60.0, pause: float = 0.002) -> None:
    """Ask until the answer is true; raises TimeoutError after so many seconds."""
    deadline = time.monotonic() + patience
    while not question():
        if time.monotonic() > deadline:
            raise TimeoutError("nothing came of it")
        time.sleep(pause)


@contextmanager
def process(command: Sequence[str], environ: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes to `log` and is ended afterwards."""
    with log.open("wb") as file:
        running = subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        yield running
    finally:
        running.terminate()
        running.wait()


def environ_of(home: Path, **variables: str) -> dict[str, str]:
    """An environment that knows of no home but this one."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"HOME": str(home), "TZ": "UTC"} | variables


@contextmanager
def temporary_home() -> Iterator[Path]:
    """A home directory that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as directory:
        yield Path(directory)


def main(title: str, rows: Rows) -> None:
    """Print the table of a script: at full size, or with `--smoke` at sizes that only show that it works."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, a few seconds")
    smoke: bool = parser.parse_args().smoke
    print_table(title + (" (smoke: sizes too small to mean anything)" if smoke else ""), rows(smoke))


def print_table(title: str, rows: Iterator[Row]) -> None:
    """Print rows as they come."""
    say(f"{title}\n{'what':<58} {'measured':>11} {'limit':>11} {'ratio':>9} {'target':>9}")
    for row in rows:
        verdict = "ok" if row.found <= row.target else "over"
        figures = f"{_spelled(row.measured, row.unit):>11} {_spelled(row.limit, row.unit):>11}"
        say(f"{row.what:<58} {figures} {row.found:>8.3g}x {row.target:>8.3g}x  {verdict}")


def say(line: str) -> None:
    """Print a line now, since the next may take a while."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _spelled(value: float, unit: str) -> str:
    """A figure with a fitting prefix."""
    if not unit:
        return f"{value:.4g}"
    scales = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")]
    scale, prefix = next((pair for pair in scales if abs(value) >= pair[0]), scales[-1])
    return f"{value / scale:.3g} {prefix}{unit}"
