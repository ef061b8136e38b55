"""No secret leaves: every object of a remote is searched after real syncs, whatever was written, and when."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.memory import authors, validate
from memd.memory.topic import TopicType
from memd.team.nouns import Outcome
from tests.fakes.git_objects import Bare
from tests.fakes.team_machine import Machine, memory

KEY = "AKIA" + "Z7KQ4M2PXW5TRN3B"
TOKEN = "ghp_" + "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8"
SPOKEN = "The password of the staging database is hunter2-Xk9!vQ"

DIRTY = {
    "project_plain.md": memory(f"Deploy with {KEY}."),
    "project_wide.md": memory("Deploy with " + "".join(chr(ord(char) + 0xFEE0) for char in KEY)),
    "project_lines.md": memory(f"Deploy with {KEY[:9]}\n{KEY[9:]}"),
    "project_base64.md": memory(base64.b64encode(f"the key that deploys is {KEY}".encode()).decode()),
    "project_hidden.md": memory("\u200b".join(KEY)),
    "project_said.md": memory(SPOKEN),
    "project_header.md": memory("Fine.").replace(b"---\n", f"---\nowner: {KEY}\n".encode(), 1),
    "project_comment.md": memory("Fine.") + f"<!-- {TOKEN} -->\n".encode(),
    f"{TOKEN[:40]}.md": memory("Fine."),
    "user_role.md": memory("I am a data scientist.", kind=TopicType.REFERENCE).replace(b"reference", b"user"),
}
CLEAN = {"project_clean.md": memory("The freeze begins in May."), "ops/reference_board.md": memory("The board.")}


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    made = Bare.made(tmp_path / "remote" / "memory.git")
    made.point("other", made.commit({"x": b"x"}))
    return made


@pytest.fixture
def ana(tmp_path: Path, bare: Bare) -> Machine:
    return named(Machine.made(tmp_path / "ana", str(bare.path)), "Ana Gomez")


@pytest.fixture
def ben(tmp_path: Path, bare: Bare) -> Machine:
    return named(Machine.made(tmp_path / "ben", str(bare.path)), "Ben Mai")


def named(machine: Machine, name: str) -> Machine:
    """Somebody's machine."""
    said = f"[user]\n\tname = {name}\n\temail = someone@example.com\n"
    (machine.root / "home" / ".gitconfig").write_text(said)
    return machine


def objects(bare: Bare) -> Iterator[tuple[str, str]]:
    """Every object that is there, reachable or not, as text: its kind and what it says."""
    for line in bare.git("cat-file", "--batch-all-objects", "--batch-check").splitlines():
        oid, kind, _ = line.split()
        words = ["ls-tree", oid] if kind == "tree" else ["cat-file", kind, oid]
        yield kind, bare.git(*words)


def secrets_on(bare: Bare) -> list[str]:
    """The rules that find something on the remote."""
    return [rule for _, text in objects(bare) for rule, _ in validate.secrets_in("", text)]


def test_what_holds_a_secret_stays_and_the_rest_goes_on(bare: Bare, ana: Machine, ben: Machine) -> None:
    for path, data in {**DIRTY, **CLEAN}.items():
        ana.write(path, data)
    report = ana.sync()
    assert report.outcome is Outcome.SYNCED
    assert set(report.sent) == CLEAN.keys()
    assert len(report.held) == len(DIRTY)
    assert {one.rule for one in report.held} >= {"aws-access-key-id", "github-token", "private"}
    assert not any(secret in repr(report) for secret in (KEY, TOKEN, "hunter2"))
    assert secrets_on(bare) == []
    assert not any("user" in text for kind, text in objects(bare) if kind == "tree")
    ben.sync()
    assert ben.live() == CLEAN
    assert ana.live() == {**DIRTY, **CLEAN}  # nobody touches them here
    assert {one.path for one in ana.sync().held} == {one.path for one in report.held}  # and they are named every time


