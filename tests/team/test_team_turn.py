"""A turn: what is remembered of a sync, and the short one that finds nothing new."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import config, logs
from memd.clock import SystemClock
from memd.errors import MemdError
from memd.ledger import open_ledger
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import account, clone, last, quick, turn
from memd.team.house import House
from memd.team.last import Last
from memd.team.nouns import Conflict, HeldBack, Outcome, SyncReport
from tests.fakes.git_remote import Server, git
from tests.fakes.team_home import Machine, memory
from tests.team.conftest import Machines

NOW = 1_775_000_000.0


def take(machine: Machine, log: io.StringIO | None = None) -> SyncReport:
    """One turn in this process."""
    loaded = config.load(machine.environ)
    with open_ledger(loaded.paths.ledger, SystemClock()) as ledger:
        house = House(
            settings=loaded.settings, paths=loaded.paths, environ=machine.environ, ledger=ledger, clock=SystemClock(),
            log=logs.configure(log or io.StringIO(), json=True), patience=20.0,
        )  # fmt: skip
        return turn.take(joined(machine), house)


def joined(machine: Machine) -> Membership:
    """Its membership, with a record."""
    return membership.note(machine.membership, SystemClock().now())


def look(machine: Machine, later: float = 0.0) -> SyncReport | None:
    """The short way, so many seconds from now."""
    was = account.before(machine.membership)
    return quick.look(machine.membership, was, machine.environ, SystemClock().now().timestamp() + later)


@pytest.fixture
def ana(machine: Machines) -> Machine:
    made = machine("ana")
    made.write("project_freeze.md", memory("freeze", "No releases."))
    os.utime(made.team / "project_freeze.md", (NOW, NOW))
    assert take(made).in_order
    return made


def test_where_nothing_is_new_a_look_is_enough(ana: Machine) -> None:
    report = look(ana)
    assert report is not None
    assert report.outcome is Outcome.NOTHING


def test_once_an_hour_every_file_is_looked_at_all_the_same(ana: Machine) -> None:
    assert look(ana, later=3500.0) is not None
    assert look(ana, later=3601.0) is None
    assert look(ana, later=-60.0) is None  # somebody set the clock


def test_a_first_sync_is_a_whole_one(machine: Machines) -> None:
    assert look(machine("bo")) is None


def test_an_edit_here_takes_a_whole_sync(ana: Machine) -> None:
    ana.write("project_other.md", memory("other", "Another."))
    assert look(ana) is None


def test_an_edit_there_takes_a_whole_sync(ana: Machine, machine: Machines) -> None:
    bo = machine("bo")
    take(bo)
    bo.write("project_other.md", memory("other", "Another."))
    assert take(bo).sent == ("project_other.md",)
    assert look(ana) is None
    assert take(ana).received == ("project_other.md",)
    assert look(ana) is not None


def test_a_branch_that_is_gone_takes_a_whole_sync(ana: Machine, remote: Path) -> None:
    subprocess.run(["git", "--git-dir", str(remote), "update-ref", "-d", "refs/heads/memd"], check=True)  # noqa: S607
    assert look(ana) is None


def test_a_remote_that_cannot_be_asked_is_an_outcome(ana: Machine, daemon: Server) -> None:
    daemon.stop()
    try:
        report = look(ana)
        assert report is not None
        assert report.outcome is Outcome.OFFLINE
        assert report.reason
        account.remember(ana.membership, account.before(ana.membership), report, NOW)
        assert look(ana) is None  # after a failure, the next sync is a whole one
    finally:
        daemon.start()


def test_a_lost_repository_takes_a_whole_sync(ana: Machine) -> None:
    ana.membership.repository.rename(ana.home / "aside")
    assert look(ana) is None
    assert take(ana).in_order


def test_an_outage_is_logged_when_it_begins_and_when_it_ends(ana: Machine, daemon: Server) -> None:
    log = io.StringIO()
    daemon.stop()
    try:
        for _ in range(3):
            assert take(ana, log).outcome is Outcome.OFFLINE
    finally:
        daemon.start()
    take(ana, log)
    assert log.getvalue().count("team_sync_failed") == 1
    assert log.getvalue().count("team_sync_restored") == 1


def test_the_process_that_finds_nothing_new_writes_one_file_and_loads_little(home: Path, ana: Machine) -> None:
    paths = config.find_paths({"HOME": str(home)})
    (home / "shop").mkdir()
    one = membership.note(
        membership.planned(paths, root=home / "shop", memory_dir=ana.memory_dir, remote=ana.remote, branch="memd"),
        SystemClock().now(),
    )
    command = [sys.executable, "-P", "-X", "importtime", "-m", "memd.team", one.key]
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "TZ": "UTC"}
    with subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as first:
        assert first.stderr is not None
        first.stderr.read()
        assert first.wait() == 0
    before = _standing(paths.state) | _standing(ana.memory_dir)
    with subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as second:
        assert second.stderr is not None
        said = second.stderr.read().decode()
        assert second.wait() == 0
    after = _standing(paths.state) | _standing(ana.memory_dir)
    assert {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} == {
        one.directory / "last.json"
    }
    loaded = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    assert "memd.team.quick" in loaded
    assert not loaded & {"structlog", "sqlite3", "memd.memory.validate", "re2", "yaml"}


def _standing(place: Path) -> dict[Path, tuple[int, int, int]]:
    found = (path for path in place.rglob("*") if path.is_file())
    return {path: (path.stat().st_ino, path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def test_a_key_of_nobody_and_a_project_that_memd_stays_out_of(home: Path, ana: Machine) -> None:
    paths = config.find_paths({"HOME": str(home)})
    (home / "shop").mkdir()
    one = membership.note(
        membership.planned(paths, root=home / "shop", memory_dir=ana.memory_dir, remote=ana.remote, branch="memd"),
        SystemClock().now(),
    )
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "MEMD_PROJECTS_EXCLUDE": f"{home}/*"}

    def run(key: str) -> int:
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "memd.team", key],
            env=environ,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            return process.wait()

    assert run("nobody") == 1
    assert run(one.key) == 0
    assert last.load(one) is None


def test_a_name_that_is_no_text_is_seen_by_every_look(ana: Machine) -> None:
    (ana.team / os.fsdecode(b"\xff.md")).write_bytes(memory("odd", "Odd."))
    (ana.team / "memory.md").write_bytes(memory("index", "No index."))
    assert set(last.shape(ana.membership)) == {"project_freeze.md", "\\udcff.md"}
    assert [one.rule for one in take(ana).held] == ["odd-file"]
    known = last.load(ana.membership)
    assert known is not None
    assert set(known.shape) == {"project_freeze.md", "\\udcff.md"}


def test_what_was_taken_in_is_what_stood_there_but_for_its_own(tmp_path: Path) -> None:
    del tmp_path
    before = {"mine.md": (1, 1.0), "theirs.md": (1, 1.0), "gone.md": (1, 1.0)}
    report = SyncReport(outcome=Outcome.SYNCED, received=("theirs.md", "gone.md", "overwritten.md"))
    assert last.taken_in(report, before, {"theirs.md": (2, 2.0)}) == {"mine.md": (1, 1.0), "theirs.md": (2, 2.0)}


@given(st.lists(st.sampled_from(Outcome), max_size=12))
def test_failures_are_counted_from_the_last_good_one(outcomes: list[Outcome]) -> None:
    known: Last | None = None
    for number, outcome in enumerate(outcomes):
        known = last.after(known, SyncReport(outcome=outcome), at=NOW + number, shape={})
    good = [number for number, one in enumerate(outcomes) if SyncReport(outcome=one).in_order]
    if known is None:
        return
    streak = len(outcomes) - 1 - (good[-1] if good else -1)
    assert known.failures == streak
    assert known.failing_since == (NOW + len(outcomes) - streak if streak else None)
    assert known.good_at == (NOW + good[-1] if good else None)


def test_what_is_held_back_stays_known_while_the_remote_is_away() -> None:
    held = (HeldBack(path="a.md", rule="github-token", reason="secret"),)
    known = last.after(None, SyncReport(outcome=Outcome.SYNCED, held=held), at=NOW, shape={})
    known = last.after(known, SyncReport(outcome=Outcome.OFFLINE), at=NOW, shape={})
    assert known.held == held
    assert last.after(known, SyncReport(outcome=Outcome.NOTHING), at=NOW, shape={}).held == ()


def test_conflicts_are_remembered_with_their_run_and_not_for_ever() -> None:
    known: Last | None = None
    for number in range(30):
        report = SyncReport(
            outcome=Outcome.SYNCED,
            conflicts=(Conflict(path=f"p{number}.md", ours="x"),),
            run_id=number,
            received=("x",),
        )
        known = last.after(known, report, at=NOW, shape={})
    assert known is not None
    assert [clash.run for clash in known.clashes] == list(range(29, 9, -1))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', '{"version": 9, "at": 1, "outcome": "nothing"}'])
def test_a_damaged_account_is_none(machine: Machines, text: str) -> None:
    one = machine("ana").membership
    one.directory.mkdir(parents=True)
    (one.directory / last.NAME).write_text(text)
    assert last.load(one) is None


def edit(ana: Machine) -> None:
    ana.write("project_other.md", memory("other", "Mine, at once."))


def delete(ana: Machine) -> None:
    ana.remove("project_other.md")


@pytest.mark.parametrize("change", [edit, delete], ids=["edit", "delete"])
def test_a_change_right_behind_what_was_received_is_no_part_of_it(
    ana: Machine, machine: Machines, change: Callable[[Machine], None]
) -> None:
    bo = machine("bo")
    bo.write("project_other.md", memory("other", "Another."))
    take(bo)
    was = account.before(ana.membership)
    report = ana.sync()
    assert report.received == ("project_other.md",)
    change(ana)
    account.remember(ana.membership, was, report, NOW)
    assert look(ana) is None
    assert take(ana).sent == ("project_other.md",)


def test_what_was_written_in_this_very_moment_cannot_be_relied_on() -> None:
    shape = {"now.md": (1, NOW), "before.md": (1, NOW - 1), "by-a-wrong-clock.md": (1, NOW + 1e9)}
    assert last.sure(shape, NOW + 0.01) == shape | {"now.md": last.UNSURE}


def test_a_sync_that_was_overtaken_writes_down_what_it_did(ana: Machine, machine: Machines, remote: Path) -> None:
    bo = machine("bo")
    take(bo)
    bo.write("project_freeze.md", memory("freeze", "Releases on Mondays."))
    take(bo)
    ana.write("project_freeze.md", memory("freeze", "Releases on Fridays."))
    ana.write("project_other.md", memory("other", "Another."))
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho \"cannot lock ref 'refs/heads/memd': is at 1 but expected 2\" >&2; exit 1\n")
    hook.chmod(0o755)
    report = take(ana)
    assert (report.outcome, report.elsewhere) == (Outcome.BUSY, False)
    known = last.load(ana.membership)
    assert known is not None
    assert [clash.path for clash in known.clashes] == ["project_freeze.md"]
    assert (known.outcome, known.failures) == (Outcome.BUSY, 1)


def test_a_sync_that_came_second_leaves_the_account_to_the_first(ana: Machine) -> None:
    before = last.load(ana.membership)
    with clone.held(ana.membership.directory):
        report = take(ana)
    assert (report.outcome, report.elsewhere) == (Outcome.BUSY, True)
    assert last.load(ana.membership) == before


def test_a_look_during_which_somebody_else_has_synced_says_nothing(ana: Machine) -> None:
    was, now = account.before(ana.membership), SystemClock().now().timestamp()
    conflict = SyncReport(outcome=Outcome.SYNCED, conflicts=(Conflict(path="project_freeze.md", ours="x"),))
    account.remember(ana.membership, account.before(ana.membership), conflict, now)
    assert quick.look(ana.membership, was, ana.environ, now) is None
    assert look(ana) is not None


def test_what_was_left_a_moment_ago_is_not_synced(ana: Machine, remote: Path) -> None:
    one = joined(ana)
    loaded = config.load(ana.environ)
    with open_ledger(loaded.paths.ledger, SystemClock()) as ledger:
        house = House(
            settings=loaded.settings, paths=loaded.paths, environ=ana.environ, ledger=ledger, clock=SystemClock(),
            log=logs.configure(io.StringIO(), json=True),
        )  # fmt: skip
        membership.forget(one)
        ana.write("project_late.md", memory("late", "Too late."))
        with pytest.raises(MemdError):
            turn.take(one, house)
    assert not one.directory.exists()
    assert "project_late.md" not in git(remote, "ls-tree", "-r", "--name-only", "memd")


def test_a_conflict_is_spoken_of_until_it_is_dealt_with_or_a_week_old() -> None:
    report = SyncReport(outcome=Outcome.SYNCED, conflicts=(Conflict(path="a.md", ours="1"),), run_id=4)
    known = last.after(None, report, at=NOW, shape={})
    assert [one.path for one in last.open_clashes(known, NOW + 1, dreamt_at=NOW - 1, undone=())] == ["a.md"]
    assert not last.open_clashes(known, NOW + last.FRESH, dreamt_at=0.0, undone=())
    assert not last.open_clashes(known, NOW + 2, dreamt_at=NOW + 1, undone=())
    assert not last.open_clashes(known, NOW + 1, dreamt_at=0.0, undone={4})
    assert not last.open_clashes(None, NOW, dreamt_at=0.0, undone=())
