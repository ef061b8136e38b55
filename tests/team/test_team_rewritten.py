"""A remote whose history is another one than before, or that is gone: nothing that is live here disappears by that."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.memory import topic
from memd.memory.topic import TopicType
from memd.team.nouns import Outcome
from tests.fakes.git_remote import bare, git
from tests.fakes.team_home import BRANCH, Machine, long_text, memory

Machines = Callable[[str], Machine]
Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()
TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"[:36]


@pytest.fixture
def mates(machine: Machines) -> tuple[Machine, Machine]:
    """Two machines whose remote has two commits: one file first, another then."""
    ana, bo = machine("ana"), machine("bo")
    for path in ("first.md", "second.md"):
        ana.write(path, memory(path[:-3], LONG))
        assert ana.sync().in_order
    assert bo.sync().in_order
    return ana, bo


def names(remote: Path) -> list[str]:
    return git(remote, "ls-tree", "-r", "--name-only", BRANCH).split()


def commits(remote: Path) -> int:
    return int(git(remote, "rev-list", "--count", BRANCH))


def reset(remote: Path, to: str) -> None:
    git(remote, "update-ref", f"refs/heads/{BRANCH}", to)


def pushed_by_hand(remote: Path, **contents: bytes) -> None:
    """A commit of plain git: files, and one link."""
    lines = git(remote, "ls-tree", BRANCH).splitlines()
    for name, data in contents.items():
        blob = git(remote, "hash-object", "-w", "--stdin", stdin=data)
        lines.append(f"{'120000' if name == 'link' else '100644'} blob {blob}\t{name}.md")
    tree = git(remote, "mktree", stdin="".join(f"{line}\n" for line in lines).encode())
    reset(remote, git(remote, "commit-tree", tree, "-p", BRANCH, "-m", "By hand"))


def test_commits_that_were_dropped_there_come_back_as_one(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    pushed_by_hand(remote, third=memory("third", LONG))
    dropped = git(remote, "rev-parse", BRANCH)
    for mate in mates:
        assert mate.sync().received == ("third.md",)
    reset(remote, f"{BRANCH}~1")
    before = ana.files()
    report = ana.sync()
    assert (report.rewritten, report.sent, report.received) == (True, ("third.md",), ())
    assert ana.files() == before
    assert git(remote, "rev-parse", BRANCH) != dropped
    assert commits(remote) == 3
    second = bo.sync()
    assert (second.rewritten, second.sent, second.received) == (True, (), ())
    assert bo.files() == before
    for mate in mates:
        calm = mate.sync()
        assert (calm.outcome, calm.rewritten) == (Outcome.NOTHING, False)


def test_edits_of_here_survive_a_rewrite(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    tree = git(remote, "rev-parse", f"{BRANCH}^{{tree}}")
    other = git(remote, "commit-tree", tree, "-p", f"{BRANCH}~1", "-m", "The same, told otherwise")
    reset(remote, other)
    ana.write("first.md", ana.files()["first.md"].replace(b"Line 5 ", b"Ana's line "))
    ana.write("third.md", memory("third", LONG))
    report = ana.sync()
    assert (report.rewritten, report.sent, report.received) == (True, ("first.md", "third.md"), ())
    assert bo.sync().received == ("first.md", "third.md")
    assert ana.files() == bo.files()


def test_a_deletion_after_what_both_know_is_a_deletion(
    mates: tuple[Machine, Machine], remote: Path, home: Path
) -> None:
    ana, _ = mates
    work = home / "work"
    git(home, "clone", "--quiet", "--branch", BRANCH, str(remote), str(work))
    git(work, "reset", "--quiet", "--hard", "HEAD~1")
    git(work, "rm", "--quiet", "first.md")
    git(work, "commit", "--quiet", "-m", "Without the first")
    git(work, "push", "--quiet", "--force")
    report = ana.sync()
    assert report.rewritten
    assert (report.sent, report.received) == (("second.md",), ("first.md",))


def test_what_was_purged_from_the_history_is_not_sent_back_with_it(
    mates: tuple[Machine, Machine], remote: Path
) -> None:
    """First deleted as usual, so that it goes everywhere, then taken out of the history by force."""
    ana, bo = mates
    ana.remove("second.md")
    assert ana.sync().in_order
    assert bo.sync().in_order
    gone = git(remote, "log", "-1", "--format=%H", BRANCH, "--", "second.md")
    tree = git(remote, "rev-parse", f"{BRANCH}^{{tree}}")
    reset(remote, git(remote, "commit-tree", tree, "-m", "Anew"))
    bo.write("third.md", memory("third", LONG))
    assert bo.sync().sent == ("third.md",)
    assert ana.sync().received == ("third.md",)
    assert commits(remote) == 2
    assert gone not in git(remote, "rev-list", BRANCH).split()
    assert names(remote) == ["first.md", "third.md"]


def test_another_history_altogether_keeps_all_files(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    blob = git(remote, "hash-object", "-w", "--stdin", stdin=memory("other", LONG))
    tree = git(remote, "mktree", stdin=f"100644 blob {blob}\tother.md\n".encode())
    reset(remote, git(remote, "commit-tree", tree, "-m", "Something else"))
    report = ana.sync()
    assert (report.rewritten, report.sent, report.received) == (True, ("first.md", "second.md"), ("other.md",))
    assert bo.sync().in_order
    assert ana.files() == bo.files()
    assert commits(remote) == 2


def test_a_branch_that_is_gone_is_made_again_with_its_history(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    before = git(remote, "rev-parse", BRANCH)
    git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    report = ana.sync()
    assert (report.outcome, report.rewritten) == (Outcome.SYNCED, True)
    assert git(remote, "rev-parse", BRANCH) == before
    assert bo.sync().outcome is Outcome.NOTHING


def test_a_repository_made_anew_is_filled_again(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    shutil.rmtree(remote)
    assert ana.sync().outcome is Outcome.MISSING
    bare(remote)
    bo.write("third.md", memory("third", LONG))
    assert ana.sync().sent == ("first.md", "second.md")
    assert bo.sync().sent == ("third.md",)
    assert ana.sync().received == ("third.md",)
    assert ana.files() == bo.files()


def test_what_is_older_here_as_it_is_held_back_takes_back_no_edit(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    mended = ana.files()["first.md"]
    ana.write("first.md", mended + TOKEN.encode())
    bo.write("first.md", mended.replace(b"Line 15 ", b"Bo's line "))
    assert bo.sync().in_order
    bo.write("third.md", memory("third", LONG))
    assert bo.sync().in_order
    assert [one.path for one in ana.sync().held] == ["first.md"]
    reset(remote, f"{BRANCH}~1")
    assert ana.sync().rewritten
    assert b"Bo's line" in git(remote, "show", f"{BRANCH}:first.md").encode()
    ana.write("first.md", mended)
    assert ana.sync().received == ("first.md",)
    assert ana.files() == bo.files()


def test_a_new_file_in_place_of_what_never_got_here_meets_it(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    (ana.team / "third.md").mkdir()
    bo.write("third.md", memory("third", LONG))
    assert bo.sync().in_order
    bo.write("fourth.md", memory("fourth", LONG))
    assert bo.sync().in_order
    assert [one.path for one in ana.sync().held] == ["third.md"]
    reset(remote, f"{BRANCH}~1")
    (ana.team / "third.md").rmdir()
    ana.write("third.md", memory("third", "Ana's own."))
    report = ana.sync()
    assert (report.rewritten, [one.path for one in report.conflicts]) == (True, ["third.md"])
    assert ana.files() == bo.files()


def test_a_file_of_the_same_name_in_another_history_takes_no_text_in_silence(
    mates: tuple[Machine, Machine], remote: Path, machine: Machines
) -> None:
    ana, _ = mates
    ana.write("first.md", ana.files()["first.md"].replace(b"Line 4 ", b"Ana's line "))
    assert ana.sync().in_order
    git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    cy = machine("cy")
    cy.write("first.md", memory("first", LONG.replace("Line 4 ", "Cy's line ")))
    assert cy.sync().in_order
    report = ana.sync()
    assert (report.received, [one.path for one in report.conflicts]) == (("first.md",), ["first.md"])
    told = b"".join(one.read_bytes() for one in ana.paths.history.rglob("before/team/first.md"))
    assert b"Ana's line" in told
    assert "so said team/first.md here" in "".join(one.read_text() for one in ana.memory_dir.glob("logs/*/*/*.md"))
    assert cy.sync().in_order
    assert cy.files() == ana.files()


@pytest.fixture
def refusing(mates: tuple[Machine, Machine], remote: Path) -> tuple[Machine, Machine]:
    """Both have seen files that are no team's memories, which the remote has then no more."""
    good = git(remote, "rev-parse", BRANCH)
    private = topic.render("private note", "For one alone", TopicType.USER, LONG)
    token = memory("token", f"The key is {TOKEN}.")
    pushed_by_hand(remote, private_note=private, link=b"first.md", notes=b"No head at all.\n", token=token)
    for mate in mates:
        report = mate.sync()
        assert sorted(one.path for one in report.refused) == ["link.md", "notes.md", "private_note.md", "token.md"]
        assert sorted(mate.files()) == ["first.md", "second.md"]
    reset(remote, good)
    return mates


