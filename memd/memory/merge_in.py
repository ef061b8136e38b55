"""Taking another directory's memories in: by the rules, and never over what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from memd import files
from memd.memory import index, log, scan, secrets, steps, suspicion, topic, validate
from memd.memory.archive import Kept
from memd.memory.decision import Decision
from memd.memory.layout import INDEX
from memd.memory.scan import TopicHeader
from memd.memory.store import Plan
from memd.memory.validate import Policy
from memd.memory.workspace import Change

_LOG = re.compile(r"logs/(\d{4})/(\d\d)/\1-\2-\d\d\.md", re.ASCII)
_BY_HAND = Policy(needs_quotes=False, by_person=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """What an import would do."""

    decision: Decision
    index: Change | None  # MEMORY.md with the lines that came along
    logs: Mapping[str, bytes] = field(default_factory=dict)  # lines that a log lacks, by its path
    same: tuple[str, ...] = ()  # topics that are there already
    beside: Mapping[str, str] = field(default_factory=dict)  # topics there with other words: the name it is kept under
    ages: Mapping[str, float] = field(default_factory=dict)  # mtimes of what is written

    @property
    def plan(self) -> Plan:
        """The transaction."""
        last = () if self.index is None else (self.index,)
        return Plan(changes=(*self.decision.accepted, *last))


def intake(kept: Mapping[str, Kept], memory_dir: Path, now: float) -> Intake:
    """Judge what came, against what is there. `now`, in seconds, bounds the ages: nothing comes from the future."""
    live = _live(memory_dir)
    topics = {path: one for path, one in kept.items() if path != INDEX and not path.startswith("logs/")}
    placed = {path: _place(path, one.data, live) for path, one in topics.items()}
    changes = [Change(path=at, before=None, after=topics[path].data) for path, at in placed.items() if at is not None]
    decision = validate.check(changes, window=(), policy=_BY_HAND)
    ages = {at: min(topics[path].mtime, now) for path, at in placed.items() if at is not None}
    return Intake(
        decision=decision,
        index=_index(kept.get(INDEX), memory_dir, live, decision, ages),
        logs={path: lines for path, one in kept.items() if (lines := _missing(path, one.data, live))},
        same=tuple(path for path, at in placed.items() if at is None),
        beside={path: at for path, at in placed.items() if at not in {None, path}},
        ages={change.path: ages[change.path] for change in decision.accepted},
    )


def _live(memory_dir: Path) -> dict[str, bytes]:
    try:
        with files.open_directory(memory_dir) as memory:
            names = [path for path in files.list_files(memory, levels=4) if path.endswith(".md")]
            return {path: steps.log_bytes(memory, path) for path in names}
    except FileNotFoundError:
        return {}


def _place(path: str, data: bytes, live: Mapping[str, bytes]) -> str | None:
    """The name under which a topic comes in; None: these bytes are there, under its name or beside it."""
    stem = str(PurePosixPath(path).with_suffix(""))[:50]
    candidates = [path, f"{stem}_imported.md", *(f"{stem}_imported_{number}.md" for number in range(2, 100))]
    for name in candidates:
        if name not in live:
            return name
        if live[name] == data:
            return None
    return None


def _index(
    came: Kept | None, memory_dir: Path, live: Mapping[str, bytes], decision: Decision, ages: Mapping[str, float]
) -> Change | None:
    """MEMORY.md with the lines of the one that came, as far as they may stand there, in line with the topics."""
    headers = (*scan.scan(memory_dir), *(_header(change, ages[change.path]) for change in decision.accepted))
    before = live.get(INDEX)
    merged = index.merge(b"", before or b"", b"" if came is None else _harmless(came.data))
    after = index.rebuild(merged, headers)
    return None if after == (before or b"") else Change(path=INDEX, before=before, after=after)


def _harmless(data: bytes) -> bytes:
    """An index without lines that hold a secret or read like an attack."""
    text = data.decode("utf-8", errors="replace")
    hidden = secrets.lines(text)  # several may hold one secret
    lines = (line for number, line in enumerate(text.split("\n"), 1) if number not in hidden)
    return "\n".join(line for line in lines if _may_stand(line)).encode()


def _may_stand(line: str) -> bool:
    return not secrets.find(line) and not suspicion.suspicions(line)


def _header(change: Change, mtime: float) -> TopicHeader:
    said = topic.parse(change.after or b"")
    return TopicHeader(
        path=change.path, name=said.name, description=said.description, type=said.type, mtime=mtime, pinned=said.pinned
    )


def _missing(path: str, data: bytes, live: Mapping[str, bytes]) -> bytes:
    """The bullets that a log lacks, as whole lines."""
    if not _is_log(path):
        return b""
    there = set(live.get(path, b"").splitlines())
    return b"".join(line + b"\n" for line in _bullets(data) if line not in there)


def _bullets(data: bytes) -> Iterator[bytes]:
    """The lines that are bullets and may stand in a log."""
    found = [(line, said) for line in data.splitlines() for said in log.parse(line)[:1]]
    hidden = secrets.lines("\n".join(said.text for _, said in found))  # several may tell one secret
    for number, (line, _) in enumerate(found, 1):
        if number not in hidden and _may_stand(line.decode("utf-8", errors="replace")):
            yield line


def _is_log(path: str) -> bool:
    return _LOG.fullmatch(path) is not None


def append_logs(memory: int, lines: Mapping[str, bytes]) -> None:
    """Add to the logs what they lack. They are only ever appended to, so an undo leaves this."""
    for path, data in lines.items():
        files.append_whole(memory, path, data)
