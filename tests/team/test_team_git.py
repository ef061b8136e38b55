"""git is started without anybody's settings, bounded in time and bytes, and dies with who started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from memd.team import git, objects, running
from memd.team.git import Repository
from memd.team.nouns import (
    DamagedError,
    GitError,
    GitTooOldError,
    Outcome,
    OvertakenError,
    RemoteError,
    UnwritableGitError,
)
from memd.team.remote_errors import classified, in_words
from memd.team.running import Command, Done
from tests.fakes.git_remote import bare


@pytest.fixture
def repository(home: Path) -> Repository:
    """An empty one, whose owner has a configuration that would do things."""
    (home / ".gitconfig").write_text(
        f"[user]\n name = Ana\n email = ana@example.org\n[core]\n fsmonitor = touch {home}/bad\n hooksPath = {home}\n"
        f"[alias]\n version = !touch {home}/bad\n[diff]\n external = touch {home}/bad\n"
    )
    return Repository(path=bare(home / "own.git"), environ={"HOME": str(home), "PATH": os.environ["PATH"]})


def shell(script: str, home: Path) -> Command:
    words = ("/bin/sh", "-c", script)
    return Command(words=words, environ={"PATH": os.environ["PATH"]}, cwd=home, seconds=20, most=10_000)


def test_what_a_program_says_and_how_it_ends(home: Path) -> None:
    done = running.run(replace(shell("cat; echo said >&2; exit 3", home), stdin=b"in"))
    assert (done.code, done.out, done.said, done.stopped) == (3, b"in", "said\n", None)


@pytest.mark.parametrize("script", ["sleep 100", "sleep 100 & wait", "trap '' TERM; while :; do sleep 1; done"])
def test_what_takes_too_long_is_ended_with_all_that_it_started(home: Path, script: str) -> None:
    before = set(psutil.pids())
    done = running.run(replace(shell(script, home), seconds=0.3))
    assert (done.stopped, done.code) == ("time", -9)
    mine = [one for one in psutil.Process().children(recursive=True) if one.pid not in before]
    assert not psutil.wait_procs(mine, timeout=10)[1]


def test_what_says_too_much_is_ended(home: Path) -> None:
    assert running.run(replace(shell("yes", home), most=100_000)).stopped == "output"


def test_much_of_everything_gets_through(home: Path) -> None:
    data = os.urandom(3_000_000)
    done = running.run(replace(shell("cat; head -c 100000 /dev/zero >&2", home), stdin=data, most=4_000_000))
    assert done.out == data
    assert len(done.said) == 16 * 1024


def test_who_does_not_read_is_not_waited_for(home: Path) -> None:
    assert running.run(replace(shell("exec <&-; exit 0", home), stdin=b"x" * 3_000_000)).code == 0


def test_a_file_may_not_grow_beyond_its_limit(home: Path) -> None:
    done = running.run(replace(shell("head -c 100000 /dev/zero > large; echo $?", home), largest=10_240))
    assert (home / "large").stat().st_size == 10_240
    assert done.out.strip() != b"0"


def test_what_is_left_behind_is_ended_with_it(home: Path) -> None:
    running.run(shell("sleep 300 >/dev/null 2>&1 & echo $! > pid", home))
    left = int((home / "pid").read_text())
    assert not psutil.wait_procs([one for one in psutil.process_iter() if one.pid == left], timeout=10)[1]


def test_it_has_no_terminal_to_ask_at(home: Path) -> None:
    done = running.run(shell("(exec </dev/tty) 2>/dev/null && echo asked; exit 0", home))
    assert done.out == b""


def test_what_waits_dies_with_who_started_it(home: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from memd.team.running import Command, run;"
        "run(Command(words=('/bin/sh', '-c', 'sleep 300 & echo $$ > pid; sleep 300'), environ={},"
        " cwd=Path(sys.argv[1]), seconds=300, most=10))"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(home)])
    note = home / "pid"
    while not (note.exists() and note.read_text().strip()):
        time.sleep(0.01)
    group = [one for one in psutil.process_iter() if _group(one) == int(note.read_text())]
    assert len(group) >= 3
    process.kill()
    process.wait()
    assert not psutil.wait_procs(group, timeout=10)[1]


def _group(process: psutil.Process) -> int | None:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return None


def test_nobodys_settings_run_anything(repository: Repository, home: Path) -> None:
    assert git.local(repository, "version").startswith(b"git version")
    assert git.local(repository, "config", "--get-regexp", "user.*|core.fsmonitor").splitlines() == [
        b"core.fsmonitor false"
    ]
    assert not (home / "bad").exists()


def test_the_persons_name_is_asked_of_their_settings(repository: Repository, home: Path) -> None:
    assert git.identity(repository) == ("Ana", "ana@example.org")
    (home / ".gitconfig").unlink()
    assert git.identity(repository) is None
    (home / ".gitconfig").write_text("[broken\n")
    assert git.identity(repository) is None


def test_no_git_at_all_is_said_so(home: Path) -> None:
    (home / "own.git").mkdir()
    with pytest.raises(GitTooOldError, match="not installed"):
        git.local(Repository(path=home / "own.git", environ={"PATH": "/nowhere"}), "version")


def test_an_old_git_is_said_so(home: Path) -> None:
    program = home / "git"
    program.write_text("#!/bin/sh\necho git version 2.17.1\n")
    program.chmod(0o755)
    (home / "own.git").mkdir()
    with pytest.raises(GitTooOldError, match=r"2\.17\.1 is too old"):
        git.require_new_enough(Repository(path=home / "own.git", environ={"PATH": f"{home}:/usr/bin:/bin"}))


def test_a_repository_that_is_none_is_damaged(home: Path) -> None:
    (home / "own.git").mkdir()
    with pytest.raises(DamagedError):
        objects.tree_of(Repository(path=home / "own.git", environ={"PATH": os.environ["PATH"]}), "HEAD")
    with pytest.raises(DamagedError):
        git.local(Repository(path=home / "nowhere", environ={"PATH": os.environ["PATH"]}), "version")


@pytest.mark.parametrize(
    "address",
    ["ext::sh -c 'touch bad'", "fd::17", "http://127.0.0.1:1/x", "--upload-pack=touch bad", "ftp://127.0.0.1/x"],
)
def test_other_ways_to_a_remote_are_closed(repository: Repository, address: str) -> None:
    with pytest.raises(RemoteError):
        git.remote(repository, "ls-remote", "--end-of-options", address)
    assert not (repository.path / "bad").exists()


SAID = [
    ("fatal: Authentication failed for 'https://x/'", Outcome.DENIED),
    ("fatal: could not read Username for 'https://x': terminal prompts disabled", Outcome.DENIED),
    ("git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.", Outcome.DENIED),
    ("Host key verification failed.\nfatal: Could not read from remote repository.", Outcome.DENIED),
    ("ERROR: Repository not found.\nfatal: Could not read from remote repository.", Outcome.MISSING),
    ("fatal: remote error: access denied or repository not exported: /x", Outcome.MISSING),
    ("fatal: '/x' does not appear to be a git repository", Outcome.MISSING),
    ("fatal: unable to access 'https://x/': The requested URL returned error: 403", Outcome.DENIED),
    ("fatal: unable to access 'https://x/': The requested URL returned error: 404", Outcome.MISSING),
    ("fatal: unable to access 'https://x/': The requested URL returned error: 503", Outcome.OFFLINE),
    ("fatal: unable to access 'https://x/': Could not resolve host: x", Outcome.OFFLINE),
    ("ssh: connect to host x port 22: Connection timed out", Outcome.OFFLINE),
    ("fatal: early EOF\nfatal: fetch-pack: invalid index-pack output", Outcome.OFFLINE),
    ("fatal: fetch-pack: invalid index-pack output", Outcome.REFUSED),
    ("fatal: transport 'ext' not allowed", Outcome.REFUSED),
    (" ! [remote rejected] x -> memd (pre-receive hook declined)", Outcome.REFUSED),
    ("remote: error: GH006: Protected branch update failed\n ! [remote rejected] x -> memd", Outcome.REFUSED),
    (" ! [rejected]        x -> memd (fetch first)", Outcome.BUSY),
    (" ! [rejected]        x -> memd (non-fast-forward)", Outcome.BUSY),
    (" ! [remote rejected] x -> memd (cannot lock ref 'refs/heads/memd': is at 1 but expected 2)", Outcome.BUSY),
    (
        (
            "remote: error: cannot lock ref 'refs/heads/memd/shop': 'refs/heads/memd' exists; cannot create"
            " 'refs/heads/memd/shop'\n ! [remote rejected] x -> memd/shop (failed to update ref)"
        ),
        Outcome.REFUSED,
    ),
    (" ! [remote rejected] x -> memd (cannot lock ref 'refs/heads/memd': reference already exists)", Outcome.BUSY),
    ("remote: cannot lock ref\n ! [remote rejected] x -> memd (pre-receive hook declined)", Outcome.REFUSED),
    ("fatal: detected dubious ownership in repository at '/srv/team.git'", Outcome.DENIED),
    ("fatal: write error: No space left on device", Outcome.UNWRITABLE),
    ("Bad owner or permissions on /etc/ssh/ssh_config.d/x.conf\nfatal: Could not read from remote.", Outcome.DENIED),
    ("unix_listener: cannot bind to path /x: Read-only file system\nfatal: Could not read from.", Outcome.DENIED),
    ("fatal: unable to get password from user", Outcome.DENIED),
    ("fatal: unable to access 'https://h/': CONNECT tunnel failed, response 407", Outcome.DENIED),
    ("fatal: unable to access 'https://h/': error setting certificate file: /x.pem", Outcome.DENIED),
    ("fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate", Outcome.DENIED),
    ("fatal: https://h/x/info/refs not valid: is this a git repository?", Outcome.MISSING),
    ("", Outcome.OFFLINE),
]


@pytest.mark.parametrize(("said", "outcome"), SAID, ids=range(len(SAID)))
def test_what_git_says_of_a_remote(said: str, outcome: Outcome) -> None:
    error = classified(Done(code=128, out=b"", said=said))
    assert error.outcome is outcome
    assert isinstance(error, OvertakenError) == (outcome is Outcome.BUSY)
    assert str(error)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "Host key verification failed.\r\nfatal: Could not read from remote repository.\n",
            "Host key verification failed.",
        ),
        (
            "Bad owner or permissions on /x\r\nfatal: Could not read from remote repository.",
            "Bad owner or permissions on /x",
        ),
        (
            "@@@@@\n@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @\n@@@@@\nfatal: Could not read from remote",
            "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!",
        ),
        ("hint: x\nfatal: Could not read from remote repository.", "Could not read from remote repository."),
        (
            "fatal: unable to get credential storage lock in 1000 ms: Read-only file system\nfatal: it broke off",
            "it broke off",
        ),
    ],
    ids=["host key", "owner", "changed", "nothing told", "not written down"],
)
def test_the_line_that_decided_is_the_one_that_is_told(said: str, words: str) -> None:
    assert str(classified(Done(code=128, out=b"", said=said))) == words


def test_a_lock_of_the_remote_is_tried_again_at_once_and_refused_in_the_end() -> None:
    lock = "remote: error: cannot lock ref 'refs/heads/memd': Unable to create '/r/refs/heads/memd.lock': File exists."
    error = classified(Done(code=1, out=b"", said=f"{lock}\n ! [remote rejected] x -> memd (failed to update ref)"))
    assert isinstance(error, OvertakenError)
    assert error.outcome is Outcome.REFUSED
    assert "memd.lock" in str(error)
    assert "delete that file" in str(error.hint)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("fatal: cannot create temporary file: Permission denied", UnwritableGitError),
        ("error: unable to write file: Read-only file system", UnwritableGitError),
        ("fatal: write error: No space left on device", UnwritableGitError),
        ("fatal: write error: Disk quota exceeded", UnwritableGitError),
        ("fatal: bad object HEAD", DamagedError),
    ],
    ids=["right", "read-only", "full", "quota", "damaged"],
)
def test_what_git_says_of_this_machine(said: str, kind: type[GitError]) -> None:
    error = git.failure(("-c", "a=b", "gc"), Done(code=128, out=b"", said=f"hint: x\n{said}\n"))
    assert type(error) is kind
    assert str(error) == f"git gc: {said}"


def test_what_a_remote_has_git_say_is_harmless() -> None:
    said = in_words("remote: \x1b[2Jhello\u202e https://me:hunter2@x.org ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    assert said.isprintable()
    assert "hunter2" not in said
    assert "a1B2c3" not in said
    assert len(in_words("fatal: " + "x" * 10_000)) <= 300
