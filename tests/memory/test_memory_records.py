"""Records of finished runs: read once, and again where they changed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory import history, journal, retention
from memd.memory.journal import RECORD, Record
from memd.memory.records import Memory
from tests.fakes import transaction as example

TODAY = example.NOW + timedelta(days=365)


def write(place: Path, run_id: int) -> Record:
    """A finished run that did nothing."""
    note = replace(example.NOTE, id=run_id)
    record = Record(id=run_id, memory_dir=str(place / "memory"), outcome="nothing", run=note)
    with journal.new_run(place, run_id) as (_, run_fd):
        journal.finish(run_fd, record)
    return record


def amend(place: Path, record: Record) -> None:
    with journal.existing_run(place, record.id) as run_fd:
        journal.amend(run_fd, record)


def anew(place: Path) -> list[Record]:
    return list(history.runs(place))


def test_what_is_known_is_not_read_again(tmp_path: Path) -> None:
    known: Memory = {}
    for run_id in (1, 2, 3):
        write(tmp_path, run_id)
    first = list(history.runs(tmp_path, known))
    write(tmp_path, 4)
    second = list(history.runs(tmp_path, known))
    assert [record.id for record in second] == [4, 3, 2, 1]
    assert all(old is new for old, new in zip(first, second[1:], strict=True))


def test_a_record_that_was_put_in_anothers_place_is_read(tmp_path: Path) -> None:
    known: Memory = {}
    record = write(tmp_path, 1)
    list(history.runs(tmp_path, known))
    amend(tmp_path, replace(record, outcome="nothinG"))  # of the same size
    assert [one.outcome for one in history.runs(tmp_path, known)] == ["nothinG"]


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    known: Memory = {}
    for run_id in (1, 2):
        write(tmp_path, run_id)
    list(history.runs(tmp_path, known))
    assert retention.prune(tmp_path, today=example.NOW + timedelta(days=1), keep=timedelta(0)) == (1,)
    assert [one.id for one in history.runs(tmp_path, known)] == [2]
    assert set(known) == {2}


@pytest.mark.parametrize(
    ("days_ago", "gone"),
    [
        ((9, 8, 2, 1), (1, 2)),
        ((9, 20_000, 2, 1), (1,)),  # booted in 1971: no older than what came next
        ((20_000, 2, 2_500, 1), ()),
        ((2_500, 20_000, 9, 1), (1, 2, 3)),  # and no younger
        ((4, 90, 4, 1), ()),  # a clock behind by months
        ((4, 90, 80, 20_000), ()),  # nothing says that it is right again
        ((9, -3_000, 8, 1), (1, 2, 3)),  # a clock ahead by years holds up nothing
    ],
    ids=["right", "1971", "first", "old", "behind", "still", "ahead"],
)
def test_a_wrong_clock_makes_no_run_old(tmp_path: Path, days_ago: tuple[int, ...], gone: tuple[int, ...]) -> None:
    for run_id, days in enumerate(days_ago, 1):
        amend(
            tmp_path, replace(write(tmp_path, run_id), run=replace(example.NOTE, started=TODAY - timedelta(days=days)))
        )
    assert retention.prune(tmp_path, today=TODAY, keep=timedelta(days=5)) == gone


def test_a_damaged_record_is_passed_over_until_it_is_whole(tmp_path: Path) -> None:
    known: Memory = {}
    record = write(tmp_path, 1)
    (tmp_path / "1" / RECORD).write_bytes(b"{")
    assert [list(history.runs(tmp_path, known)) for _ in range(2)] == [[], []]
    amend(tmp_path, record)
    assert list(history.runs(tmp_path, known)) == [record]


@pytest.mark.parametrize("odd", ["file", "link", "empty"])
def test_what_is_no_run_is_passed_over(odd: str, tmp_path: Path) -> None:
    record = write(tmp_path / "history", 1)
    if odd == "file":
        (tmp_path / "history" / "2").write_bytes(b"")
    elif odd == "link":
        shutil.copytree(tmp_path / "history" / "1", tmp_path / "elsewhere")
        (tmp_path / "history" / "2").symlink_to(tmp_path / "elsewhere")
    else:
        (tmp_path / "history" / "2").mkdir()
    assert list(history.runs(tmp_path / "history", {})) == [record] == anew(tmp_path / "history")


def test_no_history_has_no_runs(tmp_path: Path) -> None:
    assert list(history.runs(tmp_path / "none", {})) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["write", "amend", "delete", "damage", "read"]), st.integers(1, 5))))
def test_it_yields_what_reading_all_of_it_yields(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    place = tmp_path_factory.mktemp("history")
    known: Memory = {}
    for count, (step, run_id) in enumerate(steps):
        there = (place / str(run_id) / RECORD).exists()
        if step == "write" and not there:
            shutil.rmtree(place / str(run_id), ignore_errors=True)
            write(place, run_id)
        elif step == "amend" and (record := next((one for one in anew(place) if one.id == run_id), None)):
            amend(place, replace(record, outcome=f"{count:07}"))
        elif step == "delete":
            shutil.rmtree(place / str(run_id), ignore_errors=True)
        elif step == "damage" and there:
            (place / str(run_id) / RECORD).write_bytes(b"?" * count)
        else:
            assert list(history.runs(place, known)) == anew(place)
    assert list(history.runs(place, known)) == anew(place)
