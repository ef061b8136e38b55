"""Two machines and a real remote: what one edits, the other gets."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.memory import history
from memd.team import base as bases
from memd.team import clone, sync
from memd.team.nouns import Outcome
from tests.fakes.git_remote import Server, git
from tests.fakes.team_home import BRANCH, Machine, long_text, memory

Machines = Callable[[str], Machine]
Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()


def names(remote: Path, branch: str = BRANCH) -> set[str]:
    return set(git(remote, "ls-tree", "-r", "--name-only", branch).splitlines())


def test_a_file_gets_from_one_machine_to_the_other(machine: Machines) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("api.md", memory("api", "The API is versioned by date."))
    sent = ana.sync()
    assert (sent.outcome, sent.sent, sent.received, sent.run_id) == (Outcome.SYNCED, ("api.md",), (), None)
    got = bo.sync()
    assert (got.outcome, got.sent, got.received) == (Outcome.SYNCED, (), ("api.md",))
    assert bo.files() == ana.files()
    assert "api.md" in bo.index()
    assert "api.md" in ana.index()


def test_what_arrives_is_a_run_of_the_history(pair: Pairs) -> None:
    _, bo = pair("api.md")
    (record,) = history.runs(bo.paths.history)
    assert (record.run.kind, record.outcome) == ("team", "saved")
    assert [file.path for file in record.files] == ["team/api.md"]
    with open_ledger(bo.paths.ledger, SystemClock()) as ledger:
        run = ledger.run(record.id)
    assert run is not None
    assert (run.kind, run.outcome, run.files) == ("team", "saved", ("team/api.md",))


def test_edits_deletions_and_renames_get_there(pair: Pairs) -> None:
    ana, bo = pair("edited.md", "deleted.md", "renamed.md")
    ana.write("edited.md", memory("edited", "Something else."))
    ana.remove("deleted.md")
    (ana.team / "renamed.md").rename(ana.team / "other.md")
    assert ana.sync().sent == ("deleted.md", "edited.md", "other.md", "renamed.md")
    assert bo.sync().received == ("deleted.md", "edited.md", "other.md", "renamed.md")
    assert bo.files() == ana.files()
    assert sorted(bo.files()) == ["edited.md", "other.md"]


def test_a_file_in_a_directory_of_its_own_gets_there(pair: Pairs) -> None:
    ana, bo = pair("api.md")
    ana.write("billing/invoices.md", memory("invoices", LONG))
    assert ana.sync().sent == ("billing/invoices.md",)
    assert bo.sync().received == ("billing/invoices.md",)
    assert bo.files() == ana.files()


def test_edits_of_different_lines_are_merged(pair: Pairs) -> None:
    ana, bo = pair("api.md")
    text = ana.files()["api.md"]
    ana.write("api.md", text.replace(b"Line 2 ", b"Ana's line "))
    bo.write("api.md", text.replace(b"Line 17 ", b"Bo's line "))
    assert ana.sync().in_order
    report = bo.sync()
    assert (report.sent, report.received, report.conflicts) == (("api.md",), ("api.md",), ())
    assert ana.sync().received == ("api.md",)
    assert ana.files() == bo.files()
    assert {b"Ana's line" in ana.files()["api.md"], b"Bo's line" in ana.files()["api.md"]} == {True}


def test_what_one_renames_and_another_edits_is_kept_under_both_names(pair: Pairs) -> None:
    ana, bo = pair("api.md")
    (ana.team / "api.md").rename(ana.team / "interface.md")
    bo.write("api.md", bo.files()["api.md"].replace(b"Line 2 ", b"Bo's line "))
    assert ana.sync().in_order
    assert bo.sync().in_order
    assert ana.sync().in_order
    assert ana.files() == bo.files()
    assert sorted(bo.files()) == ["api.md", "interface.md"]
    assert b"Bo's line" in bo.files()["api.md"]


def test_machines_that_both_had_files_before_keep_them_all(machine: Machines) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("api.md", memory("api", LONG))
    bo.write("ui.md", memory("ui", LONG))
    bo.write("api.md", memory("api", LONG))  # the same, by chance
    assert ana.sync().in_order
    report = bo.sync()
    assert (report.sent, report.received, report.conflicts) == (("ui.md",), (), ())
    assert ana.sync().received == ("ui.md",)
    assert ana.files() == bo.files()


def test_nothing_here_and_nothing_there_is_nothing(machine: Machines) -> None:
    ana = machine("ana")
    assert ana.sync().outcome is Outcome.NOTHING
    assert not ana.memory_dir.exists()
    ana.team.mkdir(parents=True)
    assert ana.sync().outcome is Outcome.NOTHING


def test_no_change_leaves_no_trace_and_starts_git_once(pair: Pairs) -> None:
    ana, bo = pair("api.md", "ui.md")
    assert ana.sync().outcome is Outcome.NOTHING
    before = {mate.home: traces(mate) for mate in (ana, bo)}
    for mate in (ana, bo):
        watched = Watched(home=mate.home, remote=mate.remote)
        assert watched.sync().outcome is Outcome.NOTHING
        assert watched.started() == ["fetch"]
    assert {mate.home: traces(mate) for mate in (ana, bo)} == before


class Watched(Machine):
    """A machine whose git notes what it is started for."""

    @property
    def environ(self) -> dict[str, str]:
        """With another git first on the path."""
        programs = self.home / "bin"
        programs.mkdir(exist_ok=True)
        script = programs / "git"
        if not script.exists():
            real = shutil.which("git")
            note = f'for word; do case $word in -*|*=*) ;; *) echo "$word" >> {self.home}/git.log; break;; esac; done'
            script.write_text(f'#!/bin/sh\n{note}\nexec {real} "$@"\n')
            script.chmod(0o755)
        return super().environ | {"PATH": f"{programs}:{os.environ['PATH']}"}

    def started(self) -> list[str]:
        """The verbs, in order."""
        return (self.home / "git.log").read_text().split()


def traces(mate: Machine) -> dict[str, object]:
    """All that could have grown."""
    repository = mate.membership.repository
    live = {str(one): one.stat().st_mtime_ns for one in mate.memory_dir.rglob("*")}
    objects = {str(one) for one in (repository / "objects").rglob("*") if one.is_file()}
    with sqlite3.connect(mate.paths.ledger) as ledger:
        runs = ledger.execute("SELECT count(*), max(id) FROM runs").fetchone()
    ledger.close()
    base = (mate.membership.directory / "base.json").stat().st_mtime_ns
    return {
        "live": live,
        "objects": objects,
        "runs": runs,
        "base": base,
        "history": history.next_id(mate.paths.history),
    }


def test_a_branch_of_its_own_in_a_repository_of_code(pair: Pairs, remote: Path, home: Path) -> None:
    code = home / "code"
    code.mkdir()
    git(code, "init", "--quiet", "--initial-branch=main")
    (code / "main.c").write_text("int main(void) { return 0; }\n")
    git(code, "add", "main.c")
    git(code, "commit", "--quiet", "-m", "Begin")
    git(code, "push", "--quiet", str(remote), "main")
    before = git(remote, "rev-parse", "main")
    ana, bo = pair("api.md")
    assert names(remote) == {"api.md"}
    assert git(remote, "rev-parse", "main") == before
    assert bo.files() == ana.files()


def test_files_that_are_no_memories_stay_on_the_branch(machine: Machines, remote: Path, home: Path) -> None:
    work = home / "work"
    git(home, "clone", "--quiet", str(remote), str(work))
    good = memory("api", LONG)
    for path, data in {
        "README": b"Ours.\n",
        "api.md": good,
        "MEMORY.md": b"- [x](x.md)\n",
        "Odd Name.md": good,
    }.items():
        (work / path).write_bytes(data)
    (work / "link.md").symlink_to("/etc/passwd")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "By hand")
    git(work, "push", "--quiet", "origin", f"HEAD:{BRANCH}")
    ana = machine("ana")
    report = ana.sync()
    assert report.received == ("api.md",)
    assert {one.path for one in report.refused} == {"README", "MEMORY.md", "Odd Name.md", "link.md"}
    assert sorted(ana.files()) == ["api.md"]
    ana.write("api.md", memory("api", "Else."))
    ana.write("ui.md", memory("ui", LONG))
    assert ana.sync().sent == ("api.md", "ui.md")
    assert names(remote) == {"README", "api.md", "MEMORY.md", "Odd Name.md", "link.md", "ui.md"}
    assert "x.md" not in ana.index()
    assert ana.sync().outcome is Outcome.NOTHING


def test_the_commits_name_the_person_and_nothing_of_the_machine(machine: Machines, remote: Path) -> None:
    ana, bo = machine("ana"), machine("bo")
    (ana.home / ".gitconfig").write_text("[user]\n  name = Ana\n  email = ana@example.org\n")
    ana.write("api.md", memory("api", LONG))
    assert ana.sync().in_order
    assert bo.sync().in_order
    bo.write("ui.md", memory("ui", LONG))
    assert bo.sync().in_order
    said = git(remote, "log", "--format=%an <%ae> %cn <%ce> %s", BRANCH).splitlines()
    assert said == [
        "memd <memd@localhost> memd <memd@localhost> Update 1 memory",
        "Ana <ana@example.org> Ana <ana@example.org> Update 1 memory",
    ]


def test_the_history_stays_one_line_and_authors_keep_their_files(pair: Pairs, remote: Path) -> None:
    ana, bo = pair("api.md", "ui.md")
    for mate, name in ((ana, "Ana"), (bo, "Bo")):
        (mate.home / ".gitconfig").write_text(f"[user]\n  name = {name}\n  email = {name}@example.org\n")
    ana.write("api.md", memory("api", "Ana's."))
    bo.write("ui.md", memory("ui", "Bo's."))
    assert ana.sync().in_order
    assert bo.sync().in_order
    assert not git(remote, "rev-list", "--min-parents=2", BRANCH)
    assert git(remote, "log", "-1", "--format=%an", BRANCH, "--", "api.md") == "Ana"
    assert git(remote, "log", "-1", "--format=%an", BRANCH, "--", "ui.md") == "Bo"


def test_a_team_directory_that_is_gone_is_no_deletion(pair: Pairs, remote: Path) -> None:
    ana, _ = pair("api.md", "ui.md")
    before = ana.files()
    shutil.rmtree(ana.team)
    report = ana.sync()
    assert (report.restored, report.sent, report.received) == (True, (), ("api.md", "ui.md"))
    assert ana.files() == before
    assert names(remote) == {"api.md", "ui.md"}
    shutil.rmtree(ana.memory_dir)
    assert ana.sync().restored
    assert ana.files() == before


def test_all_files_deleted_are_all_deleted(pair: Pairs, remote: Path) -> None:
    ana, bo = pair("api.md", "ui.md")
    for path in ana.files():
        ana.remove(path)
    assert ana.sync().sent == ("api.md", "ui.md")
    assert bo.sync().received == ("api.md", "ui.md")
    assert not bo.files()
    assert not names(remote)


def test_an_index_that_is_gone_or_stale_is_made_again(pair: Pairs) -> None:
    ana, _ = pair("api.md")
    (ana.team / "MEMORY.md").unlink()
    assert ana.sync().outcome is Outcome.NOTHING
    assert "api.md" in ana.index()
    ana.write("MEMORY.md", b"# By hand\n\n- [Api](api.md)\n")
    ana.write("ui.md", memory("ui", LONG))
    assert ana.sync().sent == ("ui.md",)
    assert ana.index().startswith("# By hand\n\n- [Api](api.md)\n")
    assert "ui.md" in ana.index()


def test_undoing_what_arrived_is_an_edit_that_goes_out(pair: Pairs) -> None:
    ana, bo = pair("api.md")
    before = ana.files()
    ana.write("api.md", memory("api", "Not what we agreed on."))
    ana.write("more.md", memory("more", LONG))
    assert ana.sync().in_order
    arrived = bo.sync()
    assert arrived.run_id is not None
    assert "more.md" in bo.index()
    history.undo(arrived.run_id, history=bo.paths.history, now=datetime.now(UTC))
    assert bo.files() == before
    assert "more.md" not in bo.index()
    assert bo.sync().sent == ("api.md", "more.md")
    assert ana.sync().received == ("api.md", "more.md")
    assert ana.files() == before


def test_what_waits_is_told_without_asking_the_remote(pair: Pairs, daemon: Server) -> None:
    ana, _ = pair("api.md", "ui.md")
    assert sync.waiting(ana.membership) == ()
    ana.write("api.md", memory("api", "Else."))
    ana.remove("ui.md")
    assert sync.waiting(ana.membership) == ("api.md", "ui.md")
    ana.remote = daemon.url("nothing.git")
    assert ana.sync().outcome is Outcome.MISSING
    assert sync.waiting(ana.membership) == ("api.md", "ui.md")


def test_a_commit_that_the_remote_has_from_another_waits_for_nothing(machine: Machines) -> None:
    """Two who write the same in the same second make the very same commit."""
    ana, bo = machine("ana"), machine("bo")
    for mate in (ana, bo):
        mate.write("api.md", memory("api", LONG))
    assert ana.sync().sent == ("api.md",)
    assert bo.sync().in_order
    for mate in (ana, bo):
        base = bases.load(mate.membership.directory)
        bases.save(mate.membership.directory, replace(base, unsent=("api.md",)))
        assert mate.sync().outcome is Outcome.NOTHING
        assert bases.load(mate.membership.directory).unsent == ()


def test_two_syncs_at_once_are_one(pair: Pairs) -> None:
    ana, _ = pair("api.md")
    with clone.held(ana.membership.directory):
        report = ana.sync()
    assert report.outcome is Outcome.BUSY
    assert ana.sync().outcome is Outcome.NOTHING
