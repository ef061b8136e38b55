"""What `memd dream` tells of a dream: to people in a minute's reading, to programs as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from memd.cli.runs import REASONS
from memd.cli.words import counted, shown
from memd.dream import backlog
from memd.dream.gates import Place
from memd.dream.run import TOO_MUCH
from memd.errors import MemdError
from memd.memory import layout, scan
from memd.memory.dream_report import DreamReport, Step
from memd.memory.workspace import Change

_IN_ORDER = "nothing to do"
_NOTES, _WIDTH = 5, 120  # dropped notes that are shown, and characters of each


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    """What came of one project's dream."""

    place: Place
    outcome: str
    reason: str | None = None
    runs: tuple[int, ...] = ()  # one a part that something came of
    report: DreamReport | None = None  # of all parts together; None: nothing came of it
    changes: tuple[Change, ...] = ()  # of a dry run
    error: MemdError | None = None


def described(one: Dreamt) -> dict[str, Any]:
    """A dream in the shape that programs get."""
    return {
        "project": str(one.place.root),
        "memory_dir": str(one.place.memory_dir),
        "outcome": one.outcome,
        "reason": one.reason,
        "error": None if one.error is None else str(one.error),
        "run": one.runs[-1] if one.runs else None,
        "runs": list(one.runs),
        "report": None if one.report is None else asdict(one.report),
        "diff": "".join(map(diff, one.changes)),
    }


def told(one: Dreamt, *, would: bool) -> Iterator[str]:
    """A dream for whoever asked for this very one. `would`: nothing was written."""
    if one.report is None:
        if one.error is None:
            yield _why(one) if one.reason else "Nothing to do: all is in order."
        return
    memory_dir = one.place.memory_dir
    yield from lines(one.report, would=would, dropped=dropped(one.report, memory_dir), shared=_shared(memory_dir))
    if one.reason == TOO_MUCH:
        yield "That is more than a quarter of the memory: it would be refused without --force."
    for change in one.changes:
        yield ""
        yield diff(change).rstrip("\n")
    if one.runs and one.report.steps:
        yield _way_back(one.runs)


def in_a_line(one: Dreamt) -> str:
    """The same for whoever asked for all projects."""
    return f"{shown(str(one.place.root))}: {_briefly(one)}"


def _briefly(one: Dreamt) -> str:
    if one.report is None:
        return str(one.error) if one.error is not None else _why(one) if one.reason else _IN_ORDER
    kinds = Counter(step.did.value for step in one.report.steps)
    parts = [f"memories {one.report.before.topics} → {one.report.after.topics}"]
    parts += [", ".join(f"{count} {did}" for did, count in kinds.items())] if kinds else []
    parts += [_notes(one.report)] if one.report.notes else []
    parts += [f"run {', '.join(map(str, one.runs))}"] if one.runs else []
    parts += ["more than a quarter: refused without --force"] if one.reason == TOO_MUCH else []
    return "; ".join(parts) + (f"; then {one.error}" if one.error is not None else "")


def _why(one: Dreamt) -> str:
    return REASONS.get(one.reason or "", one.reason or "")


def _way_back(runs: Sequence[int]) -> str:
    if len(runs) == 1:
        return f"`memd diff {runs[0]}` shows every line, `memd undo {runs[0]}` takes it back."
    numbers = ", ".join(map(str, reversed(runs)))
    return f"`memd diff RUN` shows every line, `memd undo RUN` takes a part back, the last one first: {numbers}."


def dropped(report: DreamReport, memory_dir: Path) -> tuple[str, ...]:
    """The notes of which nothing came, in the log's own words, and how to keep one all the same; perhaps nothing."""
    said = backlog.words(memory_dir, report.dropped)
    if not said:
        return ()
    more = max(sum(report.reasons.values()), len(said)) - _NOTES
    return (
        *(f"{_cut(shown(text))} ({shown(why)})" for text, why in said[:_NOTES]),
        *([f"and {more} more"] if more > 0 else []),
        'what is missed among them is kept by: memd remember "..."',
    )


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}\N{HORIZONTAL ELLIPSIS}"


def _shared(memory_dir: Path) -> int:
    """How many memories there are of the team, which a dream leaves alone."""
    return sum(layout.is_shared(header.path) for header in scan.scan(memory_dir, team=True))


def lines(report: DreamReport, *, would: bool = False, dropped: Sequence[str] = (), shared: int = 0) -> Iterator[str]:
    """Tell what a dream did, in a minute's reading."""
    old, new = report.before, report.after
    besides = f" (and {shared} of the team, left alone)" if shared else ""
    yield f"memories {old.topics} → {new.topics}{besides}, bytes {old.bytes:,} → {new.bytes:,}" + _parts(report)
    yield from map(_step, report.steps)
    if report.notes:
        yield _notes(report)
    if report.reasons:
        yield "dropped: " + ", ".join(f"{n} {why}" for why, n in report.reasons.items())
    yield from (f"  {line}" for line in dropped)
    if not report.steps:
        yield "no memory would change" if would else "no memory changed"


def _parts(report: DreamReport) -> str:
    if report.of == 1:
        return ""
    rest = "" if report.part == report.of else "; the next dream goes on"
    return f" ({report.part} of {report.of} parts{rest})"


def _notes(report: DreamReport) -> str:
    total = sum(report.notes.values())
    return f"{counted(total, 'note')} of the log: " + ", ".join(f"{n} {how}" for how, n in report.notes.items())


def _step(step: Step) -> str:
    into = f" into {shown(step.into)}" if step.into else ""
    return f"  {step.did:<8} {shown(step.path)}{into}" + (f": {shown(step.why)}" if step.why else "")


def diff(change: Change) -> str:
    """A change, as `diff -u` tells it."""
    old = "/dev/null" if change.before is None else f"a/{change.path}"
    new = "/dev/null" if change.after is None else f"b/{change.path}"
    found = unified_diff(_lines(change.before), _lines(change.after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in found)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode(errors="replace").splitlines(keepends=True)
