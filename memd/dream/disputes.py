"""What a sync noted down for the dream: an edit of this machine that gave way to a team mate's of the same lines.

Nobody but a person can say which of the two is right: what the lost edit said, and the file does not, is put to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memd import files
from memd.dream.backlog import Open
from memd.errors import MemdError, UnsafePathError
from memd.memory import history, layout, topic
from memd.memory.decision import Held, Reason
from memd.memory.dream_report import Ended
from memd.memory.workspace import Change

_SOURCE = re.compile(r"team, run (?P<run>\d{1,9})")
_PLACE = re.compile(r"\(so said (?P<path>team/\S+\.md) here; ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What becomes of such notes, by id, and what is proposed."""

    ended: Mapping[str, Ended]
    held: tuple[Held, ...]


def settle(notes: Sequence[Open], memory_dir: Path, runs: Path) -> Settled:
    """Find the notes that a sync left. Their edits are in the history `runs`; one gone from there is no matter."""
    ended: dict[str, Ended] = {}
    held: list[Held] = []
    for one in notes:
        lost = _lost(one, memory_dir, runs)
        if lost is None:
            continue
        path, run, ours = lost
        proposed = _proposed(path, run, ours, memory_dir)
        ended[one.id] = Ended.MERGED if proposed is None else Ended.HELD
        held += [] if proposed is None else [proposed]
    return Settled(ended=ended, held=tuple(held))


def _lost(one: Open, memory_dir: Path, runs: Path) -> tuple[str, int, bytes] | None:
    """The file, the run and the edit that lost there; None: it is a note like any other."""
    source, place = _SOURCE.fullmatch(one.source), _PLACE.search(one.note.text)
    if source is None or place is None or not layout.is_shared(place["path"]):
        return None
    try:
        record = history.load(int(source["run"]), history=runs)
        changed = history.changes(record, history=runs) if record.memory_dir == str(memory_dir) else ()
    except (MemdError, OSError):
        return None
    ours = next((change.before for change in changed if change.path == place["path"]), None)
    return None if ours is None else (place["path"], record.id, ours)


def _proposed(path: str, run: int, ours: bytes, memory_dir: Path) -> Held | None:
    """The file as it is with what the lost edit said besides, for a person to look at; None: it says all of that."""
    live = _live(memory_dir, path)
    after = ours if live is None else _with_more(live, ours)
    change = Change(path=path, before=live, after=after)
    return None if after is None else Held(path=path, reason=Reason.CONFLICT, change=change, detail=f"run {run}")


def _with_more(live: bytes, ours: bytes) -> bytes | None:
    """One text with the lines that only the other has; None: there are none, or it cannot be rewritten."""
    said = topic.parse(live).body
    known = {line.strip() for line in said.splitlines()}
    more = [line for line in topic.parse(ours).body.splitlines() if line.strip() and line.strip() not in known]
    return topic.updated(live, body="\n".join([said.rstrip(), "", *more])) if more else None


def _live(memory_dir: Path, path: str) -> bytes | None:
    try:
        with files.open_directory(memory_dir) as memory:
            return files.read_regular(memory, path, limit=layout.limit(path))
    except (OSError, UnsafePathError):
        return None
