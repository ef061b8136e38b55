"""Whose the files of a memory directory are: such that hold what a person wrote, of which nothing may go, and others.

What an agent wrote is like what memd wrote. It is told by a transcript that shows the very version; else by the date
that Claude Code puts into a file when it writes one, as long as that is the file's own: whoever edits, copies or checks
out a file afterwards gives it another. In doubt it is a person's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import journal, layout, records, standing, steps, topic, witnessed
from memd.memory.journal import FileRecord, Record, What
from memd.memory.layout import INDEX
from memd.memory.witnessed import Witnessed
from memd.memory.workspace import Change

EDIT = "edit"  # the kind of run in which a person rewrites a file
IMPORT = "import"  # those that bring or move files, and write nothing: whose these were, they stay
SHARE, UNSHARE = "team share", "team unshare"
_TEAM = "team"  # of a sync, which brings what others wrote
_ADDED = re.compile(rb"\n[ \t]+(?:node_type|originSessionId|modified):[^\n]*|[ \t]+(?=\n|\Z)")
_TOLERANCE = 2.0  # seconds between the date in an agent's file and the file's own


def is_dated_by_agent(data: bytes, mtime: float) -> bool:
    """Whether the date that an agent puts into a file is that of the last write. `mtime`, seconds since the epoch."""
    try:
        at = datetime.fromisoformat(topic.parse(data).stamp or "")
    except ValueError:
        return False
    return at.tzinfo is not None and abs(at.timestamp() - mtime) <= _TOLERANCE


def by_agents(memory: int, changes: Sequence[Change], known: Witnessed) -> frozenset[str]:
    """The files among `changes` whose version before them is an agent's, while it stands there still.

    `memory` is the directory's descriptor.
    """
    return frozenset(
        change.path
        for change in changes
        if change.before is not None
        and change.path not in {INDEX, *known.persons}
        and _is_agents(memory, change.path, journal.digest(change.before), known)
    )


def foreign(memory_dir: Path, *, history: Path, past: Iterable[Record] | None = None) -> frozenset[str]:
    """The topic files in which something is a person's. `past`: the history's runs, for who has them.

    Not so are those alone that memd or an agent made and that nobody else changed between any two runs: a file that
    one of them only added to stays its owner's.
    """
    if not memory_dir.is_dir():
        return frozenset()
    runs = records.newest_first(history) if past is None else past
    known = witnessed.load(history, memory_dir)
    with files.open_directory(memory_dir) as memory:
        return _Walk(memory, known).persons(tuple(one for one in runs if one.memory_dir == str(memory_dir)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    """How a file stood at some time: what the next older run must have left there, unless somebody came between."""

    digest: str | None
    by_agent: bool | None  # None: it stands there now, and nobody has looked yet
    leans: bool = False  # whether an agent came between, as far as was looked


class _Walk:
    """From the files as they are back through the runs, to where memd made each one or somebody else changed it."""

    def __init__(self, memory: int, known: Witnessed) -> None:
        self._memory = memory
        self._known = known
        live = (path for path in files.list_files(memory) if path != INDEX and path.endswith(".md"))
        self._expected = {path: _Version(digest=steps.standing(memory, path), by_agent=None) for path in live}
        self._theirs = set(self._expected)
        self._moved: dict[str, str] = {}  # the names that files had before they were moved: how they are called now

    def persons(self, runs: Sequence[Record]) -> frozenset[str]:
        """The files in which something is a person's. `runs` of this directory, the newest first."""
        undone = standing.undone(runs)
        for record in runs:
            for file in record.files:
                if file.path in self._expected and file.what != What.LEFT:
                    self._step_back(record, file, is_typed=record.run.kind == EDIT and record.id not in undone)
            if not self._expected:
                break
        for path in tuple(self._expected):
            if self._is_agents(path):
                self._release(path, leans=True)
        return frozenset(self._theirs)

    def _step_back(self, record: Record, file: FileRecord, *, is_typed: bool) -> None:
        path, wanted = file.path, self._expected[file.path]
        if file.after is None and file.before == wanted.digest:  # a deletion that was taken back since
            self._expected[path] = replace(wanted, by_agent=file.by_agent or self._is_agents(path))
            return
        if file.after != wanted.digest and self._is_agents(path):
            wanted = _Version(digest=file.after, by_agent=False, leans=True)
        if file.after != wanted.digest or is_typed or (path in self._moved and record.run.kind == _TEAM):
            del self._expected[path]
        elif file.before is not None and file.after is not None:
            self._expected[path] = _Version(digest=file.before, by_agent=file.by_agent, leans=wanted.leans)
        elif file.after is not None and record.run.kind in {IMPORT, SHARE, UNSHARE}:
            self._follow(record, path, wanted)
        elif record.run.undoes is None or file.after is None:  # made by memd, or by an agent where memd had deleted it
            self._release(path, leans=wanted.leans)
        else:
            self._expected[path] = wanted

    def _follow(self, record: Record, path: str, wanted: _Version) -> None:
        """Go on with the file that this one was before it was moved; where that cannot be told it is a person's."""
        del self._expected[path]
        came = [one for one in record.files if one.after is None and one.before is not None and one.what != What.LEFT]
        if len(came) == 1 and came[0].before == wanted.digest and came[0].path not in self._expected:
            (old,) = came
            self._expected[old.path] = _Version(digest=old.before, by_agent=old.by_agent, leans=wanted.leans)
            self._moved[old.path] = self._moved.pop(path, path)

    def _is_agents(self, path: str) -> bool:
        version = self._expected[path]
        if version.by_agent is None:
            return _is_agents(self._memory, path, version.digest, self._known)
        return version.by_agent or self._known.agents.get(path) == version.digest

    def _release(self, path: str, *, leans: bool) -> None:
        """Nobody but memd and agents wrote it, unless a person was once seen to have a part in what an agent edited."""
        now = self._moved.get(path, path)
        if not (leans and now in self._known.persons):
            self._theirs.discard(now)
        del self._expected[path]


