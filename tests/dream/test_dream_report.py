"""One report of a backlog that took several parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memd.agent.backend import Task
from memd.agent.offline.dreaming.backend import OfflineDream
from memd.cli import dream_words
from memd.dream import run as dreams
from memd.ledger import Run
from memd.memory.dream_report import Did, DreamReport, Size, Step, merged
from tests.dream.conftest import Bed

PATHS = ("a.md", "b.md", "c.md", "d.md")


@st.composite
def histories(draw: st.DrawFn) -> tuple[frozenset[str], list[list[Step]]]:
    """What was there, and parts that could have happened to it."""
    first = frozenset(draw(st.sets(st.sampled_from(PATHS))))
    there, parts = set(first), []
    for _ in range(draw(st.integers(1, 4))):
        steps = []
        for path in draw(st.lists(st.sampled_from(PATHS), unique=True, max_size=4)):
            others = sorted(there - {path})
            if path not in there:
                did = Did.ADDED
            else:
                did = draw(st.sampled_from([Did.UPDATED, Did.REMOVED, *([Did.MERGED] if others else [])]))
            into = draw(st.sampled_from(others)) if did is Did.MERGED else None
            steps.append(Step(did=did, path=path, into=into))
            (there.discard if did in {Did.MERGED, Did.REMOVED} else there.add)(path)
        parts.append(steps)
    return first, parts


def there_after(first: frozenset[str], parts: Sequence[Sequence[Step]]) -> set[str]:
    there = set(first)
    for step in (step for steps in parts for step in steps):
        (there.discard if step.did in {Did.MERGED, Did.REMOVED} else there.add)(step.path)
    return there


@given(histories())
def test_the_steps_together_lead_from_the_first_state_to_the_last(
    history: tuple[frozenset[str], list[list[Step]]],
) -> None:
    first, parts = history
    whole = merged([DreamReport(steps=tuple(steps)) for steps in parts])
    assert len({step.path for step in whole.steps}) == len(whole.steps)
    last = there_after(first, parts)
    assert there_after(first, [whole.steps]) == last
    for step in whole.steps:
        assert (step.did is Did.ADDED) == (step.path in last - first)
        assert (step.did in {Did.MERGED, Did.REMOVED}) == (step.path in first - last)
        assert (step.into is not None) == (step.did is Did.MERGED)


@given(st.lists(st.dictionaries(st.sampled_from(["merged", "dropped", "carried"]), st.integers(1, 9)), min_size=1))
def test_counts_are_summed(counts: list[dict[str, int]]) -> None:
    whole = merged([DreamReport(notes=one, reasons=one) for one in counts])
    assert sum(whole.notes.values()) == sum(sum(one.values()) for one in counts)
    assert whole.notes == whole.reasons
    assert merged([whole]) == whole


def test_a_topic_that_went_into_one_that_went_on_is_told_to_be_where_it_ended() -> None:
    first = DreamReport(steps=(Step(did=Did.MERGED, path="a.md", into="b.md"),), before=Size(topics=3), part=1, of=2)
    last = DreamReport(steps=(Step(did=Did.MERGED, path="b.md", into="c.md"),), after=Size(topics=1), part=2, of=2)
    whole = merged([first, last])
    assert [(step.path, step.into) for step in whole.steps] == [("a.md", "c.md"), ("b.md", "c.md")]
    assert (whole.before.topics, whole.after.topics, whole.part, whole.of) == (3, 1, 2, 2)


def test_each_part_is_heard_of_and_all_of_them_are_told_as_one(bed: Bed) -> None:
    for day, text in enumerate(
        ("Keep at most 5 retries", "Write log messages in English", "Use tabs in the Makefile"), 1
    ):
        bed.note(text, days=day)
    heard: list[tuple[Run, DreamReport]] = []
    offline = OfflineDream()
    house = replace(bed.house, backend=offline, budget=40, hear=lambda run, report: heard.append((run, report)))
    dreams.run(bed.job(), bed.place, house)
    assert [(report.part, report.of) for _, report in heard] == [(1, 3), (2, 3), (3, 3)]
    whole = merged([report for _, report in heard])
    runs = tuple(run.id for run, _ in heard)
    told = list(
        dream_words.told(dream_words.Dreamt(place=bed.place, outcome="saved", runs=runs, report=whole), would=False)
    )
    assert told[0].startswith("memories 0 → 3, bytes 0 → ")
    assert told[0].endswith(" (3 of 3 parts)")
    assert [line.split()[0] for line in told[1:4]] == ["added"] * 3
    assert told[4] == "3 notes of the log: 3 distilled"
    assert told[5].endswith(f"the last one first: {runs[2]}, {runs[1]}, {runs[0]}.")
    assert len(told) == 6


def test_a_dream_that_stops_in_the_middle_says_what_is_done(bed: Bed) -> None:
    for day, text in enumerate(("Keep at most 5 retries", "Write log messages in English"), 1):
        bed.note(text, days=day)
    heard: list[DreamReport] = []

    class Failing:
        name = "failing"

        def propose(self, task: Task) -> object:
            if heard:
                raise RuntimeError
            return OfflineDream().propose(task)

    house = replace(bed.house, backend=Failing(), budget=40, hear=lambda _, report: heard.append(report))  # type: ignore[arg-type]
    job = bed.job()
    try:
        dreams.run(job, bed.place, house)
    except RuntimeError:
        bed.ledger.skip_dream(job, str(bed.memory), "test")
    told = list(dream_words.lines(merged(heard)))
    assert "(1 of 2 parts; the next dream goes on)" in told[0]
