"""Reading transcripts that went wrong, as long as one likes: `python -m tests.deep.fuzz_transcripts SECONDS [SEED]`.

One process; what it prints is its figures as JSON. It ends at the first finding, with the smallest bytes that show it.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from memd.transcripts import cursor as cursors
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.drift import drifted
from memd.transcripts.model import Cursor, Message, Reading, Role, TailState
from tests.bench.measure import resident
from tests.fakes.claude_lines import packed, prompt
from tests.fakes.transcript_mutations import sample_lines, transcript

GUARD = packed(prompt("guard", "still here"))
ROUND = 1000  # examples between two looks at the memory
WARM = 5  # rounds until the allocators have what they want


@dataclass(slots=True, kw_only=True)
class Figures:
    """What a run has done so far."""

    executions: int = 0
    bytes: int = 0
    bad_lines: int = 0
    messages: int = 0
    slowest: float = 0.0  # seconds
    resident: list[int] = field(default_factory=list)  # bytes, after each round


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What every example needs."""

    path: Path
    claude: ClaudeCode
    lines: Sequence[bytes]
    figures: Figures


def check(bench: Bench, chosen: bytes, part: int) -> None:
    """One file: read at once, from its end, and in two steps; `part` of 255 is there at the first step."""
    data = transcript(chosen, bench.lines)
    data += GUARD if data.endswith(b"\n") or not data else b"\n" + GUARD
    began = time.perf_counter()
    whole = _whole(bench, data)
    _in_two_steps(bench, data, len(data) * part // 255, whole)
    bench.figures.executions += 1
    bench.figures.bytes += len(data)
    bench.figures.bad_lines += whole.problems.bad_lines
    bench.figures.messages += len(whole.messages)
    bench.figures.slowest = max(bench.figures.slowest, time.perf_counter() - began)


def _whole(bench: Bench, data: bytes) -> Reading:
    bench.path.write_bytes(data)
    whole, rows = bench.claude.read(bench.path, Cursor()), data.count(b"\n")
    assert (whole.end.offset, whole.from_start, whole.restarted) == (len(data), True, False)
    assert (whole.messages[-1].uuid, whole.messages[-1].text) == ("guard", "still here")
    assert drifted(whole) is False
    assert 0 <= whole.problems.bad_lines + whole.problems.oversize_lines <= rows
    assert bench.claude.tail(bench.path) == as_tail(whole, bench.path.stem)
    assert bench.claude.recognise(bench.path) is None
    assert cursors.loads(cursors.dumps(whole.end)) == whole.end
    return whole


def _in_two_steps(bench: Bench, data: bytes, size: int, whole: Reading) -> None:
    """As a pass does it: what is complete is taken, what was taken is known by its uuids, and reading goes on there."""
    bench.path.write_bytes(data[:size])
    first = bench.claude.read(bench.path, Cursor())
    assert first.end.offset == data.rfind(b"\n", 0, size) + 1
    assert first.complete_count <= len(first.messages)
    with bench.path.open("ab") as file:
        file.write(data[size:])
    later = bench.claude.read(bench.path, first.complete)
    assert not later.restarted
    assert (later.turn, later.end, later.session_id, later.cwd) == (
        whole.turn, whole.end, whole.session_id, whole.cwd,
    )  # fmt: skip
    assert spoken((*first.messages[: first.complete_count], *later.messages)) == spoken(whole.messages)


def spoken(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """What people said, each of it once."""
    known: set[str] = set()
    said = []
    for message in messages:
        if message.uuid not in known and message.role is Role.HUMAN:
            said.append((message.uuid, message.text))
        known |= set(message.uuids)
    return said


def as_tail(whole: Reading, name: str) -> TailState:
    """What the end of a file should tell, from a reading of all of it."""
    session = None if whole.session_id == name else whole.session_id
    return TailState(
        session_id=session, cwd=whole.cwd, turn=whole.turn, size=whole.end.offset, last_uuid=whole.end.last_uuid
    )


def run(seconds: float, first_seed: int = 0) -> Figures:
    """Rounds of examples until the time is over; raises what an example raises, shrunk."""
    deadline, number = time.monotonic() + seconds, first_seed
    with tempfile.TemporaryDirectory(prefix="memd-fuzz-") as directory:
        path = Path(directory) / "no-session-of-any-record.jsonl"
        bench = Bench(path=path, claude=ClaudeCode(path.parent), lines=sample_lines(), figures=Figures())
        while time.monotonic() < deadline:
            _round(bench, number)
            number += 1
            gc.collect()
            bench.figures.resident.append(resident(os.getpid()))
            sys.stderr.write(f"round {number}: {bench.figures.executions} files, {bench.figures.resident[-1]} bytes\n")
    return bench.figures


def _round(bench: Bench, number: int) -> None:
    @seed(number)
    @settings(
        max_examples=ROUND, deadline=None, database=None, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck), print_blob=True,
    )  # fmt: skip
    @given(st.binary(min_size=24, max_size=400), st.integers(0, 255))
    def example(chosen: bytes, part: int) -> None:
        check(bench, chosen, part)

    example()


def growth(figures: Figures) -> int:
    """How many bytes more the process held at its fullest than when it was warm."""
    warm = figures.resident[WARM:] or figures.resident
    return max(warm) - warm[0]


if __name__ == "__main__":
    figures = run(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    told = asdict(figures) | {"resident": [figures.resident[0], max(figures.resident), figures.resident[-1]]}
    sys.stdout.write(json.dumps(told | {"growth": growth(figures)}) + "\n")
