"""A process that the daemon started ends with it: its standard input is a pipe that only the daemon holds open."""

from __future__ import annotations

import os
import signal
import threading


def hold() -> None:
    """End this process, and with it what it started in its group, once standard input ends; what comes is dropped."""
    threading.Thread(target=_end_with_it, daemon=True).start()


def _end_with_it() -> None:
    """Nobody would reap us or read our result any more."""
    while os.read(0, 4096):
        pass
    if os.getpgrp() == os.getpid():  # else a person started it, and the group is a shell's
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
