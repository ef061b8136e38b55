"""A memory directory moves whole, or not at all; its history comes along."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import files
from memd.errors import LockedError, RefusedError
from memd.memory import history, journal, moving, store, topic
from memd.memory.journal import RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change

AT = datetime(2026, 4, 1, tzinfo=UTC)
LONG_AGO = 1_000_000_000


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A memory with a topic, a log and a lock of the dream."""
    memory = tmp_path / "old" / "memory"
    for path, text in {
        "MEMORY.md": "- x\n",
        "a.md": "one",
        "logs/2026/04/2026-04-01.md": "- 1\n",
        "sub/b.md": "",
    }.items():
        (memory / path).parent.mkdir(parents=True, exist_ok=True)
        (memory / path).write_text(text)
    (memory / ".consolidate-lock").touch()
    (memory / "a.md").chmod(0o640)
    os.utime(memory / "a.md", (LONG_AGO, LONG_AGO))
    return memory


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return tmp_path / "new" / "memory"


def contents(directory: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        path.relative_to(directory).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("there", ["nothing", "empty", "lock"])
def test_all_of_it_moves_with_its_ages(old: Path, new: Path, there: str) -> None:
    if there != "nothing":
        new.mkdir(parents=True)
    if there == "lock":
        (new / ".consolidate-lock").touch()
    before = contents(old)
    moving.move(old, new)
    assert contents(new) == before
    assert not old.exists()


def test_where_both_hold_memory_nothing_moves(old: Path, new: Path) -> None:
    new.mkdir(parents=True)
    (new / "b.md").touch()
    before = contents(old)
    with pytest.raises(RefusedError):
        moving.move(old, new)
    assert (contents(old), list(contents(new))) == (before, ["b.md"])


def test_while_somebody_writes_there_nothing_moves(old: Path, new: Path) -> None:
    with files.open_directory(old) as held, files.locked(held), pytest.raises(LockedError):
        moving.move(old, new, patience=0.0)
    assert old.exists()


def test_a_link_is_not_moved(old: Path, new: Path) -> None:
    old.rename(old.with_name("real"))
    old.symlink_to(old.with_name("real"))
    with pytest.raises(RefusedError):
        moving.move(old, new)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A directory on another file system."""
    here = tmp_path.stat().st_dev
    for place in (Path("/dev/shm"), Path("/var/tmp"), Path("/tmp")):  # noqa: S108 - those that are nearly everywhere
        if place.is_dir() and place.stat().st_dev != here:
            return place
    pytest.skip("there is no second file system")


@pytest.fixture
def far(elsewhere: Path) -> Path:
    return elsewhere / f"memd-test-{os.getpid()}-{os.urandom(4).hex()}" / "memory"


def test_across_file_systems_a_verified_copy_takes_its_place(old: Path, far: Path) -> None:
    before = contents(old)
    try:
        moving.move(old, far)
        assert contents(far) == before
        assert not old.exists()
        assert [path.name for path in far.parent.iterdir()] == ["memory"]
    finally:
        for path in sorted(far.parent.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        far.parent.rmdir()


def test_what_cannot_be_copied_stays_and_leaves_nothing_behind(old: Path, far: Path) -> None:
    (old / "link.md").symlink_to("a.md")
    before = contents(old)
    try:
        with pytest.raises(RefusedError):
            moving.move(old, far)
        assert contents(old) == before
        assert list(far.parent.iterdir()) == []
    finally:
        far.parent.rmdir()


def saved(memory: Path, past: Path) -> int:
    data = topic.render("a", "new", TopicType.USER, "two")
    applied = store.apply(
        memory,
        [Change(path="user_a.md", before=None, after=data)],
        run=RunNote(kind="extract", started=AT, ended=AT, project="/was"),
        history=past,
    )
    return applied.run_id


def test_after_the_move_a_run_can_be_undone_in_the_new_place(old: Path, new: Path, tmp_path: Path) -> None:
    past = tmp_path / "history"
    mine, others = saved(old, past), saved(tmp_path / "other", past)
    moving.move(old, new)
    assert moving.relabel(past, old=old, new=new, root=Path("/now")) == 1
    record = history.load(mine, history=past)
    assert (record.memory_dir, record.run.project) == (str(new), "/now")
    assert history.load(others, history=past).memory_dir == str(tmp_path / "other")
    history.undo(mine, history=past, now=AT)
    assert not (new / "user_a.md").exists()
    assert not old.exists()


def test_a_run_that_is_not_finished_is_in_the_way(old: Path, tmp_path: Path) -> None:
    past = tmp_path / "history"
    number = saved(old, past)
    moving.require_finished(past, old)
    with journal.existing_run(past, number) as run_fd:
        journal.write_entry(run_fd, history.load(number, history=past))
    moving.require_finished(past, tmp_path / "other")
    with pytest.raises(LockedError):
        moving.require_finished(past, old)
