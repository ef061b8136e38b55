"""The variables of a session that decide about its memory, from the best source there is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.memory.enabled import (
    DISABLE_AUTO_MEMORY,
    MEMD_DISABLE,
    OVERRIDE,
    REMOTE,
    SIMPLE,
    VARIABLES,
    MemorySection,
    truth,
)

_SIZE_LIMIT = 1 << 20  # bytes of an environment that are looked at
_SWITCHES = (DISABLE_AUTO_MEMORY, SIMPLE, REMOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What a session's transcript tells of its variables."""

    section: MemorySection = "unknown"  # whether the session's prompt had a part about memory
    directory: str | None = None  # which directory that part named
    config_dir: str | None = None  # Claude Code's own, where it is not the usual one


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnv:
    """A session's environment as far as memory goes, on top of what memd's own says of the rest of the machine."""

    environ: Mapping[str, str]
    section: MemorySection = "unknown"
    directory: str | None = None  # as the prompt named it, where no better source says what it was


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


def of_session(
    own: Mapping[str, str],
    *,
    forwarded: Mapping[str, str] | None = None,
    transcript: Transcript | None = None,
    process: Mapping[str, str] | None = None,
) -> SessionEnv:
    """Put a session's variables together: a hook's, else the transcript's, else its live process's, else memd's own.

    A hook and a process know all of VARIABLES: what they lack was not set. None stands for a source that there is not.
    """
    shown = transcript or Transcript()
    if forwarded is not None:
        return SessionEnv(environ=_over(own, forwarded), section=shown.section)
    environ = _over(own, process if process is not None else _only(own) | _config_dir(own, shown))
    if shown.section != "unknown":
        environ = {name: value for name, value in environ.items() if name not in _SWITCHES}
    if shown.directory is not None:
        environ = {name: value for name, value in environ.items() if name != OVERRIDE}
    return SessionEnv(environ=environ, section=shown.section, directory=shown.directory)


def _over(own: Mapping[str, str], session: Mapping[str, str]) -> dict[str, str]:
    """The session's variables over those of memd's that are no session's; MEMD_DISABLE counts in either."""
    rest = {name: value for name, value in own.items() if name not in VARIABLES}
    off = {MEMD_DISABLE: own[MEMD_DISABLE]} if truth(own.get(MEMD_DISABLE)) else {}
    return rest | _only(session) | off


def _only(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name in VARIABLES}


def _config_dir(own: Mapping[str, str], shown: Transcript) -> dict[str, str]:
    """Where the transcript lies is where its session had Claude Code's directory."""
    if shown.config_dir is None or shown.config_dir == own.get("CLAUDE_CONFIG_DIR"):
        return {}
    return {"CLAUDE_CONFIG_DIR": shown.config_dir}
