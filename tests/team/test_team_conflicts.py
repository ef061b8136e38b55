"""Where two edited the same the remote's stands, the other is kept and flagged; an edit beats a deletion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memd.memory import history, log
from memd.team.nouns import Outcome
from tests.fakes.git_remote import git
from tests.fakes.team_home import BRANCH, Machine, long_text, memory

Machines = Callable[[str], Machine]
Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()
TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"[:36]


@pytest.fixture
def mates(pair: Pairs) -> tuple[Machine, Machine]:
    """Two machines that both have the same file."""
    return pair("api.md")


def edit(mate: Machine, new: bytes, path: str = "api.md") -> None:
    mate.write(path, mate.files()[path].replace(b"Line 5 of what we agreed on", new))


def logged(mate: Machine) -> str:
    return "".join(one.read_text() for one in mate.memory_dir.glob("logs/*/*/*.md"))


def test_of_two_edits_of_a_line_the_remotes_stands_and_the_other_is_kept(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    edit(ana, b"Ana says so")
    edit(bo, b"Bo says so")
    lost = bo.files()["api.md"]
    assert ana.sync().sent == ("api.md",)
    report = bo.sync()
    assert (report.outcome, report.sent, report.received) == (Outcome.SYNCED, (), ("api.md",))
    assert [one.path for one in report.conflicts] == ["api.md"]
    assert bo.files() == ana.files()
    assert b"Ana says so" in bo.files()["api.md"]
    assert report.run_id is not None
    (change,) = history.changes(history.load(report.run_id, history=bo.paths.history), history=bo.paths.history)
    assert change.before == lost
    (bullet,) = [one for one in logged(bo).splitlines() if "api.md" in one]
    assert f"run {report.run_id}" in bullet
    assert log.parse(logged(bo).encode())[-1].state is log.BulletState.OPEN
    assert bo.sync().outcome is Outcome.NOTHING
    assert ana.sync().outcome is Outcome.NOTHING
    assert not logged(ana)


def test_other_edits_go_on_beside_a_conflict(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    edit(ana, b"Ana says so")
    edit(bo, b"Bo says so")
    bo.write("ui.md", memory("ui", LONG))
    assert ana.sync().in_order
    report = bo.sync()
    assert (report.sent, report.received) == (("ui.md",), ("api.md",))
    assert ana.sync().received == ("ui.md",)
    assert ana.files() == bo.files()


def test_the_edit_that_lost_can_be_brought_back(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    edit(ana, b"Ana says so")
    edit(bo, b"Bo says so")
    assert ana.sync().in_order
    report = bo.sync()
    assert report.run_id is not None
    history.undo(
        report.run_id, history=bo.paths.history, now=history.load(report.run_id, history=bo.paths.history).run.started
    )
    assert bo.sync().sent == ("api.md",)
    assert ana.sync().received == ("api.md",)
    assert b"Bo says so" in ana.files()["api.md"]


@pytest.mark.parametrize("first", ["the deletion", "the edit"])
def test_an_edit_beats_a_deletion(mates: tuple[Machine, Machine], first: str) -> None:
    ana, bo = mates
    ana.remove("api.md")
    edit(bo, b"Bo says so")
    earlier, later = (ana, bo) if first == "the deletion" else (bo, ana)
    assert earlier.sync().sent == ("api.md",)
    assert not later.sync().conflicts
    assert earlier.sync().in_order
    assert ana.files() == bo.files()
    assert b"Bo says so" in ana.files()["api.md"]


def test_both_deleted_is_deleted(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    ana.remove("api.md")
    bo.remove("api.md")
    assert ana.sync().in_order
    report = bo.sync()
    assert (report.sent, report.received, report.conflicts) == ((), (), ())
    assert ana.files() == bo.files() == {}


def test_of_two_new_files_of_one_name_the_remotes_stands(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    ana.write("ui.md", memory("ui", "Ana's idea of it."))
    bo.write("ui.md", memory("ui", "Bo's own, which is another."))
    assert ana.sync().in_order
    report = bo.sync()
    assert [one.path for one in report.conflicts] == ["ui.md"]
    assert ana.files() == bo.files()
    assert b"Ana's" in bo.files()["ui.md"]
    assert "ui.md" in logged(bo)


def test_renamed_to_two_names_is_both(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    (ana.team / "api.md").rename(ana.team / "ana.md")
    (bo.team / "api.md").rename(bo.team / "bo.md")
    assert ana.sync().in_order
    assert bo.sync().in_order
    assert ana.sync().in_order
    assert ana.files() == bo.files()
    assert sorted(bo.files()) == ["ana.md", "bo.md"]


@pytest.mark.deep  # each of these texts is looked through for secrets
def test_a_merge_that_would_be_no_memory_is_a_conflict(mates: tuple[Machine, Machine]) -> None:
    """Each edit is as large as may be, both together are larger."""
    ana, bo = mates
    text = ana.files()["api.md"]
    ana.write("api.md", text.replace(b"Line 5 ", b"Ana's words, again and again.\n" * 5000))
    bo.write("api.md", text.replace(b"Line 15 ", b"Bo's words, again and again.\n" * 5000))
    assert ana.sync().sent == ("api.md",)
    report = bo.sync()
    assert [one.path for one in report.conflicts] == ["api.md"]
    assert ana.files() == bo.files()
    assert b"Ana's words" in bo.files()["api.md"]


def held(mate: Machine) -> list[str]:
    return [one.path for one in mate.sync().held]


def test_a_file_with_a_secret_stays_here_and_the_rest_goes_on(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    edit(ana, TOKEN.encode())
    ana.write("ui.md", memory("ui", LONG))
    ana.write("key.md", memory("key", f"The token is {TOKEN}."))
    report = ana.sync()
    assert report.sent == ("ui.md",)
    assert {one.path: one.rule for one in report.held} == {"api.md": "github-token", "key.md": "github-token"}
    assert TOKEN.encode() in ana.files()["api.md"]
    assert sorted(git(remote, "ls-tree", "-r", "--name-only", BRANCH).split()) == ["api.md", "ui.md"]
    assert bo.sync().received == ("ui.md",)
    assert TOKEN not in git(remote, "log", "-p", "--all")
    again = ana.sync()
    assert (again.outcome, sorted(one.path for one in again.held)) == (Outcome.NOTHING, ["api.md", "key.md"])
    edit_back(ana)
    ana.remove("key.md")
    mended = ana.sync()
    assert (mended.sent, mended.held) == (("api.md",), ())


def edit_back(mate: Machine) -> None:
    mate.write("api.md", mate.files()["api.md"].replace(TOKEN.encode(), b"Mended"))


def test_what_is_held_back_is_not_overwritten_and_merges_later(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    edit(ana, TOKEN.encode())
    bo.write("api.md", bo.files()["api.md"].replace(b"Line 15 ", b"Bo's line "))
    assert bo.sync().in_order
    report = ana.sync()
    assert (report.sent, report.received) == ((), ())
    assert TOKEN.encode() in ana.files()["api.md"]
    assert b"Bo's line" not in ana.files()["api.md"]
    assert held(ana) == ["api.md"]
    ana.write("ui.md", memory("ui", LONG))
    assert ana.sync().sent == ("ui.md",)
    edit_back(ana)
    merged = ana.sync()
    assert (merged.sent, merged.received, merged.conflicts, merged.held) == (("api.md",), ("api.md",), (), ())
    assert bo.sync().in_order
    assert ana.files() == bo.files()
    assert {b"Mended" in bo.files()["api.md"], b"Bo's line" in bo.files()["api.md"]} == {True}


def taken_in_only(mate: Machine) -> None:
    """A sync that finds no remote: the edits are in the repository, and not sent."""
    assert replace(mate, remote="git://127.0.0.1:9/none").sync().outcome is Outcome.OFFLINE


def lose_while_held_back(ana: Machine, bo: Machine) -> bytes:
    """Both edit a line, bo's gets there first, and ana's is in the repository when a secret holds its file back."""
    edit(ana, b"Ana says so")
    lost = ana.files()["api.md"]
    taken_in_only(ana)
    edit(bo, b"Bo says so")
    assert bo.sync().in_order
    ana.write("api.md", lost + TOKEN.encode())
    assert held(ana) == ["api.md"]
    return lost


def merge_while_held_back(ana: Machine, bo: Machine) -> bytes:
    """The same, but bo edits another line, and ana's next sync is still to come."""
    edit(ana, b"Ana says so")
    mine = ana.files()["api.md"]
    taken_in_only(ana)
    bo.write("api.md", bo.files()["api.md"].replace(b"Line 15 ", b"Bo's line "))
    assert bo.sync().in_order
    ana.write("api.md", mine + TOKEN.encode())
    return mine


