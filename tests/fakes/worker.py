"""A worker that does no work: `python -m tests.fakes.worker LEDGER JOURNAL MODE`; it notes what it does in JOURNAL.

Modes: `drain` commits every job it can claim; `hold` claims one and waits for its stdin to end; `deaf` claims one,
starts a child and ignores SIGTERM for ever; `leave` does its work and leaves a child behind that holds all it has
inherited, in a session of its own; `crash` ends with an error before it has done anything; `idle` ends
without having done anything.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from memd.clock import SystemClock
from memd.ledger import Job, Ledger, Outcome, Run, open_ledger


def main(ledger_path: str, journal: str, mode: str) -> int:
    """Behave as told."""
    _note(journal, f"started {os.getpid()} {mode}")
    if mode in {"crash", "idle"}:
        return int(mode == "crash")
    with open_ledger(Path(ledger_path), SystemClock()) as ledger:
        while job := ledger.claim(lease=60):
            _note(journal, f"claimed {job.session_key} {job.watermark}")
            _work(ledger, job, journal, mode)
    return 0


def _work(ledger: Ledger, job: Job, journal: str, mode: str) -> None:
    if mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        _note(journal, f"child {child.pid}")
        while True:
            signal.pause()
    if mode == "hold":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        _note(journal, "holding")
        sys.stdin.buffer.read()
        ledger.release(job)
        _note(journal, "stdin ended")
        sys.exit(0)
    if mode == "leave":
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], start_new_session=True)
        _note(journal, f"child {child.pid}")
    run = Run(id=ledger.start_run(session_key=job.session_key), session_key=job.session_key, outcome=Outcome.NOTHING)
    ledger.commit_pass(job, cursor="end", uuids=(), run=run)


def _note(journal: str, text: str) -> None:
    with Path(journal).open("a", encoding="utf-8") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
