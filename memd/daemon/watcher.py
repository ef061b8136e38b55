"""File events as hints: they only shorten the wait for the next rescan, which is the truth."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventQueue, ObservedWatch

from memd.daemon.events import Changed, Event, Rearm

WINDOW = 0.1  # seconds: one look at a file in each
_TICK = 0.001  # seconds by which the loop is late, as its clock has no finer ones
_NEWS: list[type[FileSystemEvent]] = [
    FileModifiedEvent, FileCreatedEvent, FileMovedEvent, FileDeletedEvent, DirCreatedEvent, DirMovedEvent,
    DirDeletedEvent,
]  # fmt: skip  # nothing that reading raises: memd reads these files itself
_ARRIVALS: list[type[FileSystemEvent]] = [DirCreatedEvent, DirMovedEvent]
_FDINFO = "/proc/self/fdinfo"

Post = Callable[[Event], None]
Handlers = Mapping[tuple[str, bool], list[FileSystemEventHandler]]  # by directory, and whether all below it counts
Observe = Callable[[Handlers], BaseObserver]


class Mailbox:
    """Collects paths from the observer's thread and hands them to the loop, once in each window."""

    def __init__(self, loop: asyncio.AbstractEventLoop, post: Post) -> None:
        self._loop = loop
        self._post = post
        self._paths: set[str] = set()
        self._guard = threading.Lock()  # the one place where two threads meet

    def drop(self, paths: Iterable[str]) -> None:
        """Called by the observer's thread."""
        with self._guard:
            first = not self._paths
            self._paths.update(paths)
        if first and self._paths:
            with suppress(RuntimeError):  # the loop may have ended already
                self._loop.call_soon_threadsafe(self._loop.call_later, WINDOW - _TICK, self._empty)

    def rearm(self) -> None:
        """Called by the observer's thread: a watched directory itself came or went."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._post, Rearm())

    def _empty(self) -> None:
        with self._guard:
            paths, self._paths = self._paths, set()
        self._post(Changed(paths=frozenset(paths)))


class _InRoot(FileSystemEventHandler):
    """What happens below a root that exists."""

    def __init__(self, root: str, mailbox: Mailbox) -> None:
        self._root = root
        self._mailbox = mailbox

    def dispatch(self, event: FileSystemEvent) -> None:
        """Drop the paths an event is about; for a directory that arrived, those of the files in it."""
        paths = [path for path in (os.fsdecode(event.src_path), os.fsdecode(event.dest_path)) if path]
        if not event.is_directory:
            self._mailbox.drop(paths)
        elif self._root in paths:
            self._mailbox.rearm()
        elif not isinstance(event, DirDeletedEvent):
            self._mailbox.drop(_files_below(paths[-1]))


class _AboveRoot(FileSystemEventHandler):
    """Directories that appear where a missing root would be."""

    def __init__(self, root: str, mailbox: Mailbox) -> None:
        self._root = root
        self._mailbox = mailbox

    def dispatch(self, event: FileSystemEvent) -> None:
        """Ask for a new look at the roots when one's ancestor, or itself, has come."""
        came = os.fsdecode(event.dest_path or event.src_path)
        if f"{self._root}/".startswith(f"{came}/"):
            self._mailbox.rearm()


if sys.platform == "linux":
    from watchdog.observers.inotify import InotifyEmitter

    class _Straight(InotifyEmitter):
        """Hands events on in the thread that reads them, as to bring each to the observer's costs as much again."""

        def __init__(
            self, event_queue: EventQueue, watch: ObservedWatch, *, handlers: Handlers,
            timeout: float = 1.0, event_filter: list[type[FileSystemEvent]] | None = None,
        ) -> None:  # fmt: skip
            super().__init__(event_queue, watch, timeout=timeout, event_filter=event_filter)
            self._handlers = handlers[watch.path, watch.is_recursive]
            self._kinds = frozenset(event_filter or ())

        def queue_event(self, event: FileSystemEvent) -> None:
            """No queue: whoever handles it is quick."""
            if type(event) in self._kinds:
                for handler in self._handlers:
                    handler.dispatch(event)


def native(handlers: Handlers) -> BaseObserver:
    """The system's own observer (inotify, FSEvents), which knows whom to tell."""
    return BaseObserver(_Straight, handlers=handlers) if sys.platform == "linux" else Observer()


