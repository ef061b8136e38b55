"""A dream over what the passes make of labelled conversations: `dream_eval.py CASES.jsonl [--log] [--copies N]`.

All conversations become one project's memory, by the offline backend. Told are topics, bytes, index lines and pairs
that say the same, before and after the dream, which labels it lost, and whether a second dream changes anything.
`--log`: the passes append bullets and the dream distils them. `--copies N`: each conversation N times, days apart.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

from memd import config, logs
from memd.agent.backend import Task
from memd.agent.offline.backend import Offline
from memd.agent.offline.dreaming import alike
from memd.agent.offline.dreaming.backend import OfflineDream
from memd.dream import backlog
from memd.dream import run as dreams
from memd.dream.gates import Place
from memd.dream.house import House
from memd.extract import bullets as lines
from memd.ledger import JobRequest, Ledger, Run, open_ledger
from memd.ledger.nouns import DREAM
from memd.memory import journal, log, store, topic, validate, workspace
from memd.memory.decision import Decision
from memd.memory.grounding import first_paragraph
from memd.memory.quotes import Speaker, Utterance
from memd.memory.sameness import Sameness
from memd.memory.store import RunNote

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.ASSISTANT, "tool": Speaker.TOOL}
Case = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class How:
    """What the passes and the dream do."""

    late: bool = False
    log_mode: bool = False
    apart: bool = False
    copies: int = 1


@dataclass
class Stopped:
    """A clock that stands where it was put."""

    at: datetime

    def now(self) -> datetime:
        """Wall time."""
        return self.at

    def monotonic(self) -> float:
        """The same as seconds."""
        return self.at.timestamp()


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--log", action="store_true")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--apart", action="store_true", help="each pass sees no memory: what says the same piles up")
    parser.add_argument("--late", action="store_true", help="dream when all dates have passed, not before the first")
    given = parser.parse_args()
    cases = [json.loads(line) for line in given.cases.read_text("utf-8").splitlines() if line.strip()]
    how = How(late=given.late, log_mode=given.log, apart=given.apart, copies=given.copies)
    with tempfile.TemporaryDirectory() as directory:
        figures = measured(cases, Path(directory).resolve(), how)
    sys.stdout.write(json.dumps(figures, ensure_ascii=False, indent=2) + "\n")


def measured(cases: Sequence[Case], home: Path, how: How) -> dict[str, Any]:
    """The figures of one dream over all cases."""
    loaded = config.load({"HOME": str(home), "MEMD_EXTRACT_MODE": "log" if how.log_mode else "topics"})
    memory = home / "memory"
    memory.mkdir()
    times = [datetime.fromisoformat(case["now"]) for case in cases]
    clock = Stopped(max(times) if how.late else min(times))
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        house = House(
            settings=loaded.settings,
            paths=loaded.paths,
            environ={"HOME": str(home)},
            ledger=ledger,
            clock=clock,
            backend=OfflineDream(),
            log=logs.configure(io.StringIO(), json=True),
        )
        for copy in range(how.copies):
            for case in sorted(cases, key=lambda case: str(case["now"])):
                _pass(case, memory, house, days=copy, how=how)
        clock.at += timedelta(days=how.copies)
        before, found = _figures(memory), _held(cases, memory, log_mode=how.log_mode)
        done = _dream(memory, house)
        after, kept = _figures(memory), _held(cases, memory, log_mode=False) | _waiting(cases, done, house)
        stamps = _stamps(memory)
        second = _dream(memory, house)
        report = store_report(done, house)
    return {
        "before": before,
        "after": after,
        "labels_before": len(found),
        "labels_lost": sorted(found - kept),
        "report": report,
        "second": {"outcome": str(second.outcome), "mtimes_unchanged": _stamps(memory) == stamps},
    }


def store_report(done: Run, house: House) -> dict[str, Any]:
    """What the history says of the dream."""
    from memd.memory import history  # noqa: PLC0415

    record = history.load(done.id, history=house.paths.history)
    report = record.run.dream
    assert report is not None
    held = [f"{one.path} {one.reason} {one.detail}" for one in record.run.held]
    steps = [
        f"{step.did} {step.path}" + (f" -> {step.into}" if step.into else "") + f" {step.why}" for step in report.steps
    ]
    return {"notes": dict(report.notes), "reasons": dict(report.reasons), "steps": steps, "held": held}


def _pass(case: Case, memory: Path, house: House, *, days: int, how: How) -> None:
    at = datetime.fromisoformat(case["now"]) + timedelta(days=days)
    said = tuple(
        Utterance(speaker=_SPEAKERS[turn["role"]], text=turn["text"], uuid=f"{case['id']}-{days}-{place}", at=at)
        for place, turn in enumerate(case["turns"])
    )
    with workspace.make(memory.parent / "none" if how.apart else memory, house.paths.scratch) as work:
        Offline().propose(Task(workspace=work, new=said, session_id=f"{case['id']}-{days}", now=at))
        decision = validate.check(workspace.difference(work), window=said)
        noticed = lines.noticed(workspace.proposed_bullets(work), said, f"{case['id']}-{days}")
    if how.apart:
        decision = _beside(decision, memory)
    if how.log_mode:
        bullets = (*lines.of_log_mode(decision, f"{case['id']}-{days}"), *noticed)
        decision = replace(decision, accepted=(), quotes={})
    else:
        bullets = (*(lines.saved(change, case["id"]) for change in decision.accepted), *noticed)
    number = house.ledger.start_run(memory_dir=str(memory), at_least=journal.next_id(house.paths.history))
    note = RunNote(id=number, kind="extract", started=at, quotes=decision.quotes)
    store.apply(memory, decision.accepted, run=note, history=house.paths.history, bullets=bullets)
    for change in decision.accepted:
        if (memory / change.path).exists():
            os.utime(memory / change.path, (at.timestamp(), at.timestamp()))


def _beside(decision: Decision, memory: Path) -> Decision:
    """The decision with names that are free: what stands there already stays as it is."""
    names = {change.path: _free(change.path, memory) for change in decision.accepted}
    return replace(
        decision,
        accepted=tuple(replace(change, path=names[change.path]) for change in decision.accepted),
        quotes={names[path]: quotes for path, quotes in decision.quotes.items()},
    )


def _free(path: str, memory: Path) -> str:
    stem = path.removesuffix(".md")
    names = [path, *(f"{stem}_{number}.md" for number in range(2, 99))]
    return next(name for name in names if not (memory / name).exists())


def _dream(memory: Path, house: House) -> Run:
    ledger: Ledger = house.ledger
    number = ledger.enqueue(JobRequest(kind=DREAM, memory_dir=str(memory), by_hand=True))
    job = ledger.claim(lease=60.0, only=number)
    assert job is not None
    return dreams.run(job, Place(root=memory.parent, memory_dir=memory), house)


def _topics(memory: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(memory.glob("*.md")) if path.name != "MEMORY.md"}


def _figures(memory: Path) -> dict[str, int]:
    topics = _topics(memory)
    index = memory / "MEMORY.md"
    parsed = [topic.parse(text.encode()) for text in topics.values()]
    same = [
        1
        for one, other in combinations(parsed, 2)
        if one.type == other.type
        and alike.judge(first_paragraph(one.body), first_paragraph(other.body)) is not Sameness.OTHER
    ]
    return {
        "topics": len(topics),
        "bytes": sum(len(text.encode()) for text in topics.values()),
        "index_lines": len(index.read_text("utf-8").splitlines()) if index.exists() else 0,
        "near_duplicates": len(same),
    }


def _held(cases: Sequence[Case], memory: Path, *, log_mode: bool) -> set[str]:
    """The labels whose tokens all stand in one memory, or, before a dream in log mode, in a note that is to be one."""
    texts = list(_topics(memory).values())
    if log_mode:
        noted = (bullet for path in memory.glob("logs/*/*/*.md") for bullet in log.parse(path.read_bytes()))
        texts = [bullet.text for bullet in noted if backlog.RIPE in bullet.source.split(", ")]
    plain = [_plain(text) for text in texts]
    return {name for name, wanted in _labels(cases) if any(_holds(text, wanted) for text in plain)}


def _waiting(cases: Sequence[Case], done: Run, house: House) -> set[str]:
    """The labels whose tokens all stand in a proposal that waits for a review."""
    from memd.memory import history  # noqa: PLC0415

    held = history.load(done.id, history=house.paths.history).run.held if done.id else ()
    plain = [_plain((one.change.after or b"").decode()) for one in held]
    return {name for name, wanted in _labels(cases) if any(_holds(text, wanted) for text in plain)}


def _labels(cases: Sequence[Case]) -> Iterator[tuple[str, Case]]:
    for case in cases:
        for place, wanted in enumerate(case["expect"]):
            yield f"{case['id']}.{place}", wanted


def _holds(text: str, wanted: Case) -> bool:
    return all(_plain(one) in text for one in wanted.get("all_of", ())) and all(
        any(_plain(one) in text for one in group) for group in wanted.get("any_of", ())
    )


def _plain(text: str) -> str:
    import unicodedata  # noqa: PLC0415

    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _stamps(memory: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted(memory.rglob("*.md"))}


if __name__ == "__main__":
    main()
