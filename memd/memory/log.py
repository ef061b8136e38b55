"""Daily logs: short bullets, only ever appended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError

_LIMIT = 64 * files.MEGABYTE
_BULLET = re.compile(r"[-*] +(?P<time>\d\d:\d\d) +(?:\[(?P<type>[^\[\]]*)\](?: +|\Z))?+(?P<text>\S.*)")
_DISTILLED = re.compile(r"[ \t]?→[ \t]?(?P<file>[^\s→]+\.md)\Z")
_JOINERS = "\u200c\u200d"  # invisible, but part of words and emoji


class BulletState(StrEnum):
    """Whether a bullet has become a memory."""

    OPEN = "open"  # noticed, not yet a memory
    DISTILLED = "distilled"  # a topic file holds it; the text ends in "→ file.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullet:
    """Something to be logged. `type` is one of the four, or any word such as "note"."""

    type: str
    text: str
    source: str = ""  # where it came from, such as "session 1111, human"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedBullet:
    """One bullet as it stands in a log."""

    line: int  # from 1
    time: str  # "HH:MM"
    type: str  # "" where none is given
    text: str  # without "→ file.md"
    source: str
    state: BulletState
    file: str | None = None  # the topic file that holds it


def path_for(day: date) -> str:
    """A day's log, relative to the memory directory."""
    return f"logs/{day:%Y}/{day:%m}/{day:%Y-%m-%d}.md"


def append(memory_dir: Path, bullets: Sequence[Bullet], now: datetime) -> str:
    """Add bullets to the log of `now`'s date, in one write under the log's lock. Its path, relative.

    `now` is local time. Directories are made on the first write; with no bullets nothing is touched.
    """
    path = path_for(now)
    if data := render(bullets, now):
        with files.open_directory(memory_dir, create=True) as directory:
            files.append_whole(directory, path, data)
    return path


def render(bullets: Sequence[Bullet], now: datetime) -> bytes:
    """The bullets as whole lines; those without text are left out."""
    lines = (line(bullet, now) for bullet in bullets if _folded(bullet.text))
    return "".join(lines).encode("utf-8", errors="replace")


def line(bullet: Bullet, now: datetime) -> str:
    """A bullet's line, its line break included. Nothing in it can start another line or end the comment early."""
    kind = re.sub(r"[\[\]]", "", _folded(bullet.type)) or "note"
    text = _folded(bullet.text).replace("<!--", "<! --").replace("-->", "-- >")
    source = re.sub(r"-{2,}", "-", _folded(bullet.source)).replace("<", "").replace(">", "").strip("- ")
    return f"- {now:%H:%M} [{kind}] {text}" + (f"  <!-- {source} -->" if source else "") + "\n"


def _folded(text: str) -> str:
    """On one line, without what a terminal or a reader could take for a command or a line's end."""
    return " ".join("".join(char if char.isprintable() or char in _JOINERS else " " for char in text).split())


def everything(memory_dir: Path) -> list[tuple[str, bytes]]:
    """Every daily log below a memory directory: its path, relative, and its bytes. What cannot be read is left out."""
    try:
        with files.open_directory(memory_dir) as memory:
            names = [rel for rel in files.list_files(memory, levels=4) if rel.startswith("logs/")]
            found = [(rel, _bytes(memory, rel)) for rel in names]
    except FileNotFoundError:
        return []
    return [(rel, data) for rel, data in found if data is not None]


def _bytes(memory: int, rel: str) -> bytes | None:
    try:
        return files.read_regular(memory, rel, limit=_LIMIT)
    except (UnsafePathError, PermissionError):
        return None


def parse(data: bytes) -> tuple[LoggedBullet, ...]:
    """The bullets of a log, whoever wrote them; lines of any other form are passed over."""
    lines = data.decode("utf-8", errors="replace").removeprefix("\ufeff").split("\n")
    return tuple(found for number, text in enumerate(lines, 1) if (found := _bullet(number, text)))


def _bullet(number: int, text: str) -> LoggedBullet | None:
    said, source = _without_source(text.rstrip())
    found = _BULLET.fullmatch(said)
    if found is None:
        return None
    arrow = _DISTILLED.search(found["text"])
    return LoggedBullet(
        line=number,
        time=found["time"],
        type=found["type"] or "",
        text=found["text"][: arrow.start()] if arrow else found["text"],
        source=source,
        state=BulletState.DISTILLED if arrow else BulletState.OPEN,
        file=arrow["file"] if arrow else None,
    )


def _without_source(text: str) -> tuple[str, str]:
    """A line and its trailing comment, apart."""
    start = text.rfind("<!--") if text.endswith("-->") else -1
    if start < 0:
        return text, ""
    return text[:start].rstrip(), text[start:].removeprefix("<!--").removesuffix("-->").strip()
