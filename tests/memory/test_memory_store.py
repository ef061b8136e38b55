"""The one transaction: all or nothing per file, everything exactly once, theirs wins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd import files
from memd.errors import LeaseLostError
from memd.memory import journal, log, steps, store
from memd.memory.journal import What
from memd.memory.log import Bullet
from memd.memory.workspace import Change
from tests.fakes import transaction as example

SCRIPT = Path(example.__file__)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    example.lay_out(tmp_path)
    return tmp_path


def contents(memory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(memory)): path.read_bytes() for path in memory.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The directory as it is after an undisturbed transaction."""
    directory = tmp_path_factory.mktemp("new")
    example.lay_out(directory)
    example.apply(directory)
    return contents(directory / "memory")


def test_applies_files_index_and_bullets(place: Path) -> None:
    applied = example.apply(place)
    kept = example.CHANGES[2].after
    assert contents(place / "memory") == {
        "MEMORY.md": "# Notes by hand\n\n- [Kept](user_kept.md) — changed\n- [New](sub/user_new.md) — new\n".encode(),
        "sub/user_new.md": example.CHANGES[0].after,
        "user_kept.md": kept,
        example.LOG: b"- 09:00 [note] earlier\n" + example.LINES,
    }
    assert (applied.run_id, applied.outcome, applied.conflicts, applied.bullets) == (1, "saved", (), 2)
    assert [(file.path, file.what) for file in applied.files] == [
        ("sub/user_new.md", What.CREATED),
        ("user_gone.md", What.DELETED),
        ("user_kept.md", What.UPDATED),
        ("MEMORY.md", What.UPDATED),
    ]
    assert (place / "cursors").read_text() == "applied 1\n"


def test_what_was_written_is_as_old_as_its_contents_and_what_a_person_saved_since_is_not(place: Path) -> None:
    applied = example.apply(place)
    theirs = place / "memory" / "user_kept.md"
    theirs.write_bytes(b"Ada's")
    before = theirs.stat().st_mtime_ns
    store.keep_ages(place / "memory", applied, {"sub/user_new.md": 7.0, "user_kept.md": 7.0, "user_gone.md": 7.0})
    assert (place / "memory" / "sub" / "user_new.md").stat().st_mtime == 7.0
    assert theirs.stat().st_mtime_ns == before


def test_a_file_that_is_saved_while_its_date_is_set_is_of_now(place: Path) -> None:
    file = place / "memory" / "user_kept.md"
    answers = iter([True, False])
    with files.open_directory(file.parent) as memory:
        steps.keep_age(memory, file.name, 7.0, lambda _: next(answers))
    assert file.stat().st_mtime > 7.0


def test_history_is_for_the_owner_alone(place: Path) -> None:
    example.apply(place)
    assert {path.stat().st_mode & 0o077 for path in (place / "history").rglob("*")} == {0}
    assert (place / "history").stat().st_mode & 0o077 == 0


def test_a_finished_run_has_a_record_and_no_entry(place: Path) -> None:
    example.apply(place)
    names = {path.name for path in (place / "history" / "1").iterdir()}
    assert names == {"record.json", "before", "after", "log"}
    assert example.recover(place) == ()


def test_a_missing_directory_is_made_for_the_owner_alone(tmp_path: Path) -> None:
    change = replace(example.CHANGES[0], path="user_new.md")
    store.apply(tmp_path / "a" / "memory", (change,), run=example.NOTE, history=tmp_path / "history")
    assert sorted(contents(tmp_path / "a" / "memory")) == ["MEMORY.md", "user_new.md"]
    assert (tmp_path / "a" / "memory").stat().st_mode & 0o777 == 0o700


def test_nothing_to_do_touches_nothing_and_is_on_record(place: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (place / "memory").rglob("*")}
    applied = store.apply(place / "memory", (), run=example.NOTE, history=place / "history")
    assert applied.outcome == "nothing"
    assert {path: path.stat().st_mtime_ns for path in (place / "memory").rglob("*")} == before
    assert (place / "history" / "1" / "record.json").exists()


def test_a_change_that_stands_already_is_not_written_again(place: Path) -> None:
    example.apply(place)
    index = (place / "memory" / "MEMORY.md").stat()
    applied = store.apply(place / "memory", example.CHANGES, run=example.NOTE, history=place / "history")
    assert (applied.outcome, applied.files, applied.conflicts) == ("nothing", (), ())
    assert (place / "memory" / "MEMORY.md").stat().st_mtime_ns == index.st_mtime_ns


