"""memd's own repository damaged or gone: put aside and made anew, and what was edited here is still an edit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.team import clone
from memd.team import git as git_room
from memd.team.git import Repository
from memd.team.nouns import Outcome
from tests.fakes.git_remote import Server, git
from tests.fakes.team_home import Machine, long_text, memory

Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()


@pytest.fixture
def mates(pair: Pairs) -> tuple[Machine, Machine]:
    """Ana has sent an edit and a deletion; bo has an edit of his own, a new file, and a deletion."""
    ana, bo = pair("api.md", "ui.md", "gone.md", "ours.md")
    ana.write("api.md", ana.files()["api.md"].replace(b"Line 2 ", b"Ana's line "))
    ana.remove("gone.md")
    assert ana.sync().in_order
    bo.write("api.md", bo.files()["api.md"].replace(b"Line 17 ", b"Bo's line "))
    bo.write("bo.md", memory("bo", LONG))
    bo.remove("ours.md")
    return ana, bo


def objects(mate: Machine) -> Iterator[Path]:
    found = (mate.membership.repository / "objects").rglob("*")
    return (one for one in found if one.is_file())


def garble_objects(mate: Machine) -> None:
    for one in objects(mate):
        one.chmod(0o644)
        one.write_bytes(os.urandom(20))


def empty_objects(mate: Machine) -> None:
    for one in objects(mate):
        one.chmod(0o644)
        one.write_bytes(b"")


def lose_objects(mate: Machine) -> None:
    for one in objects(mate):
        one.unlink()


def lose_refs(mate: Machine) -> None:
    shutil.rmtree(mate.membership.repository / "refs")


def garble_refs(mate: Machine) -> None:
    for one in (mate.membership.repository / "refs" / "memd").iterdir():
        one.write_bytes(b"\x00\x01")


def lose_head(mate: Machine) -> None:
    (mate.membership.repository / "HEAD").unlink()


def lose_repository(mate: Machine) -> None:
    shutil.rmtree(mate.membership.repository)


def garble_config(mate: Machine) -> None:
    (mate.membership.repository / "config").write_bytes(b"[core\n")


DAMAGES = [
    *(garble_objects, empty_objects, lose_objects, lose_refs, garble_refs, lose_head, lose_repository, garble_config)
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_mended_and_edits_stay_edits(
    mates: tuple[Machine, Machine], remote: Path, damage: Callable[[Machine], None]
) -> None:
    ana, bo = mates
    damage(bo)
    report = bo.sync()
    assert report.in_order, report
    assert report.conflicts == ()
    assert ana.sync().in_order
    files = ana.files()
    assert files == bo.files()
    assert sorted(files) == ["api.md", "bo.md", "ui.md"]
    assert {b"Ana's line" in files["api.md"], b"Bo's line" in files["api.md"]} == {True}
    for mate in mates:
        assert mate.sync().outcome is Outcome.NOTHING
    git(remote, "fsck", "--strict")


def test_what_was_damaged_is_put_aside_and_named(mates: tuple[Machine, Machine]) -> None:
    _, bo = mates
    garble_objects(bo)
    report = bo.sync()
    assert report.repaired is not None
    assert Path(report.repaired).is_dir()
    assert bo.sync().repaired is None


def test_damage_while_offline_waits_for_the_remote(mates: tuple[Machine, Machine], daemon: Server) -> None:
    ana, bo = mates
    empty_objects(bo)
    before = bo.files()
    daemon.stop()
    try:
        assert bo.sync().outcome is Outcome.OFFLINE
        assert bo.sync().outcome is Outcome.OFFLINE
    finally:
        daemon.start()
    assert bo.files() == before
    assert bo.sync().in_order
    assert ana.sync().in_order
    assert ana.files() == bo.files()
    assert "ours.md" not in bo.files()


def test_unsent_edits_of_a_damaged_repository_are_in_the_files(mates: tuple[Machine, Machine], daemon: Server) -> None:
    ana, bo = mates
    daemon.stop()
    try:
        assert bo.sync().outcome is Outcome.OFFLINE  # they are in the repository now, and nowhere else but in team/
    finally:
        daemon.start()
    empty_objects(bo)
    assert bo.sync().in_order
    assert ana.sync().in_order
    files = ana.files()
    assert files == bo.files()
    assert {b"Ana's line" in files["api.md"], b"Bo's line" in files["api.md"]} == {True}
    assert "bo.md" in files


def test_what_was_held_back_when_it_was_damaged_takes_back_no_edit(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    before = ana.files()["ui.md"]
    ana.write("ui.md", before + b"ghp_0123456789abcdefghijABCDEFGHIJ012345\n")
    bo.write("ui.md", before.replace(b"Line 17 ", b"Bo's line "))
    assert bo.sync().in_order
    assert [one.path for one in ana.sync().held] == ["ui.md"]
    lose_repository(ana)
    assert [one.path for one in ana.sync().held] == ["ui.md"]
    ana.write("ui.md", before)
    assert [one.path for one in ana.sync().conflicts] == ["ui.md"]
    assert bo.sync().in_order
    assert ana.files() == bo.files()
    assert b"Bo's line" in bo.files()["ui.md"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"version": 99}', b"\xff\x00"], ids=["empty", "half", "newer", "bytes"]
)
def test_a_base_that_cannot_be_read_loses_nothing(mates: tuple[Machine, Machine], content: bytes) -> None:
    """What differs may be an edit of either side's: the remote's stands, the other is in the history."""
    ana, bo = mates
    (bo.membership.directory / "base.json").write_bytes(content)
    report = bo.sync()
    assert report.in_order
    assert ana.sync().in_order
    files = ana.files()
    assert files == bo.files()
    assert "bo.md" in files
    told = b"".join(one.read_bytes() for one in bo.paths.history.rglob("before/team/api.md"))
    assert b"Bo's line" in files["api.md"] or b"Bo's line" in told
    assert b"Ana's line" in files["api.md"]


def test_what_killed_processes_left_is_cleared_away(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    repository = bo.membership.repository
    left = [repository / "refs" / "memd" / "live.lock", repository / "packed-refs.lock", repository / "config.lock"]
    left += [repository / "objects" / "pack" / "tmp_pack_abc", repository.with_suffix(".new")]
    for one in left[:-1]:
        one.parent.mkdir(exist_ok=True)
        one.write_bytes(b"x" * 1000)
    left[-1].mkdir()
    assert bo.sync().in_order
    assert not any(one.exists() for one in left[:-1])
    assert ana.sync().in_order
    assert ana.files() == bo.files()


@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_what_stands_in_a_files_place_holds_up_nothing_else(mates: tuple[Machine, Machine], kind: str) -> None:
    ana, bo = mates
    path = "zz/a.md" if kind == "file" else "a.md"
    ana.write(path, memory("a", LONG))
    assert ana.sync().in_order
    there = bo.team / path.partition("/")[0]
    if kind == "directory":
        there.mkdir()
    elif kind == "link":
        there.symlink_to("/etc/passwd")
    else:
        there.touch()
    report = bo.sync()
    assert (report.outcome, report.sent) == (Outcome.SYNCED, ("api.md", "bo.md", "ours.md"))
    assert path in {one.path for one in report.held}
    assert bo.sync().sent == ()
    there.rmdir() if kind == "directory" else there.unlink()
    assert bo.sync().received == (path,)
    assert ana.sync().in_order
    assert ana.files() == bo.files()


def test_a_state_directory_that_takes_nothing_is_said_so(mates: tuple[Machine, Machine]) -> None:
    _, bo = mates
    before = bo.files()
    directory = bo.membership.directory
    shutil.rmtree(directory)
    directory.write_bytes(b"")
    report = bo.sync()
    assert report.outcome is Outcome.UNWRITABLE
    assert report.reason
    assert bo.files() == before


def test_a_git_that_may_not_write_is_said_so(
    mates: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, bo = mates
    stub(
        tmp_path,
        monkeypatch,
        "fast-import",
        "echo 'fatal: cannot create temporary file: Permission denied' >&2; exit 1",
    )
    report = bo.sync()
    assert report.outcome is Outcome.UNWRITABLE
    assert "Permission denied" in (report.reason or "")
    assert report.repaired is None


def stub(place: Path, monkeypatch: pytest.MonkeyPatch, verb: str, script: str) -> None:
    """A git that does something else at one of its commands."""
    git = place / "git"
    git.write_text(f'#!/bin/sh\ncase " $* " in *" {verb} "*) {script};; esac\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")


def test_a_look_that_is_broken_off_finds_no_damage(
    mates: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, bo = mates
    repository = Repository(path=bo.membership.repository, environ=bo.environ)
    assert clone.is_sound(repository)
    stub(tmp_path, monkeypatch, "fsck", f"head -c {git_room.OUTPUT + 1} /dev/zero; exit 1")
    assert clone.is_sound(replace(repository, environ=bo.environ))
    stub(tmp_path, monkeypatch, "fsck", "exit 1")
    assert not clone.is_sound(replace(repository, environ=bo.environ))


def test_tidying_that_fails_hides_no_other_trouble(mates: tuple[Machine, Machine]) -> None:
    _, bo = mates
    packs = bo.membership.repository / "objects" / "pack"
    shutil.rmtree(packs)
    packs.write_bytes(b"")
    clone.tidy(bo.membership, Repository(path=bo.membership.repository, environ=bo.environ))


@pytest.mark.deep
def test_many_syncs_leave_a_tidy_repository(pair: Pairs) -> None:
    ana, bo = pair("api.md")
    for number in range(35):
        ana.write("api.md", memory("api", f"Edit {number}."))
        assert ana.sync().in_order
        assert bo.sync().in_order
    packs = list((bo.membership.repository / "objects" / "pack").glob("*.pack"))
    assert len(packs) <= 31
    assert ana.files() == bo.files()


def test_a_damaged_repository_is_noticed_without_an_edit(pair: Pairs) -> None:
    ana, bo = pair("api.md")
    garble_objects(bo)
    ana.write("ui.md", memory("ui", LONG))
    assert ana.sync().in_order
    assert bo.sync().received == ("ui.md",)
    assert ana.files() == bo.files()
    assert bo.sync().outcome is Outcome.NOTHING
