"""What git needs of a person's own to get in: which agent, which way, and what to say where it does not get in."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from memd.memory.membership import Membership
from memd.team import credentials, git, remote
from memd.team.git import Repository
from memd.team.nouns import Outcome, RemoteError
from tests.fakes.git_remote import bare

ONE_KEY = bytes((0, 0, 0, 17, 12, 0, 0, 0, 1, 0, 0, 0, 2, 7, 7, 0, 0, 0, 2, 8, 8))
NO_KEY = bytes((0, 0, 0, 5, 12, 0, 0, 0, 0))


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A runtime directory, short enough for sockets."""
    with TemporaryDirectory(prefix="run") as place:
        yield Path(place)


@contextmanager
def agent(place: Path, answer: bytes) -> Iterator[str]:
    """An agent that answers the first question like that."""
    place.parent.mkdir(exist_ok=True)

    def talk() -> None:
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            with peer:
                assert peer.recv(5) == bytes((0, 0, 0, 1, 11))
                peer.sendall(answer)
                peer.shutdown(socket.SHUT_WR)
                assert peer.recv(1) == b""  # not a reset, which it would log

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        server.listen()
        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        yield str(place)
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_an_agent_that_holds_keys_is_found_where_systems_put_theirs(runtime: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(runtime)}
    assert credentials.agent(environ) is None
    with agent(runtime / "openssh_agent", NO_KEY), agent(runtime / "gcr" / "ssh", ONE_KEY) as gcr:
        assert credentials.agent(environ) == gcr
        dead = str(runtime / "dead")
        assert credentials.agent({**environ, "SSH_AUTH_SOCK": dead}) == gcr
        with agent(runtime / "named", ONE_KEY) as named:
            assert credentials.agent({**environ, "SSH_AUTH_SOCK": named}) == named
    assert credentials.agent({**environ, "SSH_AUTH_SOCK": dead}) == dead


def test_an_agent_that_breaks_off_holds_no_keys(runtime: Path) -> None:
    with agent(runtime / "openssh_agent", ONE_KEY[:4]):
        assert credentials.agent({"XDG_RUNTIME_DIR": str(runtime)}) is None


@pytest.mark.parametrize(
    ("kinds", "closed", "word"),
    [
        ({"ssh"}, ".ssh", "may not look into ~/.ssh: `memd install`"),
        ({"https"}, ".config/gh", "may not look into ~/.config/gh: `memd install`"),
        ({"ssh"}, None, "no agent of ssh's is known here"),
        ({"https"}, "run/bus", "without the session's keyring"),
        ({"https"}, None, None),
        ({None}, ".ssh", None),
    ],
)
def test_what_is_lacking_is_said(home: Path, kinds: set[str | None], closed: str | None, word: str | None) -> None:
    place = home / (closed or ".ssh")
    place.mkdir(parents=True)
    place.chmod(0o700 if closed is None else 0)
    said = credentials.lacking(kinds, {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run")})
    assert (said is None) if word is None else (word in str(said))


def test_an_agent_that_is_gone_is_named(runtime: Path) -> None:
    environ = {"HOME": str(runtime), "SSH_AUTH_SOCK": str(runtime / "dead")}
    assert f"agent at {runtime}/dead is gone or holds no key" in str(credentials.lacking({"ssh"}, environ))
    with agent(runtime / "named", ONE_KEY) as named:
        assert "is the right key" in str(credentials.lacking({"ssh"}, {**environ, "SSH_AUTH_SOCK": named}))


def repository(home: Path, **environ: str) -> Repository:
    return Repository(
        path=bare(home / "own.git"), environ={"HOME": str(home), "PATH": os.environ["PATH"], **environ}, seconds=20
    )


def membership(home: Path, address: str) -> Membership:
    return Membership(project=home, memory_dir=home, remote=address, branch="memd", directory=home)


def test_a_sync_that_gets_no_access_says_what_is_lacking(home: Path) -> None:
    ssh = home / "ssh"
    ssh.write_text("#!/bin/sh\necho 'git@h: Permission denied (publickey).' >&2\nexit 255\n")
    ssh.chmod(0o755)
    (home / ".gitconfig").write_text('[url "git@h:"]\ninsteadOf = https://h/\n')
    with pytest.raises(RemoteError) as caught:
        remote.tip(repository(home, GIT_SSH_COMMAND=str(ssh)), membership(home, "https://h/team.git"))
    assert caught.value.outcome is Outcome.DENIED
    assert "no agent of ssh's is known here" in str(caught.value.hint)


def test_a_host_that_is_not_known_is_no_matter_of_keys(home: Path) -> None:
    ssh = home / "ssh"
    ssh.write_text("#!/bin/sh\necho 'Host key verification failed.' >&2\nexit 255\n")
    ssh.chmod(0o755)
    with pytest.raises(RemoteError) as caught:
        remote.tip(repository(home, GIT_SSH_COMMAND=str(ssh)), membership(home, "git@h:team.git"))
    assert "look at its key" in str(caught.value.hint)


def test_a_helper_of_the_person_s_own_is_found_without_a_login_shell(home: Path) -> None:
    own = home / ".local" / "bin" / "ssh-of-mine"
    own.parent.mkdir(parents=True)
    own.write_text(f"#!/bin/sh\ntouch '{home}/started'\nexit 255\n")
    own.chmod(0o755)
    with pytest.raises(RemoteError):
        git.remote(repository(home, GIT_SSH_COMMAND="ssh-of-mine"), "ls-remote", "git@h:team.git")
    assert (home / "started").exists()
