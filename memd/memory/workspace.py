"""A private copy of a memory directory, and what has changed in it.

Whoever works in the copy is not trusted: what stands there afterwards may be links, pipes, huge files or odd names.
None of that is followed or opened; it comes back as problems.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from memd import files
from memd.errors import LockedError, UnsafePathError
from memd.memory import layout
from memd.memory.layout import INDEX, INDEX_LIMIT, LEVELS, NOT_TOPICS, TEAM

MAX_BULLETS = 100
MAX_BULLET_LENGTH = 500  # characters
KINDS = ("user", "feedback", "project", "reference")

_BULLETS_LIMIT = 256 * 1024  # bytes
_PREFIX = "memd-workspace-"
_BULLET = re.compile(r"[-*]\s+(?:\[(?P<kind>[a-z]*)\]\s*)?(?P<text>\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A private copy to work in; whatever stands there afterwards is the proposal.

    `memory` holds a copy of the topic files and MEMORY.md (never the logs), with `team` of the topics in `team/`, which
    then are proposed in the same way. Every new or changed topic carries
    `evidence:` in its frontmatter, a list of verbatim quotes. `bullets` is a file of one proposal a line,
    `- [type] text`, for what is not yet worth a memory; it does not exist at the start. `base` is what was copied:
    bytes by path.
    """

    memory: Path
    bullets: Path
    base: Mapping[str, bytes] = field(default_factory=dict)
    team: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file's difference: its whole bytes before and after, None where there was or is no such file."""

    path: str  # relative to the memory directory, with "/"
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in a workspace that cannot be part of a proposal."""

    path: str  # made printable
    what: str


@contextmanager
def make(memory_dir: Path, parent: Path, *, team: bool = False) -> Iterator[Workspace]:
    """A workspace for `memory_dir` (a missing one counts as empty), in a directory below `parent` that ends with it.

    `team`: with a copy of `team/`, too.

    Workspaces that killed processes left below `parent` are cleared away on the occasion.
    """
    with _private_root(parent) as root:
        memory = root / "memory"
        memory.mkdir(mode=0o700)
        if team:
            (memory / TEAM).mkdir(mode=0o700)
        base = _copy(memory_dir, memory, team=team)
        yield Workspace(memory=memory, bullets=root / "bullets.md", base=base, team=team)


def difference(workspace: Workspace) -> tuple[Change, ...]:
    """What was added, changed and deleted, sorted by path. Paths with a problem are left out altogether."""
    return examine(workspace)[0]


def problems(workspace: Workspace) -> tuple[Problem, ...]:
    """What stands in the workspace and is no part of `difference`, sorted by path."""
    return examine(workspace)[1]


def proposed_bullets(workspace: Workspace) -> tuple[tuple[str | None, str], ...]:
    """The bullets proposed: (type or None, text on one line). At most 100, of at most 500 characters each."""
    with files.open_directory(workspace.bullets.parent) as root:
        try:
            data = files.read_regular(root, workspace.bullets.name, limit=_BULLETS_LIMIT)
        except UnsafePathError:
            return ()
    lines = (data or b"").decode(errors="replace").splitlines()
    found = (_bullet(line) for line in lines)
    return tuple(dict.fromkeys(bullet for bullet in found if bullet is not None))[:MAX_BULLETS]


@contextmanager
def _private_root(parent: Path) -> Iterator[Path]:
    with ExitStack() as stack:
        with files.open_directory(parent, create=True) as parent_fd, files.locked(parent_fd):
            _clear_abandoned(parent, parent_fd)
            root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            root_fd = stack.enter_context(files.open_directory(root))
            stack.enter_context(files.locked(root_fd))  # says to others that somebody still works here
        stack.callback(_clear, root)
        yield root


def _clear_abandoned(parent: Path, parent_fd: int) -> None:
    for name in sorted(os.listdir(parent_fd)):
        if not name.startswith(_PREFIX):
            continue
        with (
            suppress(LockedError, OSError, UnsafePathError),
            files.open_below(parent_fd, name) as root_fd,
            files.locked(root_fd, timeout=0),
        ):
            _clear(parent / name)


def _clear(root: Path) -> None:
    """Remove a tree of any depth: what lies deeper is moved up, as no recursion goes as deep as directories can."""
    with suppress(OSError), files.open_directory(root) as root_fd:
        number = 0
        while names := _names(root_fd):
            for name in names:
                number = _dissolve(root_fd, name, number)
    with suppress(OSError):
        root.rmdir()


def _dissolve(root_fd: int, name: str, number: int) -> int:
    """Remove one thing; a directory's own directories move up to the root, under names made from `number` on."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=root_fd, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=root_fd)
        return number
    with suppress(PermissionError):
        os.chmod(name, 0o700, dir_fd=root_fd)
    with files.open_below(root_fd, name) as inner:
        for child in _names(inner):
            if stat.S_ISDIR(os.stat(child, dir_fd=inner, follow_symlinks=False).st_mode):
                number += 1
                os.chmod(child, 0o700, dir_fd=inner)  # moving a directory changes its ".."
                os.rename(child, f"{_PREFIX}{number}", src_dir_fd=inner, dst_dir_fd=root_fd)
            else:
                os.unlink(child, dir_fd=inner)
    os.rmdir(name, dir_fd=root_fd)
    return number


