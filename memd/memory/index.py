"""MEMORY.md: one line a memory, loaded into every session (spec §2.3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

NAME = "MEMORY.md"
LINE_LIMIT = 200  # lines that are loaded
BYTE_LIMIT = 25_000  # UTF-8 bytes that are loaded
ENTRY_LIMIT = 150  # characters of an entry's line

_TITLE_LIMIT = 60
_SHORTEST_HOOK = 8
_ENTRY = re.compile(
    r"""[ \t]{0,8}[-*+][ \t]+
    \[(?P<title>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]
    \(<?(?:\./)?(?P<path>[^()<>\s:\#]+\.md)(?:\#[^()<>\s]*)?>?\)
    (?P<rest>.*)""",
    re.VERBOSE,
)
_NOT_OURS = ("logs", "team", "..", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line about one topic file."""

    title: str
    path: str  # relative to the memory directory
    hook: str  # may be empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The part of an index that a session gets, and what to say when it is not all of it."""

    text: str
    warning: str | None


def truncate(data: bytes) -> Loaded:
    """The index trimmed and cut to the limits. The warning is not counted in them."""
    text = _trimmed(data)
    lines = text.split("\n")
    size = len(text.encode())
    kept = _cut_to_bytes("\n".join(lines[:LINE_LIMIT]))
    exceeded = []
    if len(lines) > LINE_LIMIT:
        exceeded.append(f"{len(lines):,} lines (limit {LINE_LIMIT})")
    if size > BYTE_LIMIT:
        exceeded.append(f"{size:,} bytes (limit {BYTE_LIMIT:,})")
    if not exceeded:
        return Loaded(text=kept, warning=None)
    return Loaded(text=kept, warning=f"WARNING: {NAME} has {' and '.join(exceeded)}; only part of it was loaded.")


def fits(data: bytes) -> bool:
    """Whether the whole of it is loaded."""
    return truncate(data).warning is None


def _trimmed(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").lstrip("\ufeff").strip()


def _cut_to_bytes(text: str) -> str:
    data = text.encode()
    if len(data) <= BYTE_LIMIT:
        return text
    end = data.rfind(b"\n", 0, BYTE_LIMIT + 1)
    return data[: end if end > 0 else BYTE_LIMIT].decode("utf-8", errors="ignore")


def parse(data: bytes) -> tuple[Entry, ...]:
    """The entries, in file order; whatever else stands there is passed over."""
    return tuple(entry for line in lines_of(data) if (entry := parse_line(line.text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line's text and what ends it; together they are the file's bytes again."""

    text: str
    end: str  # "\n", "\r\n", or "" at the end of the file


def lines_of(data: bytes) -> Iterator[Line]:
    """The lines of a file; bytes that are not UTF-8 survive as surrogates."""
    text = data.decode("utf-8", errors="surrogateescape")
    for found in re.finditer(r"([^\n]*?)(\r?\n|\Z)", text):
        if found[0]:
            yield Line(text=found[1], end=found[2])


def to_bytes(text: str) -> bytes:
    """The inverse of how `lines_of` reads."""
    return text.encode("utf-8", errors="surrogateescape")


def parse_line(text: str) -> Entry | None:
    """The entry on a line, None when the line is something else: prose, a heading, a link elsewhere."""
    found = _ENTRY.fullmatch(text.removeprefix("\ufeff"))
    if found is None:
        return None
    path = str(PurePosixPath(unquote(found["path"])))
    parts = PurePosixPath(path).parts
    if path == NAME or path.startswith("/") or len(parts) > 2 or parts[0] in _NOT_OURS:  # noqa: PLR2004 -- two levels
        return None
    return Entry(title=found["title"], path=path, hook=found["rest"].strip().lstrip("—–-:").strip())


def entry_line(title: str, path: str, hook: str) -> str:
    """One entry in at most 150 characters; a path that fills them alone is still written whole."""
    target = f"<{path}>" if re.search(r"[\s()]", path) else path
    room = ENTRY_LIMIT - len(f"- []({target})")
    link = f"- [{shortened(_plain_title(title), max(1, min(_TITLE_LIMIT, room)))}]({target})"
    room = ENTRY_LIMIT - len(link) - len(" — ")
    text = shortened(" ".join(hook.split()), room) if room >= _SHORTEST_HOOK else ""
    return f"{link} — {text}" if text else link


def _plain_title(title: str) -> str:
    """A title that cannot end its own link."""
    return " ".join(title.translate(str.maketrans("[]\\", "()/")).split()) or "Untitled"


def shortened(text: str, width: int) -> str:
    """At most `width` characters, cut between words where one is near, else between whole characters."""
    if len(text) <= width:
        return text
    head = text[: width - 1]
    while head and _continues(text[len(head)]):
        head = head[:-1]
    space = head.rfind(" ")
    if space > width // 2 and text[len(head)] != " ":
        head = head[:space]
    return head.rstrip(" ,;:.—–-") + "…"


def _continues(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    return bool(unicodedata.combining(char)) or char in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff"
