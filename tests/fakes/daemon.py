"""A daemon over plain-line transcripts with a fake worker: `python -m tests.fakes.daemon ROOT MODE [LIMIT]`.

State, journal and settings come from HOME and MEMD_* as they do for the real one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memd import config, logs
from memd.clock import SystemClock
from memd.daemon.loop import run
from memd.daemon.setup import Setup
from memd.daemon.workers import Staff
from memd.errors import MemdError
from memd.transcripts.agents import Agents
from tests.fakes.transcripts import LineTranscripts


def setup(root: Path, mode: str, *more: Path, limit: float = 60.0, once: bool = False) -> Setup:
    """What such a daemon is made of; `more` are further roots."""
    loaded = config.load(os.environ)
    worker = (sys.executable, "-m", "tests.fakes.worker", str(loaded.paths.ledger), str(journal(loaded.paths)), mode)
    return Setup(
        settings=loaded.settings,
        paths=loaded.paths,
        transcripts=Agents([LineTranscripts(one) for one in (root, *more)]),
        clock=SystemClock(),
        log=logs.configure(sys.stderr, json=True),
        staff=Staff(command=worker, environ=os.environ, limit=limit, grace=0.5),
        environ=os.environ,
        root_of=lambda cwd: cwd,
        held_up=_held_up,
        once=once,
        reload=lambda: setup(root, mode, *more, limit=limit, once=once),
    )


def _held_up() -> str | None:
    """What stands in the file that HELD_UP names, as long as that is there."""
    try:
        return Path(os.environ.get("HELD_UP", "")).read_text("utf-8")
    except OSError:
        return None


def journal(paths: config.Paths) -> Path:
    """Where the fake worker notes what it does."""
    return paths.home / "journal"


def main(root: str, mode: str, limit: str = "60", *more: str) -> int:
    """Run until a signal."""
    try:
        return run(setup(Path(root), mode, *map(Path, more), limit=float(limit)))
    except MemdError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
