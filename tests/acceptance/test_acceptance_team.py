"""Two machines with real daemons and a real git server: what is saved on one is known on the other."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from memd import config
from memd.daemon import control
from memd.daemon.requests import Request, Verb
from memd.memory import membership
from tests.fakes.git_remote import Server, bare, git, serving, silence
from tests.fakes.team_mate import Daemon, Mate, mate, until

pytestmark = pytest.mark.timeout(180)

OFTEN = {"MEMD_TEAM_PULL": "1s"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One `git daemon` for all of them."""
    with serving(tmp_path_factory.mktemp("remotes")) as made:
        yield made


@pytest.fixture
def remote(server: Server, home: Path) -> Path:
    server.start()
    return bare(server.root / f"{home.name}.git")


@pytest.fixture
def ana(home: Path) -> Mate:
    return mate(home.resolve() / "ana")


@pytest.fixture
def bo(home: Path) -> Mate:
    return mate(home.resolve() / "bo")


def by_hand(one: Mate, url: str) -> None:
    """Make somebody a member without asking the remote."""
    paths = config.find_paths(one.environ())
    planned = membership.planned(paths, root=one.project, memory_dir=one.team.parent, remote=url, branch="memd")
    membership.note(planned, datetime.now(UTC))
    one.team.mkdir(parents=True)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def at_git(running: Daemon) -> list[psutil.Process]:
    """The daemon's processes, once one of them is git."""
    found = running.children()
    return found if any(one.name().startswith("git") for one in found if one.is_running()) else []


def test_what_is_saved_changed_and_deleted_on_one_is_so_on_the_other(
    ana: Mate, bo: Mate, server: Server, remote: Path
) -> None:
    for one in (ana, bo):
        one.join(server.url(remote.name))
    with ana.daemon(**OFTEN) as hers, bo.daemon(**OFTEN) as his:
        ana.write("project_freeze.md", "Freeze on Fridays")
        until(lambda: "Fridays" in bo.text("project_freeze.md"))
        until(lambda: "project_freeze.md" in bo.text("MEMORY.md"))
        bo.write("project_freeze.md", "Freeze on Mondays")
        until(lambda: "Mondays" in ana.text("project_freeze.md"))
        (ana.team / "project_freeze.md").unlink()
        until(lambda: not (bo.team / "project_freeze.md").exists())
        for running in (hers, his):
            code, seconds = running.stop()
            assert (code, seconds < 10) == (0, True)
            assert not running.logged("team_sync_failed")
    assert "MEMORY.md" not in git(remote, "ls-tree", "-r", "--name-only", "memd")


@pytest.mark.deep
def test_an_outage_is_said_once_and_made_up_for(ana: Mate, bo: Mate, server: Server, remote: Path) -> None:
    for one in (ana, bo):
        one.join(server.url(remote.name))
    with ana.daemon(**OFTEN) as hers, bo.daemon(**OFTEN):
        server.stop()
        until(lambda: hers.logged("team_sync_failed"))
        ana.write("project_freeze.md", "Freeze on Fridays")
        until(lambda: "to send" in (said := ana.memd("team", "status").stdout) and "OFFLINE" in said)
        server.start()
        until(lambda: "Fridays" in bo.text("project_freeze.md"))
        until(lambda: hers.logged("team_sync_restored"))
        assert len(hers.logged("team_sync_failed")) == 1
        assert ana.memd("team", "status").returncode == 0


def test_a_remote_that_says_nothing_holds_nobody_up(ana: Mate) -> None:
    with silence() as port:
        by_hand(ana, f"git://127.0.0.1:{port}/team.git")
        with ana.daemon() as running:
            stuck = until(lambda: at_git(running))
            answer = control.ask(config.find_paths(ana.environ()).control, Request(verb=Verb.STATUS))
            assert answer["pid"] == running.process.pid
            code, seconds = running.stop()
            assert (code, seconds < 10) == (0, True)
            until(lambda: not alive(stuck))


def test_a_daemon_that_is_killed_leaves_no_process_behind(ana: Mate) -> None:
    with silence() as port:
        by_hand(ana, f"git://127.0.0.1:{port}/team.git")
        with ana.daemon() as running:
            stuck = until(lambda: at_git(running))
            running.stop(signal.SIGKILL)
            until(lambda: not alive(stuck))


@pytest.mark.deep
def test_once_syncs_once(ana: Mate, bo: Mate, server: Server, remote: Path) -> None:
    ana.join(server.url(remote.name))
    bo.join(server.url(remote.name))
    ana.write("project_freeze.md", "Freeze on Fridays")
    for one in (ana, bo):
        done = one.memd("run", "--once")
        assert done.returncode == 0, done.stderr
    assert "Fridays" in bo.text("project_freeze.md")


@pytest.mark.deep
def test_what_is_shared_is_found_by_a_project_that_the_settings_name(
    ana: Mate, bo: Mate, server: Server, remote: Path
) -> None:
    ana.write("project_freeze.md", "Freeze on Fridays")
    ana.join(server.url(remote.name))
    named = {"MEMD_TEAM_REMOTE": server.url(remote.name), **OFTEN}
    assert bo.memd("team", "sync", **named).returncode == 0
    assert "Fridays" in bo.text("project_freeze.md")
    with bo.daemon(**named):
        ana.write("project_freeze.md", "Freeze on Mondays")
        assert ana.memd("team", "sync").returncode == 0
        until(lambda: "Mondays" in bo.text("project_freeze.md"))


@pytest.mark.deep
def test_leaving_while_a_daemon_runs_ends_it(ana: Mate, server: Server, remote: Path) -> None:
    ana.join(server.url(remote.name))
    with ana.daemon(**OFTEN):
        assert ana.memd("team", "leave").returncode == 0
        ana.write("project_freeze.md", "Freeze on Fridays")
        assert ana.memd("team", "status").returncode == 0
        state = config.find_paths(ana.environ()).state
        assert not (state / "team").exists()
    assert "memd" not in git(remote, "branch", "--list").split()
    assert os.listdir(ana.team)  # noqa: PTH208 - names are enough


def test_a_memory_that_lies_outside_of_what_is_watched_is_watched_too(ana: Mate, server: Server, remote: Path) -> None:
    paths = config.find_paths(ana.environ())
    memory_dir = ana.home / "notes" / "memory"
    planned = membership.planned(
        paths, root=ana.project, memory_dir=memory_dir, remote=server.url(remote.name), branch="memd"
    )
    membership.note(planned, datetime.now(UTC))
    with ana.daemon() as running:  # which pulls at its start, and then not for five minutes
        until(lambda: (planned.directory / "last.json").exists() and not running.children())
        saved = ana.write("project_freeze.md", "Freeze on Fridays")
        (memory_dir / "team").mkdir(parents=True, exist_ok=True)
        saved.rename(memory_dir / "team" / saved.name)
        until(lambda: _has(remote, "project_freeze.md"))


def _has(remote: Path, name: str) -> bool:
    return "memd" in git(remote, "branch", "--list") and name in git(remote, "ls-tree", "-r", "--name-only", "memd")
