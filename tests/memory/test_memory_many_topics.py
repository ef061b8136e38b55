"""More topics than an index can hold: on real files, through scan and rebuild, as a pass does it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memd.memory import index, topic
from memd.memory.scan import TopicHeader, scan
from memd.memory.topic import TopicType

HAND_WRITTEN = b"# What we know\n\nRead the runbook first.\n"
DESCRIPTION = "what is to be known of it, in words that fill a line as such lines are filled by a pass in practice"


def filled(memory: Path, count: int, *, descriptions: str = DESCRIPTION) -> tuple[TopicHeader, ...]:
    """Topics of all four types in turn; the higher the number, the newer."""
    memory.mkdir()
    kinds = list(TopicType)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        path = memory / f"{kind.value}_{number}.md"
        path.write_bytes(topic.render(f"topic-{number}", descriptions, kind, "x"))
        os.utime(path, (number + 1, number + 1))
    return scan(memory)


def listed(data: bytes) -> list[str]:
    return [entry.path for entry in index.parse(data)]


@pytest.mark.parametrize(
    ("count", "descriptions"), [(250, "short"), (250, DESCRIPTION), (1_000, "short"), (1_000, DESCRIPTION)]
)
def test_feedback_and_user_then_the_newest(tmp_path: Path, count: int, descriptions: str) -> None:
    headers = filled(tmp_path / "memory", count, descriptions=descriptions)
    data = index.rebuild(HAND_WRITTEN, headers)
    assert data.startswith(HAND_WRITTEN)
    assert index.truncate(data).warning is None
    kept = listed(data)
    ranked = [
        header.path
        for wanted in (TopicType.FEEDBACK, TopicType.USER, None)
        for header in headers
        if (header.type == wanted if wanted else header.type not in {TopicType.FEEDBACK, TopicType.USER})
    ]
    assert set(kept) == set(ranked[: len(kept)])
    assert len(kept) == len(set(kept))
    last = data.decode().splitlines()[-1]
    assert last == f"{count - len(kept)} older memories are not listed here; `memd list` shows all."


@pytest.mark.parametrize("count", [250, 1_000])
def test_as_many_as_fit(tmp_path: Path, count: int) -> None:
    headers = filled(tmp_path / "memory", count, descriptions="short")
    data = index.rebuild(b"", headers)
    assert data.count(b"\n") == index.LINE_LIMIT
    long = [TopicHeader(path=h.path, name=h.name, description=DESCRIPTION, type=h.type, mtime=h.mtime) for h in headers]
    full = index.rebuild(b"", long)
    widest = max(len(line) for line in full.splitlines()) + 1
    assert index.BYTE_LIMIT - 2 * widest < len(full) <= index.BYTE_LIMIT


@pytest.mark.parametrize("count", [250, 1_000])
def test_nothing_moves_when_nothing_is_new(tmp_path: Path, count: int) -> None:
    headers = filled(tmp_path / "memory", count)
    data = index.rebuild(HAND_WRITTEN, headers)
    assert index.rebuild(data, headers) == data


def test_a_new_topic_takes_the_place_of_the_oldest_of_the_least(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    before = index.rebuild(b"", filled(memory, 250))
    path = memory / "feedback_new.md"
    path.write_bytes(topic.render("new", DESCRIPTION, TopicType.FEEDBACK, "x"))
    after = index.rebuild(before, scan(memory))
    assert "feedback_new.md" in listed(after)
    gone = set(listed(before)) - set(listed(after))
    assert 1 <= len(gone) <= 2  # its line may be the longer
    assert all(re.fullmatch(r"(project|reference)_\d+\.md", name) for name in gone)


def test_once_they_fit_again_all_are_listed_and_the_last_line_goes(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    before = index.rebuild(HAND_WRITTEN, filled(memory, 250))
    for path in sorted(memory.iterdir())[100:]:
        path.unlink()
    after = index.rebuild(before, scan(memory))
    assert (len(listed(after)), b"older" in after) == (100, False)
