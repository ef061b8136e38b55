"""`memd team`: sharing memories through a git repository, as people see it."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from memd.memory import topic
from memd.memory.topic import TopicType
from tests.cli.conftest import Answer, Near
from tests.fakes.git_remote import bare, free_port, git

SECRET = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyzAB"


def memory(name: str, text: str, kind: TopicType = TopicType.PROJECT) -> bytes:
    return topic.render(
        name, f"{text} is the rule", kind, f"{text}.\n\n**Why:** not stated\n\n**How to apply:** always"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody with a home and a project of their own."""

    near: Near
    home: Path

    @property
    def project(self) -> Path:
        """Where they work."""
        return self.home / "shop"

    @property
    def team(self) -> Path:
        """What they share."""
        slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(self.project))
        return self.home / ".claude" / "projects" / slug / "memory" / "team"

    @property
    def state(self) -> Path:
        """Memd's own directory."""
        return self.home / ".local" / "state" / "memd"

    def write(self, name: str, text: str = "Freeze on Fridays", kind: TopicType = TopicType.PROJECT) -> None:
        """Save a memory as an agent does."""
        self.team.mkdir(parents=True, exist_ok=True)
        (self.team / name).write_bytes(memory(name.removesuffix(".md"), text, kind))

    def __call__(self, *words: str, **environ: str) -> Answer:
        """`memd team …` of this person."""
        return self.memd("team", *words, **environ)

    def memd(self, *words: str, **environ: str) -> Answer:
        """`memd …` of this person."""
        place = ("--project", str(self.project)) if words[0] != "project" else ()
        return self.near(*words, *place, environ={"HOME": str(self.home), **environ})


@pytest.fixture
def people(home: Path, near: Near) -> Callable[[str], Person]:
    def make(name: str) -> Person:
        place = home.resolve() / name
        (place / "shop").mkdir(parents=True)
        (place / ".claude").mkdir()
        return Person(near=near, home=place)

    return make


@pytest.fixture
def remote(home: Path) -> Path:
    return bare(home.resolve() / "srv" / "team.git")


@pytest.fixture
def ana(people: Callable[[str], Person]) -> Person:
    return people("ana")


@pytest.fixture
def bo(people: Callable[[str], Person]) -> Person:
    return people("bo")


def joined(person: Person, remote: Path) -> Person:
    answer = person("init", "--remote", str(remote))
    assert answer.code == 0, answer.err
    return person


def test_one_shares_and_another_joins_by_the_same_command(ana: Person, bo: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    first = ana("init", "--remote", str(remote))
    assert first.code == 0, first.err
    assert "branch    memd, which will be made" in first.out
    assert "to send   1 file: project_freeze.md" in first.out
    assert "Whoever may read that repository reads what stands in team/." in first.out
    second = bo("init", "--remote", str(remote))
    assert second.code == 0, second.err
    assert "branch    memd: 1 memory to receive" in second.out
    assert "received  1 file: project_freeze.md" in second.out
    assert (bo.team / "project_freeze.md").read_bytes() == (ana.team / "project_freeze.md").read_bytes()
    assert "project_freeze.md" in (bo.team / "MEMORY.md").read_text()


def test_who_has_no_name_for_git_is_told_so_and_how_to_get_one(ana: Person, bo: Person, remote: Path) -> None:
    (bo.home / ".gitconfig").write_text("[user]\n\tname = Bo\n\temail = bo@example.com\n")
    ana.write("project_freeze.md")
    said = 'team mates see "memd" beside what you write: `git config --global user.name "Your Name"`'
    assert said in ana("init", "--remote", str(remote)).out
    assert said in ana("status").out
    assert ana("status", "--json").json["team"]["unnamed"]
    assert said not in bo("init", "--remote", str(remote)).out
    assert said not in bo("status").out


def test_a_dry_run_changes_nothing_anywhere(ana: Person, remote: Path, tree: Callable[[], frozenset[str]]) -> None:
    ana.write("project_freeze.md")
    before = tree()
    answer = ana("init", "--remote", str(remote), "--dry-run")
    assert answer.code == 0
    assert "to send   1 file" in answer.out
    assert tree() == before
    document = ana("init", "--remote", str(remote), "--dry-run", "--json").json
    assert (document["to_send"], document["branch_exists"], document["sync"]) == (["project_freeze.md"], False, None)
    assert tree() == before


def test_to_join_again_is_to_sync(ana: Person, remote: Path) -> None:
    joined(ana, remote)
    ana.write("project_freeze.md")
    again = ana("init", "--remote", str(remote), "--json")
    assert again.json["sync"]["sent"] == ["project_freeze.md"]
    assert again.json["joined_already"]
    record = next((ana.state / "team").rglob("membership.json")).read_bytes()
    said = ana("init", "--remote", str(remote))
    assert said.code == 0
    assert said.out.startswith("Joined already: ")
    assert "Joined: " not in said.out
    assert next((ana.state / "team").rglob("membership.json")).read_bytes() == record
    assert len(list((ana.state / "team").iterdir())) == 1


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("ext::sh -c true", 2, "--remote must not name a transport"),
        ("http://127.0.0.1/x.git", 2, "--remote must be one of https, ssh, git, file, not http"),
        ("https://me:secret@127.0.0.1/x.git", 2, "--remote must not hold a password"),
        ("nonsense", 2, "--remote must be"),
        ("/nowhere/team.git", 1, "no such repository"),
    ],
)
def test_an_address_that_cannot_be_used(ana: Person, address: str, code: int, words: str) -> None:
    answer = ana("init", "--remote", address)
    assert answer.code == code
    assert words in answer.err
    assert not (ana.state / "team").exists()