def test_a_topic_edited_meanwhile_wins_and_the_change_becomes_an_open_bullet(place: Path) -> None:
    (place / "memory" / "user_kept.md").write_bytes(b"by hand")
    (place / "memory" / "sub").mkdir()
    (place / "memory" / "sub" / "user_new.md").write_bytes(b"also by hand")
    applied = example.apply(place)
    assert [change.path for change in applied.conflicts] == ["sub/user_new.md", "user_kept.md"]
    assert (place / "memory" / "user_kept.md").read_bytes() == b"by hand"
    assert (place / "memory" / "sub" / "user_new.md").read_bytes() == b"also by hand"
    bullets = log.parse((place / "memory" / example.LOG).read_bytes())[1:]
    assert [(bullet.type, bullet.text, bullet.state) for bullet in bullets] == [
        ("note", "open", log.BulletState.OPEN),
        ("user", "new", log.BulletState.OPEN),
        ("user", "changed", log.BulletState.OPEN),
    ]


@pytest.mark.parametrize("obstacle", ["link", "pipe", "directory", "hard link"])
def test_something_odd_in_the_way_is_a_conflict(place: Path, obstacle: str) -> None:
    path = place / "memory" / "user_kept.md"
    outside = place / "outside"
    outside.write_bytes(example.OLD["user_kept.md"])
    path.unlink()
    match obstacle:
        case "link":
            path.symlink_to(outside)
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            os.link(outside, path)
    applied = example.apply(place)
    assert [change.path for change in applied.conflicts] == ["user_kept.md"]
    assert outside.read_bytes() == example.OLD["user_kept.md"]


def test_lines_added_to_the_index_meanwhile_stay(place: Path) -> None:
    with (place / "memory" / "MEMORY.md").open("ab") as file:
        file.write(b"\nBy hand, at the last moment.\n")
    example.apply(place)
    index = (place / "memory" / "MEMORY.md").read_text()
    assert "By hand, at the last moment.\n" in index
    assert index.startswith("# Notes by hand\n")
    assert "(user_gone.md)" not in index
    assert "(sub/user_new.md)" in index


def test_a_proposed_index_is_never_taken(place: Path) -> None:
    forged = Change(path="MEMORY.md", before=example.OLD["MEMORY.md"], after=b"forged")
    applied = store.apply(place / "memory", (forged,), run=example.NOTE, history=place / "history")
    assert applied.files == ()
    assert contents(place / "memory") == example.OLD


@pytest.mark.parametrize("path", ["../out.md", "/out.md", "a/../../out.md", "x\0.md", "linked/out.md"])
def test_a_path_that_leads_out_changes_nothing_outside(place: Path, path: str) -> None:
    (place / "elsewhere").mkdir()
    (place / "memory" / "linked").symlink_to(place / "elsewhere")
    applied = store.apply(
        place / "memory",
        (Change(path=path, before=None, after=b"x"),),
        run=example.NOTE,
        history=place / "history",
    )
    assert [change.path for change in applied.conflicts] == [path]
    assert list((place / "elsewhere").iterdir()) == []
    assert not (place / "out.md").exists()


def test_two_appliers_at_once_both_land(tmp_path: Path) -> None:
    memory, history = tmp_path / "memory", tmp_path / "history"
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(8):
                path = f"user_{name}_{number}.md"
                change = Change(path=path, before=None, after=example.topic_file(f"{name}{number}", name))
                bullet = Bullet(type="user", text=path)
                store.apply(memory, (change,), bullets=(bullet,), run=example.NOTE, history=history)
        except BaseException as error:  # noqa: BLE001 - reported by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(list(memory.glob("user_*.md"))) == 24
    assert (memory / "MEMORY.md").read_text().count("](user_") == 24
    assert len((memory / example.LOG).read_text().splitlines()) == 24
    assert sorted(int(path.name) for path in history.iterdir()) == list(range(1, 25))


@pytest.fixture
def quick() -> Iterator[Path]:
    with example.quick_directory() as directory:
        yield directory


