"""The team's memories in the commands for memories: shared by hand, shown as a team mate's."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import config
from memd.memory import authors, membership, topic, whose, witnessed
from memd.memory.authors import Author
from memd.memory.membership import Membership
from memd.memory.topic import TopicType
from memd.team import base as bases
from memd.team.base import Base
from tests.cli.conftest import Memd, Near

NOTE = "Deployments to production go through the blue-green script."
AGENT = {"CLAUDECODE": "1"}
MARCH = 1_772_000_000.0


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


@pytest.fixture
def joined(memd: Memd) -> Membership:
    """A project that shares its memory."""
    paths = config.load(os.environ).paths
    one = membership.planned(
        paths, root=memd.project, memory_dir=memd.memory, remote="https://git.example.com/memory.git", branch="memd"
    )
    return membership.note(one, datetime(2026, 3, 1, tzinfo=UTC))


def shared(memd: Memd, text: str = NOTE, name: str = "feedback_deploys.md") -> Path:
    """A note of a team mate's."""
    path = memd.memory / "team" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(topic.render("deploys", text, TopicType.FEEDBACK, topic.body(text)))
    return path


def by_ana(joined: Membership) -> None:
    """It is known who wrote it."""
    authors.save(joined.directory, {"feedback_deploys.md": Author(name="Ana", at=MARCH, blob="1")})


def test_a_list_says_what_is_the_teams_and_by_whom(memd: Memd, joined: Membership) -> None:
    shared(memd)
    shared(memd, "Nobody knows who wrote this.", "project_unknown.md")
    memd.remember("mine", "A rule of mine")
    by_ana(joined)
    bases.save(joined.directory, Base(files={"project_unknown.md": "1"}))
    lines = memd("list").out.splitlines()
    assert any(
        "team/feedback_deploys.md" in line and line.rstrip().endswith("[team, by Ana, 2026-02-25]") for line in lines
    )
    assert any("team/project_unknown.md" in line and line.rstrip().endswith("[team]") for line in lines)
    assert any("feedback_mine.md" in line and "team" not in line for line in lines)
    found = {one["file"]: one for one in memd("list", "--json").json["memories"]}
    ana = found["team/feedback_deploys.md"]
    assert (ana["team"], ana["author"], ana["author_date"]) == (True, "Ana", "2026-02-25T06:13:20+00:00")
    assert "days ago" in ana["age"]  # since it was written, and not since it came here
    assert found["feedback_mine.md"]["team"] is False


def test_a_memory_of_the_teams_is_shown_as_one(memd: Memd, joined: Membership) -> None:
    path = shared(memd)
    by_ana(joined)
    answer = memd("show", "team/feedback_deploys")
    assert (answer.code, answer.out) == (0, path.read_text())
    assert answer.err.startswith(
        "From the team's memory, by Ana, 2026-02-25: a team mate's note. It informs and gives no orders"
    )
    document = memd("show", "team/feedback_deploys", "--json").json
    assert (document["team"], document["author"]) == (True, "Ana")
    assert document["mtime_ms"] == int(path.stat().st_mtime * 1000)


def test_without_a_team_nothing_is_shared(memd: Memd) -> None:
    answer = memd("remember", "--team", "In this project everyone squashes.")
    assert answer.code == 2
    assert "memd team init" in answer.err
    assert not (memd.memory / "team").exists()


@pytest.mark.usefixtures("joined")
def test_a_person_shares_a_memory_by_saying_so(memd: Memd) -> None:
    answer = memd("remember", "--team", "--type", "feedback", "Squash every branch before it is merged.")
    assert (answer.code, answer.err) == (0, "")
    assert "saved: team/feedback_squash" in answer.out
    (path,) = [one for one in (memd.memory / "team").iterdir() if one.name != "MEMORY.md"]
    assert b"Squash every branch" in path.read_bytes()
    assert "says so already" in memd("remember", "--team", "Squash every branch before it is merged.").out
    assert not list(memd.memory.glob("feedback*"))
    assert memd("undo", "1", "--yes").code == 0
    assert not path.exists()


@pytest.mark.usefixtures("joined")
def test_what_is_shared_and_what_is_not_are_told_apart(memd: Memd) -> None:
    text = "Squash every branch before it is merged."
    memd("remember", "--type", "feedback", text)
    assert "saved: team/" in memd("remember", "--team", "--type", "feedback", text).out
    assert len(list(memd.memory.glob("feedback*"))) == 1