class Watcher:
    """Watches roots, or the nearest directory above a root that does not exist yet."""

    def __init__(self, roots: Iterable[Path], mailbox: Mailbox, observe: Observe = native) -> None:
        self._observe = observe
        self.aim(roots)
        self._mailbox = mailbox
        self._observer: BaseObserver | None = None
        self._handlers: dict[tuple[str, bool], list[FileSystemEventHandler]] = {}
        self._armed: dict[str, tuple[int, int] | None] = {}
        self.trouble: str | None = None  # why events cannot be relied on

    def aim(self, roots: Iterable[Path]) -> None:
        """Other roots from the next `arm` on."""
        self._roots = tuple(str(root) for root in roots)

    def arm(self) -> None:
        """Watch anew. Where the system refuses, `trouble` says why, and rescans have to do alone."""
        self.close()
        self.trouble = None
        try:
            self._handlers.clear()
            self._armed.clear()
            self._observer = self._observe(self._handlers)
            self._observer.start()
            for root in self._roots:
                self._watch(self._observer, root)
        except OSError as error:
            self.trouble = f"no file events: {error.strerror or error}"

    def _watch(self, observer: BaseObserver, root: str) -> None:
        place = root
        while not os.path.isdir(place):  # noqa: PTH112  # strings, as in the events
            place = os.path.dirname(place)  # noqa: PTH120
        self._armed[root] = _identity(root)
        if place == root:
            self._schedule(observer, _InRoot(root, self._mailbox), root, _NEWS)
            return
        self._schedule(observer, _AboveRoot(root, self._mailbox), place, _ARRIVALS)
        if os.path.isdir(_step_towards(place, root)):  # noqa: PTH112  # it came while we looked elsewhere
            self._mailbox.rearm()

    def _schedule(
        self, observer: BaseObserver, handler: FileSystemEventHandler, place: str, kinds: list[type[FileSystemEvent]]
    ) -> None:
        recursive = kinds is _NEWS
        self._handlers.setdefault((place, recursive), []).append(handler)
        observer.schedule(handler, place, recursive=recursive, event_filter=kinds)

    def stale(self) -> bool:
        """Whether a root came, went or was replaced, or whoever reports on it has died."""
        observer = self._observer
        if observer is None or not observer.is_alive() or not all(one.is_alive() for one in observer.emitters):
            return True
        return any(_identity(root) != known for root, known in self._armed.items())

    def unwatched(self, directories: Iterable[str]) -> int:
        """How many of these directories nobody reports on."""
        return unwatched(directories)

    def close(self) -> None:
        """Stop watching."""
        if self._observer is not None and self._observer.is_alive():
            self._observer.stop()
            self._observer.join(timeout=1.0)
        self._observer = None


@contextmanager
def watching(roots: Iterable[Path], post: Post, observe: Observe = native) -> Iterator[Watcher]:
    """A watcher over `roots` that posts into the running loop's queue."""
    watcher = Watcher(roots, Mailbox(asyncio.get_running_loop(), post), observe)
    try:
        watcher.arm()
        yield watcher
    finally:
        watcher.close()


def unwatched(directories: Iterable[str]) -> int:
    """How many of these directories inotify does not report on: past its limit they are dropped in silence.

    Where the system has no inotify, none.
    """
    held = _inotify_inodes()
    return (
        0 if held is None else sum(found is not None and found[1] not in held for found in map(_identity, directories))
    )


def _inotify_inodes() -> frozenset[int] | None:
    try:
        lines = [line for name in os.listdir(_FDINFO) for line in _lines(f"{_FDINFO}/{name}")]  # noqa: PTH208
    except OSError:
        return None
    marks = [line.split() for line in lines if line.startswith("inotify wd:")]
    return frozenset(int(part[4:], 16) for mark in marks for part in mark if part.startswith("ino:"))


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("ascii").splitlines()
    except OSError:  # the listing's own descriptor is gone by now
        return []


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  # strings, as in the events
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _files_below(directory: str) -> list[str]:
    return [f"{place}/{name}" for place, _, names in os.walk(directory) for name in names]


def _step_towards(place: str, root: str) -> str:
    rest = root[len(place.rstrip("/")) + 1 :]
    return f"{place.rstrip('/')}/{rest.split('/', 1)[0]}"
