"""Ranking without a model: BM25 over the whole of every topic, in an SQLite full-text index.

The index is a cache of the files, one a memory directory: it may be deleted at any time, and is brought up to date
whenever it is asked.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from memd import files
from memd.errors import UnsafePathError
from memd.memory import topic
from memd.memory.topic_header import TopicHeader
from memd.recall import analysis

SHARE = 0.4  # of the best score: what matches less hardly matters
_VERSION = 1  # of the analysis and the tables; another one's index is made anew
_MOST_TERMS = 48  # of a question, the rarest
_COMMON = 0.5  # of the topics: a term in more of them tells none apart
_FEW = 20  # topics, among which nothing counts as common
_STEPS = 2_000  # of SQLite's machine, between looks at the clock
_BODY_LIMIT = 64 * 1024  # bytes of a topic
_TABLES = """
CREATE TABLE stamps(path TEXT PRIMARY KEY, mtime REAL NOT NULL, size INTEGER NOT NULL, id INTEGER NOT NULL UNIQUE);
CREATE VIRTUAL TABLE topics USING fts5(file, name, description, body,
  tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(topics, row);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A topic and how well it answers, the best first; scores compare within one question only."""

    path: str  # relative to the memory directory
    score: float  # above 0


def rank(
    query: str, memory_dir: Path, headers: Sequence[TopicHeader], *, cache: Path | None, until: float = float("inf")
) -> tuple[Match, ...]:
    """The topics among `headers` that have words of the question, best first, ties by path.

    `cache` is the directory of indexes, None: one in memory for this question. `until` is on the monotonic clock;
    raises TimeoutError behind it.
    """
    if time.monotonic() > until:
        raise TimeoutError("recall took too long")
    asked = tuple(dict.fromkeys(analysis.terms(query)))
    if not asked or not headers:
        return ()
    try:
        return _ranked(asked, memory_dir, headers, cache, until)
    except sqlite3.DatabaseError:
        if time.monotonic() > until:
            raise TimeoutError("recall took too long") from None
        if cache is None:
            raise
    return _ranked(asked, memory_dir, headers, None, until)  # a broken or busy cache costs time, nothing else


def worth_showing(matches: Sequence[Match]) -> tuple[Match, ...]:
    """The matches that come near the best one."""
    return tuple(match for match in matches if match.score >= SHARE * matches[0].score)


def _ranked(
    asked: Sequence[str], memory_dir: Path, headers: Sequence[TopicHeader], cache: Path | None, until: float
) -> tuple[Match, ...]:
    with _opened(cache, memory_dir) as db:
        db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        _bring_up_to_date(db, memory_dir, headers)
        chosen = _telling(db, asked, len(headers))
        if not chosen:
            return ()
        rows = db.execute(
            "SELECT path, -bm25(topics) AS score FROM topics JOIN stamps ON id = topics.rowid"
            " WHERE topics MATCH ? ORDER BY score DESC, path",
            (" OR ".join(f'"{term}"' for term in chosen),),
        )
        wanted = {header.path for header in headers}
        return tuple(Match(path=path, score=score) for path, score in rows if path in wanted and score > 0)


def _telling(db: sqlite3.Connection, asked: Sequence[str], topics: int) -> tuple[str, ...]:
    """The rarest terms of a question, without those that most topics have."""
    counts = {term: _topics_with(db, term) for term in asked}
    most = _COMMON * topics if topics > _FEW else topics
    telling = sorted((term for term in asked if 0 < counts[term] <= most), key=lambda term: counts[term])
    return tuple(telling[:_MOST_TERMS])


def _topics_with(db: sqlite3.Connection, term: str) -> int:
    """In how many topics a term stands, by its stem, which only the index knows: counted by asking it."""
    return int(db.execute("SELECT count(*) FROM topics WHERE topics MATCH ?", (f'"{term}"',)).fetchone()[0])


@contextmanager
def _opened(cache: Path | None, memory_dir: Path) -> Iterator[sqlite3.Connection]:
    """The index of a directory, empty where it is new or was made by another version."""
    if cache is None:
        with closing(sqlite3.connect(":memory:")) as db:
            _make(db)
            yield db
        return
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.blake2b(os.fsencode(memory_dir), digest_size=16).hexdigest()
    path = cache / f"{name}.v{_VERSION}.sqlite3"
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(path, timeout=0.5)) as db:
        try:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'stamps'").fetchone():
                _make(db)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
                path.unlink(missing_ok=True)  # made anew next time
            raise
        yield db


def _make(db: sqlite3.Connection) -> None:
    with db:
        db.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, _TABLES.split(";")):
            db.execute(statement)


def _bring_up_to_date(db: sqlite3.Connection, memory_dir: Path, headers: Sequence[TopicHeader]) -> None:
    known: Mapping[str, tuple[float, int]] = {
        path: (mtime, size) for path, mtime, size in db.execute("SELECT path, mtime, size FROM stamps")
    }
    current = {header.path: header for header in headers}
    gone = known.keys() - current.keys()
    changed = [header for header in headers if known.get(header.path) != (header.mtime, header.size)]
    if not gone and not changed:
        return
    with db:
        db.execute("BEGIN IMMEDIATE")
        _leave_out(db, gone | {header.path for header in changed})
        with files.open_directory(memory_dir) as directory:
            for header in changed:
                _take_in(db, directory, header)


def _leave_out(db: sqlite3.Connection, paths: Collection[str]) -> None:
    for path in paths:
        db.execute("DELETE FROM topics WHERE rowid = (SELECT id FROM stamps WHERE path = ?)", (path,))
        db.execute("DELETE FROM stamps WHERE path = ?", (path,))


def _take_in(db: sqlite3.Connection, directory: int, header: TopicHeader) -> None:
    data = None
    with suppress(OSError, UnsafePathError):
        data = files.read_regular(directory, header.path, limit=_BODY_LIMIT)
    body = topic.parse(data).body if data else ""
    fields = (PurePosixPath(header.path).stem, header.name, header.description, body)
    number = db.execute(
        "INSERT INTO topics(file, name, description, body) VALUES(?, ?, ?, ?)",
        tuple(" ".join(analysis.terms(text)) for text in fields),
    ).lastrowid
    db.execute("INSERT INTO stamps VALUES(?, ?, ?, ?)", (header.path, header.mtime, header.size, number))
