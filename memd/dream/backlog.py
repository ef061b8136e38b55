"""What the daily logs hold that no memory holds yet, and how far they were dealt with.

A log is only ever appended to, so its length says how far; a digest of what lies before tells where a person edited it
all the same, and then it is read from its start again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, tzinfo
from hashlib import blake2b
from pathlib import Path

import msgspec

from memd.agent import encoding
from memd.agent.backend import Note
from memd.memory import log, secrets, written
from memd.memory.dream_report import DroppedNote
from memd.memory.log import BulletState, LoggedBullet
from memd.memory.quotes import EvidenceClass

RIPE = "memory"  # in a source: whoever wrote the note down meant it to become a memory
ASIDE = 500  # notes left aside that are looked at again
Logs = Sequence[tuple[str, bytes]]  # path, relative to the memory directory, and bytes

_LOG = re.compile(r"logs/\d{4}/\d\d/(\d{4}-\d\d-\d\d)\.md")
_SESSION = re.compile(r"session (\S+?),")
_BY_HAND = ("memd log", "memd review", "memd remember")  # the last where a file could not take it in


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How far a log was dealt with: bytes, and their digest."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far all logs were."""

    logs: Mapping[str, Seen] = field(default_factory=dict)
    carried: Mapping[str, int] = field(default_factory=dict)  # notes left open, by id: for how many dreams by now
    aside: tuple[str, ...] = ()  # dropped ones that may still speak for others, by id, the newest last


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A note with its place."""

    id: str
    path: str
    end: int  # bytes of the log up to and with its line
    note: Note
    is_new: bool = True  # no dream has seen it
    source: str = ""  # where it comes from, if that can be believed


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """As many days of notes as fit into one look, and what is seen afterwards."""

    notes: tuple[Open, ...]
    logs: Mapping[str, Seen]

    @property
    def fresh(self) -> int:
        """How many of them are to be dealt with."""
        return sum(not one.note.again for one in self.notes)


def loads(text: str | None) -> Cursor:
    """A cursor from the ledger; one that makes no sense begins anew."""
    try:
        return msgspec.json.decode(text, type=Cursor) if text else Cursor()
    except msgspec.DecodeError:
        return Cursor()


def dumps(cursor: Cursor) -> str:
    """A cursor for the ledger."""
    return msgspec.json.encode(cursor).decode()


def has_new(memory_dir: Path, cursor: Cursor) -> bool:
    """Whether any log holds a note that no dream has seen."""
    return any(
        bullet.state is BulletState.OPEN
        for path, data in log.everything(memory_dir)
        if _day(path) is not None and len(data) != _size(cursor.logs.get(path))
        for bullet in log.parse(data[_start(data, cursor.logs.get(path)) :])
    )


def has_carried(memory_dir: Path, cursor: Cursor) -> bool:
    """Whether a note is still there that a dream left open."""
    return bool(cursor.carried) and any(
        one.id in cursor.carried for one in read(memory_dir, cursor, mine=(), zone=None)
    )


def read(
    memory_dir: Path,
    cursor: Cursor,
    *,
    mine: Collection[bytes],
    zone: tzinfo | None,
    logs: Logs | None = None,
) -> tuple[Open, ...]:
    """The open notes, oldest first. `mine` are the lines of which the source can be believed, as `written` has them.

    `logs` are the daily logs, where they were read already.
    """
    found: list[Open] = []
    for path, data in sorted(log.everything(memory_dir) if logs is None else logs):
        if (day := _day(path)) is not None:
            found += _of_log(path, day, data, cursor, mine, zone)
    return tuple(replace(one, note=replace(one.note, number=place)) for place, one in enumerate(found, 1))


def words(memory_dir: Path, dropped: Sequence[DroppedNote]) -> tuple[tuple[str, str], ...]:
    """(What a dropped note says, why it was dropped), as far as the logs still have it; secrets are redacted."""
    wanted = {one.path for one in dropped}
    there = {
        (path, _name(path, line, place)): bullet.text
        for path, data in (log.everything(memory_dir) if wanted else ())
        if path in wanted
        for place, _, line in _lines(data)
        for bullet in log.parse(line)
    }
    found = ((there.get((one.path, one.id)), one.why) for one in dropped)
    return tuple((secrets.redact(text), why) for text, why in found if text is not None)


def _day(path: str) -> date | None:
    """Which day's log this is; None: it is named for none that there can be, so no log of memd's."""
    named = _LOG.fullmatch(path)
    try:
        return date.fromisoformat(named[1]) if named else None
    except ValueError:
        return None


def _of_log(
    path: str, day: date, data: bytes, cursor: Cursor, mine: Collection[bytes], zone: tzinfo | None
) -> Iterator[Open]:
    start = _start(data, cursor.logs.get(path))
    for place, end, line in _lines(data):
        for bullet in log.parse(line):
            name = _name(path, line, place)
            is_new = end > start
            if bullet.state is BulletState.OPEN and (is_new or name in cursor.carried or name in cursor.aside):
                again = not is_new and name not in cursor.carried
                trusted = written.plain(line) in mine
                note = _note(bullet, day, again=again, trusted=trusted, zone=zone)
                source = bullet.source if trusted else ""
                yield Open(id=name, path=path, end=end, note=note, is_new=is_new, source=source)


def _lines(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The whole lines: which of equal ones, where they end, and what they say. A last one without end may be half."""
    count: dict[bytes, int] = {}
    end = 0
    for line in data.splitlines(keepends=True):
        end += len(line)
        if line.endswith(b"\n"):
            count[line] = count.get(line, 0) + 1
            yield count[line], end, line


