"""The rescan, which is the truth: every transcript there is, compared with the ledger."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memd.daemon.tracker import Tracker
from memd.ledger import Ledger, Session
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survey:
    """What stands on the disk."""

    files: int
    news: tuple[Found, ...]  # all that the ledger does not call settled
    directories: frozenset[str]


def rescan(ledger: Ledger, transcripts: Transcripts, tracker: Tracker, *, now: float, began: float) -> Rescan:
    """Compare all transcripts with the ledger and look at what is new.

    `now` and when the daemon `began` are in seconds since the epoch.
    """
    survey = _survey(ledger, transcripts)
    tracker.forget_missing(tracker.key(one.file) for one in survey.news)
    news = [one for one in survey.news if _is_news(one, ledger.session_at(str(one.file.path)), tracker)]
    old = _first_sight(ledger, transcripts, news, now=now, began=began)
    left = {one.file.path for one in old}
    fresh = [one for one in news if one.file.path not in left]
    looked = [one for one in fresh if tracker.look(str(one.file.path), hinted=False)]
    return Rescan(
        files=survey.files,
        looked=len(looked),
        missed=sum(now - one.mtime_ns / 1e9 > _LATE for one in looked),
        noted=_note(ledger, transcripts, tracker, old),
        directories=survey.directories,
    )


def split(found: Sequence[Found], *, now: float, began: float) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """Of a root never seen before: what is due, and what is too old.

    Due are the newest five of the last 24 hours, and all that was written since the daemon began: those are no
    leftovers from before memd, however many come with a root that was missing till now.
    """
    newest = sorted(found, key=lambda one: one.mtime_ns, reverse=True)
    fresh = sum(one.mtime_ns / 1e9 >= began for one in newest)
    recent = sum(now - one.mtime_ns / 1e9 <= _RECENT for one in newest)
    due = min(recent, fresh + _AT_MOST)
    return tuple(newest[:due]), tuple(newest[due:])


def _survey(ledger: Ledger, transcripts: Transcripts) -> _Survey:
    """Every transcript's size and date; only those in which something may be new are kept."""
    settled = {hash(one) for one in ledger.settled_files()}  # a few bytes each: there may be very many
    news: list[Found] = []
    directories: set[str] = set()
    files = 0
    for file in transcripts.discover():
        path = str(file.path)
        try:
            status = os.stat(path)  # noqa: PTH116  # thousands of them
        except OSError:  # gone by now
            continue
        files += 1
        directories.add(path[: path.rfind("/")])
        if hash((path, status.st_size, status.st_mtime_ns)) not in settled and _can_be_kept(path):
            news.append(Found(file, status.st_size, status.st_mtime_ns))
    return _Survey(files=files, news=tuple(news), directories=frozenset(directories))


def _can_be_kept(path: str) -> bool:
    """Whether the ledger can hold this name: no agent writes one that is not UTF-8, but anybody may."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_news(one: Found, known: Session | None, tracker: Tracker) -> bool:
    """Whether there is something to look at: a file never seen, changed, or not tracked as it should be."""
    if known is None or (one.size, one.mtime_ns) != (known.size, known.mtime_ns):
        return True
    return tracker.size(known.key) != one.size


def _first_sight(
    ledger: Ledger, transcripts: Transcripts, news: Sequence[Found], *, now: float, began: float
) -> list[Found]:
    """What is too old in roots that were never seen before; from now on they are known."""
    old: list[Found] = []
    for root in (str(root) for root in transcripts.roots() if root.is_dir()):
        if not ledger.known_root(root):
            here = [one for one in news if str(one.file.path).startswith(f"{root}/")]
            old += split([one for one in here if ledger.session_at(str(one.file.path)) is None], now=now, began=began)[
                1
            ]
            ledger.note_root(root)
    return old


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