def test_what_was_refused_here_is_not_sent_back(refusing: tuple[Machine, Machine], remote: Path) -> None:
    good = git(remote, "rev-parse", BRANCH)
    for mate in refusing:
        report = mate.sync()
        assert (report.rewritten, report.sent, report.held, report.refused) == (True, (), (), ())
        assert git(remote, "rev-parse", BRANCH) == good
        assert mate.sync().outcome is Outcome.NOTHING


def test_what_was_refused_here_does_not_go_with_what_is_sent(refusing: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = refusing
    ana.write("third.md", memory("third", LONG))
    report = ana.sync()
    assert (report.rewritten, report.sent, report.held, report.refused) == (True, ("third.md",), (), ())
    assert names(remote) == ["first.md", "second.md", "third.md"]
    told = git(ana.membership.repository, "log", "--name-only", "--format=", "refs/memd/live").split()
    assert sorted(told) == names(remote)
    assert bo.sync().received == ("third.md",)


def test_a_directory_that_is_gone_here_and_a_rewrite_lose_nothing(
    refusing: tuple[Machine, Machine], remote: Path
) -> None:
    ana, _ = refusing
    before = ana.files()
    reset(remote, f"{BRANCH}~1")
    shutil.rmtree(ana.team)
    report = ana.sync()
    assert (report.restored, report.rewritten, report.sent) == (True, True, ("second.md",))
    assert ana.files() == before
    assert names(remote) == ["first.md", "second.md"]


def test_a_branch_that_is_gone_comes_back_without_what_was_refused(
    refusing: tuple[Machine, Machine], remote: Path
) -> None:
    """Though that stood in the history which both still know."""
    ana, bo = refusing
    for mate in refusing:
        assert mate.sync().in_order
    private = topic.render("private note", "For one alone", TopicType.USER, LONG)
    pushed_by_hand(remote, private_note=private)
    for mate in refusing:
        assert [one.path for one in mate.sync().refused] == ["private_note.md"]
    git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    bo.write("first.md", bo.files()["first.md"].replace(b"Line 5 ", b"Bo's line "))
    ana.write("second.md", ana.files()["second.md"].replace(b"Line 5 ", b"Ana's line "))
    report = ana.sync()
    assert (report.rewritten, report.sent, report.refused) == (True, ("first.md", "second.md"), ())
    assert (names(remote), commits(remote)) == (["first.md", "second.md"], 1)
    second = bo.sync()
    assert (second.sent, second.received) == (("first.md",), ("second.md",))
    assert [one.path for one in second.conflicts] == ["second.md"], "whether ana knew bo's is not known"
    assert ana.sync().received == ("first.md",)
    assert ana.files() == bo.files()
    assert b"Bo's line" in ana.files()["first.md"]
    assert [mate.sync().outcome for mate in refusing] == [Outcome.NOTHING, Outcome.NOTHING]


def test_a_branch_and_a_directory_that_are_both_gone_come_back(refusing: tuple[Machine, Machine], remote: Path) -> None:
    ana, _ = refusing
    before = ana.files()
    pushed_by_hand(remote, notes=b"No head at all.\n")
    assert ana.sync().in_order
    git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    shutil.rmtree(ana.team)
    assert (ana.sync().restored, ana.files()) == (True, before)
    assert (names(remote), commits(remote)) == (["first.md", "second.md"], 1)