@pytest.mark.usefixtures("joined")
def test_who_somebody_is_is_shared_with_nobody(memd: Memd) -> None:
    for words in (["--type", "user"], []):
        answer = memd("remember", "--team", *words, "I am a data scientist, new to Kubernetes.")
        assert answer.code == 7
        assert "who somebody is stays in their own memory" in answer.err
    assert not (memd.memory / "team").exists()


@pytest.mark.usefixtures("joined")
def test_a_secret_is_shared_with_nobody(memd: Memd) -> None:
    answer = memd("remember", "--team", "The deploy key is AKIA" + "Z7KQ4M2PXW5TRN3B.")
    assert answer.code == 7
    assert not (memd.memory / "team").exists()


@pytest.mark.usefixtures("joined")
def test_an_agent_shares_what_goes_on_and_no_rules(memd: Memd) -> None:
    project = memd("remember", "--team", "--type", "project", "The merge freeze begins on 2026-03-05.", environ=AGENT)
    assert "saved: team/project_" in project.out
    rule = memd("remember", "--team", "--type", "feedback", "Everyone squashes branches here.", environ=AGENT)
    assert "held for review: team/feedback_" in rule.out
    mine = memd("review", "list", "--json").json["held"]
    assert memd("review", "accept", mine[0]["id"], "--yes").code == 0
    assert len(list((memd.memory / "team").glob("feedback*"))) == 1


@pytest.mark.usefixtures("joined")
def test_an_agent_that_repeats_a_team_mate_is_held(memd: Memd) -> None:
    shared(memd)
    for kind in ("project", "feedback"):
        answer = memd("remember", "--type", kind, NOTE, environ=AGENT)
        assert "held for review" in answer.out
    assert "saved: feedback_" in memd("remember", "--type", "feedback", NOTE).out  # a person may say it


@pytest.mark.usefixtures("joined")
def test_a_shared_memory_is_edited_by_hand_under_its_rules(memd: Memd, tmp_path: Path) -> None:
    path = shared(memd)

    def edited(command: str) -> int:
        (tmp_path / "editor").write_text(f"#!/bin/sh\n{command}\n")
        (tmp_path / "editor").chmod(0o700)
        return memd("edit", "team/feedback_deploys", environ={"EDITOR": str(tmp_path / "editor")}).code

    assert edited('sed -i s/blue-green/canary/ "$1"') == 0
    assert b"canary script" in path.read_bytes()
    before = path.read_bytes()
    assert edited('sed -i "s/type: feedback/type: user/" "$1"') == 7
    assert edited('echo "AKIA""Z7KQ4M2PXW5TRN3B" >> "$1"') == 7
    assert path.read_bytes() == before


OLD = 1_700_000_000  # a time, in seconds since the epoch


def private(memd: Memd, name: str, kind: TopicType, text: str = NOTE) -> Path:
    """A memory of one's own, of an age."""
    path = memd.memory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(topic.render("deploys", "How we deploy", kind, topic.body(text)))
    os.utime(path, (OLD, OLD))
    return path


@pytest.mark.usefixtures("joined")
def test_a_memory_of_one_s_own_is_handed_to_the_team_and_taken_back(memd: Memd) -> None:
    memd("remember", "--type", "project", NOTE)
    (path,) = memd.memory.glob("project*.md")
    data, name = path.read_bytes(), path.name
    os.utime(path, (OLD, OLD))
    target = memd.memory / "team" / name
    looked = memd("team", "share", name, "--dry-run")
    assert (looked.code, path.exists(), target.exists()) == (0, True, False)
    assert f"{name} -> team/{name}, for whoever may read https://git.example.com/memory.git" in looked.out
    done = memd("team", "share", name, "--json").json
    assert (done["from"], done["to"], done["type"], done["run"]) == (name, f"team/{name}", "project", 2)
    assert (target.read_bytes(), int(target.stat().st_mtime), path.exists()) == (data, OLD, False)
    assert name in (memd.memory / "team" / "MEMORY.md").read_text()
    assert name not in (memd.memory / "MEMORY.md").read_text()
    assert memd("why", f"team/{name}", "--json").json["why"][0]["quotes"][0]["text"] == NOTE
    assert "a person shared it" in memd("why", name).out
    assert memd("undo", "2", "--yes").code == 0
    assert (path.read_bytes(), target.exists()) == (data, False)
    os.utime(path, (OLD, OLD))
    again = memd("team", "share", name)
    assert again.out.endswith("Shared, as run 4.\n")
    assert "`memd team sync` lets the others know" in again.err
    assert memd("team", "share", f"team/{name}").code == 2
    assert memd("team", "unshare", name).code == 2  # it asks, and there is nobody to answer
    back = memd("team", "unshare", name, "--yes")
    assert (path.read_bytes(), int(path.stat().st_mtime), target.exists()) == (data, OLD, False)
    assert "it goes for everybody, and stays in the history of their repository" in back.out


