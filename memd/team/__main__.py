"""The short process that syncs one team memory: `python -P -m memd.team KEY`, started by the daemon.

Its standard input is a pipe that the daemon holds: its end means that the daemon is gone, and this process ends, too.
What it had begun is finished by the next one.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Mapping, Sequence

from memd import config, logs
from memd.clock import SystemClock
from memd.errors import LockedError, MemdError, UsageError
from memd.ledger import open_ledger
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import turn
from memd.team.house import House
from memd.team.nouns import Outcome


def main(arguments: Sequence[str]) -> int:
    """Exit code 0, also where the remote could not be used, which is written down; 4 where somebody else syncs."""
    if not sys.stdin.isatty():
        threading.Thread(target=_die_with_daemon, daemon=True).start()
    log = logs.configure(sys.stderr, json=not sys.stderr.isatty())
    try:
        return _sync(arguments, dict(os.environ))
    except (MemdError, sqlite3.Error, OSError) as error:
        log.error("team_sync_broken_off", error=type(error).__name__, detail=str(error))  # noqa: TRY400 - no traceback
        return LockedError.exit_code if isinstance(error, LockedError) else 1


def _sync(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    clock, loaded = SystemClock(), config.load(environ)
    log = logs.configure(sys.stderr, json=not sys.stderr.isatty())
    one = _meant(arguments, loaded)
    if not turn.switch(one, loaded.paths, loaded.settings, environ).on:
        return 0
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        house = House(
            settings=loaded.settings, paths=loaded.paths, environ=environ, ledger=ledger, clock=clock, log=log
        )
        report = turn.take(one, house)
    return LockedError.exit_code if report.outcome is Outcome.BUSY else 0


def _meant(arguments: Sequence[str], loaded: config.Loaded) -> Membership:
    current = membership.current(loaded.paths, loaded.settings)
    found = [one for one in current if [one.key] == list(arguments)]
    if not found:
        raise UsageError("this names no team memory")
    return found[0]


def _die_with_daemon() -> None:
    """Nobody would reap us any more. git has a session of its own, and ends with this process."""
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
