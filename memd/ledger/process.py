"""Whether a process is still the one that wrote its name down."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

_GONE = frozenset("ZX")  # a zombie does no work


def name(pid: int) -> str | None:
    """A name for the process that no later process gets: host, era (boot, PID namespace), pid, start. None: no such."""
    start = _start(pid)
    return None if start is None else "|".join((platform.node(), _era(), str(pid), start))


def gone(holder: str) -> bool:
    """True when the named process certainly runs no more. What runs on another host cannot be judged: False."""
    parts = holder.split("|")
    if len(parts) != 4 or not parts[2].isdigit():  # noqa: PLR2004  # the four parts of `name`
        return True
    host, era, pid, _ = parts
    if host != platform.node():
        return False
    return era != _era() or name(int(pid)) != holder


def living(holder: str) -> int | None:
    """The process id of the named process, where it runs on this host."""
    parts = holder.split("|")
    return int(parts[2]) if not gone(holder) and parts[0] == platform.node() else None


def own_name() -> str:
    """The name of this process."""
    return name(os.getpid()) or "|".join((platform.node(), _era(), str(os.getpid()), "?"))


def _era() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        space = os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116  # Path.stat says the same with more words
    except OSError:
        return "-"
    return f"{boot}/{space}"


def _start(pid: int) -> str | None:
    return _start_by_proc(pid) if sys.platform == "linux" else _start_by_ps(pid)


def _start_by_proc(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].decode("ascii").split()  # the name before it may hold anything
    return None if fields[0] in _GONE else fields[19]


def _start_by_ps(pid: int) -> str | None:
    asked = ["/bin/ps", "-o", "state=,lstart=", "-p", str(pid)]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False, env={"LC_ALL": "C"}).stdout.split()
    return None if not answer or answer[0][0] in _GONE else " ".join(answer[1:])
