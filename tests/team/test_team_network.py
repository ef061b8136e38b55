"""A remote that is away, slow, cut off half-way, or that takes nothing: edits are safe, and go later."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from memd.team import git as own_git
from memd.team.git import Repository
from memd.team.nouns import Outcome, RemoteError
from tests.fakes.git_remote import Server, bare, free_port, git, proxy, serving, silence
from tests.fakes.team_home import BRANCH, Machine, long_text, memory, stopped

Machines = Callable[[str], Machine]
Pairs = Callable[..., tuple[Machine, Machine]]
LONG = long_text()


def test_offline_edits_go_out_when_the_remote_is_back(home: Path) -> None:
    (home / "remotes").mkdir()
    (home / "ana").mkdir()
    (home / "bo").mkdir()
    with serving(home / "remotes") as server:
        bare(server.root / "team.git")
        ana, bo = (Machine(home=home / name, remote=server.url()) for name in ("ana", "bo"))
        ana.write("api.md", memory("api", LONG))
        assert ana.sync().in_order
        assert bo.sync().in_order
        server.stop()
        for number in range(3):
            ana.write("api.md", memory("api", f"Edit {number}."))
            ana.write(f"new{number}.md", memory(f"new{number}", LONG))
            report = ana.sync()
            assert (report.outcome, report.sent) == (Outcome.OFFLINE, ())
            assert report.reason
        bo.write("bo.md", memory("bo", LONG))
        assert bo.sync().outcome is Outcome.OFFLINE
        server.start()
        assert ana.sync().sent == ("api.md", "new0.md", "new1.md", "new2.md")
        assert bo.sync().sent == ("bo.md",)
        assert ana.sync().received == ("bo.md",)
        assert ana.files() == bo.files()
        assert git(server.root / "team.git", "rev-list", "--count", BRANCH) == "3"


def test_a_silent_remote_is_given_up_and_leaves_no_process(home: Path) -> None:
    with silence() as port:
        ana = Machine(home=home, remote=f"git://127.0.0.1:{port}/team.git", patience=1.0)
        ana.write("api.md", memory("api", LONG))
        report = ana.sync()
    assert (report.outcome, report.reason) == (Outcome.OFFLINE, "the remote took longer than 1 s")
    assert not children()


def children() -> list[str]:
    """What was started on a machine's own repository and is still there."""
    return [one for one in map(words_of, psutil.Process().children(recursive=True)) if "repository.git" in one]


def words_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return ""


def test_nobody_listening_is_said_so(home: Path) -> None:
    ana = Machine(home=home, remote=f"git://127.0.0.1:{free_port()}/team.git")
    report = ana.sync()
    assert report.outcome is Outcome.OFFLINE
    assert "refused" in (report.reason or "")


CUTS = [40, 400, 1500, *(pytest.param(after, marks=pytest.mark.deep) for after in (0, 1, 150, 700, 1000, 3000))]


@pytest.mark.parametrize("after", CUTS)
def test_cut_off_half_way_in_either_direction(machine: Machines, daemon: Server, remote: Path, after: int) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("api.md", memory("api", os.urandom(1500).hex()))
    with proxy(daemon.port, after) as cut:
        ana.remote = daemon.url(remote.name, cut.port)
        report = ana.sync()
        assert report.outcome in {Outcome.OFFLINE, Outcome.SYNCED}
    ana.remote = daemon.url(remote.name)
    assert ana.sync().in_order
    with proxy(daemon.port, after) as cut:
        bo.remote = daemon.url(remote.name, cut.port)
        assert bo.sync().outcome in {Outcome.OFFLINE, Outcome.SYNCED}
    bo.remote = daemon.url(remote.name)
    assert bo.sync().in_order
    assert ana.files() == bo.files() != {}


def test_a_stall_in_the_middle_is_given_up(machine: Machines, daemon: Server, remote: Path) -> None:
    ana = machine("ana")
    ana.write("api.md", memory("api", LONG))
    with proxy(daemon.port, 300, stalls=True) as cut:
        ana.remote, ana.patience = daemon.url(remote.name, cut.port), 1.5
        assert ana.sync().outcome is Outcome.OFFLINE
    assert not children()
    ana.remote, ana.patience = daemon.url(remote.name), 30
    assert ana.sync().sent == ("api.md",)


