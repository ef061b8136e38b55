"""What stands in `team/`, and what of it is an edit: what cannot be seen is never taken for deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.team import base as bases
from memd.team import snapshot
from memd.team.base import Base
from memd.team.objects import blob_name
from tests.fakes.team_home import memory

GOOD = memory("api", "The API is versioned by date.")


@pytest.fixture
def team(home: Path) -> Path:
    place = home / "memory" / "team"
    place.mkdir(parents=True)
    return place


def edits(team: Path, base: Base | None = None) -> snapshot.Edits:
    base = base or Base()
    return snapshot.edits(snapshot.look(team.parent, base), base)


def base_of(*paths: str, data: bytes = GOOD) -> Base:
    return Base(commit="0" * 40, files=dict.fromkeys(paths, blob_name(data)))


def test_new_changed_gone_and_the_same(team: Path) -> None:
    (team / "new.md").write_bytes(GOOD)
    (team / "same.md").write_bytes(GOOD)
    (team / "sub").mkdir()
    changed = memory("api", "Else.")
    (team / "sub" / "changed.md").write_bytes(changed)
    found = edits(team, base_of("same.md", "sub/changed.md", "gone.md"))
    assert found.put == {"new.md": GOOD, "sub/changed.md": changed}
    assert found.gone == ("gone.md",)
    assert found.held == ()
    assert found.changes == {"new.md": GOOD, "sub/changed.md": changed, "gone.md": None}


def test_a_missing_directory_tells_nothing(home: Path) -> None:
    found = snapshot.look(home / "memory", base_of("a.md"))
    assert not found.is_there
    assert snapshot.edits(found, base_of("a.md")) == snapshot.Edits()


@pytest.mark.parametrize(
    "name",
    ["MEMORY.md", "memory.md", ".hidden.md", "notes.txt", ".memd-0123456789abcdef.tmp", "deep/er/est.md", "a.md~"],
)
def test_what_is_none_of_the_teams_is_passed_over(team: Path, name: str) -> None:
    (team / name).parent.mkdir(parents=True, exist_ok=True)
    (team / name).write_bytes(GOOD)
    assert edits(team) == snapshot.Edits()


@pytest.mark.parametrize("name", ["My Notes.md", "ÄPFEL.md", "a.b.md", "README.md"])
def test_a_name_that_others_could_not_take_is_held_back(team: Path, name: str) -> None:
    (team / name).write_bytes(GOOD)
    assert [one.rule for one in edits(team).held] == ["bad_name"]
    assert not edits(team).put


def test_what_is_in_a_memorys_place_keeps_it_from_being_deleted(team: Path, home: Path) -> None:
    base = base_of("link.md", "hard.md", "pipe.md", "large.md", "directory.md")
    (team / "link.md").symlink_to("/etc/passwd")
    (home / "other").write_bytes(GOOD)
    os.link(home / "other", team / "hard.md")
    os.mkfifo(team / "pipe.md")
    (team / "large.md").write_bytes(b"x" * (300 * 1024))
    (team / "directory.md").mkdir()
    (team / "directory.md" / "below").mkdir()
    found = edits(team, base)
    assert (found.put, found.gone) == ({}, ("directory.md",))
    assert {one.path for one in found.held} == {"link.md", "hard.md", "pipe.md", "large.md"}


def test_a_name_that_is_no_text_is_held_back(team: Path) -> None:
    (team / os.fsdecode(b"\xff\xfe.md")).write_bytes(GOOD)
    (held,) = edits(team).held
    assert held.path.isprintable()


def test_what_stands_below_a_link_is_not_deleted(team: Path) -> None:
    (team / "sub").symlink_to("/nowhere")
    assert edits(team, base_of("sub/a.md")).gone == ()


def test_a_secret_is_named_by_its_rule_alone(team: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (team / "key.md").write_bytes(memory("key", f"Use {token}."))
    (held,) = edits(team).held
    assert (held.path, held.rule) == ("key.md", "github-token")
    assert token not in held.reason


NAMES = st.sampled_from(["a.md", "b.md", "c/d.md"])
KEPT = st.builds(
    Base,
    commit=st.none() | st.just("1" * 40),
    remote=st.none() | st.just("2" * 40),
    graft=st.none() | st.just("3" * 40),
    files=st.dictionaries(NAMES, st.sampled_from(["4" * 40, "5" * 40])),
    aside=st.lists(NAMES).map(tuple),
    coming=st.none()
    | st.builds(bases.Coming, commit=st.just("6" * 40), remote=st.none(), files=st.just({"a.md": None})),
    unsent=st.lists(NAMES).map(tuple),
    indexed=st.none() | st.text(max_size=5),
)


@given(base=KEPT)
def test_a_base_is_read_as_it_was_kept(tmp_path_factory: pytest.TempPathFactory, base: Base) -> None:
    place = tmp_path_factory.getbasetemp() / "base"
    place.mkdir(exist_ok=True)
    bases.save(place, base)
    assert bases.load(place) == base