def _note(bullet: LoggedBullet, day: date, *, again: bool, trusted: bool, zone: tzinfo | None) -> Note:
    session = _SESSION.search(bullet.source)
    parts = bullet.source.split(", ")
    evidence = _class(parts, trusted=trusted)
    by_hand = bullet.source.startswith(_BY_HAND) and evidence is EvidenceClass.HUMAN
    return Note(
        number=0,
        text=bullet.text,
        kind=bullet.type,
        evidence=evidence,
        at=datetime.combine(day, _time(bullet.time), tzinfo=zone),
        session=session[1] if session else "",
        ripe=by_hand or not trusted or RIPE in parts,
        again=again,
    )


def _class(source: Sequence[str], *, trusted: bool) -> EvidenceClass:
    """Whose words: a person's only where memd itself wrote that down."""
    if "tool" in source or "team" in source or "outside" in source:
        return EvidenceClass.OUTSIDE
    return EvidenceClass.HUMAN if trusted and "human" in source else EvidenceClass.AGENT


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError:
        return time()


def _name(path: str, line: bytes, place: int) -> str:
    return blake2b(b"%s\0%d\0%s" % (path.encode(), place, line.rstrip()), digest_size=8).hexdigest()


def chunks(logs: Logs, found: Sequence[Open], *, budget: int | None) -> tuple[Chunk, ...]:
    """The notes in whole days, oldest first, as many at a time as `budget` tokens hold; one chunk without a budget.

    A day that is too long by itself is cut. Of no notes at all there is one empty chunk. `logs` are the very bytes in
    which they were found: what is appended meanwhile is not dealt with.
    """
    data = {path: text for path, text in logs if _LOG.fullmatch(path)}
    groups = [list(found)] if budget is None else list(_grouped(found, budget))
    return tuple(
        Chunk(notes=tuple(group), logs=_seen(group, data, is_last=place == len(groups)))
        for place, group in enumerate(groups or [[]], 1)
    )


def _grouped(found: Sequence[Open], budget: int) -> Iterator[list[Open]]:
    group: list[Open] = []
    room = budget
    for day in _days(found):
        cost = sum(map(size, day))
        if group and cost > room:
            yield group
            group, room = [], budget
        for one in day:
            if group and size(one) > room:
                yield group
                group, room = [], budget
            group.append(one)
            room -= size(one)
    if group:
        yield group


def _days(found: Sequence[Open]) -> Iterator[list[Open]]:
    days: dict[str, list[Open]] = {}
    for one in found:
        days.setdefault(one.path, []).append(one)
    yield from days.values()


def size(one: Open) -> int:
    """About how many tokens a note takes."""
    return encoding.tokens(one.note.text) + 24  # number, type and whose words


def _seen(group: Sequence[Open], data: Mapping[str, bytes], *, is_last: bool) -> dict[str, Seen]:
    """Where the logs are dealt with afterwards: up to the group's last notes, and with the last group all of them."""
    if is_last:
        ends = {path: text.rfind(b"\n") + 1 for path, text in data.items()}
    else:
        ends = {one.path: one.end for one in group if one.is_new}
    return {path: Seen(size=end, digest=_digest(data[path][:end])) for path, end in ends.items() if path in data}


def advanced(cursor: Cursor, chunk: Chunk, *, carried: Iterable[str], aside: Iterable[str]) -> Cursor:
    """The cursor after a chunk was dealt with, with those of its notes that stay open, and those left aside."""
    ours = {one.id for one in chunk.notes}
    left = {name: times for name, times in cursor.carried.items() if name not in ours}
    left |= {name: cursor.carried.get(name, 0) + 1 for name in carried}
    kept = dict.fromkeys((*(name for name in cursor.aside if name not in ours), *aside))
    return Cursor(logs={**cursor.logs, **chunk.logs}, carried=left, aside=tuple(kept)[-ASIDE:])


def explicit(chunk: Chunk) -> tuple[str, ...]:
    """What a person wanted to be a memory, of the notes that are to be dealt with."""
    return tuple(one.note.text for one in chunk.notes if one.note.is_explicit)


def is_secret(one: Open) -> bool:
    """Whether a note holds what no model and no memory may get."""
    return bool(secrets.find(one.note.text))


def _start(data: bytes, seen: Seen | None) -> int:
    """How many bytes of a log were dealt with; none of one that was changed before that place."""
    if seen is None or len(data) < seen.size or _digest(data[: seen.size]) != seen.digest:
        return 0
    return seen.size


def _size(seen: Seen | None) -> int:
    return -1 if seen is None else seen.size


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