def _is_agents(memory: int, path: str, digest: str | None, known: Witnessed) -> bool:
    """Whether a version that stands there now is an agent's."""
    if digest is not None and known.agents.get(path) == digest:
        return True
    found = _standing(memory, path)
    return found is not None and journal.digest(found[0]) == digest and is_dated_by_agent(*found)


def _standing(memory: int, path: str) -> tuple[bytes, float] | None:
    """A file's bytes and its date; None where it cannot be read, or is larger than a memory may be."""
    limit = layout.limit(path)
    try:
        with files.open_regular(memory, path) as descriptor:
            mtime = os.fstat(descriptor).st_mtime
            data = os.read(descriptor, limit + 1)
    except (OSError, UnsafePathError):
        return None
    return (data, mtime) if len(data) <= limit else None


def plain(data: bytes) -> bytes:
    """A file without what Claude Code itself puts into its header whenever it writes it, and as it lays that out."""
    end = data.find(b"\n---", 3) if data.startswith(b"---") else -1
    return data if end < 0 else _ADDED.sub(b"", data[:end]) + data[end:]


def shown(memory_dir: Path, writes: Mapping[str, str]) -> dict[str, str]:
    """The digests of the versions that agents were seen to write, where those stand there still.

    `writes`: for each file the whole text that was last written into it.
    """
    if not writes or not memory_dir.is_dir():
        return {}
    with files.open_directory(memory_dir) as memory:
        there = {path: _standing(memory, path) for path in writes if path != INDEX}
    return {
        path: journal.digest(found[0]) or ""
        for path, found in there.items()
        if found is not None and plain(found[0]) == plain(writes[path].encode("utf-8", "surrogatepass"))
    }


def dated(memory_dir: Path, *, but: Collection[str]) -> dict[str, str]:
    """The digests of what stands there and is an agent's by its date, but for some: a later edit begins with these."""
    if not memory_dir.is_dir():
        return {}
    with files.open_directory(memory_dir) as memory:
        paths = (path for path in files.list_files(memory) if path.endswith(".md") and path not in {INDEX, *but})
        there = {path: _standing(memory, path) for path in paths}
    return {
        path: journal.digest(found[0]) or ""
        for path, found in there.items()
        if found is not None and is_dated_by_agent(*found)
    }
