"""Which memories bear on a question, over real files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.memory import topic
from memd.memory.topic import TopicType
from memd.recall.find import How, RelevantMemory, find_relevant_memories
from memd.recall.shelf import Shelf


def add(memory: Path, name: str, description: str, body: str = "", kind: TopicType = TopicType.FEEDBACK) -> Path:
    path = memory / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(topic.render(name, description, kind, body or description))
    return path


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    directory = tmp_path / "memory"
    add(directory, "no-db-mocks", "integration tests use the real database")
    add(directory, "deploy-window", "never deploy on a Friday afternoon", kind=TopicType.PROJECT)
    add(directory, "team/pagination", "lists are paged by cursor, 列表接口用游标分页")
    (directory / "MEMORY.md").write_text("- [Deploy](deploy-window.md) — deploy deploy deploy\n")
    (directory / "logs").mkdir()
    (directory / "logs" / "day.md").write_text("- 10:00 [feedback] deploy\n")
    return directory


def named(found: list[RelevantMemory]) -> list[str]:
    return [Path(memory.path).stem for memory in found]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with Shelf(tmp_path / "cache", tmp_path / "headers") as opened:
        yield opened


@pytest.mark.parametrize("kept", [True, False])
def test_the_best_match_comes_first_and_index_and_logs_never(memory: Path, shelf: Shelf, *, kept: bool) -> None:
    how = How(shelf=shelf if kept else None)
    found = find_relevant_memories("can I deploy on friday?", memory, how=how)
    assert found == [
        RelevantMemory(
            path=str(memory / "deploy-window.md"), mtime_ms=int((memory / "deploy-window.md").stat().st_mtime * 1_000)
        )
    ]
    assert named(find_relevant_memories("列表接口分页", memory, how=how)) == ["pagination"]
    assert find_relevant_memories("列表接口分页", memory, how=How(team=False)) == []


@pytest.mark.parametrize("query", ["", "   ", "the of", '" OR 1', "NEAR(", "\0", "x" * 100_000, "\udcff"])
def test_questions_of_any_kind_have_an_answer(memory: Path, query: str) -> None:
    assert find_relevant_memories(query, memory) == []


def test_what_was_shown_already_is_left_out(memory: Path) -> None:
    shown = [str(memory / "deploy-window.md")]
    assert find_relevant_memories("deploy on friday", memory, already_surfaced=shown) == []


def test_the_index_follows_the_files(memory: Path, shelf: Shelf) -> None:
    how = How(shelf=shelf)
    assert named(find_relevant_memories("friday", memory, how=how)) == ["deploy-window"]
    add(memory, "deploy-window", "releases are free now")
    os.utime(memory / "deploy-window.md", (1, 1))
    assert find_relevant_memories("friday", memory, how=how) == []
    assert named(find_relevant_memories("releases", memory, how=how)) == ["deploy-window"]
    (memory / "deploy-window.md").unlink()
    assert find_relevant_memories("releases", memory, how=how) == []


def test_a_broken_index_costs_nothing_but_time(memory: Path, shelf: Shelf, tmp_path: Path) -> None:
    how = How(shelf=shelf)
    find_relevant_memories("deploy", memory, how=how)
    (index,) = (tmp_path / "cache").iterdir()
    assert index.stat().st_mode & 0o777 == 0o600
    index.write_bytes(b"no database" * 1_000)
    for _ in range(2):
        assert named(find_relevant_memories("deploy", memory, how=how)) == ["deploy-window"]


def test_a_missing_directory_has_no_memories(tmp_path: Path) -> None:
    assert find_relevant_memories("deploy", tmp_path / "nowhere") == []


def test_no_more_than_five(tmp_path: Path) -> None:
    for number in range(9):
        add(tmp_path, f"rule-{number}", "always lint")
    found = find_relevant_memories("lint", tmp_path)
    assert named(found) == [f"rule-{number}" for number in range(5)]  # equal ones by name


def test_behind_its_deadline_it_says_so(memory: Path) -> None:
    with pytest.raises(TimeoutError):
        find_relevant_memories("deploy", memory, deadline=time.monotonic() - 1)


def test_how_to_use_a_tool_in_use_is_left_out_and_its_traps_are_not(tmp_path: Path) -> None:
    add(tmp_path, "kubectl-usage", "kubectl: contexts are named after clusters", kind=TopicType.REFERENCE)
    add(tmp_path, "kubectl-trap", "kubectl exec fails silently on the bastion", kind=TopicType.REFERENCE)
    ask = "which kubectl context"
    assert set(named(find_relevant_memories(ask, tmp_path))) == {"kubectl-usage", "kubectl-trap"}
    assert named(find_relevant_memories(ask, tmp_path, recent_tools=["kubectl"])) == ["kubectl-trap"]
    assert len(find_relevant_memories(ask, tmp_path, recent_tools=["mcp__grafana__query"])) == 2


def test_a_model_chooses_among_what_there_is(memory: Path) -> None:
    told: list[str] = []

    def choose(_query: str, headers: object, _deadline: float) -> list[str]:
        told.extend(header.path for header in headers)  # type: ignore[attr-defined]
        return ["team/pagination.md", "invented.md", "team/pagination.md", "no-db-mocks.md"]

    found = find_relevant_memories("anything", memory, how=How(choose=choose))
    assert named(found) == ["pagination", "no-db-mocks"]
    assert set(told) == {"no-db-mocks.md", "deploy-window.md", "team/pagination.md"}


def test_a_model_that_cannot_tell_leaves_it_to_the_words(memory: Path) -> None:
    found = find_relevant_memories("deploy", memory, how=How(choose=lambda *_: None))
    assert named(found) == ["deploy-window"]
    assert find_relevant_memories("deploy", memory, how=How(choose=lambda *_: ())) == []


def test_a_large_directory_is_taken_in_bit_by_bit(tmp_path: Path, shelf: Shelf) -> None:
    memory = tmp_path / "memory"
    for number in range(120):
        add(memory, f"rule-{number}", f"subject {'abcdefg'[number % 7] * 2} rule")
    assert not shelf.prepare(memory, team=False, seconds=0)
    assert not shelf.prepare(memory, team=False, seconds=0)
    assert shelf.prepare(memory, team=False, seconds=0)
    assert named(find_relevant_memories("subject dd", memory, how=How(shelf=shelf)))[0] == "rule-10"


def test_a_listing_is_believed_for_a_while_but_not_against_what_is_seen(memory: Path, tmp_path: Path) -> None:
    now = [0.0]
    with Shelf(tmp_path / "cache", patience=30, monotonic=lambda: now[0]) as shelf:
        for path in (memory, memory / "team"):
            os.utime(path, (1, 1))
        first = shelf.topics(memory, team=True)
        assert shelf.topics(memory, team=True) is first
        (memory / "team" / "pagination.md").write_text("---\nname: x\n---\nlonger than it was before, by far" * 9)
        assert shelf.topics(memory, team=True) is first  # in place: that is found later
        now[0] = 31.0
        assert shelf.topics(memory, team=True) != first
        for path in (memory, memory / "team"):
            os.utime(path, (1, 1))
        before = shelf.topics(memory, team=True)
        add(memory, "team/new", "something new")
        assert len(shelf.topics(memory, team=True)) == len(before) + 1


def test_indexes_are_closed_when_there_are_too_many(tmp_path: Path) -> None:
    with Shelf(tmp_path / "cache") as shelf:
        for number in range(9):
            add(tmp_path / str(number), f"rule-{number}", "always lint")
        for number in [*range(9), 0]:
            found = find_relevant_memories("lint", tmp_path / str(number), how=How(shelf=shelf))
            assert named(found) == [f"rule-{number}"]
        assert len(list((tmp_path / "cache").iterdir())) == 9


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems have no such names")
def test_a_name_that_is_no_utf8_keeps_nothing_from_being_found(memory: Path, shelf: Shelf) -> None:
    (memory / os.fsdecode(b"odd_\xff.md")).write_text("never deploy on a Friday afternoon")
    for _ in range(2):  # once as the index is made, once as it is found
        assert named(find_relevant_memories("deploy", memory, how=How(shelf=shelf))) == ["deploy-window"]
        shelf.close()
