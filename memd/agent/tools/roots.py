"""The places the agent can see, under names of their own, and the one way to what lies there.

`memory/` is the private copy of the memory directory, `project/` the project, `transcript.md` this conversation as
cleaned text, `bullets.md` the open bullets. What is read comes out cleaned, as the evidence does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from memd import files
from memd.agent import evidence, permissions
from memd.agent.tools import limits
from memd.agent.tools.arguments import DeniedError
from memd.errors import UnsafePathError
from memd.memory.workspace import Workspace

SEEN = (
    "You can read `memory/…`, `project/…`, `transcript.md` and `bullets.md`; you can write `memory/<name>.md` and "
    "`bullets.md`."
)


class Root(Enum):
    """A place, by the name that the agent knows it by."""

    MEMORY = "memory"
    PROJECT = "project"
    TRANSCRIPT = "transcript.md"
    BULLETS = "bullets.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path inside a root: its components, none for the root itself. Nothing is said about whether it exists."""

    root: Root
    parts: tuple[str, ...] = ()

    @property
    def rel(self) -> str:
        """The path below the root."""
        return "/".join(self.parts)

    @property
    def shown(self) -> str:
        """The path as the agent writes it."""
        return "/".join((self.root.value, *self.parts))

    def below(self, name: str) -> Place:
        """What is called `name` in this directory."""
        return Place(root=self.root, parts=(*self.parts, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """What lies behind the names. `transcript` is cleaned already."""

    workspace: Workspace
    project: Path | None
    transcript: str | None

    def locate(self, written: str) -> Place:
        """What the agent means by a path. DeniedError for what leads out of all roots."""
        if written.startswith("/"):
            return self._absolute(written)
        parts = _components(written)
        root = next((root for root in Root if parts and parts[0] == root.value), None)
        if root in {Root.TRANSCRIPT, Root.BULLETS} and len(parts) == 1:
            return Place(root=root)
        if root in {Root.MEMORY, Root.PROJECT}:
            return Place(root=root, parts=parts[1:])
        return self._bare(parts)

    def anchor(self, place: Place) -> Path:
        """The directory that a place in memory or project is opened from."""
        if place.root is Root.PROJECT:
            if self.project is None:
                raise DeniedError(f"There is no project to read here. {SEEN}")
            return self.project
        return self.workspace.memory if place.root is Root.MEMORY else self.workspace.bullets.parent

    @contextmanager
    def directory(self, place: Place) -> Iterator[int]:
        """The descriptor of a directory that may be looked into."""
        require_readable(place)
        with ExitStack() as stack:
            with _explained(place):
                anchor = stack.enter_context(files.open_directory(self.anchor(place)))
                below = stack.enter_context(files.open_below(anchor, place.rel))
            _require_same_device(anchor, below, place)
            yield below

    def data(self, place: Place, *, limit: int = limits.FILE_BYTES) -> bytes | None:
        """A file's own bytes, None where there is none. DeniedError. Never to be shown as they are."""
        require_readable(place)
        if place.root is Root.TRANSCRIPT:
            return None if self.transcript is None else self.transcript.encode(errors="replace")
        rel = self.workspace.bullets.name if place.root is Root.BULLETS else place.rel
        if not rel:
            raise DeniedError(f"{place.shown} is a directory; Glob lists what it holds.")
        with _explained(place), files.open_directory(self.anchor(place)) as anchor:
            return _data(anchor, rel, place, limit)

    def clean(self, place: Place) -> str:
        """A file's text as the agent may see it. DeniedError, also where there is no file."""
        data = self.data(place)
        if data is None:
            raise DeniedError(f"There is no file {files.printable(place.shown)}. {SEEN}")
        return self.text(place, data)

    def text(self, place: Place, data: bytes) -> str:
        """The bytes of a file as the agent may see them. DeniedError for what is no text."""
        if place.root is Root.TRANSCRIPT:
            return data.decode(errors="replace")
        if b"\0" in data:
            raise DeniedError(f"{files.printable(place.shown)} is not a text file.")
        return evidence.tidy(data.decode(errors="replace"))

    def _absolute(self, written: str) -> Place:
        parts = _components(written)
        for place, path in self._paths():
            above = path.parts[1:]
            if parts[: len(above)] == above:
                return Place(root=place.root, parts=parts[len(above) :])
        raise DeniedError(f"{files.printable(written)} is outside of what you can see. {SEEN}")

    def _paths(self) -> Iterator[tuple[Place, Path]]:
        yield Place(root=Root.MEMORY), self.workspace.memory
        if self.project is not None:
            yield Place(root=Root.PROJECT), self.project
            with suppress(OSError, RuntimeError):
                yield Place(root=Root.PROJECT), self.project.resolve()

    def _bare(self, parts: tuple[str, ...]) -> Place:
        """Memory, as the list of memories names its files; the project where only that has such a thing."""
        memory = Place(root=Root.MEMORY, parts=parts)
        project = Place(root=Root.PROJECT, parts=parts)
        here = self._has(memory) or self.project is None or not self._has(project)
        return memory if here else project

    def _has(self, place: Place) -> bool:
        if not place.parts:
            return True
        try:
            with self.directory(Place(root=place.root, parts=place.parts[:-1])) as parent:
                os.stat(place.parts[-1], dir_fd=parent, follow_symlinks=False)
        except (DeniedError, OSError, ValueError):
            return False
        return True


def _components(written: str) -> tuple[str, ...]:
    parts = tuple(part for part in written.split("/") if part not in {"", "."})
    if ".." in parts or (parts and parts[0] == "~"):
        raise DeniedError(f"Paths are written without `..` and `~`. {SEEN}")
    return parts


def require_readable(place: Place) -> None:
    """DeniedError for what is out of sight by its name."""
    closed = permissions.unreadable if place.root is Root.PROJECT else permissions.hidden
    if reason := closed(place.parts):
        raise DeniedError(f"{reason}. {SEEN}")


def _data(anchor: int, rel: str, place: Place, limit: int) -> bytes | None:
    try:
        with files.open_regular(anchor, rel) as descriptor:
            _require_same_device(anchor, descriptor, place)
            return _bytes(descriptor, place, limit)
    except FileNotFoundError:
        return None


def _bytes(descriptor: int, place: Place, limit: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise DeniedError(f"{files.printable(place.shown)} has more than {limit} bytes and is not read.")
    return data


def _require_same_device(anchor: int, found: int, place: Place) -> None:
    """Nothing that is mounted below a root: what lies in /proc looks like a file, too."""
    if os.fstat(found).st_dev != os.fstat(anchor).st_dev:
        raise DeniedError(f"{files.printable(place.shown)} is on another file system. {SEEN}")


@contextmanager
def _explained(place: Place) -> Iterator[None]:
    """What went wrong with a file, in words for a model."""
    shown = files.printable(place.shown)
    try:
        yield
    except UnsafePathError as error:
        raise DeniedError(f"{shown} is not readable: {error}. Links are not followed. {SEEN}") from error
    except FileNotFoundError as error:
        raise DeniedError(f"There is no {shown}. {SEEN}") from error
    except OSError as error:
        raise DeniedError(f"{shown} is not readable: {os.strerror(error.errno or 0)}.") from error
