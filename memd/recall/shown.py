"""A memory as it is put before somebody: cut to what is worth reading, with its age."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memd import files
from memd.config import Paths
from memd.errors import UnsafePathError
from memd.memory import age, authors, layout

LINES = 200
BYTES = 4_096
_READ = 256 * 1024  # bytes of a file that are looked at
_CUT = "[cut here; the rest is in the file]"


def text(path: str, memory_dir: Path, now: float, paths: Paths) -> str | None:
    """The file as it stands at this moment, at most 200 lines and 4,096 bytes, with a note where it is two days old.

    One of the team's is quoted, under a line that says whose it is: nothing in it can look like a memory of its own.
    `path` is absolute, `now` in seconds since the epoch; `paths` leads to the authors. None: it is gone, or not to be
    opened.
    """
    with suppress(OSError, UnsafePathError, ValueError):
        relative = str(Path(path).relative_to(memory_dir))
        with files.open_directory(memory_dir) as directory:
            data = files.read_regular(directory, relative, limit=_READ)
        if data is not None:
            said = _cut(data.decode("utf-8", "replace").strip())
            mtime = (memory_dir / relative).stat().st_mtime
            if not layout.is_shared(relative):
                return _parts(said, age.freshness_note(mtime, now))
            author = authors.of(paths, memory_dir).get(relative)
            note = age.freshness_note(authors.written(author, mtime), now)
            return _parts(authors.told(author), _quoted(said), note)
    return None


def _parts(*texts: str | None) -> str:
    return "\n\n".join(text for text in texts if text)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


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
