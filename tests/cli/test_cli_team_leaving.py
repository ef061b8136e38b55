"""`memd team leave` while a daemon syncs with a remote that says nothing, and where leaving fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from memd import config
from memd.memory import membership
from memd.memory.membership import Membership
from tests.fakes.git_remote import silence
from tests.fakes.team_mate import Daemon, Mate, mate, until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def ana(home: Path) -> Mate:
    return mate(home.resolve() / "ana")


def joined(one: Mate, url: str) -> Membership:
    """A member without asking the remote."""
    paths = config.find_paths(one.environ())
    planned = membership.planned(paths, root=one.project, memory_dir=one.team.parent, remote=url, branch="memd")
    one.write("project_freeze.md", "Freeze on Fridays")
    return membership.note(planned, datetime.now(UTC))


def at_git(running: Daemon) -> list[psutil.Process]:
    """The daemon's processes, once one of them is git."""
    found = running.children()
    return found if any(asked(one, one.name).startswith("git") for one in found) else []


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if asked(one, one.status) not in {"", psutil.STATUS_ZOMBIE}]


def asked(one: psutil.Process, question: Callable[[], str]) -> str:
    """What a process is; nothing where it has just ended."""
    try:
        return question() if one.is_running() else ""
    except psutil.NoSuchProcess:
        return ""


def test_leaving_ends_the_daemon_s_sync_whatever_the_remote_does(ana: Mate) -> None:
    with silence() as port:
        one = joined(ana, f"git://127.0.0.1:{port}/team.git")
        with ana.daemon() as running:
            stuck = until(lambda: at_git(running))
            done = ana.memd("team", "leave")
            assert done.returncode == 0, done.stderr
            assert not one.directory.exists()
            until(lambda: not alive(stuck) and not running.children())
            assert running.process.poll() is None
            assert not running.logged("turn_failed")
    assert (ana.team / "project_freeze.md").exists()


def test_where_the_files_cannot_be_deleted_nothing_is_left(ana: Mate, home: Path) -> None:
    one = joined(ana, str(home / "remote.git"))
    history = config.find_paths(ana.environ()).history
    history.parent.mkdir(parents=True, exist_ok=True)
    history.write_text("in the way", "utf-8")
    assert ana.memd("team", "leave", "--files", "delete", "--yes").returncode != 0
    assert membership.is_noted(one)
    assert (ana.team / "project_freeze.md").exists()
