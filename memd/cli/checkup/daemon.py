"""The daemon, its ledger, and what it reports."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from memd import power
from memd.agent import backends, money, prices
from memd.agent.meter import remedy
from memd.cli import daemon_state
from memd.cli.checkup.examined import Examined
from memd.cli.checkup.finding import Finding, fail, ok, warn
from memd.cli.runs import ledger_if_there
from memd.cli.words import ago, counted, iso, shown
from memd.clock import SystemClock
from memd.daemon import lock
from memd.daemon.failures import failures
from memd.errors import LedgerError
from memd.ledger import DRIFT, Ledger, Outcome, read_ledger
from memd.ledger.nouns import EXTRACT, RECALL
from memd.ledger.spend import circuit_of

_LATE = 120.0  # seconds after which its sign of life is an old one
_LATELY = 3 * 86400.0  # seconds after which nobody expects a daemon that is gone
_RUNS = 20  # looked at
_MANY = 5  # of them failed
_START = "`memd run` in a terminal"


def running(of: Examined) -> Iterator[Finding]:
    """Whether it runs and answers, how it learns of changes, and whether it may work."""
    holder = lock.running(of.here.paths.lock)
    if of.is_new:
        yield warn("daemon", "not set up yet: nothing of memd's has been started here", _start(of))
        return
    if holder is None:
        yield _absent(of)
        return
    began = time.monotonic()
    report, silent = daemon_state.answer(of.here.paths, holder)
    if report is None:
        hint = "`memd logs` shows what it does; `memd install` starts the service anew"
        yield fail("daemon", f"it runs ({shown(holder)}) but does not answer: {silent}", hint)
        return
    since = daemon_state.since(holder, SystemClock().now().timestamp())
    yield ok("daemon", f"it runs, {shown(since)}, and answers in {1000 * (time.monotonic() - began):.0f} ms")
    if refused := report.get("settings_refused"):
        yield warn("daemon", f"it goes on with older settings, as those of today are wrong: {shown(refused)}")
    if file := report.get("settings_changed"):
        yield warn("daemon", daemon_state.changed(file, holder))
    yield from _watching(report)


def _absent(of: Examined) -> Finding:
    """Whether one that does not run should: where nobody wants one, all is as it was meant to be."""
    if of.service.installed:
        return fail("daemon", f"it does not run ({of.service.detail})", "`memd logs` shows why")
    now = SystemClock().now().timestamp()
    seen = _last_seen(of)
    if seen is not None and now - seen < _LATELY:
        return fail("daemon", f"it does not run, and ended {ago(seen, now)} without being asked to", _start(of))
    return warn("daemon", "no service: passes run only when you start them", _start(of))


def _last_seen(of: Examined) -> float | None:
    """When a daemon gave its last sign of life, in seconds since the epoch; None: the last one ended as it should."""
    with ledger_if_there(of.here) as opened:
        said = opened.meta("daemon") if opened is not None else None
    return json.loads(said).get("at") if said else None


def _start(of: Examined) -> str:
    return _START if of.manager.trouble() else f"`memd install` lets it run in the background; {_START}"


def background(of: Examined) -> Iterator[Finding]:
    """Whether what is due waits for mains or for another network, by the settings."""
    chosen, battery, network = of.settings.background, power.on_battery(), power.metered()
    waits = [
        *([("battery", battery)] if chosen.on_battery == power.WAIT else []),
        *([("a metered network", network)] if chosen.on_metered == power.WAIT else []),
    ]
    if not waits:
        yield ok("background", "work is done on battery and on metered networks, too; [background] can let it wait")
    for what, is_so in waits:
        if is_so is None:
            yield warn("background", f"is to wait on {what}, but this system does not say, so it does not wait")
        elif is_so:
            yield warn("background", f"waits, on {what}", "`memd extract` and all else by hand does not wait")
        else:
            yield ok("background", f"would wait on {what}, and is not on it")


def _watching(report: dict[str, Any]) -> Iterator[Finding]:
    if trouble := report.get("trouble"):
        hint = "fs.inotify.max_user_watches is the limit on Linux" if "inotify" in trouble else None
        yield warn("watching", f"file events cannot be relied on, so it looks by itself: {shown(trouble)}", hint)
    else:
        yield ok("watching", "it is told of changes as they happen")


def ledger(of: Examined) -> Iterator[Finding]:
    """Whether the ledger is whole, and what stands in it about memd's health."""
    path = of.here.paths.ledger
    aside = sorted(
        one.name for one in path.parent.glob(f"{path.name}.corrupt-*") if not one.name.endswith(("wal", "shm"))
    )
    if aside:
        yield warn(
            "ledger", f"it was broken once and began anew; the old one is {shown(aside[-1])}", "delete it if unused"
        )
    if of.is_new:
        yield warn("ledger", "not set up yet")
        return
    if not path.exists():
        yield warn("ledger", "there is none yet: no daemon has run here")
        return
    try:
        with read_ledger(path, SystemClock()) as opened:
            yield from _read(of, opened)
    except LedgerError as error:
        yield fail("ledger", str(error), error.hint)