def test_a_directory_that_is_no_repository(ana: Person, home: Path) -> None:
    (home / "plain").mkdir()
    answer = ana("init", "--remote", str(home / "plain"))
    assert answer.code == 1
    assert "no such repository" in answer.err
    assert "is the address right" in answer.err


def test_a_remote_that_does_not_answer(ana: Person) -> None:
    answer = ana("init", "--remote", f"git://127.0.0.1:{free_port()}/team.git")
    assert answer.code == 1
    assert "offline" in answer.err
    assert "nothing was changed" in answer.err
    assert not (ana.state / "team").exists()


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("git@git.example.org: Permission denied (publickey).", "no agent of ssh's is known here"),
        ("Host key verification failed.", "look at its key"),
    ],
)
def test_no_access_is_exit_5_and_says_what_to_do(ana: Person, home: Path, said: str, hint: str) -> None:
    ssh = home / "ssh"
    ssh.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n")
    ssh.chmod(0o755)
    answer = ana("init", "--remote", "git@git.example.org:team.git", GIT_SSH_COMMAND=str(ssh), SSH_AUTH_SOCK="")
    assert answer.code == 5
    assert "no access" in answer.err
    assert hint in answer.err
    assert not (ana.state / "team").exists()


def pushed(work: Path, remote: Path, *names: str) -> None:
    """A main branch that holds these files."""
    work.mkdir()
    git(work, "init", "--quiet", "--initial-branch=main")
    for name in names:
        (work / name).parent.mkdir(exist_ok=True)
        is_ours = name.startswith("project_")
        (work / name).write_bytes(memory(name.removesuffix(".md"), "Rule") if is_ours else b"pass\n")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "code")
    git(work, "push", "--quiet", str(remote), "main")


def test_a_branch_of_code_is_refused(ana: Person, home: Path, remote: Path) -> None:
    work = home / "work"
    pushed(work, remote, *(f"module{number}.py" for number in range(12)))
    answer = ana("init", "--remote", str(remote), "--branch", "main")
    assert answer.code == 7
    assert "branch main holds 12 files that are no memories" in answer.err
    assert "--branch" in answer.err
    assert ana("init", "--remote", str(remote)).code == 0  # a branch of its own in the same repository
    assert git(remote, "rev-parse", "main") == git(work, "rev-parse", "HEAD")


def test_a_branch_of_little_code_is_taken_only_where_that_is_meant(ana: Person, home: Path, remote: Path) -> None:
    usual = ("README.md", "LICENSE", ".gitignore", ".gitattributes", ".github/workflow.yml", "CODEOWNERS")
    pushed(home / "work", remote, *usual, "main.py", "docs/guide.md", "project_a.md")
    to_main = ("init", "--remote", str(remote), "--branch", "main")
    answer = ana(*to_main)
    assert answer.code == 7
    assert "branch main holds 2 files that are no memories, and 1 memory" in answer.err
    assert "(--branch memd)" in answer.err
    assert not (ana.state / "team").exists()
    taken = ana(*to_main, "--yes")
    assert "branch    main: 1 memory to receive, and 8 other files, which stay as they are" in taken.out
    assert ana(*to_main).code == 0  # it was meant


