"""The child process that runs what is due, one job at a time, and ends when the queue is empty.

Its standard input is a pipe that the daemon holds: end of file means the daemon is gone, and the worker stops on the
spot. That, like a kill, loses nothing: what was journalled is finished by the next worker, the rest is done again.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import sqlite3
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from memd import config, lifeline, logs
from memd.agent import backends, money, packing
from memd.agent.money import Purse
from memd.clock import Clock, SystemClock
from memd.config import Loaded
from memd.dream.house import House as DreamHouse
from memd.errors import AuthError, BudgetError, LeaseLostError, LedgerError, LockedError, RefusedError, TransientError
from memd.extract import asking, note
from memd.extract import run as extract
from memd.extract.house import House
from memd.ledger import HOST_LIMIT, Job, Ledger, Outcome, Run, open_ledger
from memd.ledger.jobs import MAX_ATTEMPTS
from memd.ledger.nouns import DREAM
from memd.memory import journal, purge, store
from memd.settings import Team
from memd.transcripts import agents

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger

LEASE = 900.0  # seconds a job is this worker's; the daemon ends workers by then
SHIFT = 100.0  # seconds after which a worker takes no further job; the daemon's limit for the whole process is 900
_PASSING = frozenset(  # what a machine lacks for a while: a full disk must not cost a conversation its memory
    {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
)
_PATIENCE = 30.0  # seconds that a team's remote may take before a dream
_BUSY = 5.0  # seconds, doubling, until a job is tried again whose memory directory was in use
_FIRST_RETRY, _LAST_RETRY = 30.0, 3600.0  # seconds between attempts, doubling
_DOUBLINGS = 7  # that matter: 2**1024 is no float


class StoppedError(BaseException):
    """The daemon asked this worker to end."""


def main() -> int:
    """Drain the queue. Exit code 0, also when asked to stop."""
    environ = dict(os.environ)
    signal.signal(signal.SIGTERM, _stop)
    if not sys.stdin.isatty():
        lifeline.hold()  # sandboxed children share the process group and go too
    try:
        drain(environ, config.load(environ), SystemClock())
    except StoppedError:
        return 0
    except (LedgerError, sqlite3.Error) as error:
        logs.configure(sys.stderr, json=True).error("worker_ended_early", error=str(error))
        return 1
    return 0


def _stop(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: what is cleared away now must not be broken off, too
    raise StoppedError


def drain(environ: Mapping[str, str], loaded: Loaded, clock: Clock) -> None:
    """Finish what dead processes left, then run jobs until none is ready."""
    log = logs.configure(sys.stderr, json=not sys.stderr.isatty())
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        house = build(environ, loaded, ledger, clock, log)
        if not ledger.acquire_worker(os.getpid(), limit=HOST_LIMIT):
            log.error("worker_dismissed", reason="too many workers on this host")
            return
        recover(house)
        started = clock.monotonic()
        while clock.monotonic() - started < SHIFT and (job := next_job(house)) is not None:
            work(job, house)


def next_job(house: House) -> Job | None:
    """Take the next job. While nothing may be spent, all wait together: no job is begun only to be put back.

    As soon as it may, all of them are there again: whoever raises a cap is not to wait for tomorrow.
    """
    if house.ledger.paused_at() is not None:
        return None
    own = asking.purse(house, project="")
    if (wait := money.wait(own)) is not None:
        house.log.warning("waiting", reason=wait.reason, seconds=round(wait.seconds))
        house.ledger.postpone(house.ledger.now() + wait.seconds)
    else:
        house.ledger.take_up(alone=money.has_more(own))
    return house.ledger.claim(lease=LEASE)


def build(environ: Mapping[str, str], loaded: Loaded, ledger: Ledger, clock: Clock, log: FilteringBoundLogger) -> House:
    """Put a pass's collaborators together."""
    chosen = backends.choose(loaded.settings, environ, loaded.settings.models.extract)
    return House(
        settings=loaded.settings,
        paths=loaded.paths,
        environ=environ,
        ledger=ledger,
        clock=clock,
        transcripts=agents.watched(loaded.settings.watch.roots, environ, loaded.paths.home),
        backend=chosen.backend,
        log=log,
        account=chosen.account,
    )


def recover(house: House) -> None:
    """Bring unfinished transactions to their end, cursor included, and a purge that was broken off."""
    purge.resume(history=house.paths.history, caches=house.paths.caches)
    for found in store.recover(house.paths.history, lambda said: note.recover(house.ledger, said)):
        house.log.warning("run_recovered", run=found.run_id, left=len(found.left), problem=found.problem)
    house.ledger.close_dead_runs()


def work(job: Job, house: House) -> None:
    """Run one job. This is one of the two places where errors are caught: each has its consequence for the job."""
    log = house.log.bind(job=job.id, session=job.session_key)
    try:
        done = _dream(job, house) if job.kind == DREAM else extract.run(job, house)
        log.info(
            "pass_ended", kind=job.kind, run=done.id, outcome=done.outcome, reason=done.reason, files=len(done.files)
        )
    except StoppedError:
        house.ledger.release(job)
        raise
    except LeaseLostError:
        log.warning("lease_lost")
    except RefusedError as error:
        give_up(job, house, "refused", error)
    except Exception as error:  # noqa: BLE001 - one broken conversation must not keep the others from their turn
        if _is_gone(job, house, error):
            give_up(job, house, "transcript_gone", error)
        elif not put_back(job, house, error):
            _try_again(job, house, error, wait=None, counted=True)


