"""The least that a program can do about file events: `python raw_events.py DIRECTORY...` reads and drops them.

A byte on its standard output says that it is ready, and one follows for each batch of events.
"""

from __future__ import annotations

import ctypes
import os
import sys

_MODIFIED = 0x2


def main(directories: list[str]) -> None:
    """Until killed."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.inotify_init1(0)
    for directory in directories:
        libc.inotify_add_watch(fd, os.fsencode(directory), _MODIFIED)
    os.write(1, b".")
    while os.read(fd, 65536):
        os.write(1, b".")


if __name__ == "__main__":
    main(sys.argv[1:])
