"""Reading a long transcript: `bench_reading.py [--smoke]`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.lines import CHUNK
from memd.transcripts.model import Cursor
from tests.bench import measure, others, transcript
from tests.bench.measure import Row, paired, repeated, side_by_side

_FULL, _SMOKE = 100_000_000, 500_000  # bytes
_LOOK = 100e-6  # seconds that a look at the end may take
_ROOM = 4 * 1024 * 1024  # bytes of memory besides the lines
_LINE = 8 * 1024 * 1024  # bytes of the one long line
_STAMP = "2026-11-30T00:02:11.091Z"
# A process of its own: only there does the most that was ever held mean anything. Python's own allocations alone.
_PEAK = """
import sys, tracemalloc
from pathlib import Path
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import Cursor
tracemalloc.start()
kept = ClaudeCode(Path("/nowhere")).read(Path(sys.argv[1]), Cursor())
now, peak = tracemalloc.get_traced_memory()
print(peak - now)
"""


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """All that is measured of reading."""
    with measure.temporary_home() as home:
        path = home / f"{transcript.SESSION}.jsonl"
        transcript.write(path, _SMOKE if smoke else _FULL)
        rounds = 2 if smoke else 9
        yield from _first_read(path, rounds)
        yield from _later(path, rounds)
        yield from _ends(home / "ends.jsonl", rounds)
        yield from _memory(path, home / "long.jsonl")
        yield from others.rows(path, 2 if smoke else 3)


def _first_read(path: Path, rounds: int) -> Iterator[Row]:
    claude = ClaudeCode(path.parent)
    first = paired(lambda: claude.read(path, Cursor()), lambda: _bytes(path), rounds)
    yield first.row("first read | reading the bytes", 7.5)
    parsed = paired(lambda: claude.read(path, Cursor()), lambda: _json(path), max(2, rounds // 2))
    yield parsed.row("first read | json.loads of each line", 0.25)


def _later(path: Path, rounds: int) -> Iterator[Row]:
    claude = ClaudeCode(path.parent)
    whole = repeated(lambda: claude.read(path, Cursor()), 1)
    end = claude.read(path, Cursor()).end
    again = side_by_side(repeated(lambda: claude.read(path, end), 200), whole, max(2, rounds // 3))
    yield again.row("read again, nothing new | first read", 0.01)
    with path.open("ab") as file:
        file.write(_kilobyte())
    grown = side_by_side(repeated(lambda: claude.read(path, end), 200), whole, max(2, rounds // 3))
    yield grown.row("read again, 1 kB appended | first read", 0.01)
    look = side_by_side(repeated(lambda: claude.tail(path), 500), lambda: _LOOK, rounds)
    yield look.row("is the turn over? | 100 µs", 1.0)


def _ends(path: Path, rounds: int) -> Iterator[Row]:
    """The same where other things stand at the end: a turn that waits for a tool, and one whose tool said a lot."""
    claude = ClaudeCode(path.parent)
    turn = next(transcript.turns()).splitlines(keepends=True)
    for what, lines in (("in the midst of a tool", turn[:12]), ("behind the longest result", turn[:-3])):
        path.write_bytes(b"".join(turn) * 20 + b"".join(lines))
        look = side_by_side(repeated(lambda: claude.tail(path), 500), lambda: _LOOK, rounds)
        yield look.row(f"the same, {what} | 100 µs", 1.0)


def _memory(path: Path, long: Path) -> Iterator[Row]:
    """The most that was held besides what was kept."""
    longest = max(len(line) for line in path.open("rb"))
    yield Row(what="memory beside the messages | 2 longest lines + 4 MB", measured=_peak(path),
              limit=2 * longest + _ROOM, target=1.0, unit="B")  # fmt: skip
    long.write_bytes(_kilobyte(content="x" * _LINE) + _kilobyte())
    yield Row(what="the same with one line of 8 MB", measured=_peak(long),
              limit=2 * _LINE + _ROOM, target=1.0, unit="B")  # fmt: skip


def _peak(path: Path) -> int:
    found = subprocess.run([sys.executable, "-c", _PEAK, str(path)], check=True, capture_output=True, text=True)
    return int(found.stdout)


def _bytes(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    while os.read(fd, CHUNK):
        pass
    os.close(fd)


def _json(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _kilobyte(content: str = "y" * 700) -> bytes:
    """A prompt; with its envelope about a kilobyte, unless told otherwise."""
    record = {
        "parentUuid": None, "isSidechain": False, "type": "user", "uuid": f"k{len(content)}", "timestamp": _STAMP,
        "sessionId": transcript.SESSION, "cwd": transcript.CWD, "message": {"role": "user", "content": content},
    }  # fmt: skip
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    measure.main("Reading a transcript", rows)
