"""How codes, times and foreign text are put before people."""

from __future__ import annotations

import re
from datetime import UTC, datetime

SWITCH_REASONS = {
    "memd-disabled": "MEMD_DISABLE is set",
    "paused": "memd is paused; `memd resume` lets it go on",
    "excluded": "[projects] exclude names this project",
    "slug-taken": "another project with the same slug keeps its memory there",
    "auto-memory-disabled": "CLAUDE_CODE_DISABLE_AUTO_MEMORY is set",
    "auto-memory-forced": "CLAUDE_CODE_DISABLE_AUTO_MEMORY says so",
    "bare-mode": "CLAUDE_CODE_SIMPLE is set",
    "remote-without-directory": "CLAUDE_CODE_REMOTE is set, CLAUDE_CODE_REMOTE_MEMORY_DIR is not",
    "settings-on": "autoMemoryEnabled in Claude Code's settings",
    "settings-off": "autoMemoryEnabled is false in Claude Code's settings",
    "default": "nothing switches it off",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))  # seconds


def switch_reason(code: str) -> str:
    """Why memory is on or off."""
    return SWITCH_REASONS.get(code, code.replace("-", " "))


def ago(then: float, now: float) -> str:
    """How long ago, in the largest unit that fits; both in seconds since the epoch."""
    for size, unit in _UNITS:
        if (count := int((now - then) // size)) > 0:
            return f"{counted(count, unit)} ago"
    return "just now"


def soon(seconds: float) -> str:
    """How long still, in the largest unit that fits, rounded up."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        if seconds > size or size == 1:
            return counted(max(1, -int(-seconds // size)), unit)
    return "a moment"


def short_id(session: str) -> str:
    """As much of a conversation's id as people need to name it."""
    return shown(session[:8])


def shortened(path: str, width: int = 72) -> str:
    """Cut a long path at its front, where it tells least, to at most `width` characters."""
    return path if len(path) <= width else f"\N{HORIZONTAL ELLIPSIS}{path[1 - width :]}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 run`, `2 runs`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def and_shared(own: int, shared: int) -> str:
    """`2 memories`, `2 memories and 1 of the team`."""
    return counted(own, "memory", "memories") + (f" and {shared} of the team" if shared else "")


def at(seconds: float) -> str:
    """Write a moment in local time, to the minute; given in seconds since the epoch."""
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M}"


def iso(seconds: float | None) -> str | None:
    """Write a moment for programs, in UTC; given in seconds since the epoch."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def valid(text: str) -> str:
    """Replace what no encoding can print: bytes of a file name that are not UTF-8, halves of a character."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def shown(text: str) -> str:
    """Make text that others wrote safe on a terminal: one line, nothing that moves a cursor."""
    return "".join(char if char.isprintable() else " " for char in valid(text))


def tame(text: str) -> str:
    """The same for a text of several lines, which stay."""
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in valid(text))