def _dream(job: Job, house: House) -> Run:
    from memd.dream import run as dream  # noqa: PLC0415 - with a scheduler, which passes do not need

    night = dreamer(house)
    place = dream.place_of(job, night)
    pull(place.root, place.memory_dir, night)
    return dream.run(job, place, night)


def pull(project: Path, memory_dir: Path, night: DreamHouse, *, by_hand: bool = False) -> None:
    """Take in what a team's others wrote, before anybody dreams about it."""
    if not night.paths.team.is_dir() and night.settings.team == Team():
        return
    from memd.team import turn  # noqa: PLC0415 - few share memories
    from memd.team.house import House as TeamHouse  # noqa: PLC0415 - as above

    house = TeamHouse(
        settings=night.settings,
        paths=night.paths,
        environ=night.environ,
        ledger=night.ledger,
        clock=night.clock,
        log=night.log,
        tell=night.tell,
        patience=_PATIENCE,
    )
    turn.before_dream(project, memory_dir, house, by_hand=by_hand)


def dreamer(house: House, tell: Callable[[str], None] | None = None) -> DreamHouse:
    """The collaborators of a dream. `tell` gets a word for each step."""
    chosen = backends.choose_dreamer(house.settings, house.environ)
    return DreamHouse(
        settings=house.settings,
        paths=house.paths,
        environ=house.environ,
        ledger=house.ledger,
        clock=house.clock,
        backend=chosen.backend,
        log=house.log,
        account=chosen.account,
        tell=tell or (lambda _: None),
        budget=None if chosen.account is None else packing.BUDGET,
    )


def put_back(job: Job, house: House, error: Exception) -> bool:
    """Let a job wait, without counting the attempt, where what stopped it passes; False, and nothing done, elsewhere.

    Passing are other processes' work, what a service or the machine lacks for a while, and what a person will mend.
    """
    match error:
        case LockedError():
            wait = _BUSY * 2 ** min(job.failures, _DOUBLINGS)
            house.ledger.retry(job, at=house.ledger.now() + wait, counted=False)
        case TransientError():
            _try_again(job, house, error, wait=error.retry_after, counted=False)
        case BudgetError() if (own := asking.purse(house, project="")) is not None:
            _put_off(job, house, own, error)
        case AuthError() | BudgetError():  # then the circuit is open: see `next_job`
            _try_again(job, house, error, wait=None, counted=False)
        case OSError(errno=code) if code in _PASSING:
            _try_again(job, house, error, wait=None, counted=False)
        case sqlite3.OperationalError():  # a full disk, or a ledger that others keep busy
            _try_again(job, house, error, wait=None, counted=False)
        case _:
            return False
    return True


def _put_off(job: Job, house: House, own: Purse, error: BudgetError) -> None:
    """What one pass has no room for, another may: it waits alone for the next day, or for higher caps."""
    money.put_off(own)
    wait = money.seconds_to_tomorrow(house.clock)
    house.log.warning("no_room_today", job=job.id, error=type(error).__name__, reason=str(error), seconds=round(wait))
    house.ledger.put_off(job, house.ledger.now() + wait)


def _is_gone(job: Job, house: House, error: Exception) -> bool:
    """Whether the transcript was deleted."""
    session = house.ledger.session(job.session_key or "") if isinstance(error, FileNotFoundError) else None
    return session is not None and not Path(session.path).exists()


def _try_again(job: Job, house: House, error: Exception, *, wait: float | None, counted: bool) -> None:
    """Later, with exponential backoff and jitter; a failure for good has three attempts."""
    if counted and job.attempts + 1 >= MAX_ATTEMPTS:
        give_up(job, house, type(error).__name__, error)
        return
    backoff = min(_FIRST_RETRY * 2 ** min(job.failures, _DOUBLINGS), _LAST_RETRY) * random.uniform(0.75, 1.25)  # noqa: S311 - jitter
    house.log.warning("pass_failed", job=job.id, error=type(error).__name__, retry_in=wait or backoff)
    house.ledger.retry(job, at=house.ledger.now() + (wait or backoff), counted=counted)


def give_up(job: Job, house: House, reason: str, error: Exception) -> None:
    """End the job as failed; its cursor stays, so whatever comes later is read together with this."""
    house.log.error("pass_given_up", job=job.id, reason=reason, error=type(error).__name__)
    number = house.ledger.start_run(
        job.kind,
        session_key=job.session_key,
        memory_dir=job.memory_dir,
        at_least=journal.next_id(house.paths.history),
    )
    session = house.ledger.session(job.session_key or "")
    failed = Run(
        id=number,
        kind=job.kind,
        session_key=job.session_key,
        root=session.root if session else None,
        memory_dir=job.memory_dir,
        started=house.ledger.now(),
        outcome=Outcome.FAILED,
        reason=reason,
    )
    house.ledger.finish(job, failed)


if __name__ == "__main__":
    sys.exit(main())
