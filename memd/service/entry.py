"""How the memd that runs right now is started from nowhere: absolute, and without a shell or a PATH."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

_THROWN_AWAY = ("/uv/archive-v", "/uv/builds-v", "/uv/environments-v", "/pipx/.cache/", "/.cache/pipx/")


def command(python: str = sys.executable) -> tuple[str, ...]:
    """The console script beside this Python, else the module; either has this Python's packages and no others."""
    script = Path(python).with_name("memd")
    if script.is_file() and os.access(script, os.X_OK):
        return (str(script),)
    return (python, "-P", "-m", "memd.cli.main")


def thrown_away(environ: Mapping[str, str], python: str = sys.executable) -> str | None:
    """Why the environment that memd runs from will not last (`uvx`, `pipx run`); None: it will."""
    home = environ.get("HOME", "")
    place = f"{Path(python).parent}/"
    if any(mark in place for mark in _THROWN_AWAY) or (home and place.startswith(f"{home}/.cache/")):
        return f"memd runs from {place.rstrip('/')}, which is cleared away at times"
    return None


def shipped(*parts: str) -> bytes:
    """A file of `systemd/`, `launchd/` or `config/`: inside the installed package, or beside it in a clone."""
    inside = resources.files("memd").joinpath("share", *parts)
    if inside.is_file():
        return inside.read_bytes()
    return Path(__file__).parents[2].joinpath(*parts).read_bytes()
