"""What a session is told about memory: built from files alone, the same bytes for the same directory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Literal

from memd import files
from memd.errors import UnsafePathError
from memd.memory import index
from memd.memory.layout import INDEX, TEAM

MARK = "memd-memory"  # a tag around all of it: evidence leaves such parts out, so that memory never feeds on itself

Variant = Literal["log", "combined", "normal"]

# What a session does about a memory that is wrong; in log mode it does not touch topics.
AMEND: Mapping[Variant, str] = {
    "log": "add a line to the log that says what is wrong with the memory",
    "combined": "correct or remove the memory",
    "normal": "correct or remove the memory",
}

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_SCOPE = re.compile(r"<scope>.*</scope>\n")
_OWN_MARK = re.compile(MARK, re.IGNORECASE)
_ENTRY = re.compile(r"- \[[^\]]*\]\(([^)\s]+)\)")
_EMPTY = "is empty so far."
_TEAM_INDEX = f"{TEAM}/{INDEX}"
_ROOM = "\N{OBJECT REPLACEMENT CHARACTER}"  # where an index goes that is cut to what is left
_ELSEWHERE = f"""## {INDEX}

The index stands elsewhere in this conversation. What else you were told about saving memories, this takes its place."""


def variant(*, mode: str, team: bool) -> Variant:
    """Which of the three texts a session gets; `mode` is `[extract] mode`."""
    if mode == "log":
        return "log"
    return "combined" if team else "normal"


def build(
    memory_dir: Path,
    *,
    mode: str = "topics",
    team: bool = False,
    with_index: bool = True,
    authors: Mapping[str, str] | None = None,
) -> str:
    """The whole text, in the mark. The directories that it calls there already are made, for the owner alone.

    Without the index it is for an agent that loads `MEMORY.md` by itself. `authors` says in words who wrote which
    of the team's files, by path below `team/`.

    Raises OSError where they cannot be, UnsafePathError where something else is in their place.
    """
    chosen = variant(mode=mode, team=team)
    with files.open_directory(memory_dir, create=True) as directory:
        parts = {
            "directory": _one_line(str(memory_dir)),
            "index": _index(directory, INDEX) if with_index else _ELSEWHERE,
            "amend": AMEND[chosen],
        }
        if chosen == "combined":
            with files.open_below(directory, TEAM, create=True) as shared:
                parts["index"] += f"\n\n{_credited(_index(shared, _TEAM_INDEX), authors or {})}"
    return _marked(_filled(chosen, parts, scopes=chosen == "combined"))


def team_part(memory_dir: Path, *, mode: str, authors: Mapping[str, str], room: int) -> str:
    """What an agent lacks that knows of the private memory by itself, in the mark: the team's, and its index.

    Of the index as much as has `room`, in characters of the whole text. `mode`, `authors` and errors as above.
    """
    with (
        files.open_directory(memory_dir, create=True) as directory,
        files.open_below(directory, TEAM, create=True) as shared,
    ):
        listed = _credited(_index(shared, _TEAM_INDEX), authors)
    parts = {"directory": _one_line(str(memory_dir)), "index": _ROOM}
    if mode == "log":
        parts["team_saving"] = _filled("team_logging", parts, scopes=False)
    text = _marked(_filled("team", parts, scopes=False))
    return text.replace(_ROOM, _within(listed, room - len(text)))


def _within(listed: str, room: int) -> str:
    """As many lines as have room, and how many there are besides."""
    lines = listed.splitlines()
    kept: list[str] = []
    for number, line in enumerate(lines):
        more = f"({len(lines) - number} more lines: `memd list` shows all of them)"
        if room - len(line) - 1 < len(more):
            return "\n".join((*kept, more))
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)


def _credited(listed: str, authors: Mapping[str, str]) -> str:
    """The index of the team's, with who wrote what behind each line."""
    return "\n".join(_with_credit(line, authors) for line in listed.splitlines())


def _with_credit(line: str, authors: Mapping[str, str]) -> str:
    entry = _ENTRY.match(line)
    words = authors.get(entry[1]) if entry else None
    return f"{line} ({words})" if words else line


def _marked(text: str) -> str:
    return f"<{MARK}>\n{text}\n</{MARK}>\n"


def _filled(name: str, values: dict[str, str], *, scopes: bool) -> str:
    """A text with its places filled: by a value, else by the text of that name, whose places are filled likewise."""
    text = resources.files("memd.memory").joinpath("prompts", f"{name}.md").read_text("utf-8")
    own = text if scopes else _SCOPE.sub("", text)
    return _PLACE.sub(lambda place: values.get(place[1]) or _filled(place[1], values, scopes=scopes), own.strip())


def _index(directory: int, shown_as: str) -> str:
    """The index under its heading, as much of it as is loaded."""
    data = b""
    with suppress(UnsafePathError):  # a link or a device in its place says nothing
        data = files.read_regular(directory, INDEX) or b""
    loaded = index.truncate(data)
    # Its own text must not be able to close the mark.
    text = _OWN_MARK.sub(MARK.replace("-", " "), loaded.text)
    if not text:
        return f"## {shown_as}\n\n`{shown_as}` {_EMPTY}"
    return "\n\n".join(part for part in (f"## {shown_as}", text, loaded.warning) if part)


def _one_line(path: str) -> str:
    """A path as a session can use it, whatever its name holds."""
    return "".join(char if char.isprintable() and char != "`" else "?" for char in path)