def test_an_edit_that_lost_while_its_file_was_held_back_is_told_later(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    lost = lose_while_held_back(ana, bo)
    assert held(ana) == ["api.md"]
    ana.write("api.md", lost)
    report = ana.sync()
    assert [one.path for one in report.conflicts] == ["api.md"]
    assert b"Bo says so" in ana.files()["api.md"]
    assert "so said team/api.md here" in logged(ana)
    assert [ana.sync().outcome, bo.sync().outcome] == [Outcome.NOTHING, Outcome.NOTHING]


def test_an_edit_that_lost_while_held_back_stays_where_theirs_goes(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    kept = lose_while_held_back(ana, bo)
    bo.remove("api.md")
    assert bo.sync().in_order
    ana.write("api.md", kept)
    assert ana.sync().sent == ("api.md",)
    assert bo.sync().in_order
    assert ana.files() == bo.files() == {"api.md": kept}


@pytest.mark.parametrize("moment", ["team.saved_base", "team.pushed"])
def test_an_edit_merged_while_held_back_outlives_a_crash(mates: tuple[Machine, Machine], moment: str) -> None:
    ana, bo = mates
    mine = merge_while_held_back(ana, bo)
    assert ana.killed(moment)
    ana.write("api.md", mine)
    report = ana.sync()
    assert (report.received, report.conflicts) == (("api.md",), ())
    assert bo.sync().in_order
    assert ana.files() == bo.files()
    assert {b"Ana says so" in bo.files()["api.md"], b"Bo's line" in bo.files()["api.md"]} == {True}


def test_an_edit_that_was_sent_while_held_back_can_be_changed(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    mine = merge_while_held_back(ana, bo)
    assert ana.sync().sent == ("api.md",)
    ana.write("api.md", mine.replace(b"Ana says so", b"Ana says more"))
    report = ana.sync()
    assert (report.sent, report.received, report.conflicts) == (("api.md",), ("api.md",), ())
    assert bo.sync().in_order
    assert ana.files() == bo.files()
    assert {b"Ana says more" in bo.files()["api.md"], b"Bo's line" in bo.files()["api.md"]} == {True}


def test_what_is_held_back_survives_its_deletion_elsewhere(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    edit(ana, TOKEN.encode())
    bo.remove("api.md")
    assert bo.sync().in_order
    assert held(ana) == ["api.md"]
    assert held(ana) == ["api.md"]
    edit_back(ana)
    assert ana.sync().sent == ("api.md",)
    assert bo.sync().received == ("api.md",)
    assert ana.files() == bo.files()


def test_what_is_held_back_and_undone_takes_the_remotes(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    before = ana.files()["api.md"]
    edit(ana, TOKEN.encode())
    edit(bo, b"Bo says so")
    assert bo.sync().in_order
    assert held(ana) == ["api.md"]
    ana.write("api.md", before)
    report = ana.sync()
    assert (report.sent, report.received, report.conflicts) == ((), ("api.md",), ())
    assert ana.files() == bo.files()


def test_a_new_file_held_back_meets_one_of_its_name(mates: tuple[Machine, Machine]) -> None:
    ana, bo = mates
    ana.write("ui.md", memory("ui", f"Use {TOKEN}."))
    assert held(ana) == ["ui.md"]
    bo.write("ui.md", memory("ui", "Bo's."))
    assert bo.sync().in_order
    assert held(ana) == ["ui.md"]
    assert TOKEN.encode() in ana.files()["ui.md"]
    ana.write("ui.md", memory("ui", "Ana's, mended."))
    report = ana.sync()
    assert [one.path for one in report.conflicts] == ["ui.md"]
    assert ana.files() == bo.files()


def test_joining_with_a_file_held_back_that_others_have_too(machine: Machines) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("api.md", memory("api", LONG))
    ana.write("ui.md", memory("ui", LONG))
    assert ana.sync().in_order
    bo.write("api.md", memory("api", f"Use {TOKEN}."))
    assert bo.sync().received == ("ui.md",)
    ana.write("ui.md", memory("ui", LONG + "\nOne more."))
    assert ana.sync().in_order
    report = bo.sync()
    assert (report.received, report.conflicts) == (("ui.md",), ())
    assert TOKEN.encode() in bo.files()["api.md"]


def push_by_hand(remote: Path, home: Path, files: dict[str, bytes | None]) -> None:
    """Somebody without memd, who may do anything."""
    work = home / "work"
    if not work.exists():
        git(home, "clone", "--quiet", "--branch", BRANCH, str(remote), str(work))
    git(work, "pull", "--quiet", "--ff-only")
    for path, data in files.items():
        if data is None:
            (work / path).unlink()
        else:
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(data)
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "-m", "By hand")
    git(work, "push", "--quiet")


def test_what_becomes_no_memory_there_stays_here_as_it_was(
    mates: tuple[Machine, Machine], remote: Path, home: Path
) -> None:
    ana, bo = mates
    before = ana.files()["api.md"]
    push_by_hand(remote, home, {"api.md": b"No header at all.\n"})
    report = ana.sync()
    assert [one.path for one in report.refused] == ["api.md"]
    assert (report.sent, report.received, ana.files()["api.md"]) == ((), (), before)
    again = ana.sync()
    assert (again.outcome, [one.path for one in again.refused]) == (Outcome.NOTHING, ["api.md"])
    ana.write("ui.md", memory("ui", LONG))
    assert ana.sync().sent == ("ui.md",)
    assert git(remote, "show", f"{BRANCH}:api.md") == "No header at all."
    mended = memory("api", LONG + "\nMended.")
    push_by_hand(remote, home, {"api.md": mended})
    assert ana.sync().received == ("api.md",)
    assert ana.files()["api.md"] == mended
    assert bo.sync().in_order
    assert bo.files() == ana.files()


def test_an_edit_of_what_became_no_memory_there_mends_it(
    mates: tuple[Machine, Machine], remote: Path, home: Path
) -> None:
    ana, bo = mates
    push_by_hand(remote, home, {"api.md": b"No header at all.\n"})
    assert ana.sync().in_order
    edit(ana, b"Ana says so")
    report = ana.sync()
    assert (report.sent, report.refused, report.conflicts) == (("api.md",), (), ())
    assert bo.sync().received == ("api.md",)
    assert ana.files() == bo.files()


@pytest.mark.parametrize("target", ["README.md", "API.md", "--all.md", "a/b/c.md"])
def test_an_edit_stays_where_they_renamed_its_file_to_no_memory(
    mates: tuple[Machine, Machine], remote: Path, home: Path, target: str
) -> None:
    ana, bo = mates
    edit(ana, b"Ana says so")
    push_by_hand(remote, home, {"api.md": None, target: bo.files()["api.md"]})
    report = ana.sync()
    assert (report.outcome, report.received) == (Outcome.SYNCED, ())
    assert b"Ana says so" in ana.files()["api.md"]
    assert report.sent == ("api.md",)
    assert bo.sync().in_order
    assert bo.files() == ana.files()


def test_a_directory_in_a_files_place_leaves_the_file(mates: tuple[Machine, Machine], remote: Path, home: Path) -> None:
    ana, bo = mates
    edit(ana, b"Ana says so")
    push_by_hand(remote, home, {"api.md": None, "api.md/a.md": memory("a", LONG)})
    for mate, words in ((ana, b"Ana says so"), (bo, b"Line 5")):
        assert mate.sync().in_order
        assert words in mate.files()["api.md"]
        assert mate.sync().outcome is Outcome.NOTHING
    push_by_hand(remote, home, {"api.md/a.md": None})
    report = ana.sync()
    assert (report.sent, report.received) == (("api.md",), ())
    assert bo.sync().in_order
    assert bo.files() == ana.files()


def test_memories_that_are_alike_are_not_taken_for_each_other(mates: tuple[Machine, Machine]) -> None:
    """One deletes a memory and writes another that is much like it; what the other edits stays what it is."""
    ana, bo = mates
    ana.write("other.md", ana.files()["api.md"].replace(b"name: api", b"name: other"))
    ana.remove("api.md")
    edit(bo, b"Bo says so")
    assert ana.sync().in_order
    assert bo.sync().in_order
    assert ana.sync().in_order
    assert ana.files() == bo.files()
    assert b"Bo says so" in ana.files()["api.md"]
    assert b"Bo says so" not in ana.files()["other.md"]


def test_a_file_in_a_directorys_place_leaves_the_directory(
    mates: tuple[Machine, Machine], remote: Path, home: Path
) -> None:
    ana, _ = mates
    ana.write("zz/a.md", memory("a", LONG))
    push_by_hand(remote, home, {"zz": b"No memory.\n"})
    for _ in range(2):
        assert ana.sync().in_order
        assert "zz/a.md" in ana.files()
        assert git(remote, "show", f"{BRANCH}:zz") == "No memory."
    push_by_hand(remote, home, {"zz": None})
    assert ana.sync().sent == ("zz/a.md",)
