"""Writing to the ledger: `bench_ledger.py [--smoke]`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from memd.clock import SystemClock
from memd.ledger import JobRequest, Ledger, Session, open_ledger
from tests.bench import measure
from tests.bench.measure import Row, repeated, side_by_side

_KNOWN = 20_000  # conversations
_TARGET = 0.05  # of the time that the disk takes to confirm a write


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """What the daemon writes while conversations go on. Values change each time: equal ones would cost nothing."""
    times, rounds = (20, 2) if smoke else (500, 9)
    with measure.temporary_home() as home, open_ledger(home / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.note_sessions(_session(number) for number in range(100 if smoke else _KNOWN))
        for what, work in _writes(ledger).items():
            pair = side_by_side(repeated(work, times), repeated(_synced(home / "synced"), max(10, times // 5)), rounds)
            yield pair.row(f"{what} | write + fdatasync", _TARGET)


def _writes(ledger: Ledger) -> dict[str, Callable[[], object]]:
    sizes = count(1)
    return {
        "a conversation has grown": lambda: ledger.note_session(replace(_session(7), size=next(sizes))),
        "a job is asked for": lambda: ledger.enqueue(JobRequest(session_key=_session(7).key, watermark=next(sizes))),
        "a sign of life": lambda: ledger.set_meta("daemon", str(next(sizes))),
    }


def _session(number: int) -> Session:
    name = f"{number:08}-0000-4000-8000-000000000000"
    return Session(key=f"claude-code:{name}", agent="claude-code", session_id=name, path=f"/p/{name}.jsonl", root="/r")


def _synced(path: Path) -> Callable[[], None]:
    """Write a page and wait until the disk has it."""
    page = b"x" * 4096

    def work() -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(fd, page)
        os.fdatasync(fd)
        os.close(fd)

    return work


if __name__ == "__main__":
    measure.main("Writing to the ledger", rows)
