"""The rescan, which is the truth: every transcript there is, compared with the ledger."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memd.daemon.tracker import Tracker, key_of
from memd.ledger import Ledger, Session
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Cursor, Transcripts
from memd.transcripts.tail import cursor_at, opened

BACKFILL = "backfill"
_RECENT = 24 * 3600.0  # seconds: what was written since is due at first sight,
_AT_MOST = 5  # but no more than that
_SLICE = 50  # conversations noted in one transaction, some 25 ms
_LATE = 3.0  # seconds after which an event should have told of a change


class Found(NamedTuple):
    """A transcript with its size and date, as the directory shows it."""

    path: str
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


Steps = Generator[None, None, Rescan]


def rescan(ledger: Ledger, transcripts: Transcripts, tracker: Tracker, *, now: float, began: float) -> Steps:
    """Compare all transcripts with the ledger and look at what is new.

    `now` and when the daemon `began` are in seconds since the epoch. A generator: it pauses often, so that whoever
    runs it can do other things in between; left at any pause, the next rescan goes on from there.
    """
    survey = _survey(ledger, transcripts)
    tracker.forget_missing()
    known = {one.path: ledger.session_at(one.path) for one in survey.news}
    unseen = [one for one in survey.news if known[one.path] is None]
    old, noted = yield from _first_sight(ledger, transcripts, unseen, now=now, began=began)
    looked: list[Found] = []
    for one in survey.news:
        if one.path not in old and _is_news(one, known[one.path], tracker) and tracker.look(one.path, hinted=False):
            looked.append(one)
            yield
    return Rescan(
        files=survey.files,
        looked=len(looked),
        missed=sum(now - one.mtime_ns / 1e9 > _LATE for one in looked),
        noted=noted,
        directories=survey.directories,
    )


def split(found: Sequence[Found], *, now: float, began: float) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """Of a root never seen before: what is due, and what is too old; the newest first.

    Due are the newest five of the last 24 hours, and all that was written since the daemon began: those are no
    leftovers from before memd, however many come with a root that was missing till now.
    """
    newest = sorted(found, key=lambda one: one.mtime_ns, reverse=True)
    fresh = sum(one.mtime_ns / 1e9 >= began for one in newest)
    due = min(_recent(newest, now), fresh + _AT_MOST)
    return tuple(newest[:due]), tuple(newest[due:])


def _recent(found: Iterable[Found], now: float) -> int:
    return sum(now - one.mtime_ns / 1e9 <= _RECENT for one in found)


def _survey(ledger: Ledger, transcripts: Transcripts) -> _Survey:
    """Every transcript's size and date; only those in which something may be new are kept."""
    settled = set(map(hash, ledger.settled_files()))  # a few bytes each: there may be very many
    news: list[Found] = []
    directories: set[str] = set()
    files = 0
    for one in transcripts.survey():
        files += 1
        directories.add(one[0][: one[0].rfind("/")])
        if hash(one) not in settled and _can_be_kept(one[0]):
            news.append(Found(*one))
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
    return known is None or tracker.shape(known.key) != (one.size, one.mtime_ns)


def _first_sight(
    ledger: Ledger, transcripts: Transcripts, unseen: Sequence[Found], *, now: float, began: float
) -> Generator[None, None, tuple[set[str], int]]:
    """Note what is too old in roots never seen before: its paths, and how many of them are conversations.

    A root is known once all that is old in it is noted. What is recent goes first and at once: after an interruption
    the rest is too old to be due by its date alone.
    """
    handled: set[str] = set()
    count = 0
    for root in (str(root) for root in transcripts.roots() if root.is_dir()):
        if not ledger.known_root(root):
            _, old = split([one for one in unseen if one.path.startswith(f"{root}/")], now=now, began=began)
            for some in _slices(old, _recent(old, now)):
                noted = list(_at_their_end(transcripts, some))
                ledger.note_sessions(noted)
                count += len(noted)
                yield
            handled.update(one.path for one in old)
            ledger.note_root(root)
    return handled, count


def _slices(old: Sequence[Found], recent: int) -> Iterator[Sequence[Found]]:
    starts = [0, *range(recent or _SLICE, len(old), _SLICE)]
    return (old[start:end] for start, end in zip(starts, [*starts[1:], len(old)], strict=True))


def _at_their_end(transcripts: Transcripts, old: Iterable[Found]) -> Iterator[Session]:
    """Old conversations as dealt with up to their end."""
    for one in old:
        path = Path(one.path)
        try:
            file = transcripts.recognise(path)
            if file is None:
                continue
            end, cwd = _end(transcripts, path)
        except OSError:
            continue
        yield Session(
            key=key_of(file), agent=file.agent, session_id=file.session_id, path=one.path, cwd=cwd,
            cursor=cursors.dumps(end), size=one.size, mtime_ns=one.mtime_ns, settled=one.size, noted_reason=BACKFILL,
        )  # fmt: skip


def _end(transcripts: Transcripts, path: Path) -> tuple[Cursor, str | None]:
    tail = transcripts.tail(path)
    with opened(path) as descriptor:
        return cursor_at(descriptor, tail.size, tail.last_uuid), tail.cwd
