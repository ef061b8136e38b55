"""The short process in which a model chooses what a session is told next; the daemon never loads what that takes.

What is sought comes as a line on standard input, which the daemon then holds open: its end means that the daemon is
gone. The answer is a line of JSON, a list of paths; an empty one where the model may not be asked or cannot tell.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from memd import config, lifeline, logs
from memd.clock import SystemClock
from memd.errors import MemdError
from memd.ledger import open_ledger
from memd.recall import advice, find
from memd.recall.advice import Sought
from memd.recall.find import How
from memd.recall.model import Asker
from memd.recall.shelf import Shelf

_SECONDS = 25.0  # the daemon ends this process a little later


def main() -> int:
    """Answer what is asked; the exit code."""
    line = b""
    while not line.endswith(b"\n") and (more := os.read(0, 65536)):
        line += more
    lifeline.hold()
    try:
        paths = choose(advice.parse(line), dict(os.environ))
    except (MemdError, OSError, sqlite3.Error, ValueError) as error:
        logs.configure(sys.stderr, json=True).warning("adviser_failed", error=type(error).__name__)
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(paths) + b"\n")
    return 0


def choose(sought: Sought, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The absolute paths that the model chooses. Raises MemdError, OSError and sqlite3.Error."""
    loaded, clock = config.load(environ), SystemClock()
    with Shelf(loaded.paths.recall, loaded.paths.headers) as shelf, open_ledger(loaded.paths.ledger, clock) as ledger:
        asker = Asker(
            settings=loaded.settings,
            environ=environ,
            ledger=ledger,
            clock=clock,
            project=sought.root,
            recent_tools=sought.tools,
        )
        found = find.find_relevant_memories(
            sought.query,
            Path(sought.memory_dir),
            recent_tools=sought.tools,
            already_surfaced=sought.surfaced,
            deadline=find.within(_SECONDS),
            how=How(shelf=shelf, choose=lambda *asked: asker(*asked) or ()),  # the words have answered already
        )
    return tuple(one.path for one in found)


if __name__ == "__main__":
    sys.exit(main())