def test_a_killed_sync_takes_what_it_started_along(home: Path) -> None:
    with silence() as port:
        ana = Machine(home=home, remote=f"git://127.0.0.1:{port}/team.git", patience=60.0)
        process = ana.start()
        started: list[psutil.Process] = []
        while not any("fetch" in words_of(one) for one in started):
            started = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate()
        _, alive = psutil.wait_procs(started, timeout=20)
    assert not alive


def test_a_remote_that_takes_nothing_still_gives(machine: Machines, remote: Path) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("api.md", memory("api", LONG))
    assert ana.sync().in_order
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no more of this' >&2\nexit 1\n")
    hook.chmod(0o755)
    bo.write("ui.md", memory("ui", LONG))
    report = bo.sync()
    assert (report.outcome, report.received, report.sent) == (Outcome.REFUSED, ("api.md",), ())
    assert sorted(bo.files()) == ["api.md", "ui.md"]
    again = bo.sync()
    assert (again.outcome, again.received) == (Outcome.REFUSED, ())
    hook.unlink()
    assert bo.sync().sent == ("ui.md",)
    assert ana.sync().received == ("ui.md",)


@pytest.mark.deep
def test_a_lock_that_was_left_in_the_remote_is_refused_until_it_is_gone(machine: Machines, remote: Path) -> None:
    ana = machine("ana")
    ana.write("api.md", memory("api", LONG))
    lock = remote / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()
    report = ana.sync()
    assert report.outcome is Outcome.REFUSED
    assert lock.name in str(report.reason)
    lock.unlink()
    assert ana.sync().sent == ("api.md",)


def test_pushes_at_the_same_time_all_get_there(machine: Machines, remote: Path) -> None:
    mates = [machine(name) for name in ("ana", "bo", "cy", "di")]
    for mate in mates:
        mate.write(f"{mate.home.name}.md", memory(mate.home.name, LONG))
    for process in [mate.start() for mate in mates]:
        process.communicate()
        assert process.returncode == 0
    for mate in mates:
        assert mate.sync().in_order
    for mate in mates:
        assert mate.sync().in_order
        assert sorted(mate.files()) == ["ana.md", "bo.md", "cy.md", "di.md"]
    assert not git(remote, "rev-list", "--min-parents=2", BRANCH)


def test_overtaken_between_fetch_and_push_begins_again(machine: Machines) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("api.md", memory("api", LONG))
    assert ana.sync().in_order
    assert bo.sync().in_order
    ana.write("ana.md", memory("ana", LONG))
    bo.write("bo.md", memory("bo", LONG))
    with stopped(ana, "team.fetched") as process:
        assert bo.sync().sent == ("bo.md",)
    assert process.returncode == 0
    assert sorted(ana.files()) == ["ana.md", "api.md", "bo.md"]
    assert bo.sync().received == ("ana.md",)


def test_more_than_is_taken_is_refused(daemon: Server, remote: Path, home: Path) -> None:
    work = home / "work"
    git(home, "clone", "--quiet", str(remote), str(work))
    (work / "large.bin").write_bytes(os.urandom(3_000_000))
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "Large")
    git(work, "push", "--quiet", "origin", f"HEAD:{BRANCH}")
    own = bare(home / "own.git")
    repository = Repository(path=own, environ={"PATH": os.environ["PATH"]}, largest=1_000_000)
    with pytest.raises(RemoteError) as raised:
        own_git.remote(repository, "fetch", "--quiet", daemon.url(remote.name), f"refs/heads/{BRANCH}:refs/x")
    assert raised.value.outcome is Outcome.REFUSED
    whole = Repository(path=own, environ={"PATH": os.environ["PATH"]})
    own_git.remote(whole, "fetch", "--quiet", daemon.url(remote.name), f"refs/heads/{BRANCH}:refs/x")
