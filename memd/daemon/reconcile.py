"""The rescan, which is the truth: every transcript there is, compared with the ledger."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memd.daemon.tracker import Tracker
from memd.ledger import Ledger, Session, Sighting
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Cursor, TranscriptFile, Transcripts
from memd.transcripts.tail import cursor_at, opened

BACKFILL = "backfill"
_RECENT = 24 * 3600.0  # seconds: what was written since is due at first sight,
_AT_MOST = 5  # but no more than that
_BATCH = 500  # conversations noted in one transaction
_LATE = 3.0  # seconds after which an event should have told of a change


class Found(NamedTuple):
    """A transcript with its size and date, as the directory shows it."""

    file: TranscriptFile
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescan:
    """What a rescan saw."""

    files: int
    looked: int  # that were new or had changed
    missed: int  # of these: changes that no event had told of in time
    noted: int  # conversations older than memd, noted where they end
    directories: frozenset[str]  # that hold transcripts


def rescan(ledger: Ledger, transcripts: Transcripts, tracker: Tracker, now: float) -> Rescan:
    """Compare all transcripts with the ledger and look at what is new; `now` in seconds since the epoch."""
    known = {sighting.path: sighting for sighting in ledger.sightings()}
    found = tuple(_found(transcripts))
    news = [one for one in found if _is_news(one, known.get(str(one.file.path)), tracker)]
    news, old = _first_sight(ledger, transcripts, news, known, now)
    noted = _note(ledger, transcripts, tracker, old)
    looked = [one for one in news if tracker.look(str(one.file.path), hinted=False)]
    tracker.forget_missing(tracker.key(one.file) for one in found)
    return Rescan(
        files=len(found),
        looked=len(looked),
        missed=sum(now - one.mtime_ns / 1e9 > _LATE for one in looked),
        noted=noted,
        directories=frozenset(os.path.dirname(one.file.path) for one in found),  # noqa: PTH120  # thousands of them
    )


def split(found: Sequence[Found], now: float) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """Of a root never seen before: what is due (the newest five of the last 24 hours), and what is too old."""
    newest = sorted(found, key=lambda one: one.mtime_ns, reverse=True)
    due = tuple(one for one in newest[:_AT_MOST] if now - one.mtime_ns / 1e9 <= _RECENT)
    return due, tuple(newest[len(due) :])


def _found(transcripts: Transcripts) -> Iterator[Found]:
    for file in transcripts.discover():
        try:
            status = os.stat(file.path)  # noqa: PTH116  # thousands of them
            str(file.path).encode()
        except (OSError, UnicodeEncodeError):  # gone by now; or a name that no agent writes and SQLite cannot keep
            continue
        yield Found(file, status.st_size, status.st_mtime_ns)


def _is_news(one: Found, known: Sighting | None, tracker: Tracker) -> bool:
    if known is None:
        return True
    if (one.size, one.mtime_ns) != (known.size, known.mtime_ns):
        return True
    return known.settled != one.size and tracker.size(known.key) != one.size


def _first_sight(
    ledger: Ledger, transcripts: Transcripts, news: list[Found], known: dict[str, Sighting], now: float
) -> tuple[list[Found], list[Found]]:
    """Split off what is too old in roots that were never seen before, and remember those roots."""
    old: list[Found] = []
    for root in (str(root) for root in transcripts.roots() if root.is_dir()):
        if not ledger.known_root(root):
            fresh = [one for one in news if str(one.file.path) not in known and _is_below(one.file.path, root)]
            old += split(fresh, now)[1]
            ledger.note_root(root)
    left = {one.file.path for one in old}
    return [one for one in news if one.file.path not in left], old


def _note(ledger: Ledger, transcripts: Transcripts, tracker: Tracker, old: Sequence[Found]) -> int:
    """Write old conversations down as dealt with up to their end; how many."""
    count = 0
    for start in range(0, len(old), _BATCH):
        sessions = list(_at_their_end(transcripts, tracker, old[start : start + _BATCH]))
        ledger.note_sessions(sessions)
        count += len(sessions)
    return count


def _at_their_end(transcripts: Transcripts, tracker: Tracker, old: Iterable[Found]) -> Iterator[Session]:
    for one in old:
        try:
            if transcripts.recognise(one.file.path) is None:
                continue
            end, cwd = _end(transcripts, one.file.path)
        except OSError:
            continue
        yield Session(
            key=tracker.key(one.file), agent=one.file.agent, session_id=one.file.session_id, path=str(one.file.path),
            cwd=cwd, cursor=cursors.dumps(end), size=one.size, mtime_ns=one.mtime_ns, settled=one.size,
            noted_reason=BACKFILL,
        )  # fmt: skip


def _end(transcripts: Transcripts, path: Path) -> tuple[Cursor, str | None]:
    tail = transcripts.tail(path)
    with opened(path) as descriptor:
        return cursor_at(descriptor, tail.size, tail.last_uuid), tail.cwd


def _is_below(path: Path, root: str) -> bool:
    return str(path).startswith(f"{root}/")
