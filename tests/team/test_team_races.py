"""People edit while a sync goes on: at whatever moment, nothing of theirs is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.team.nouns import Outcome
from tests.fakes.team_home import Machine, long_text, memory, stopped

Machines = Callable[[str], Machine]
Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()


@pytest.fixture
def mates(pair: Pairs) -> tuple[Machine, Machine]:
    """Two machines with the same files; ana has sent an edit of one that bo does not have yet."""
    ana, bo = pair("api.md", "ui.md", "gone.md")
    ana.write("api.md", line(ana, "api.md", 2, "Ana's line"))
    ana.write("new.md", memory("new", LONG))
    ana.remove("gone.md")
    assert ana.sync().in_order
    return ana, bo


def line(mate: Machine, path: str, number: int, new: str) -> bytes:
    return mate.files()[path].replace(b"Line %d " % number, f"{new} ".encode())


# Before, between and after the steps of making something live, and in the last moment before a file is replaced.
MOMENTS = (
    "team.fetched",
    "team.planned",
    "store.before_one@2",
    "files.synced_temporary",
    "team.made_live",
    "team.pushed",
)
MORE = (
    *("team.wrote_snapshot", "team.moved_refs", "team.saved_base", "team.joined", "team.noted_coming"),
    *("store.made_run", "store.journalled", "store.before_one", "store.before_one@3", "store.applied_one"),
    *("store.before_bullets", "store.committed", "store.done", "team.saved_base@2"),
)


@pytest.mark.parametrize("moment", [*MOMENTS, *(pytest.param(one, marks=pytest.mark.deep) for one in MORE)])
def test_edits_at_any_moment_meet_what_arrives(mates: tuple[Machine, Machine], moment: str) -> None:
    ana, bo = mates
    bo.write("ui.md", line(bo, "ui.md", 9, "Bo's first line"))
    with stopped(bo, moment):
        bo.write("api.md", line(bo, "api.md", 17, "Bo's line"))
        bo.write("new.md", memory("new", LONG + "\nBo's new line."))
        bo.write("bo.md", memory("bo", LONG))
        if (bo.team / "gone.md").exists():
            bo.write("gone.md", line(bo, "gone.md", 4, "Bo still needs this"))
    settle(ana, bo)
    files = ana.files()
    assert files == bo.files()
    assert b"Ana's line" in files["api.md"]
    assert b"Bo's line" in files["api.md"]
    assert b"Bo's first line" in files["ui.md"]
    assert "bo.md" in files
    lost = b"Bo's new line" not in files["new.md"]
    assert not lost or kept_in_history(bo, b"Bo's new line")


def settle(*mates: Machine) -> None:
    for _ in range(2):
        for mate in mates:
            assert mate.sync().in_order
    for mate in mates:
        assert mate.sync().outcome is Outcome.NOTHING


def kept_in_history(mate: Machine, words: bytes) -> bool:
    return any(words in one.read_bytes() for one in mate.paths.history.rglob("before/team/*.md"))


@pytest.mark.parametrize(
    "moment",
    [
        "store.before_one@2",
        *(
            pytest.param(one, marks=pytest.mark.deep)
            for one in ("team.joined", "store.before_one", "files.synced_temporary")
        ),
    ],
)
def test_a_deletion_at_any_moment_is_one(mates: tuple[Machine, Machine], moment: str) -> None:
    ana, bo = mates
    with stopped(bo, moment):
        bo.remove("ui.md")
    settle(ana, bo)
    assert ana.files() == bo.files()
    assert "ui.md" not in ana.files()


def test_somebody_who_saves_without_a_pause_is_waited_for(mates: tuple[Machine, Machine]) -> None:
    """Every look finds another text; what he has at last is what goes out."""
    ana, bo = mates
    with stopped(bo, "team.planned"):
        bo.write("api.md", line(bo, "api.md", 17, "Bo's line"))
    for number in range(3):
        with stopped(bo, "team.fetched"):
            bo.write("api.md", line(bo, "api.md", 10 + number, f"More {number}"))
    settle(ana, bo)
    assert ana.files() == bo.files()
    assert {b"Bo's line" in ana.files()["api.md"], b"More 2" in ana.files()["api.md"]} == {True}
