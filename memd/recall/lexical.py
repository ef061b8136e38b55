"""Ranking without a model: BM25 over the whole of every topic, in an SQLite full-text index.

An index is a cache of the files, one a memory directory: it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from memd import files
from memd.errors import UnsafePathError
from memd.memory import topic
from memd.memory.topic_header import TopicHeader
from memd.recall import analysis

SHARE = 0.4  # of the best score: what matches less hardly matters
_ALIKE = 0.8  # of the best score: what matches so well might as well be the best
_VERSION = 2  # of the analysis and the tables; another one's index is made anew
_MOST_TERMS = 24  # of a question, the rarest
_LONGEST = 20_000  # characters of a question that are looked at
_COMMON = 0.5  # of the topics: a term in more of them tells none apart
_FEW = 20  # topics, among which nothing counts as common
_LOOKS = 1_000  # at a topic for a term: common terms are left out before a question costs more
_STEPS = 2_000  # of SQLite's machine, between looks at the clock
_BODY_LIMIT = 64 * 1024  # bytes of a topic
_STEMS_KEPT = 20_000
_AT_ONCE = 50  # topics taken in between looks at the clock
_TOKENIZER = "tokenize='porter unicode61 remove_diacritics 2'"
_TABLES = f"""
CREATE TABLE stamps(path TEXT PRIMARY KEY, mtime REAL NOT NULL, size INTEGER NOT NULL, id INTEGER NOT NULL UNIQUE);
CREATE VIRTUAL TABLE topics USING fts5(file, name, description, body, {_TOKENIZER});
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(topics, row);
"""
_STEMMER = f"""
CREATE VIRTUAL TABLE temp.words USING fts5(word, {_TOKENIZER});
CREATE VIRTUAL TABLE temp.stems USING fts5vocab(temp, words, instance);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A topic and how well it answers, the best first; scores compare within one question only."""

    header: TopicHeader
    score: float  # above 0


def worth_showing(matches: Sequence[Match]) -> tuple[Match, ...]:
    """The matches that come near the best one."""
    return tuple(match for match in matches if match.score >= SHARE * matches[0].score)


def alike(matches: Sequence[Match]) -> int:
    """How many match about as well as the best one."""
    return sum(match.score >= _ALIKE * matches[0].score for match in matches)


class Index:
    """An open index of one directory's topics. One thread's, and to be closed."""

    def __init__(self, cache: Path | None, memory_dir: Path) -> None:
        """`cache` is the directory of indexes; None: one in memory. Raises sqlite3.DatabaseError, OSError."""
        self._memory_dir = memory_dir
        self._db = sqlite3.connect(":memory:") if cache is None else _opened(cache, memory_dir)
        self._headers: Sequence[TopicHeader] = ()
        self._topics: dict[int, TopicHeader] = {}
        self._stems: dict[str, str] = {}
        self._counts: dict[str, int] = {}  # in how many topics a stem stands, while these are the topics
        try:
            _make(self._db)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def rank(
        self,
        query: str,
        headers: Sequence[TopicHeader],
        *,
        most: int,
        left_out: Collection[str] = (),
        until: float = float("inf"),
    ) -> tuple[Match, ...]:
        """At most so many of `headers` (all that there are) that have words of the question, best first, ties by path.

        `left_out` holds paths; `until` is on the monotonic clock. Raises TimeoutError behind it, and
        sqlite3.DatabaseError where the file is damaged or busy.
        """
        asked = tuple(dict.fromkeys(analysis.terms(query[:_LONGEST])))
        if time.monotonic() > until:
            raise TimeoutError("recall took too long")
        try:
            if not asked or not headers:
                return ()
            self.follow(headers, until=until)
            self._db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            return self._ranked(asked, most, left_out)
        except sqlite3.DatabaseError:
            if time.monotonic() > until:
                raise TimeoutError("recall took too long") from None
            raise
        finally:
            self._db.set_progress_handler(None, 0)

    def _ranked(self, asked: Sequence[str], most: int, left_out: Collection[str]) -> tuple[Match, ...]:
        chosen = self._telling(asked)
        specific = analysis.specific(asked).intersection(chosen)
        if not specific:
            return ()
        rows = self._db.execute(
            "SELECT rowid, -rank FROM topics WHERE topics MATCH ? ORDER BY rank, rowid LIMIT ?",
            (_expression(chosen, specific), most + len(left_out)),
        )
        found = (Match(header=self._topics[number], score=score) for number, score in rows if score > 0)
        wanted = (one for one in found if one.header.path not in left_out)
        return tuple(sorted(wanted, key=lambda one: (-one.score, one.header.path))[:most])

    def _telling(self, asked: Sequence[str]) -> tuple[str, ...]:
        """The rarest terms of a question, without those that most topics have, and not more than is quickly done."""
        stems = self._stems_of(asked)
        counts = {stem: self._count(stem) for stem in stems.values()}
        topics = len(self._topics)
        most = _COMMON * topics if topics > _FEW else topics
        by_stem = {stem: term for term, stem in reversed(stems.items())}  # "test" and "tests" are one
        telling = sorted((stem for stem in by_stem if 0 < counts[stem] <= most), key=lambda stem: counts[stem])
        chosen: list[str] = []
        looks = 0
        for stem in telling[:_MOST_TERMS]:
            looks += counts[stem]
            if chosen and looks > _LOOKS:
                break
            chosen.append(by_stem[stem])
        return tuple(chosen)

    def _count(self, stem: str) -> int:
        """In how many topics it stands."""
        found = self._counts.get(stem)
        if found is None:
            row = self._db.execute("SELECT doc FROM vocabulary WHERE term = ?", (stem,)).fetchone()
            found = self._counts[stem] = 0 if row is None else int(row[0])
        return found

    def _stems_of(self, terms: Sequence[str]) -> dict[str, str]:
        """Each term's stem, which only SQLite's stemmer knows: it is given the words, and says what it made of them."""
        if unknown := [term for term in terms if term not in self._stems]:
            if len(self._stems) > _STEMS_KEPT:
                self._stems.clear()
                self._counts.clear()
                unknown = list(terms)
            self._db.execute("DELETE FROM temp.words")
            self._db.executemany("INSERT INTO temp.words(rowid, word) VALUES(?, ?)", enumerate(unknown))
            made = dict(self._db.execute("SELECT doc, term FROM temp.stems"))
            self._db.commit()
            self._stems.update((term, made.get(place, "")) for place, term in enumerate(unknown))
        return {term: self._stems[term] for term in terms}

    def follow(self, headers: Sequence[TopicHeader], *, until: float = float("inf")) -> None:
        """Take in what has changed in the files. Raises TimeoutError behind `until`; what was done by then is kept."""
        if headers is self._headers:
            return
        known: Mapping[str, tuple[float, int]] = {
            path: (mtime, size) for path, mtime, size in self._db.execute("SELECT path, mtime, size FROM stamps")
        }
        by_path = {_told(header.path): header for header in headers}
        changed = [one for path, one in by_path.items() if known.get(path) != (one.mtime, one.size)]
        gone = [path for path in known if path not in by_path]
        self._headers = ()
        if gone:
            self._take(gone, ())
        for start in range(0, len(changed), _AT_ONCE):
            if start and time.monotonic() > until:
                raise TimeoutError("recall took too long")
            some = changed[start : start + _AT_ONCE]
            self._take([path for one in some if (path := _told(one.path)) in known], some)
        self._topics = {number: by_path[path] for number, path in self._db.execute("SELECT id, path FROM stamps")}
        self._counts.clear()
        self._headers = headers

    def _take(self, out: Collection[str], into: Sequence[TopicHeader]) -> None:
        with _transaction(self._db), files.open_directory(self._memory_dir) as directory:
            _leave_out(self._db, out)
            for header in into:
                _take_in(self._db, directory, header)


def _expression(chosen: Sequence[str], needed: Collection[str]) -> str:
    """What SQLite looks for: any of the chosen terms, where one of the needed ones stands as well."""
    some, every = (" OR ".join(f'"{term}"' for term in chosen if term in them) for them in (needed, chosen))
    return every if len(needed) == len(chosen) else f"({some}) AND ({every})"


def drop(cache: Path, memory_dir: Path) -> None:
    """Keep nothing of a memory directory. Raises OSError where it cannot be deleted."""
    path = _file(cache, memory_dir)
    for one in (path, *(path.with_name(f"{path.name}{end}") for end in ("-journal", "-wal", "-shm"))):
        one.unlink(missing_ok=True)


def _file(cache: Path, memory_dir: Path) -> Path:
    name = hashlib.blake2b(os.fsencode(memory_dir), digest_size=16).hexdigest()
    return cache / f"{name}.v{_VERSION}.sqlite3"


def _opened(cache: Path, memory_dir: Path) -> sqlite3.Connection:
    """The index of a directory; a damaged one is deleted, so that the next one to ask makes it anew."""
    files.private_directory(cache)
    path = _file(cache, memory_dir)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(path, timeout=0.5)
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        db.close()
        if error.sqlite_errorcode in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
            path.unlink(missing_ok=True)
        raise
    return db


def _make(db: sqlite3.Connection) -> None:
    """Give an index its tables, and the connection its stemmer."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'stamps'").fetchone():
        with _transaction(db):
            _run(db, _TABLES)
    _run(db, _STEMMER)


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    with db:
        db.execute("BEGIN IMMEDIATE")
        yield


def _run(db: sqlite3.Connection, script: str) -> None:
    for statement in filter(str.strip, script.split(";")):
        db.execute(statement)


def _told(path: str) -> str:
    """A path as SQLite takes it, which a name that is no UTF-8 is not."""
    return path.encode("utf-8", "backslashreplace").decode()


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
    db.execute("INSERT INTO stamps VALUES(?, ?, ?, ?)", (_told(header.path), header.mtime, header.size, number))