def _read(of: Examined, opened: Ledger) -> Iterator[Finding]:
    counts = opened.counts()
    if opened.sound():
        yield ok("ledger", f"whole; {counted(counts.sessions, 'conversation')}, {counted(counts.runs, 'run')}")
    else:
        yield fail("ledger", "it is broken", "the daemon sets it aside at its next start, and begins anew")
    yield from _health(opened)
    yield from _work(opened)
    yield from _circuit(of, opened)
    yield from _questions(of, opened)
    if counts.noted:
        yield ok(
            "backfill", f"{counted(counts.noted, 'conversation')} older than memd: `memd backfill` looks through them"
        )


def _health(opened: Ledger) -> Iterator[Finding]:
    found = failures(opened)
    for one in found:
        yield (fail if one.is_grave else warn)("health", one.text)
    unheard = len(opened.unheard())
    if unheard and not found:
        yield warn("format", f"in {unheard} of {DRIFT} conversations in a row nobody was heard to speak")
    elif not found:
        yield ok("format", "conversations are understood")


def _work(opened: Ledger) -> Iterator[Finding]:
    """Whether it may work, and whether something comes of it."""
    now = SystemClock().now().timestamp()
    if (since := opened.paused_at()) is not None:
        yield warn("work", f"paused {ago(since, now)}", "`memd resume` lets it go on")
    runs = [run for run in opened.runs(limit=_RUNS) if run.outcome is not None]
    failed = [run for run in runs if run.outcome == Outcome.FAILED]
    if len(failed) >= _MANY or (runs and len(failed) == len(runs)):
        reasons = ", ".join(sorted({run.reason or "?" for run in failed}))
        yield fail("work", f"{len(failed)} of the last {len(runs)} runs failed: {reasons}", "`memd history` lists them")
    elif failed:
        yield warn("work", f"{len(failed)} of the last {len(runs)} runs failed: {failed[0].reason}", "`memd history`")
    elif since is None:
        last = opened.counts().last_saved_at
        looked = len(opened.passes_since(0.0))
        nothing = f"nothing saved yet, of {counted(looked, 'conversation')} looked at"
        yield ok("work", nothing if last is None else f"saved something {ago(last, now)}")
    newest = max((run.started for run in runs), default=0.0)
    if newest > now + _LATE:
        yield warn("clock", f"it is behind by hours: a run is dated {iso(newest)}, which is to come", "set the clock")
    else:
        yield ok("clock", f"{SystemClock().now():%Y-%m-%d %H:%M %z}; no run is dated later")


def _circuit(of: Examined, opened: Ledger) -> Iterator[Finding]:
    """Whether a model may be asked, where one is."""
    clock = SystemClock()
    chosen = backends.choose(of.settings, of.environ, of.settings.models.extract)
    if chosen.account is None:
        return
    circuit, caps = opened.circuit(), of.settings.caps
    if said := prices.too_small(of.settings):
        yield fail("model", f"it is not asked: {said}", remedy(said))
        return
    if circuit.is_open(chosen.account, clock.now().timestamp()):
        until = f" until {iso(circuit.until)}" if circuit.until else ""
        hint = None if circuit.until else "correct the credentials, then `memd install` again"
        yield fail("model", f"it is not asked{until}: {shown(circuit.reason or '')}", hint)
        return
    purse = money.Purse(
        ledger=opened, clock=clock, settings=of.settings, account=chosen.account, project="", kind=EXTRACT
    )
    if said := money.used_up(purse):
        yield warn("model", f"it is not asked today: {said}", "[caps] in the settings; `memd cost` shows for what")
        return
    spent = opened.spent_on(purse.day)
    yield ok("model", f"${spent.dollars:.2f} of ${caps.day_dollars:.2f} spent today")


def _questions(of: Examined, opened: Ledger) -> Iterator[Finding]:
    """Whether a model may be asked which memories bear on something; where not, words choose them."""
    account = backends.choose(of.settings, of.environ, of.settings.models.recall).account
    circuit = opened.circuit(circuit_of(RECALL))
    if account is None or not circuit.is_open(account, opened.now()):
        return
    hint = None if circuit.until else "correct [models] recall or the credentials, then `memd install` again"
    until = f" until {iso(circuit.until)}" if circuit.until else ""
    said = f"a model is not asked{until}, so words choose: {shown(circuit.reason or '')}"
    yield warn("recall", said, hint)