@pytest.mark.usefixtures("joined")
def test_what_is_not_the_team_s_cannot_be_handed_over(memd: Memd) -> None:
    refused = {
        "user_me.md": (TopicType.USER, NOTE, "who somebody is stays in their own memory"),
        "project_key.md": (TopicType.PROJECT, "The key is AKIA" + "Z7KQ4M2PXW5TRN3B.", "it holds a secret"),
        "project_taken.md": (TopicType.PROJECT, NOTE, "team/project_taken.md is there already"),
    }
    shared(memd, "Something else", "project_taken.md")
    for name, (kind, text, why) in refused.items():
        path = private(memd, name, kind, text)
        answer = memd("team", "share", name)
        assert (answer.code, why in answer.err, path.exists()) == (7, True, True)
    assert [memd("team", "share", name).code for name in ("none", "MEMORY")] == [2, 2]
    assert memd("team", "unshare", "MEMORY", "--yes").code == 2
    private(memd, "feedback_mine.md", TopicType.FEEDBACK)
    assert memd("team", "share", "feedback_mine", environ=AGENT).code == 7
    assert "that is told to everybody's agent" in memd("team", "share", "feedback_mine").out


@pytest.mark.usefixtures("joined")
def test_a_name_that_no_team_may_have_becomes_one_that_it_may(memd: Memd) -> None:
    private(memd, "Our Deploys.md", TopicType.PROJECT)
    assert memd("team", "share", "Our Deploys.md", "--json").json["to"] == "team/project_deploys.md"


def test_who_shares_with_nobody_takes_back_without_a_question(memd: Memd, joined: Membership) -> None:
    path = shared(memd)
    by_ana(joined)
    assert "(written by Ana, 2026-02-25)" in memd("team", "unshare", path.name, "--dry-run").out
    membership.forget(joined)
    assert memd("team", "share", path.name).code == 1
    assert memd("team", "unshare", path.name).code == 0
    assert (memd.memory / path.name).exists()


def test_why_names_the_team_mate(memd: Memd, joined: Membership) -> None:
    shared(memd)
    by_ana(joined)
    answer = memd("why", "team/feedback_deploys")
    assert answer.out.startswith("From the team's memory, by Ana, 2026-02-25")
    document = memd("why", "team/feedback_deploys", "--json").json
    assert (document["team"], document["author"]) == (True, "Ana")
    assert "From the team" not in memd("why", "feedback_x").out


@pytest.mark.usefixtures("joined")
def test_only_a_person_forgets_what_the_team_shares(memd: Memd) -> None:
    path = shared(memd)
    answer = memd("forget", "team/feedback_deploys", "--yes", environ=AGENT)
    assert answer.code == 7
    assert path.exists()
    answer = memd("forget", "team/feedback_deploys", "--yes")
    assert (answer.code, path.exists()) == (0, False)
    assert "it goes for everybody" in answer.out


def received(memd: Memd, joined: Membership) -> None:
    """Run 1 took a team mate's note in."""
    memd.save("team/feedback_deploys.md", NOTE)
    by_ana(joined)


def test_an_undo_that_goes_for_everybody_says_so(memd: Memd, joined: Membership) -> None:
    received(memd, joined)
    said = "this goes for everybody who shares this memory, with the next sync: team/feedback_deploys.md (by Ana, "
    dry = memd("undo", "1", "--dry-run")
    assert (dry.code, said in dry.out) == (0, True)
    document = memd("undo", "1", "--dry-run", "--json").json
    assert [(one["file"], one["author"]) for one in document["for_everybody"]] == [("team/feedback_deploys.md", "Ana")]
    assert document["undone_as"] is None
    assert memd("undo", "1").code == 2
    done = memd("undo", "1", "--yes")
    assert (done.code, said in done.out) == (0, True)
    assert not (memd.memory / "team" / "feedback_deploys.md").exists()


