"""Named places where a test may end the process or make a call fail."""

from __future__ import annotations

import errno
import os
import signal
from collections import Counter

FAILPOINTS = (
    "daemon.queued",
    "daemon.worker_started",
    "dream.locked",
    "dream.proposed",
    "dream.judged",
    "dream.before_commit",
    "dream.committed",
    "dream.saved",
    "extract.read",
    "extract.proposed",
    "extract.before_commit",
    "extract.committed",
    "files.made_directory",
    "files.opened_temporary",
    "files.wrote_temporary",
    "files.synced_temporary",
    "files.renamed",
    "files.before_append",
    "files.appended",
    "files.before_remove",
    "files.removed",
    "store.made_run",
    "store.wrote_images",
    "store.journalled",
    "store.before_one",
    "store.applied_one",
    "store.before_bullets",
    "store.appended_bullets",
    "store.recorded",
    "store.committed",
    "store.done",
    "store.recovering",
    "store.recovered_files",
    "store.told_recovered",
)

TEAM_FAILPOINTS = (  # of a sync of team memory, which no pass and no dream goes through
    "team.wrote_snapshot",
    "team.moved_refs",
    "team.saved_base",
    "team.fetched",
    "team.joined",
    "team.noted_coming",
    "team.planned",
    "team.made_live",
    "team.pushed",
)

_SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}

_hits: Counter[str] = Counter()  # how often the place that MEMD_FAILPOINT names was passed, by what it asks for


def failpoint(name: str) -> None:
    """Do what MEMD_FAILPOINT asks for: "name:kill", "name:stop", "name:error=ENOSPC"; "name@3:..." the third time."""
    wanted = os.environ.get("MEMD_FAILPOINT")
    if not wanted:
        return
    place, _, action = wanted.partition(":")
    place, _, turn = place.partition("@")
    if place != name:
        return
    _hits[wanted] += 1
    if _hits[wanted] != int(turn or 1):
        return
    if action in _SIGNALS:
        os.kill(os.getpid(), _SIGNALS[action])
        return
    code = getattr(errno, action.removeprefix("error="))
    raise OSError(code, os.strerror(code))
