"""The daemon: one loop, sole owner of what is due."""

from __future__ import annotations

import asyncio
import math
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

from memd.daemon.clock import Alarm, alarms
from memd.daemon.code import RESTART
from memd.daemon.control import listening
from memd.daemon.events import Beat, Event, Minute, Reload, Stop, Sweep
from memd.daemon.hooks import hooks
from memd.daemon.keeper import Keeper, Post
from memd.daemon.lock import single_instance, still_there
from memd.daemon.notify import ALIVE, READY, STOPPING, notify, watchdog_interval
from memd.daemon.orphans import end_orphans
from memd.daemon.setup import Setup
from memd.daemon.watcher import Watcher, watching
from memd.daemon.workers import Workers
from memd.errors import LedgerLostError, MemdError
from memd.ledger import Ledger, broken, open_ledger

__all__ = ["Setup", "run"]

_BEAT = 30.0  # seconds between two signs of life, at most
_BUSY = 1.0  # seconds that another writer may hold the loop up
_MINUTE = 60.0  # seconds between two questions whether a dream is due
_REST = 2.0  # seconds after a turn that failed
_AGAIN = 60.0  # seconds in which a ledger does not break twice, unless the disk itself is broken
_STOPS = (signal.SIGTERM, signal.SIGINT)


def run(setup: Setup) -> int:
    """Run until a signal, or with `once` until nothing is left to do; the exit code (`RESTART`: new code is there).

    A ledger that breaks meanwhile is set aside, and all begins anew with another one. Raises LockedError where a
    daemon runs already, LedgerError where the ledger cannot be used, or breaks again and again.
    """
    with single_instance(setup.paths.lock, setup.clock) as stands:
        lost_at = -math.inf
        while True:
            try:
                return _with_ledger(setup, stands)
            except LedgerLostError as error:
                setup.log.error("ledger_lost", error=str(error))  # noqa: TRY400 - no traceback for that
                if setup.clock.monotonic() - lost_at < _AGAIN:
                    raise
                lost_at = setup.clock.monotonic()


def _with_ledger(setup: Setup, stands: Callable[[], bool]) -> int:
    with open_ledger(setup.paths.ledger, setup.clock, daemon=True, busy=_BUSY) as ledger:
        if ledger.set_aside is not None:
            setup.log.error("ledger_set_aside", path=str(ledger.set_aside))
        end_orphans(ledger, setup.log)
        setup.recover(ledger)
        _learn_owners(ledger, setup.paths.history)
        ledger.close_dead_runs()
        ledger.take_up()  # under other settings, perhaps
        return asyncio.run(_live(setup, ledger, stands))


def _learn_owners(ledger: Ledger, history: Path) -> None:
    """A new ledger learns who owned what before it was made."""
    if ledger.knows_owners():
        return
    if not history.exists():
        ledger.adopt({})
        return
    from memd.memory import owners  # noqa: PLC0415 - a daemon whose ledger was never lost stays small

    owners.remember(ledger, history)


async def _live(setup: Setup, ledger: Ledger, stands: Callable[[], bool]) -> int:
    """Open the ears, then turn until all is over; the exit code."""
    events: asyncio.Queue[Event] = asyncio.Queue()
    tell, stopping = partial(notify, setup.environ), asyncio.Event()
    workers = Workers(setup.staff, events.put_nowait)
    ground = partial(_require_ground, setup, stands, still_there(setup.paths.ledger))

    async def breathe() -> bool:
        await asyncio.sleep(0)
        tell(ALIVE)
        return not stopping.is_set()

    async with _ears(setup, events.put_nowait, stopping) as (watcher, alarm):
        keeper = Keeper(setup, ledger, workers, watcher, alarm, breathe)
        await keeper.start()
        tell(READY)
        quiet, roots = setup.settings.extract.quiet, _roots(setup)
        setup.log.info("daemon_ready", watching=[str(root) for root in roots], quiet=quiet)
        try:
            wait, outdated = 0.0, False
            while not (keeper.over or outdated):
                wait = await _turn(keeper, await _next_events(events, min(wait, _beat(setup))))
                alarm.check()
                tell(ALIVE)
                outdated = setup.replaced()
                ground()
        finally:
            tell(STOPPING)
            await asyncio.gather(workers.stop(), keeper.dismiss())
    return _exit_code(setup, keeper, outdated=outdated)


@asynccontextmanager
async def _ears(setup: Setup, post: Post, stopping: asyncio.Event) -> AsyncIterator[tuple[Watcher, Alarm]]:
    """All by which the daemon hears of anything: signals, files, the clock, and whoever speaks at its socket."""
    every: dict[Event, float] = {Sweep(): setup.settings.watch.sweep, Beat(): _beat(setup), Minute(): _MINUTE}
    async with AsyncExitStack() as stack:
        stack.enter_context(_signals(post, stopping))
        watcher = stack.enter_context(watching(_roots(setup), post))
        alarm = stack.enter_context(alarms(setup.clock, post, every))
        if not setup.once:
            others = {b"hook": stack.enter_context(hooks(setup, post))}
            await stack.enter_async_context(listening(setup.paths.control, post, setup.log, others))
        yield watcher, alarm


def _roots(setup: Setup) -> tuple[Path, ...]:
    """Below which files are watched."""
    return () if setup.once else tuple(setup.transcripts.roots())


def _beat(setup: Setup) -> float:
    """Seconds between two signs of life."""
    return min(_BEAT, watchdog_interval(setup.environ) or _BEAT)


def _require_ground(setup: Setup, stands: Callable[[], bool], same: Callable[[], bool]) -> None:
    """Raise where the daemon works for nobody: its state directory is gone (MemdError), or its ledger is another."""
    if not stands():
        raise MemdError(f"{setup.paths.state} was deleted or moved away", hint="start memd again")
    if not same():
        raise LedgerLostError(f"{setup.paths.ledger} was deleted or replaced")


def _exit_code(setup: Setup, keeper: Keeper, *, outdated: bool) -> int:
    code = keeper.end()
    if not outdated or keeper.over:  # whoever asked it to end does not want a new one
        return code
    setup.log.info("code_replaced", next="start anew")
    return RESTART


async def _turn(keeper: Keeper, events: tuple[Event, ...]) -> float:
    """Take in what happened, then do what is due; the seconds until the next turn.

    A full disk or a busy ledger is waited out, and what was missed is found by a later rescan. Raises that error
    once it seems to stay, LedgerLostError where the ledger is broken.
    """
    try:
        for event in events:
            await keeper.act(event)
        await keeper.catch_up()
        return await keeper.advance()
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, sqlite3.Error) and broken(error):
            raise LedgerLostError(str(error)) from error
        if not keeper.bears(error):
            raise
        return _REST


async def _next_events(events: asyncio.Queue[Event], seconds: float) -> tuple[Event, ...]:
    """The events that have come, each once, after at most so many seconds; perhaps none."""
    try:
        first = await asyncio.wait_for(events.get(), seconds)
    except TimeoutError:
        return ()
    return tuple(dict.fromkeys((first, *(events.get_nowait() for _ in range(events.qsize())))))


@contextmanager
def _signals(post: Post, stopping: asyncio.Event) -> Iterator[None]:
    """Being asked to end is an event like others; `stopping` tells those who cannot wait for their turn."""
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        stopping.set()
        post(Stop(signal=number))

    for number in _STOPS:
        loop.add_signal_handler(number, stop, number)
    loop.add_signal_handler(signal.SIGHUP, post, Reload())
    try:
        yield
    finally:
        for number in (*_STOPS, signal.SIGHUP):
            loop.remove_signal_handler(number)