def test_what_stands_in_any_repository_is_in_nobody_s_way(ana: Person, home: Path, remote: Path) -> None:
    pushed(home / "work", remote, "README.md", "LICENSE", "MEMORY.md")
    assert ana("init", "--remote", str(remote), "--branch", "main", "--dry-run").code == 0


@pytest.mark.parametrize(("there", "wanted"), [("memd", "memd/shop"), ("memd/a/b", "memd/a"), ("memd/a/b", "memd")])
def test_a_branch_above_or_below_another_is_refused(
    ana: Person, bo: Person, remote: Path, there: str, wanted: str
) -> None:
    ana.write("project_freeze.md")
    assert ana("init", "--remote", str(remote), "--branch", there).code == 0
    answer = bo("init", "--remote", str(remote), "--branch", wanted)
    assert answer.code != 0
    assert f"the remote has a branch {there}, beside which git cannot make {wanted}" in answer.err
    assert not (bo.state / "team").exists()
    assert bo("init", "--remote", str(remote), "--branch", "other").code == 0


def test_a_branch_name_that_git_does_not_take(ana: Person, remote: Path) -> None:
    assert ana("init", "--remote", str(remote), "--branch", "a..b").code == 2


def test_a_relative_path_is_understood_from_where_one_is(ana: Person, near: Near, remote: Path) -> None:
    shutil.copytree(remote, near.project / "own.git")
    answer = ana("init", "--remote", "./own.git", "--json")
    assert answer.json["remote"] == f"{near.project}/own.git"


def test_an_agent_may_neither_join_nor_leave(ana: Person, remote: Path) -> None:
    answer = ana("init", "--remote", str(remote), CLAUDECODE="1")
    assert answer.code == 7
    assert "for a person to do" in answer.err
    joined(ana, remote)
    assert ana("leave", CLAUDECODE="1").code == 7


def test_a_second_remote_is_refused(ana: Person, home: Path, remote: Path) -> None:
    joined(ana, remote)
    answer = ana("init", "--remote", str(bare(home / "srv" / "other.git")))
    assert answer.code == 7
    assert "memd team leave" in answer.err


def test_where_memory_is_off_nothing_is_shared(ana: Person, remote: Path) -> None:
    answer = ana("init", "--remote", str(remote), CLAUDE_CODE_DISABLE_AUTO_MEMORY="1")
    assert answer.code == 7
    assert not ana.state.exists()


def settings(person: Person, text: str) -> None:
    path = person.home / ".config" / "memd" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_what_the_settings_decide_is_changed_there(ana: Person, home: Path, remote: Path) -> None:
    settings(ana, f'[team.projects]\n"{ana.project}" = {{ remote = "{remote}" }}\n')
    assert "[team.projects]" in ana("init", "--remote", str(bare(home / "srv" / "o.git"))).err
    assert ana("sync").code == 0  # no `init` is needed then
    refused = ana("leave")
    assert refused.code == 7
    assert 'remote = ""' in refused.err
    settings(ana, f'[team.projects]\n"{ana.project}" = {{ remote = "" }}\n')
    assert "out of every team's memory" in ana("init", "--remote", str(remote)).err
    assert ana("status").out.startswith(f"{ana.project} shares no memories")


def test_the_branch_of_the_settings_is_the_default(ana: Person, remote: Path) -> None:
    settings(ana, '[team]\nbranch = "notes/{name}"\n')
    assert ana("init", "--remote", str(remote), "--json").json["branch"] == "notes/shop"


def test_status_of_a_project_that_shares_nothing(ana: Person) -> None:
    answer = ana("status")
    assert (answer.code, "memd team init --remote URL" in answer.out) == (0, True)
    assert ana("status", "--json").json["team"] is None
    for command in ("sync", "log", "leave"):
        assert ana(command).code == 1


