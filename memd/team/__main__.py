"""The short process that syncs one team memory: `python -P -m memd.team KEY`, started by the daemon.

Its standard input is a pipe that the daemon holds: its end means that the daemon is gone, and this process ends, too.
What it had begun is finished by the next one. Most of these find nothing new: what only others need is imported late.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from memd import config, lifeline
from memd.clock import SystemClock
from memd.config import Loaded
from memd.errors import LedgerError, LockedError, MemdError, UsageError
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import account, quick
from memd.team.allowed import switch


def main(arguments: Sequence[str]) -> int:
    """Exit code 0, also where the remote could not be used, which is written down; 4 where somebody else syncs."""
    if not sys.stdin.isatty():
        lifeline.hold()  # git has a session of its own, and ends with this process
    environ = dict(os.environ)
    try:
        return _sync(arguments, environ)
    except LockedError as error:
        return error.exit_code
    except (MemdError, OSError) as error:
        from memd import logs  # noqa: PLC0415 - see above

        log = logs.configure(sys.stderr, json=not sys.stderr.isatty())
        log.error("team_sync_broken_off", error=type(error).__name__, detail=str(error))  # noqa: TRY400 - no traceback
        return 1


def _sync(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    loaded = config.load(environ)
    one = _meant(arguments, loaded)
    if not switch(one, loaded.paths, loaded.settings, environ).on:
        return 0
    return 0 if _quickly(one, environ) else _wholly(one, loaded, environ)


def _meant(arguments: Sequence[str], loaded: Loaded) -> Membership:
    current = membership.current(loaded.paths, loaded.settings)
    found = [one for one in current if [one.key] == list(arguments)]
    if not found:
        raise UsageError("this names no team memory")
    return found[0]


def _quickly(one: Membership, environ: Mapping[str, str]) -> bool:
    """Whether a look was enough. It is written down, and said where it is anything but well."""
    was, clock = account.before(one), SystemClock()
    report = quick.look(one, was, environ, clock.now().timestamp())
    if report is None:
        return False
    known = account.remember(one, was, report, clock.now().timestamp(), whole=False)
    if not report.in_order:
        from memd import logs  # noqa: PLC0415 - see above

        log = logs.configure(sys.stderr, json=not sys.stderr.isatty()).bind(project=str(one.project))
        account.tell(log, was.known, known, report)
    return True


def _wholly(one: Membership, loaded: Loaded, environ: Mapping[str, str]) -> int:
    import sqlite3  # noqa: PLC0415 - see above

    from memd import logs  # noqa: PLC0415
    from memd.ledger import open_ledger  # noqa: PLC0415
    from memd.team import turn  # noqa: PLC0415
    from memd.team.house import House  # noqa: PLC0415

    clock, log = SystemClock(), logs.configure(sys.stderr, json=not sys.stderr.isatty())
    try:
        with open_ledger(loaded.paths.ledger, clock) as ledger:
            house = House(
                settings=loaded.settings, paths=loaded.paths, environ=environ, ledger=ledger, clock=clock, log=log
            )
            report = turn.take(one, house)
    except sqlite3.Error as error:
        raise LedgerError(str(error)) from error
    return LockedError.exit_code if report.elsewhere else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
