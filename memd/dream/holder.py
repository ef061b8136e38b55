"""Whether the process whose number stands in a lock can still be the one that wrote it there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

_NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "afpfs", "ceph", "9p", "lustre", "glusterfs", "beegfs", "davfs",
    "fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "virtiofs", "webdav",
})  # fmt: skip
_GONE = frozenset("ZX")  # a zombie does no work


def started_at(pid: int) -> float | None:
    """When a process began, in seconds since the epoch; None: there is no such process (any more)."""
    return _by_proc(pid) if sys.platform == "linux" else _by_ps(pid)


def _by_proc(pid: int) -> float | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].decode("ascii").split()  # the name before it may hold anything
    if fields[0] in _GONE:
        return None
    since_boot = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot)


def _by_ps(pid: int) -> float | None:
    asked = ["/bin/ps", "-o", "state=,lstart=", "-p", str(pid)]
    said = subprocess.run(asked, capture_output=True, text=True, check=False, env={"LC_ALL": "C"}).stdout.split()
    if not said or said[0][0] in _GONE:
        return None
    try:
        return datetime.strptime(" ".join(said[1:]), "%a %b %d %H:%M:%S %Y").astimezone().timestamp()
    except ValueError:
        return 0.0


def on_network(path: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether a path lies on a network's file system, where process numbers may be another machine's.

    Where the system does not tell, it counts as this machine's own.
    """
    try:
        rows = [line.split() for line in mounts.read_text("utf-8", "surrogateescape").splitlines()]
    except OSError:
        return False
    points = [(_unescaped(row[1]), row[2]) for row in rows if len(row) > 2]  # noqa: PLR2004 - device, place, kind
    around = [(len(place.parts), kind) for place, kind in points if path.is_relative_to(place)]
    return bool(around) and max(around)[1] in _NETWORK


def _unescaped(place: str) -> Path:
    return Path(place.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