def test_a_file_goes_once_it_is_clean(bare: Bare, ana: Machine, ben: Machine) -> None:
    ana.write("project_a.md", memory(f"Deploy with {KEY}."))
    ana.sync()
    ana.write("project_a.md", memory("Deploy with the key in the vault."))
    assert ana.sync().sent == ("project_a.md",)
    ben.sync()
    assert ben.live()["project_a.md"] == memory("Deploy with the key in the vault.")
    assert secrets_on(bare) == []


def test_of_a_file_that_gets_a_secret_the_version_last_sent_stays(bare: Bare, ana: Machine, ben: Machine) -> None:
    ana.write("project_a.md", memory("Deploy on Mondays."))
    ana.sync()
    ana.write("project_a.md", memory(f"Deploy on Mondays, with {KEY}."))
    ana.write("project_b.md", memory("Another one."))
    report = ana.sync()
    assert (report.sent, [one.path for one in report.held]) == (("project_b.md",), ["project_a.md"])
    ben.sync()
    assert ben.live()["project_a.md"] == memory("Deploy on Mondays.")
    ana.write("project_a.md", memory("Deploy on Tuesdays."))
    ana.sync()
    ben.sync()
    assert ben.live()["project_a.md"] == memory("Deploy on Tuesdays.")
    assert secrets_on(bare) == []


def test_a_secret_that_came_and_went_while_the_remote_was_away_is_not_sent(
    bare: Bare, ana: Machine, ben: Machine
) -> None:
    ana.write("project_a.md", memory("Deploy on Mondays."))
    ana.sync()
    away = bare.path.with_suffix(".away")
    bare.path.rename(away)
    for text in ("Deploy on Tuesdays.", f"Deploy with {KEY}.", SPOKEN, "Deploy on Fridays."):
        ana.write("project_a.md", memory(text))
        assert not ana.sync().in_order
    away.rename(bare.path)
    assert ana.sync().sent == ("project_a.md",)
    ben.sync()
    assert ben.live()["project_a.md"] == memory("Deploy on Fridays.")
    assert secrets_on(bare) == []


def test_a_person_whose_name_is_a_secret_pushes_as_nobody(bare: Bare, ana: Machine) -> None:
    named(ana, TOKEN)
    ana.write("project_a.md", memory("Deploy on Mondays."))
    assert ana.sync().sent == ("project_a.md",)
    assert secrets_on(bare) == []


def test_a_secret_that_somebody_else_pushed_is_not_made_live_and_not_spread(
    bare: Bare, ana: Machine, ben: Machine
) -> None:
    ana.write("project_a.md", memory("Deploy on Mondays."))
    ana.sync()
    ben.sync()
    tip = bare.git("rev-parse", "refs/heads/memd")
    bare.point("memd", bare.commit({"project_a.md": memory(f"Deploy with {KEY}."), "project_b.md": memory("B.")}, tip))
    report = ben.sync()
    assert [(one.path, "secret" in one.reason) for one in report.refused] == [("project_a.md", True)]
    assert ben.live() == {"project_a.md": memory("Deploy on Mondays."), "project_b.md": memory("B.")}
    ben.write("project_c.md", memory("C."))
    assert ben.sync().sent == ("project_c.md",)  # what is the remote's own keeps nobody from working on


def test_who_wrote_a_file_is_known_where_it_arrives(ana: Machine, ben: Machine) -> None:
    ana.write("project_a.md", memory("Deploy on Mondays."))
    ana.sync()
    ben.write("project_b.md", memory("Freeze in May."))
    ben.sync()
    ana.sync()
    for machine in (ana, ben):
        known = authors.load(machine.membership.directory)
        assert {path: one.name for path, one in known.items()} == {
            "project_a.md": "Ana Gomez",
            "project_b.md": "Ben Mai",
        }
        assert all(one.at is not None for one in known.values())
