"""Recall by words: `bench_recall.py [--smoke]`. Beside each figure what SQLite's own full-text search takes."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import cycle
from pathlib import Path

from memd.memory import topic
from memd.memory.topic import TopicType
from memd.recall import analysis
from memd.recall.find import How, find_relevant_memories
from memd.recall.shelf import Shelf
from tests.bench import measure
from tests.bench.measure import Row, side_by_side

_SIZES, _SMOKE = (200, 5_000), (20, 60)  # topics
_WORDS = 4_000  # that there are, some far more frequent than others, as in any language
_SETTLED = 0.25  # seconds after which a listing is believed


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """All that is measured of recall, for each size of a memory directory."""
    for count in _SMOKE if smoke else _SIZES:
        with measure.temporary_home() as home:
            yield from _of(home, count, 2 if smoke else 25)


def _of(home: Path, count: int, rounds: int) -> Iterator[Row]:
    chance = random.Random(count)  # noqa: S311 - the same each time
    memory = home / "memory"
    _fill(memory, count, chance)
    time.sleep(_SETTLED)
    short = [_text(chance, 8) for _ in range(20)]
    long = [_text(chance, 200) for _ in range(20)]
    with Shelf(home / "indexes", home / "headers", patience=3600) as shelf, _plain(memory) as search:
        for name, asked in (("8 words", short), ("200 words", long)):
            ask = _repeated(lambda query: find_relevant_memories(query, memory, how=How(shelf=shelf)), asked)
            pair = side_by_side(ask, _repeated(search, asked), rounds)
            target = (0.001 if count < 1_000 else 0.005) / pair.limit  # the specification's limit, in seconds
            yield pair.row(f"a question of {name} to {count:,} memories | FTS5", target)
    if count < max(_SIZES) and count != max(_SMOKE):
        return
    pair = side_by_side(
        lambda: measure.timed(lambda: _listed(home, memory)), lambda: measure.timed(lambda: _stat_all(memory)), rounds
    )
    yield pair.row(f"the same, {count:,} listed anew first | scandir + stat", 4.0)


def _repeated(ask: Callable[[str], object], queries: Sequence[str]) -> Callable[[], float]:
    """The seconds of one question, warm."""
    ask(queries[0])

    def run() -> float:
        return measure.timed(lambda: [ask(query) for query in queries]) / len(queries)

    return run


def _listed(home: Path, memory: Path) -> None:
    with Shelf(home / "indexes", home / "headers") as shelf:
        find_relevant_memories("word11 word12", memory, how=How(shelf=shelf))


class _plain:  # noqa: N801 - used like a function
    """What the database alone takes for the same questions, words as they are."""

    def __init__(self, memory: Path) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE topics USING fts5(body, tokenize='porter unicode61')")
        texts = ((" ".join(analysis.terms(path.read_text("utf-8"))),) for path in memory.iterdir())
        self._db.executemany("INSERT INTO topics VALUES(?)", texts)

    def __enter__(self) -> Callable[[str], object]:
        return self._ask

    def __exit__(self, *_: object) -> None:
        closing(self._db).__exit__()

    def _ask(self, query: str) -> object:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(analysis.terms(query)))
        asked = "SELECT rowid FROM topics WHERE topics MATCH ? ORDER BY rank LIMIT 5"
        return self._db.execute(asked, (words,)).fetchall()


def _fill(memory: Path, count: int, chance: random.Random) -> None:
    memory.mkdir()
    for number, kind in zip(range(count), cycle(TopicType), strict=False):
        body = f"{_text(chance, 40)}\n\n**Why:** {_text(chance, 20)}\n\n**How to apply:** {_text(chance, 20)}"
        path = memory / f"{kind.value}_rule_{number}.md"
        path.write_bytes(topic.render(f"rule-{number}", _text(chance, 12), kind, body))


def _text(chance: random.Random, words: int) -> str:
    """Words by Zipf's law: the n-th is n times as rare as the first."""
    return " ".join(f"word{_name(int(_WORDS ** chance.random()))}" for _ in range(words))


def _name(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))


def _stat_all(memory: Path) -> int:
    with os.scandir(memory) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)


if __name__ == "__main__":
    measure.main("Recall by words", rows)