def _names(dir_fd: int) -> list[str]:
    with os.scandir(dir_fd) as found:
        return [entry.name for entry in found]


def _copy(memory_dir: Path, target: Path, *, team: bool) -> dict[str, bytes]:
    """The base. What may not be read is left out; any other failure ends it, as a base with gaps invites conflicts."""
    base: dict[str, bytes] = {}
    if not memory_dir.is_dir():
        return base
    with files.open_directory(memory_dir) as source, files.open_directory(target) as copy:
        for entry in files.walk(source, levels=_levels(team=team)):
            data = _readable(source, entry.path) if _is_copied(entry, team=team) else None
            if data is not None:
                _put(copy, entry, data)
                base[entry.path] = data
    return base


def _put(copy: int, entry: files.Entry, data: bytes) -> None:
    """A file of the copy, with its age, which tells something too.

    Nothing is synced and nothing renamed: the copy is thrown away, and with thousands of topics that takes long.
    """
    with files.open_regular(copy, entry.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as descriptor:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.utime(descriptor, (entry.mtime, entry.mtime))


def _readable(source: int, path: str) -> bytes | None:
    try:
        return files.read_regular(source, path, limit=layout.limit(path))
    except (UnsafePathError, PermissionError):
        return None


def _levels(*, team: bool) -> int:
    return LEVELS + team


def _is_copied(entry: files.Entry, *, team: bool) -> bool:
    parts = entry.path.split("/")
    if team and parts[0] == TEAM:
        parts = parts[1:]
        if parts == [INDEX]:  # made from the topics, by everybody anew
            return False
    hidden = any(part.startswith(".") for part in parts)
    return entry.regular and entry.path.endswith(".md") and not hidden and _is_place(parts)


def _is_place(parts: Sequence[str]) -> bool:
    return len(parts) <= LEVELS and parts[0] not in NOT_TOPICS


def examine(workspace: Workspace) -> tuple[tuple[Change, ...], tuple[Problem, ...]]:
    """Both `difference` and `problems`, looked at once."""
    changes: dict[str, Change] = {}
    odd: dict[str, Problem] = {}
    with files.open_directory(workspace.memory.parent) as root:
        try:
            with files.open_below(root, workspace.memory.name) as memory:
                _compare(memory, workspace, changes, odd)
        except (UnsafePathError, FileNotFoundError, PermissionError):
            odd["."] = Problem(path=".", what="the workspace itself is gone")
            changes.clear()
    return tuple(changes[path] for path in sorted(changes)), tuple(odd[path] for path in sorted(odd))


def _compare(memory: int, workspace: Workspace, changes: dict[str, Change], odd: dict[str, Problem]) -> None:
    base = workspace.base
    found = {entry.path: entry.what for entry in files.walk(memory, levels=_levels(team=workspace.team))}
    for path in sorted(found.keys() | base.keys()):
        what = found.get(path, "file")
        try:
            after = files.read_regular(memory, path, limit=INDEX_LIMIT) if what == "file" else None
        except UnsafePathError as error:
            what = str(error)
        except PermissionError as error:
            what = f"cannot be read: {error.strerror}"
        if what != "file":
            odd[path] = Problem(path=files.printable(path), what=what)
        elif after != base.get(path):
            changes[path] = Change(path=path, before=base.get(path), after=after)


def _bullet(line: str) -> tuple[str | None, str] | None:
    found = _BULLET.fullmatch(line.strip())
    if found is None:
        return None
    kind = found["kind"] if found["kind"] in KINDS else None
    text = one_line(found["text"])
    return (kind, text) if text else None


def one_line(text: str) -> str:
    """A text as it may stand in a bullet: on one line, at most 500 characters, nothing that ends a comment."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(shown.replace("<!--", "").replace("-->", "").split())[:MAX_BULLET_LENGTH]
