"""The memory directory: headers, the index and the prompt: `bench_memory.py [--smoke]`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from memd.memory import index, prompt, topic
from memd.memory.layout import INDEX
from memd.memory.scan import scan
from memd.memory.topic import TopicType
from tests.bench import measure
from tests.bench.measure import Row, paired

_SIZES, _SMOKE = (200, 5_000), (20, 60)  # topics
_SETTLED = 0.25  # seconds after which the cache believes what it holds
_WARM = 1.5  # scandir + stat
_BODY = "Run the linter before a diff is shown.\n\n**Why:** style remarks cost a morning.\n\n**How to apply:** always"


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """All that is measured of a memory directory, for each of its sizes."""
    for count in _SMOKE if smoke else _SIZES:
        with measure.temporary_home() as home:
            yield from _of(home, count, 2 if smoke else 9)


def _of(home: Path, count: int, rounds: int) -> Iterator[Row]:
    memory, cache = home / "memory", home / "headers"
    _fill(memory, count)
    cold = paired(lambda: _cold(memory), lambda: _read_all(memory), rounds)
    yield cold.row(f"scan of {count:,} topics, cold | reading the files", 25.0)
    scan(memory, cache=cache)
    time.sleep(_SETTLED)
    scan(memory, cache=cache)
    warm = paired(lambda: scan(memory, cache=cache), lambda: _stat_all(memory), 3 * rounds)
    yield warm.row(f"scan of {count:,} topics, warm | scandir + stat", _WARM)
    headers = scan(memory, cache=cache)
    whole = index.rebuild(b"", headers)
    anew = paired(lambda: index.rebuild(b"", headers), lambda: _cold(memory), rounds)
    yield anew.row(f"index of {count:,} topics, made anew | cold scan", 1.0)
    again = paired(lambda: index.rebuild(whole, headers), lambda: _cold(memory), rounds)
    yield again.row(f"index of {count:,} topics, nothing new | cold scan", 1.0)
    (memory / INDEX).write_bytes(whole)
    told = paired(lambda: prompt.build(memory), lambda: _cold(memory), rounds)
    yield told.row(f"prompt beside {count:,} topics | cold scan", 0.5)


def _fill(memory: Path, count: int) -> None:
    memory.mkdir()
    kinds = list(TopicType)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        description = f"Rule {number}: the linter runs before a diff is shown, since remarks on style cost a morning"
        path = memory / f"{kind.value}_rule_{number}.md"
        path.write_bytes(topic.render(f"rule-{number}", description, kind, _BODY))


def _cold(memory: Path) -> int:
    """A scan by a process that has read none of it before."""
    topic.parsed_before.cache_clear()
    return len(scan(memory))


def _stat_all(memory: Path) -> int:
    """What no scan can do without."""
    with os.scandir(memory) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)


def _read_all(memory: Path) -> int:
    with os.scandir(memory) as entries:
        return sum(len(Path(entry.path).read_bytes()) for entry in entries)


if __name__ == "__main__":
    measure.main("A memory directory", rows)
