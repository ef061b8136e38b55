"""The variables of a session that decide about its memory, read from its live process (spec §2.2)."""

from __future__ import annotations

import os
from pathlib import Path

from memd.memory.enabled import VARIABLES

_SIZE_LIMIT = 1 << 20  # bytes of an environment that are looked at


def of_process(pid: int, *, proc: Path = Path("/proc")) -> dict[str, str] | None:
    """Those of VARIABLES that the process was started with; None where that cannot be known.

    Nothing else of the environment is kept: it holds keys.
    """
    try:
        with (proc / str(pid) / "environ").open("rb") as stream:
            data = stream.read(_SIZE_LIMIT)
    except OSError:
        return None
    pairs = (os.fsdecode(item).partition("=") for item in data.split(b"\0"))
    return {name: value for name, _, value in pairs if name in VARIABLES}
