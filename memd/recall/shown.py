"""A memory as it is put before somebody: cut to what is worth reading, with its age."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import age

LINES = 200
BYTES = 4_096
_READ = 64 * 1024  # bytes of a file that are looked at
_CUT = "[cut here; the rest is in the file]"


def text(path: str, memory_dir: Path, now: float) -> str | None:
    """The file as it stands at this moment, at most 200 lines and 4,096 bytes, with a note where it is two days old.

    `path` is absolute, `now` in seconds since the epoch. None: it is gone, or not to be opened.
    """
    with suppress(OSError, UnsafePathError, ValueError):
        relative = str(Path(path).relative_to(memory_dir))
        with files.open_directory(memory_dir) as directory:
            data = files.read_regular(directory, relative, limit=_READ)
        if data is not None:
            note = age.freshness_note((memory_dir / relative).stat().st_mtime, now)
            return _cut(data.decode("utf-8", "replace").strip()) + (f"\n\n{note}" if note else "")
    return None


def _cut(whole: str) -> str:
    """Cut at a line's end, never inside a character."""
    lines = whole.splitlines()[:LINES]
    kept: list[str] = []
    room = BYTES
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    if not kept and lines:
        kept = [lines[0].encode()[: BYTES - 1].decode(errors="ignore")]
    text = "\n".join(kept)
    return text if text == whole else f"{text}\n{_CUT}"
