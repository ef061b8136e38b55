"""What `memd uninstall` does to the service, and with --purge to memd's own state."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from memd.cli.by_hand import confirmed
from memd.cli.here import Here
from memd.cli.words import counted, shown
from memd.config import Paths
from memd.daemon import lock
from memd.errors import LockedError
from memd.memory import membership
from memd.service import places
from memd.service.managers import manager
from memd.service.service import Manager

_OWN_DIRECTORIES = {"memd", "memd.service.d", "memd-dream.service.d", "default.target.wants"}
_GENTLE, _LOOK = 20.0, 0.05  # seconds: until a daemon that was asked to end is forced to; between two looks


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is there to be taken away."""

    manager: Manager
    files: tuple[Path, ...]
    holder: str | None  # the daemon that runs
    state: tuple[Path, ...]  # what --purge takes

    @property
    def nothing(self) -> bool:
        """Whether nothing is there."""
        return not (self.files or self.holder or self.state)


def remove(here: Here, *, purge: bool, dry_run: bool, yes: bool) -> int:
    """End the daemon, delete the service's files and, with `purge`, memd's own state. Raises MemdError."""
    found = _look(here, purge=purge)
    if found.nothing:
        click.echo("There is no service of memd; nothing was changed.")
        return 0
    _show(found, here.paths, purge=purge)
    if dry_run:
        return 0
    if not confirmed("\nDo this?", yes=yes):
        click.echo("Nothing was changed.", err=True)
        return 1
    found.manager.stop()
    _end(here.paths.lock)
    _delete(found)
    click.echo("memd is uninstalled; every memory is where it was." + ("" if purge else _kept(here.paths)))
    return 0


def _look(here: Here, *, purge: bool) -> _Found:
    chosen = manager(here.environ, here.paths.home)
    variables = places.environment_file(here.loaded)
    return _Found(
        manager=chosen,
        files=tuple(path for path in (*chosen.own(), variables) if path.exists()),
        holder=lock.running(here.paths.lock),
        state=tuple(path for path in (here.paths.state, here.paths.config_file) if purge and path.exists()),
    )


def _show(found: _Found, paths: Paths, *, purge: bool) -> None:
    click.echo("memd uninstall will")
    if found.holder:
        click.echo(f"  end     the daemon ({shown(found.holder)}), a pass it is at included")
    for path in (*found.files, *found.state):
        click.echo(f"  delete  {shown(str(path))}{'/' if path.is_dir() else ''}")
    if purge and found.state:
        click.echo("With its state go the history that `memd undo` needs and proposals that wait for a review.")
        if shared := len(membership.known(paths)):
            left = counted(shared, "team memory", "team memories")
            click.echo(f"{left} {'is' if shared == 1 else 'are'} left; {'its' if shared == 1 else 'their'} files stay.")
    if not purge and paths.state.exists():
        click.echo("Memories stay, and memd's own state and settings (--purge deletes those).")


def _kept(paths: Paths) -> str:
    return f" Its state is kept in {shown(str(paths.state))}." if paths.state.exists() else ""


def _end(lock_file: Path) -> None:
    """End a daemon that no service manager has ended: one that runs in a terminal. Raises LockedError."""
    began = time.monotonic()
    asked = False
    while holder := lock.running(lock_file):
        number = re.match(r"pid (\d+) ", holder)
        if number is None or time.monotonic() - began > 2 * _GENTLE or not _is_memd(int(number[1])):
            raise LockedError(f"the daemon does not end ({holder})", hint="end it by hand, then try again")
        if not asked or time.monotonic() - began > _GENTLE:
            asked = True
            with suppress(ProcessLookupError):
                os.kill(int(number[1]), signal.SIGKILL if time.monotonic() - began > _GENTLE else signal.SIGTERM)
        time.sleep(_LOOK)


def _is_memd(pid: int) -> bool:
    """Whether that number is what it was, and not another process in another container; where it can be told."""
    with suppress(OSError):
        return b"memd" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return not Path("/proc/self/cmdline").exists()


def _delete(found: _Found) -> None:
    for path in found.files:
        path.unlink(missing_ok=True)
    for path in found.state:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for directory in _emptied((*found.files, *found.state)):
        with suppress(OSError):  # something else is in it
            directory.rmdir()
    found.manager.taken_out()


def _emptied(deleted: tuple[Path, ...]) -> Iterator[Path]:
    """The directories that were memd's own, deepest first."""
    parents = dict.fromkeys(path.parent for path in deleted)
    yield from (parent for parent in parents if parent.name in _OWN_DIRECTORIES)
