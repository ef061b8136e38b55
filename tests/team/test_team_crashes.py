"""Killed at any of its steps, a sync is finished by the next one, and nobody's edit is lost."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.extract import note
from memd.failpoints import FAILPOINTS, TEAM_FAILPOINTS
from memd.ledger import open_ledger
from memd.memory import history, store
from memd.team.nouns import Outcome
from tests.fakes.git_remote import git
from tests.fakes.team_home import BRANCH, Machine, long_text, memory

Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()

# How often a place is passed: a sync's own places at most twice, those of the door once a file, those of files often.
TURNS = {"team": 2, "store": 4, "files": 6}
NEVER = frozenset(  # passed by no such sync: it makes no new directory, and nothing is left to recover at first
    {"store.recovering", "store.recovered_files", "store.told_recovered", "files.made_directory"}
)


def places(quick: Collection[str]) -> list[object]:
    """All places that a sync passes; those that are not `quick` are for long runs."""
    found: list[object] = []
    for name in (*TEAM_FAILPOINTS, *FAILPOINTS):
        for turn in range(1, TURNS.get(name.partition(".")[0], 0) + 1):
            if name not in NEVER:
                is_quick = name in quick and turn == 1
                found.append(pytest.param(f"{name}@{turn}", marks=[] if is_quick else [pytest.mark.deep]))
    return found


@pytest.fixture
def mates(pair: Pairs) -> tuple[Machine, Machine]:
    """Ana has sent edits; bo has edits of his own: of the same line, of other lines, a new file, a deletion."""
    ana, bo = pair("same.md", "both.md", "gone.md", "edited.md", "ours.md")
    ana.write("same.md", line(ana, "same.md", 5, "Ana's line"))
    ana.write("both.md", line(ana, "both.md", 2, "Ana's line"))
    ana.remove("gone.md")
    ana.write("new.md", memory("new", LONG))
    assert ana.sync().in_order
    bo.write("same.md", line(bo, "same.md", 5, "Bo's line"))
    bo.write("both.md", line(bo, "both.md", 17, "Bo's line"))
    bo.write("bo.md", memory("bo", LONG))
    bo.remove("ours.md")
    return ana, bo


def line(mate: Machine, path: str, number: int, new: str) -> bytes:
    return mate.files()[path].replace(b"Line %d " % number, f"{new} ".encode())


def require_whole(ana: Machine, bo: Machine, remote: Path) -> None:
    """Sync until it is calm; both have all edits then, and what lost is in the history and flagged once."""
    for _ in range(2):
        for mate in (bo, ana):
            while (report := mate.sync()).elsewhere:
                pass  # what a killed sync had started may live for another moment, and holds its lock
            assert report.in_order, report
    for mate in (bo, ana):
        assert mate.sync().outcome is Outcome.NOTHING
    files = ana.files()
    assert files == bo.files()
    assert sorted(files) == ["bo.md", "both.md", "edited.md", "new.md", "same.md"]
    assert {b"Ana's line" in files["both.md"], b"Bo's line" in files["both.md"]} == {True}
    assert {path: git(remote, "show", f"{BRANCH}:{path}") for path in files} == {
        path: data.decode().strip() for path, data in files.items()
    }
    assert b"Ana's line" in files["same.md"]
    assert b"Bo's line" in b"".join(one.read_bytes() for one in bo.paths.history.rglob("before/team/same.md"))
    flags = [one for one in logged(bo).splitlines() if "same.md" in one]
    assert len(flags) == 1
    assert all(name in bo.index() for name in files)
    assert not [one for one in bo.memory_dir.rglob("*") if one.name.endswith(".tmp")]
    assert not [one for one in bo.membership.directory.rglob("*") if one.name.endswith((".tmp", ".lock", ".new"))]


def logged(mate: Machine) -> str:
    return "".join(one.read_text() for one in mate.memory_dir.glob("logs/*/*/*.md"))


@pytest.mark.parametrize("place", places(TEAM_FAILPOINTS))
def test_killed_anywhere(mates: tuple[Machine, Machine], remote: Path, place: str) -> None:
    ana, bo = mates
    died = bo.killed(place)
    assert died or not place.endswith("@1"), "no sync passes there"
    require_whole(ana, bo, remote)
    assert all(record.outcome == "saved" for record in history.runs(bo.paths.history))


@pytest.mark.parametrize("place", places(("team.fetched", "team.noted_coming")))
def test_killed_there_and_in_the_recovery(mates: tuple[Machine, Machine], remote: Path, place: str) -> None:
    ana, bo = mates
    assert bo.killed("store.applied_one@2")
    bo.killed(place)
    bo.killed("team.made_live")
    require_whole(ana, bo, remote)


MORE = ("files.opened_temporary", "store.made_run", "store.journalled")
ERRORS = ["files.wrote_temporary", "store.before_one@2", *(pytest.param(one, marks=pytest.mark.deep) for one in MORE)]


@pytest.mark.parametrize("error", ["ENOSPC", "EACCES", pytest.param("EROFS", marks=pytest.mark.deep)])
@pytest.mark.parametrize("place", ERRORS)
def test_a_disk_that_takes_no_more(mates: tuple[Machine, Machine], remote: Path, place: str, error: str) -> None:
    ana, bo = mates
    process = bo.start(f"{place}:error={error}")
    out, _ = process.communicate()
    assert process.returncode == 0, out
    if place.startswith("store.") and error != "ENOSPC":
        assert git(remote, "show", f"{BRANCH}:bo.md"), (
            "what could not be made live here did not keep ours from going out"
        )
    require_whole(ana, bo, remote)


def test_killed_at_random_moments_with_all_that_it_started(mates: tuple[Machine, Machine], remote: Path) -> None:
    ana, bo = mates
    for number in range(6):
        bo.write(f"more{number}.md", memory(f"more{number}", LONG))
        process = bo.start()
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.25 + number / 10)
        process.kill()
        process.communicate()
    for path in list(bo.files()):
        if path.startswith("more"):
            bo.remove(path)
    require_whole(ana, bo, remote)


def test_whoever_recovers_closes_the_run_in_the_ledger(mates: tuple[Machine, Machine], remote: Path) -> None:
    """A worker that starts finishes all runs, those of a sync too, and the next sync makes nothing of it."""
    ana, bo = mates
    assert bo.killed("store.applied_one@2")
    with open_ledger(bo.paths.ledger, SystemClock()) as ledger:
        ledger.close_dead_runs()
        (found,) = store.recover(bo.paths.history, lambda said: note.recover(ledger, said))
        assert found.problem is None
        run = ledger.run(found.run_id)
    assert run is not None
    assert (run.kind, run.outcome) == ("team", "saved")
    assert "team/new.md" in run.files
    require_whole(ana, bo, remote)


def test_a_run_that_another_sync_finished_ended_when_its_own_did(mates: tuple[Machine, Machine]) -> None:
    _, bo = mates
    assert bo.killed("store.applied_one")
    killed_at = time.time()
    assert bo.sync().in_order
    with open_ledger(bo.paths.ledger, SystemClock()) as ledger:
        run = min((one for one in ledger.runs() if one.kind == "team"), key=lambda one: one.id)
    assert run.outcome == "saved"
    assert run.ended is not None
    assert run.started <= run.ended <= killed_at
