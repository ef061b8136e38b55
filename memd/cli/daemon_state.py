"""What is known of the daemon: who holds the lock, what it answers itself, and what it wrote down last."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memd.cli.words import ago, iso, shown
from memd.config import Paths
from memd.daemon import control, lock
from memd.daemon.requests import Request, Verb
from memd.errors import DaemonNotRunningError, MemdError
from memd.ledger import Ledger

PATIENCE = 2.0  # seconds that it has for an answer
SILENT = 1  # the exit code where it runs and does not answer: something failed
_RESTART = "`memd logs` shows what it does; `memd install` starts the service anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """What is known of the daemon."""

    holder: str | None  # who it says it is ("pid N since T"); None: none runs
    silent: str | None = None  # why it does not answer, though it runs
    seen_at: float | None = None  # its last sign of life, in seconds since the epoch
    trouble: str | None = None  # why it polls instead of being told of changes
    settings_refused: str | None = None  # what is wrong with the settings; it goes on with those it had
    settings_changed: str | None = None  # their file, where it is no longer as it was read
    held_up: str | None = None  # why what is due waits, by the settings
    open: int = 0  # conversations with something new in them, not over yet
    pending: tuple[Mapping[str, Any], ...] = ()  # these, as `waiting.told` puts them
    paused_at: float | None = None  # since when `memd pause` holds, in seconds since the epoch

    @property
    def watching(self) -> str | None:
        """How it learns of changes."""
        if self.holder is None:
            return None
        return "polling" if self.trouble else "inotify" if sys.platform == "linux" else "fsevents"

    @property
    def is_well(self) -> bool:
        """Whether it does all it should."""
        refused = self.settings_refused or self.settings_changed
        doubts = (self.silent, self.trouble, refused, self.held_up, self.paused_at)
        return self.holder is not None and all(doubt is None for doubt in doubts)

    @property
    def exit_code(self) -> int:
        """0: it runs and answers."""
        if self.holder is None:
            return DaemonNotRunningError.exit_code
        return 0 if self.silent is None else SILENT


def look(paths: Paths, ledger: Ledger | None) -> Daemon:
    """Ask the lock who runs, that one how it stands, and where it does not answer, the ledger what it said last."""
    paused = ledger.paused_at() if ledger else None
    holder = lock.running(paths.lock)
    if holder is None:
        return Daemon(holder=None, paused_at=paused)
    report, silent = answer(paths, holder)
    if report is None:
        said = ledger.meta("daemon") if ledger else None
        report = json.loads(said) if said else {}
    return Daemon(
        holder=holder,
        silent=silent,
        seen_at=report.get("at"),
        trouble=report.get("trouble"),
        settings_refused=report.get("settings_refused"),
        settings_changed=report.get("settings_changed"),
        held_up=report.get("held_up"),
        open=report.get("tracked", 0),
        pending=tuple(report.get("open", ())),
        paused_at=paused,
    )


def answer(paths: Paths, holder: str) -> tuple[dict[str, Any] | None, str | None]:
    """What the daemon that holds the lock says of itself, or None and why it says nothing."""
    try:
        report = control.ask(paths.control, Request(verb=Verb.STATUS), patience=PATIENCE)
    except DaemonNotRunningError as error:
        return None, _silence(error.__cause__, holder)
    except MemdError as error:
        return None, str(error)
    if not holder.startswith(f"pid {report.get('pid')} "):
        return None, f"another process (pid {report.get('pid')}) answers at its socket"
    return report, None


def _silence(error: BaseException | None, holder: str) -> str:
    number = re.match(r"pid (\d+) ", holder)
    if number and _is_stopped(int(number[1])):
        return "it is stopped (SIGSTOP); SIGCONT lets it go on"
    match error:
        case FileNotFoundError():
            return "its socket is gone"
        case ConnectionRefusedError():
            return "nobody listens at its socket"
        case TimeoutError():
            return f"nothing came within {PATIENCE:.0f} s, so it hangs or is very busy"
        case ValueError():
            return "what came is no answer of memd's"
        case _:
            return str(error)


def _is_stopped(pid: int) -> bool:
    """Whether a signal stopped the process; where that can be told."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return said.rpartition(")")[2].split()[:1] == ["T"]


def lines(daemon: Daemon, now: float, *, installed: bool) -> Iterator[tuple[str, str]]:
    """Labelled lines for people. `installed`: a service is to keep it running."""
    if daemon.holder is None and installed:
        yield "daemon", "NOT RUNNING, though its service is installed: `memd logs` and `memd doctor` show why"
        return
    if daemon.holder is None:
        yield "daemon", "NOT RUNNING: `memd install` starts it for good, `memd run` in this terminal"
        return
    if daemon.silent is None:
        yield "daemon", f"running, {shown(since(daemon.holder, now))}"
        why = f": {shown(daemon.trouble.removeprefix('polling: '))}" if daemon.trouble else ""
        yield "watching", f"by {daemon.watching}{why}"
    else:
        yield "daemon", f"RUNS, BUT DOES NOT ANSWER: {shown(daemon.silent)} ({shown(since(daemon.holder, now))})"
        seen = "" if daemon.seen_at is None else f"last sign of life {ago(daemon.seen_at, now)}; "
        yield "", seen + _RESTART
    if daemon.settings_refused:
        yield "settings", f"REFUSED, so it goes on with those it had: {shown(daemon.settings_refused)}"
    if daemon.settings_changed:
        yield "settings", changed(daemon.settings_changed, daemon.holder)
    if daemon.held_up:
        yield "", f"WAITS: {shown(daemon.held_up)}; what you ask for by hand does not"


def changed(file: str, holder: str) -> str:
    """That the daemon has not read its settings as they are now, and how it will."""
    number = re.match(r"pid (\d+) ", holder)
    how = f": `kill -HUP {number[1]}` lets it" if number else ""
    return f"{shown(file)} was changed, and the daemon has not read it yet{how}"


def described(daemon: Daemon) -> dict[str, Any]:
    """Put it into the shape that programs get."""
    return {
        "running": daemon.holder is not None,
        "answers": daemon.holder is not None and daemon.silent is None,
        "silent": daemon.silent,
        "holder": daemon.holder,
        "seen": iso(daemon.seen_at),
        "watching": daemon.watching,
        "trouble": daemon.trouble,
        "settings_refused": daemon.settings_refused,
        "settings_changed": daemon.settings_changed,
        "held_up": daemon.held_up,
        "paused": iso(daemon.paused_at),
    }


def since(holder: str, now: float) -> str:
    """What a daemon wrote about itself ("pid N since T"), for people."""
    number, _, began = holder.partition(" since ")
    try:
        return f"started {ago(datetime.fromisoformat(began).timestamp(), now)} ({number})"
    except ValueError:
        return holder