def swept(root: Path, *arguments: str) -> list[Path]:
    """The directories of transactions that were broken off, one for each place."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(root), *arguments], check=True, capture_output=True, text=True
    )
    return [root / name for name in done.stdout.split()]


def assert_each_file_is_old_or_new(memory: Path, new: dict[str, bytes]) -> None:
    for path, data in contents(memory).items():
        if not files.TEMPORARY.fullmatch(path.rpartition("/")[2]):
            assert data in {example.OLD.get(path), new.get(path)}, path
    for path in example.OLD.keys() & new.keys():
        assert (memory / path).exists(), path


DEEP = [pytest.param(f"error={code}", marks=pytest.mark.deep) for code in ("EIO", "EMFILE", "EACCES")]


@pytest.mark.parametrize("action", ["kill", "error=ENOSPC", *DEEP])
def test_broken_off_anywhere_it_is_whole_after_recovery(quick: Path, new: dict[str, bytes], action: str) -> None:
    places = swept(quick, action)
    assert len(places) > 60
    outcomes = set()
    for place in places:
        assert_each_file_is_old_or_new(place / "memory", new)
        example.recover(place)
        assert example.recover(place) == ()
        now = contents(place / "memory")
        assert now in (new, example.OLD), place.name
        moved = (place / "cursors").exists()
        assert moved == (now == new), place.name
        outcomes.add(moved)
        left = {path.name for path in (place / "history").rglob("*")} if (place / "history").exists() else set()
        assert "entry.json" not in left
        assert not any(files.TEMPORARY.fullmatch(name) for name in left), place.name
    assert outcomes == {True, False}


@pytest.mark.parametrize(
    "first",
    [
        "store.before_bullets",
        pytest.param("store.journalled", marks=pytest.mark.deep),
        pytest.param("store.appended_bullets", marks=pytest.mark.deep),
    ],
)
def test_a_recovery_broken_off_anywhere_is_recovered_again(quick: Path, new: dict[str, bytes], first: str) -> None:
    places = swept(quick, "kill", first)
    assert len(places) > 5
    for place in places:
        assert_each_file_is_old_or_new(place / "memory", new)
        example.recover(place)
        assert contents(place / "memory") == new, place.name
        assert "recovered {'offset': 7}" in (place / "cursors").read_text()


def broken_off(place: Path, failpoint: str) -> None:
    """Kill the transaction at a failpoint, in a process of its own."""
    code = "import sys, pathlib; from tests.fakes import transaction as t; t.apply(pathlib.Path(sys.argv[1]))"
    environment = {**os.environ, "MEMD_FAILPOINT": f"{failpoint}:kill", "PYTHONPATH": str(SCRIPT.parents[2])}
    done = subprocess.run([sys.executable, "-c", code, str(place)], check=False, env=environment)
    assert done.returncode == -9


def test_what_a_person_edited_before_the_recovery_is_left_to_them(place: Path, new: dict[str, bytes]) -> None:
    broken_off(place, "store.journalled")
    (place / "memory" / "user_kept.md").write_bytes(b"by hand")
    (recovered,) = example.recover(place)
    assert (recovered.run_id, recovered.left, recovered.problem) == (1, ("user_kept.md",), None)
    now = contents(place / "memory")
    assert now["user_kept.md"] == b"by hand"
    assert now["sub/user_new.md"] == new["sub/user_new.md"]
    assert now[example.LOG] == new[example.LOG]
    assert b"(sub/user_new.md)" in now["MEMORY.md"]
    assert (place / "cursors").read_text() == "recovered {'offset': 7}\n"


def test_an_index_edited_before_the_recovery_is_merged(place: Path) -> None:
    broken_off(place, "store.before_bullets")
    index = place / "memory" / "MEMORY.md"
    index.write_bytes(index.read_bytes() + b"\nBy hand.\n")
    example.recover(place)
    assert index.read_text().endswith("- [New](sub/user_new.md) — new\n\nBy hand.\n")


def test_bullets_are_not_doubled_when_others_have_appended_since(place: Path) -> None:
    broken_off(place, "store.appended_bullets")
    with (place / "memory" / example.LOG).open("ab") as file:
        file.write(b"- 11:00 [note] by hand\n")
    example.recover(place)
    lines = (place / "memory" / example.LOG).read_bytes()
    assert lines == b"- 09:00 [note] earlier\n" + example.LINES + b"- 11:00 [note] by hand\n"


def test_bullets_torn_by_a_power_cut_are_completed(place: Path) -> None:
    broken_off(place, "store.before_bullets")
    with (place / "memory" / example.LOG).open("ab") as file:
        file.write(b"\n" + example.LINES[:17])
    example.recover(place)
    assert (place / "memory" / example.LOG).read_bytes() == b"- 09:00 [note] earlier\n" + example.LINES


def test_a_memory_directory_that_is_gone_stays_gone(place: Path) -> None:
    broken_off(place, "store.journalled")
    (place / "memory").rename(place / "moved")
    (recovered,) = example.recover(place)
    assert len(recovered.left) == 3
    assert not (place / "memory").exists()
    assert (place / "cursors").exists()


def test_a_damaged_journal_is_reported_and_stops_nothing(place: Path) -> None:
    broken_off(place, "store.journalled")
    shutil.copytree(place / "history" / "1", place / "history" / "2")
    (place / "history" / "1" / "entry.json").write_text("{")
    damaged, fine = store.recover(place / "history", lambda _: None)
    assert damaged.run is None
    assert damaged.problem is not None
    assert fine.problem is None


def test_a_run_that_is_still_worked_on_is_passed_over(place: Path) -> None:
    broken_off(place, "store.journalled")
    with journal.existing_run(place / "history", 1):
        assert example.recover(place) == ()
    assert len(example.recover(place)) == 1


def test_a_failed_commit_leaves_the_run_to_recovery(place: Path, new: dict[str, bytes]) -> None:
    def fail(_: store.Applied) -> None:
        raise LeaseLostError

    with pytest.raises(LeaseLostError):
        store.apply(
            place / "memory",
            example.CHANGES,
            bullets=example.BULLETS,
            run=example.NOTE,
            history=place / "history",
            commit=fail,
        )
    assert len(example.recover(place)) == 1
    assert contents(place / "memory") == new
