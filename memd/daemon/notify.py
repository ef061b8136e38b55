"""What systemd wants to hear, by its own protocol: one datagram a message (sd_notify(3))."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

READY = "READY=1"
STOPPING = "STOPPING=1"
ALIVE = "WATCHDOG=1"


def notify(environ: Mapping[str, str], message: str) -> bool:
    """Tell the service manager. False: there is none, or it does not listen; that never stops the daemon."""
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    name = b"\0" + os.fsencode(address[1:]) if address.startswith("@") else os.fsencode(address)
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.setblocking(False)  # noqa: FBT003  # its only argument
        channel.sendto(message.encode(), name)
        return True
    return False


def watchdog_interval(environ: Mapping[str, str]) -> float | None:
    """Seconds between two signs of life: half of what the service manager allows. None: it does not ask."""
    microseconds, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", str(os.getpid()))
    if not microseconds.isdecimal() or pid != str(os.getpid()) or microseconds == "0":
        return None
    return int(microseconds) / 2e6
