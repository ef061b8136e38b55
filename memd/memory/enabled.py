"""Whether memory is on for a session, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

DISABLE_AUTO_MEMORY = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
SIMPLE = "CLAUDE_CODE_SIMPLE"
REMOTE = "CLAUDE_CODE_REMOTE"
REMOTE_MEMORY_DIR = "CLAUDE_CODE_REMOTE_MEMORY_DIR"
MEMD_DISABLE = "MEMD_DISABLE"
OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"

# All that a hook forwards, and all that is taken from a process's environment.
VARIABLES = (
    DISABLE_AUTO_MEMORY,
    SIMPLE,
    REMOTE,
    REMOTE_MEMORY_DIR,
    MEMD_DISABLE,
    OVERRIDE,
    "CLAUDE_CONFIG_DIR",
)

MemorySection = Literal["present", "absent", "unknown"]

_TRUTHY = frozenset({"1", "true", "yes", "on"})
_FALSY = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Enabled:
    """The answer, and the code of the rule that gave it."""

    on: bool
    reason: str


def truth(value: str | None) -> bool | None:
    """True, False, or None for what is neither and counts as unset."""
    word = (value or "").strip().lower()
    return True if word in _TRUTHY else False if word in _FALSY else None


def enabled(
    *,
    environ: Mapping[str, str],
    settings_say: bool | None,
    memory_section: MemorySection = "unknown",
    disabled_by: str | None = None,
) -> Enabled:
    """Whether memory is on; the first rule that applies decides.

    `environ` holds the session's variables, from the best source there is. `memory_section` is what the transcript
    shows of the session's system prompt: where it has no section on memory, the session had memory off, whatever its
    settings say now. `disabled_by` is memd's own reason to keep out ("excluded", "paused", "off-the-record").
    """
    if truth(environ.get(MEMD_DISABLE)):
        return Enabled(on=False, reason="memd-disabled")
    if disabled_by is not None:
        return Enabled(on=False, reason=disabled_by)
    return (
        _from_environment(environ)
        or (Enabled(on=False, reason="no-memory-section") if memory_section == "absent" else None)
        or _from_settings(settings_say)
        or Enabled(on=True, reason="default")
    )


def _from_environment(environ: Mapping[str, str]) -> Enabled | None:
    disabled = truth(environ.get(DISABLE_AUTO_MEMORY))
    if disabled is not None:
        return Enabled(on=not disabled, reason="auto-memory-disabled" if disabled else "auto-memory-forced")
    if truth(environ.get(SIMPLE)):
        return Enabled(on=False, reason="bare-mode")
    if truth(environ.get(REMOTE)) and not environ.get(REMOTE_MEMORY_DIR):
        return Enabled(on=False, reason="remote-without-directory")
    return None


def _from_settings(said: bool | None) -> Enabled | None:  # noqa: FBT001 -- the setting's own value
    if said is None:
        return None
    return Enabled(on=said, reason="settings-on" if said else "settings-off")


def excluded(root: Path, globs: Collection[str], *, home: Path | None = None) -> bool:
    """Whether a project lies at or below a path that one of the globs names; `*` matches `/` too."""
    patterns = [_pattern(glob, home) for glob in globs]
    return any(fnmatchcase(str(path), pattern) for path in (root, *root.parents) for pattern in patterns)


def _pattern(glob: str, home: Path | None) -> str:
    expanded = f"{home}/{glob[2:]}" if home is not None and glob.startswith("~/") else glob
    return expanded.removesuffix("/**").rstrip("/") or "/"