def test_status_says_what_waits_and_what_is_held_back(ana: Person, remote: Path) -> None:
    joined(ana, remote)
    ana.write("project_freeze.md")
    ana.write("reference_token.md", f"the token is {SECRET}", TopicType.REFERENCE)
    answer = ana("status")
    assert answer.code == 3  # no daemon does it
    assert f"team       1 file to send, shared with {remote}, branch memd" in answer.out
    assert "in step" not in answer.out
    assert f"1 file to send, shared with {remote}, branch memd" in ana.memd("status").out
    assert "to send    1 file: project_freeze.md" in answer.out
    assert "held back  reference_token.md" in answer.out
    assert "github" in answer.out
    assert SECRET not in answer.out
    assert "NOT RUNNING" in answer.out
    team = ana("status", "--json").json["team"]
    assert team["waiting"] == ["project_freeze.md"]
    assert [held["path"] for held in team["held"]] == ["reference_token.md"]
    assert SECRET not in str(team)


def test_sync_sends_receives_and_names_what_it_holds_back(ana: Person, bo: Person, remote: Path) -> None:
    joined(ana, remote)
    joined(bo, remote)
    ana.write("project_freeze.md")
    ana.write("reference_token.md", f"the token is {SECRET}", TopicType.REFERENCE)
    assert ana("sync", "--dry-run").out.startswith("to send   project_freeze.md")
    answer = ana("sync")
    assert answer.code == 0
    assert "sent      1 file: project_freeze.md" in answer.out
    assert "held back reference_token.md" in answer.out
    assert bo("sync", "--json").json["received"] == ["project_freeze.md"]
    assert "nothing to send, nothing to receive" in bo("sync").out
    objects = git(remote, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert not any(SECRET in git(remote, "cat-file", "-p", name) for name in objects)


def test_a_conflict_is_told_with_the_way_to_one_s_own(ana: Person, bo: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    joined(bo, remote)
    ana.write("project_freeze.md", "Freeze on Mondays")
    bo.write("project_freeze.md", "Freeze never")
    assert ana("sync").code == 0
    answer = bo("sync")
    assert answer.code == 0
    assert "conflict  project_freeze.md: the other edit stands, yours is in the history (`memd diff" in answer.out
    assert "conflict   project_freeze.md, just now" in bo("status").out
    assert "Mondays" in (bo.team / "project_freeze.md").read_text()


def test_a_conflict_is_named_until_somebody_dealt_with_it(ana: Person, bo: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    joined(bo, remote)
    ana.write("project_freeze.md", "Freeze on Mondays")
    bo.write("project_freeze.md", "Freeze never")
    ana("sync")
    run = bo("sync", "--json").json["run"]
    assert "1 conflict" not in ana.memd("status").out
    said = f"1 conflict: team/project_freeze.md, a team mate's edit stands, yours is kept: `memd diff {run}`"
    assert said in bo.memd("status").out.splitlines()[0]
    (conflict,) = bo.memd("status", "--json").json["project"]["team"]["conflicts"]
    assert (conflict["path"], conflict["run"]) == ("project_freeze.md", run)
    assert ("review", f"shop: {said}") in checks(bo)
    line = next(line for line in bo.memd("history").out.splitlines() if "conflict" in line)
    assert line.rstrip().endswith(f"conflict: team/project_freeze.md, yours is kept: memd diff {run}")
    assert bo.memd("history", "--json").json["runs"][0]["conflicts"] == ["team/project_freeze.md"]
    assert bo.near("undo", str(run), "--yes", environ={"HOME": str(bo.home)}).code == 0
    assert "conflict" not in bo.memd("status").out
    assert ("review", "nothing waits for you") in checks(bo)


def test_a_remote_that_went_away_is_said_by_sync_and_status(ana: Person, remote: Path) -> None:
    joined(ana, remote)
    remote.rename(remote.with_name("elsewhere.git"))
    ana.write("project_freeze.md")
    answer = ana("sync")
    assert answer.code == 1
    assert "NOT DONE  no such repository" in answer.out
    status = ana("status")
    assert status.code == 1
    assert status.out.startswith("team       NO SUCH REPOSITORY just now")
    assert "to send    1 file: project_freeze.md" in status.out
    document = ana("status", "--json").json["team"]
    assert (document["outcome"], bool(document["failing_since"])) == ("missing", True)
    remote.with_name("elsewhere.git").rename(remote)
    assert "sent      1 file" in ana("sync").out
    assert "in step with" in ana("status").out


def test_log_says_who_changed_what(ana: Person, bo: Person, remote: Path) -> None:
    for person, name in ((ana, "Ana Ng"), (bo, "Bo")):
        (person.home / ".gitconfig").write_text(f"[user]\n\tname = {name}\n\temail = x@example.org\n")
    ana.write("project_freeze.md")
    joined(ana, remote)
    joined(bo, remote)
    bo.write("project_freeze.md", "Freeze on Mondays")
    bo.write("project_other.md", "Other")
    bo("sync")
    (bo.team / "project_other.md").unlink()
    bo("sync")
    ana("sync")
    rows = [line.split("\t")[1:3] for line in ana("log").out.splitlines()]
    assert rows == [
        ["who", "what"],
        ["Bo", "deleted project_other.md"],
        ["Bo", "changed project_freeze.md; added project_other.md"],
        ["Ana Ng", "added project_freeze.md"],
    ]
    of_one = ana("log", "team/project_freeze.md", "--json").json["changes"]
    assert [change["author"] for change in of_one] == ["Bo", "Ana Ng"]
    assert len(ana("log", "--limit", "1").out.splitlines()) == 2
    assert ana("log", "nothing.md").out == "Nothing of nothing.md yet.\n"


def test_while_work_is_paused_status_says_so_and_a_sync_by_hand_works(ana: Person, remote: Path) -> None:
    joined(ana, remote)
    assert ana.near("pause", environ={"HOME": str(ana.home)}).code == 0
    assert "PAUSED just now: nothing is synced by itself until `memd resume`" in ana("status").out
    assert ana("sync").code == 0


def test_who_joins_by_name_stays_joined_when_the_settings_name_nobody(ana: Person, remote: Path) -> None:
    settings(ana, f'[team]\nremote = "{remote}"\n')
    joined(ana, remote)
    settings(ana, "")
    assert ana("status", "--json").json["team"]["by"] == "init"


def test_the_help_of_leave_says_what_is_asked(ana: Person) -> None:
    said = " ".join(ana("leave", "--help").out.split())
    assert "Do not ask what becomes of the files: they stay, unless --files says otherwise." in said


def test_leaving_keeps_the_files_and_nothing_else(ana: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    ana.write("project_late.md", "Late")
    looked = ana("leave", "--dry-run")
    assert "2 files" in looked.out
    assert "unsent    project_late.md" in looked.out
    assert (ana.state / "team").exists()
    answer = ana("leave")
    assert answer.code == 0
    assert "Its files stay" in answer.out
    assert [path.name for path in (ana.state / "team").rglob("*.*")] == ["base.json"]
    assert sorted(path.name for path in ana.team.glob("p*.md")) == ["project_freeze.md", "project_late.md"]
    assert "shares no memories" in ana("status").out
    assert joined(ana, remote)("status", "--json").json["team"]["waiting"] == []


def test_who_comes_back_goes_on_from_where_they_left(ana: Person, bo: Person, remote: Path) -> None:
    for name in ("stays", "mine", "theirs", "both", "gone_here", "gone_there"):
        ana.write(f"project_{name}.md", "\n".join(f"Line {number} of it" for number in range(9)))
    for person in (ana, bo):
        joined(person, remote)
    assert ana("leave").code == 0

    def edited(person: Person, name: str, line: int) -> None:
        path = person.team / f"project_{name}.md"
        path.write_text(path.read_text().replace(f"Line {line} of it\n", f"Line {line} by {person.home.name}\n"))

    for person, names, line in ((ana, ("mine", "both"), 2), (bo, ("theirs", "both"), 7)):
        for name in names:
            edited(person, name, line)
    (ana.team / "project_gone_here.md").unlink()
    (bo.team / "project_gone_there.md").unlink()
    ana.write("project_new.md")
    assert bo("sync").code == 0
    looked = ana("init", "--remote", str(remote), "--dry-run", "--json").json
    assert looked["to_send"] == [f"project_{name}.md" for name in ("both", "mine", "new")]
    assert (looked["to_receive"], looked["to_delete"]) == (3, 1)
    report = ana("init", "--remote", str(remote), "--json").json["sync"]
    assert (report["sent"], report["conflicts"]) == (looked["to_send"], [])
    assert report["received"] == [f"project_{name}.md" for name in ("both", "gone_here", "gone_there", "theirs")]
    assert bo("sync").code == 0
    for person in (ana, bo):
        assert "Line 2 by ana" in (person.team / "project_mine.md").read_text()
        both = (person.team / "project_both.md").read_text()
        assert ("Line 2 by ana" in both, "Line 7 by bo" in both) == (True, True)
        assert (person.team / "project_gone_here.md").exists()
        assert not (person.team / "project_gone_there.md").exists()


def test_what_went_while_somebody_was_away_comes_back(ana: Person, remote: Path) -> None:
    for name in ("project_a.md", "project_b.md"):
        ana.write(name)
    joined(ana, remote)
    there = git(remote, "rev-parse", "memd")
    assert ana("leave").code == 0
    (ana.team / "project_a.md").unlink()
    assert ana("init", "--remote", str(remote), "--json").json["sync"]["received"] == ["project_a.md"]
    assert ana("sync", "--json").json["outcome"] == "nothing"
    assert ana("leave").code == 0
    shutil.rmtree(ana.team)
    assert ana("init", "--remote", str(remote), "--json").json["sync"]["received"] == ["project_a.md", "project_b.md"]
    assert git(remote, "rev-parse", "memd") == there
    (ana.team / "project_a.md").unlink()
    assert ana("sync", "--json").json["sent"] == ["project_a.md"]  # which is one's own doing again


def test_who_deleted_what_they_had_on_leaving_deletes_nothing_by_coming_back(ana: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    assert ana("leave", "--files", "delete", "--yes").code == 0
    assert not (ana.state / "team").exists()
    assert ana("init", "--remote", str(remote), "--json").json["to_receive"] == 1
    assert (ana.team / "project_freeze.md").exists()


def test_what_init_announces_is_what_comes_of_it(ana: Person, bo: Person, remote: Path) -> None:
    for person, text in ((ana, "Freeze on Fridays"), (bo, "Freeze on Mondays")):
        person.write("project_same.md")
        person.write("project_other.md", text)
        person.write(f"project_{person.home.name}.md")
    joined(ana, remote)
    answer = bo("init", "--remote", str(remote), "--json").json
    assert (answer["to_receive"], answer["to_send"]) == (2, ["project_bo.md"])
    assert (answer["sync"]["received"], answer["sync"]["sent"]) == (
        ["project_ana.md", "project_other.md"],
        ["project_bo.md"],
    )
    again = bo("init", "--remote", str(remote), "--json").json
    assert (again["to_receive"], again["to_send"], again["to_delete"]) == (0, [], 0)


def test_leaving_may_delete_the_files_and_undo_brings_them_back(ana: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    assert ana("leave", "--files", "delete", "--yes").code == 0
    assert not (ana.team / "project_freeze.md").exists()
    assert "project_freeze.md" in git(remote, "ls-tree", "--name-only", "memd")
    run = ana.memd("history", "--json").json["runs"][0]["id"]
    assert ana.near("undo", str(run), "--yes", environ={"HOME": str(ana.home)}).code == 0
    assert (ana.team / "project_freeze.md").exists()


def test_it_moves_with_its_project(ana: Person, bo: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    store = ana.home / "store"
    ana.project.rename(store)
    moved = ana.memd("project", "mv", str(ana.project), str(store), "--yes")
    assert moved.code == 0, moved.err
    assert "(1 memory of the team)" in moved.out
    assert "conversation" not in moved.out
    environ = {"HOME": str(ana.home)}
    team = ana.near("team", "status", "--json", "--project", str(store), environ=environ).json["team"]
    assert (team["files"], team["waiting"], team["outcome"]) == (1, [], "synced")
    assert ana.near("team", "sync", "--json", "--project", str(store), environ=environ).json["outcome"] == "nothing"
    joined(bo, remote)
    assert (bo.team / "project_freeze.md").exists()


def test_the_prompt_speaks_of_the_team_once_there_is_one(ana: Person, remote: Path) -> None:
    before = ana.memd("prompt")
    ana.write("project_freeze.md")
    joined(ana, remote)
    after = ana.memd("prompt")
    assert "<scope>" not in before.out
    assert "<scope>always private</scope>" in after.out
    assert "## team/MEMORY.md" in after.out
    assert "project_freeze.md" in after.out


def test_status_and_doctor_speak_of_it(ana: Person, remote: Path) -> None:
    assert "\nteam " not in ana.memd("status").out
    assert ("team memory", "none is shared") in checks(ana)
    joined(ana, remote)
    said = ana.memd("status")
    assert f"in step with {remote}, branch memd, just now" in said.out
    assert "nothing leaves this machine" not in said.out
    assert ana.memd("status", "--json").json["project"]["team"]["outcome"] == "nothing"
    (text,) = [text for name, text in checks(ana) if name == "team memory"]
    assert "in step just now; what stands in team/ leaves the machine" in text
    ana.write("project_freeze.md")
    (text,) = [text for name, text in checks(ana) if name == "team memory"]
    assert "1 file to send, last in step just now; what stands in team/ leaves the machine" in text
    ana.write("reference_token.md", f"the token is {SECRET}", TopicType.REFERENCE)
    remote.rename(remote.with_name("elsewhere.git"))
    ana("sync")
    texts = [text for name, text in checks(ana) if name == "team memory"]
    assert "no such repository" in texts[0]
    assert texts[1].endswith("1 file held back")
    assert "NO SUCH REPOSITORY" in ana.memd("status").out


def checks(person: Person) -> list[tuple[str, str]]:
    return [(one["name"], one["text"]) for one in person.memd("doctor", "--json").json["checks"]]


def test_a_dream_by_hand_asks_the_remote_first(ana: Person, bo: Person, remote: Path) -> None:
    joined(ana, remote)
    joined(bo, remote)
    bo.write("project_freeze.md")
    bo("sync")
    assert ana.memd("dream").code == 0
    assert (ana.team / "project_freeze.md").exists()


def test_uninstall_with_purge_says_that_teams_are_left(ana: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    said = ana.near("uninstall", "--purge", "--dry-run", environ={"HOME": str(ana.home)})
    assert "1 team memory is left; its files stay" in said.out
    assert ana.near("uninstall", "--purge", "--yes", environ={"HOME": str(ana.home)}).code == 0
    assert not ana.state.exists()
    assert (ana.team / "project_freeze.md").exists()


def test_an_export_leaves_out_what_is_the_team_s(ana: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    joined(ana, remote)
    archive = ana.home / "all.tar.gz"
    alone = ana.memd("export", str(archive))
    assert (alone.code, "no memories to export but the team's" in alone.err) == (2, True)
    (ana.team.parent / "project_own.md").write_bytes(memory("own", "Mine"))
    said = ana.memd("export", str(archive))
    assert said.code == 0
    way = f"`memd team init --remote {remote} --branch memd` gets them on another machine"
    assert f"left out: 1 memory of the team ({ana.project}); {way}\n" in said.err
    (left,) = ana.memd("export", str(archive), "--yes", "--json").json["left_out"]
    assert (left["files"], left["remote"], left["branch"]) == (1, str(remote), "memd")
    assert ana.memd("export", "-", "--json").code == 2
    with tarfile.open(archive) as tar:
        names = [Path(name).name for name in tar.getnames()]
    assert "project_own.md" in names
    assert "project_freeze.md" not in names


def test_what_is_never_shared_is_named_and_what_editors_leave_is_not(ana: Person, remote: Path) -> None:
    ana.write("project_freeze.md")
    ana.write(".hidden.md")
    droppings = (".x.swp", "x~", ".DS_Store", ".x.md.tmp", ".#a.md")
    for name in ("note.txt", "PLAN.MD", "memory.md", "sub/deep/no.md", *droppings):
        (ana.team / name).parent.mkdir(parents=True, exist_ok=True)
        (ana.team / name).write_text("text")
    (ana.team / "link").symlink_to(ana.home)
    reasons = {
        ".hidden.md": "hidden files are not shared",
        "PLAN.MD": "a memory's name is in lower case",
        "link": "no file, but a link",
        "memory.md": "many disks take this name for the index",
        "note.txt": "only files called *.md are memories",
        "sub/deep": "too deep: a memory stands in team/, or in a directory of it",
    }
    asked = ana("init", "--remote", str(remote))
    assert "not shared PLAN.MD: a memory's name is in lower case" in asked.out
    documents = [ana("sync", *words, "--json").json for words in ((), ("--dry-run",))]
    documents.append(ana("status", "--json").json["team"])
    for document in documents:
        assert {one["path"]: one["reason"] for one in document["not_shared"]} == reasons
    lines = [line for line in ana("status").out.splitlines() if line.startswith("not shared")]
    assert lines[0] == "not shared .hidden.md: hidden files are not shared"
    assert (len(lines), lines[-1]) == (6, "not shared and 1 more (--json names them)")
    assert [line for line in ana("sync").out.splitlines() if line.startswith("not shared")] == lines