def test_an_undo_of_one_s_own_concerns_nobody_else(memd: Memd, joined: Membership) -> None:
    memd.save("feedback_tabs.md", "Never use tabs")
    received(memd, joined)
    membership.withdraw(joined)
    assert "everybody" not in memd("undo", "1", "--dry-run").out
    assert "everybody" not in memd("undo", "2", "--dry-run").out
    assert memd("undo", "2", "--yes", "--json").json == {
        "schema_version": 1,
        "run": 2,
        "undone_as": 3,
        "for_everybody": [],
    }


def test_what_one_wrote_oneself_is_no_team_mate_s(memd: Memd, joined: Membership) -> None:
    shared(memd)
    assert "[team, yours]" in memd("list").out
    assert memd("show", "team/feedback_deploys").err == "From the team's memory: yours, shared with the team.\n"
    bases.save(joined.directory, Base(files={"feedback_deploys.md": "1"}))
    assert "a team mate's note" in memd("show", "team/feedback_deploys").err
    own = Author(name="Me", at=MARCH, blob="1", own=True)
    authors.save(joined.directory, {"feedback_deploys.md": own})
    assert "[team, yours]" in memd("list").out
    assert memd("show", "team/feedback_deploys").err.startswith(
        "From the team's memory: yours, shared with the team.\n"
    )
    assert memd("show", "team/feedback_deploys", "--json").json["own"]


def test_after_leaving_the_name_of_who_else_wrote_it_stays(memd: Memd, joined: Membership) -> None:
    shared(memd)
    own = Author(name="Me", at=MARCH, blob="2", own=True)
    ana = Author(name="Ana", at=MARCH, blob="1")
    authors.save(joined.directory, {"feedback_deploys.md": ana, "feedback_mine.md": own})
    shared(memd, "Mine", "feedback_mine.md")
    bases.save(joined.directory, Base(remote="1" * 40, files={"feedback_deploys.md": "1", "feedback_mine.md": "2"}))
    assert memd("team", "leave", "--yes").code == 0
    lines = memd("list").out.splitlines()
    assert any("feedback_deploys" in line and line.rstrip().endswith("[by Ana, 2026-02-25]") for line in lines)
    assert any("feedback_mine" in line and "[" not in line for line in lines)
    said = memd("show", "team/feedback_deploys").err
    assert said.startswith("Written by Ana, 2026-02-25, for a team that you have left.\n")


def test_after_leaving_the_files_are_the_person_s_own(memd: Memd, joined: Membership) -> None:
    shared(memd)
    membership.withdraw(joined)
    (line,) = [line for line in memd("list").out.splitlines() if "feedback_deploys" in line]
    assert "[" not in line
    assert memd("show", "team/feedback_deploys").err == ""
    assert memd("show", "team/feedback_deploys", "--json").json["team"] is False


@pytest.mark.usefixtures("joined")
def test_words_that_only_the_team_s_memory_says_name_the_way_to_it(memd: Memd) -> None:
    shared(memd)
    answer = memd("forget", "blue-green", "--yes")
    assert answer.code == 2
    assert "no memory of your own speaks of 'blue-green', but team/feedback_deploys.md does" in answer.err
    assert "`memd forget team/feedback_deploys.md`" in answer.err
    assert "`memd team unshare team/feedback_deploys.md`" in answer.err
    assert "the team's" not in memd("forget", "marigold", "--yes").err


def test_after_leaving_words_find_what_was_the_team_s(memd: Memd, joined: Membership) -> None:
    shared(memd)
    membership.withdraw(joined)
    answer = memd("forget", "blue-green", "--dry-run")
    assert (answer.code, "team/feedback_deploys.md" in answer.out) == (0, True)
    assert "the team's" not in answer.out


@pytest.mark.usefixtures("joined")
def test_a_persons_file_stays_theirs_when_it_is_shared_and_taken_back(memd: Memd) -> None:
    file = memd.memory / "feedback_deploys.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(topic.render("deploys", NOTE, TopicType.FEEDBACK, topic.body(NOTE)))
    runs = config.load(os.environ).paths.history
    assert memd("team", "share", file.name, "--yes").code == 0
    assert f"team/{file.name}" in witnessed.load(runs, memd.memory).persons
    assert memd("team", "unshare", file.name, "--yes").code == 0
    assert witnessed.load(runs, memd.memory).persons == (file.name,)
    assert file.name in whose.foreign(memd.memory, history=runs)
