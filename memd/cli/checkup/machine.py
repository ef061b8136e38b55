"""The machine: its sandbox, its disk, and who else can look at memd's files."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from memd.agent import sandbox
from memd.cli.checkup.examined import Examined
from memd.cli.checkup.finding import Finding, fail, ok, warn
from memd.cli.words import shown
from memd.memory.location import MemoryDir

_HELD = "what a model asks to run is shut in (tried just now)"
_MB = 2**20
_FULL, _TIGHT = 50 * _MB, 500 * _MB  # bytes that are left


def confinement(_: Examined) -> Iterator[Finding]:
    """Whether commands that a model asks for can be held."""
    if why := sandbox.available():
        yield warn("sandbox", f"none: {why}; so a model gets no commands, and reads files through memd alone")
    elif missing := sandbox.gaps():
        yield ok("sandbox", f"{_HELD}; the kernel leaves {', '.join(missing)} to the system call filter")
    else:
        yield ok("sandbox", _HELD)


def disk(of: Examined) -> Iterator[Finding]:
    """Whether there is room, where memd writes."""
    free: dict[int, int] = {}
    rooms: dict[int, list[str]] = {}
    for what, path in (("memd's own files", of.here.paths.state), ("memories", of.place.path)):
        rooms.setdefault(_there(path).stat().st_dev, []).append(f"{what} ({shown(str(path))})")
        free[_there(path).stat().st_dev] = shutil.disk_usage(_there(path)).free
    for device, kept in rooms.items():
        said = f"{free[device] // _MB:,} MB free for {' and '.join(kept)}"
        yield (fail if free[device] < _FULL else warn if free[device] < _TIGHT else _fine)("disk", said)


def _fine(name: str, text: str) -> Finding:
    return ok(name, text)


def _there(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())


def permissions(of: Examined) -> Iterator[Finding]:
    """Whether anybody else can read or write what memd keeps, and whether memd itself can."""
    open_ones = [path for path in _own(of) if stat.S_IMODE(path.lstat().st_mode) & 0o077]
    if open_ones:
        names = ", ".join(shown(str(path)) for path in open_ones[:3])
        yield fail("permissions", f"others can look into {names}", f"chmod -R go= '{of.here.paths.state}'")
    else:
        yield ok("permissions", "memd's own files are yours alone")
    yield from _memory(of.place)


def _own(of: Examined) -> Iterator[Path]:
    """The state directory and what lies directly in it; the daemon makes all else in there."""
    state = of.here.paths.state
    if state.is_dir():
        yield state
        yield from (path for path in state.iterdir() if not path.is_symlink())


def _memory(place: MemoryDir) -> Iterator[Finding]:
    if not place.path.exists():
        yield ok("memory", f"{shown(str(place.path))} is not there yet")
        return
    foreign = place.path.stat().st_uid != os.getuid()
    if foreign or not os.access(place.path, os.R_OK | os.W_OK | os.X_OK):
        yield fail("memory", f"memd may not write to {shown(str(place.path))}", "is it owned by somebody else?")
    elif place.path.stat().st_mode & 0o022:
        yield fail("memory", f"others can write to {shown(str(place.path))}", f"chmod go-w '{place.path}'")
    else:
        yield ok("memory", f"{shown(str(place.path))} can be read and written")
