"""What lies below a place, within bounds, and which of it a glob means."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

from memd import files
from memd.agent.tools import limits
from memd.agent.tools.arguments import DeniedError
from memd.agent.tools.roots import Place, Root, Roots, require_readable
from memd.errors import UnsafePathError

_DEEPEST = 15  # directories; the opener goes no further
_MADE = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages", "venv"})  # by tools, not people


@dataclass(slots=True, kw_only=True)
class Budget:
    """What one call may still use; `until` is on `clock`, in seconds."""

    until: float
    clock: Callable[[], float]
    entries: int = limits.ENTRIES_VISITED
    files: int = limits.FILES_SEARCHED
    bytes: int = limits.BYTES_SEARCHED

    def spent(self) -> str | None:
        """Which limit is reached, if one is."""
        if self.clock() >= self.until:
            return "the time for one call is over"
        if self.entries <= 0 or self.files <= 0 or self.bytes <= 0:
            return "the limit of files for one call is reached"
        return None


def everywhere(roots: Roots) -> tuple[Place, ...]:
    """The places that are searched where no path is given."""
    places = [Place(root=Root.MEMORY)]
    if roots.project is not None:
        places.append(Place(root=Root.PROJECT))
    if roots.transcript is not None:
        places.append(Place(root=Root.TRANSCRIPT))
    return tuple(places)


def files_at(roots: Roots, place: Place, budget: Budget) -> Iterator[Place]:
    """The readable files below a place in order, or the place itself where it is a file."""
    if place.root in {Root.TRANSCRIPT, Root.BULLETS}:
        yield place
        return
    if place.parts and not _is_directory(roots, place):
        yield place
        return
    todo = [place]
    while todo and not budget.spent():
        directory = todo.pop()
        try:
            found, below = _entries(roots, directory, budget)
        except DeniedError:  # gone, or swapped for something else, since it was listed
            if directory is place:
                raise
            continue
        yield from found
        todo += reversed(below)


def matcher(pattern: str) -> Callable[[Place, Place], bool]:
    """Whether a file below a place is meant by a glob (`*`, `?`, `[…]`, `{a,b}`, `**/`). DeniedError for a bad one.

    Without "/" the name alone counts, in whatever directory.
    """
    compiled = compiled_pattern(f"(?s)\\A(?:{_as_regex(pattern)})\\z", ignore_case=False)

    def matches(base: Place, place: Place) -> bool:
        rel = "/".join(place.parts[len(base.parts) :])
        tried = (rel, place.shown) if "/" in pattern else ((place.parts or (place.shown,))[-1],)
        return any(compiled.search(text.encode(errors="replace")) for text in tried)

    return matches


def compiled_pattern(pattern: str, *, ignore_case: bool) -> Any:  # noqa: ANN401 - re2 has no types
    """A regular expression over bytes, in RE2's syntax, that takes linear time. DeniedError for a bad one."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    options.case_sensitive = not ignore_case
    try:
        compiled = re2.compile(pattern.encode(), options)
    except re2.error as error:
        said = str(error.args[0] if error.args else error)[:200]
        raise DeniedError(f"Not a pattern that RE2 takes (no look-around, no back-references): {said}") from error
    if compiled.programsize > limits.PROGRAM_SIZE:
        raise DeniedError("The pattern is too large; write one with fewer and smaller repetitions.")
    return compiled


def _is_directory(roots: Roots, place: Place) -> bool:
    parent = Place(root=place.root, parts=place.parts[:-1])
    with roots.directory(parent) as descriptor:
        try:
            with files.open_below(descriptor, place.parts[-1]):
                return True
        except (UnsafePathError, OSError):  # a file, or nothing that reading it will not explain better
            return False


def _entries(roots: Roots, directory: Place, budget: Budget) -> tuple[list[Place], list[Place]]:
    """The files and the directories in a directory that may be read, by name."""
    with roots.directory(directory) as descriptor, os.scandir(descriptor) as found:
        listed = sorted(itertools.islice(found, max(budget.entries, 0)), key=lambda entry: entry.name)
        budget.entries -= len(listed)
        good = [entry for entry in listed if _is_open(directory.below(entry.name))]
        plain = [entry.name for entry in good if entry.is_file(follow_symlinks=False)]
        deeper = [e.name for e in good if e.is_dir(follow_symlinks=False) and e.name not in _MADE]
    if len(directory.parts) >= _DEEPEST:
        deeper = []
    return [directory.below(name) for name in plain], [directory.below(name) for name in deeper]


def _is_open(place: Place) -> bool:
    try:
        require_readable(place)
    except DeniedError:
        return False
    return place.parts[-1].isprintable()


_PIECES = {"*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}


def _as_regex(pattern: str) -> str:
    braces = pattern.count("{") == pattern.count("}")
    pieces: list[str] = []
    at, depth = 0, 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**", at):
            whole = pattern.startswith("**/", at)
            pieces.append("(?:[^/]+/)*" if whole else ".*")
            at += 3 if whole else 2
            continue
        if char == "[" and (end := pattern.find("]", at + 2)) > 0:
            pieces.append(_character_class(pattern[at + 1 : end]))
            at = end + 1
            continue
        depth += {"{": 1, "}": -1}.get(char, 0)
        special = char in "*?" or (braces and (char in "{}" or (char == "," and depth > 0)))
        pieces.append(_PIECES[char] if special else re2.escape(char))
        at += 1
    return "".join(pieces)


def _character_class(inside: str) -> str:
    negated = inside[:1] in {"!", "^"}
    body = inside[1:] if negated else inside
    quoted = "".join(char if char == "-" else re2.escape(char) for char in body)
    return f"[{'^' if negated else ''}{quoted}]" if quoted else re2.escape(f"[{inside}]")
