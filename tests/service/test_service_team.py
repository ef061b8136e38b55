"""What the service is let to for a team's remote, and no more than that."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import config
from memd.config import Loaded
from memd.memory import membership
from memd.service import places
from memd.service.entry import shipped
from memd.service.environment import carried
from memd.service.service import Service
from memd.service.unit import drop_in

ALL = ("bus", "systemd/private", "openssh_agent", "ssh-agent.socket", "gcr", "keyring", "gnupg")


def loaded(home: Path) -> Loaded:
    return config.load({"HOME": str(home)})


def join(home: Path, remote: str) -> None:
    found = loaded(home)
    planned = membership.planned(
        found.paths, root=home / "shop", memory_dir=home / "memory", remote=remote, branch="memd"
    )
    membership.note(planned, datetime(2026, 4, 1, tzinfo=UTC))


def service(home: Path) -> Service:
    return places.service(loaded(home), {"HOME": str(home)}, ())


def names(one: Service) -> set[str]:
    return {str(path.relative_to(one.home)) for path in one.hidden}


def test_where_nothing_is_shared_all_stays_hidden_as_shipped(home: Path) -> None:
    one = service(home)
    assert {".ssh", ".netrc", ".config/gh", ".gnupg"} <= names(one)
    assert one.sockets is None
    assert "InaccessiblePaths=\n" not in drop_in(one)


@pytest.mark.parametrize(
    ("remote", "opened", "sockets"),
    [
        ("git@git.example.org:team.git", {".ssh"}, ("bus", "systemd/private")),
        ("ssh://git@git.example.org/team.git", {".ssh"}, ("bus", "systemd/private")),
        ("https://git.example.org/team.git", {".netrc", ".config/gh"}, ALL),
        ("git://git.example.org/team.git", set(), ALL),
        ("/srv/team.git", set(), ALL),
    ],
)
def test_only_what_the_remote_s_kind_needs_is_opened(
    home: Path, remote: str, opened: set[str], sockets: tuple[str, ...]
) -> None:
    before = names(service(home))
    join(home, remote)
    one = service(home)
    assert before - names(one) == opened
    assert one.sockets == sockets
    lines = [line for line in drop_in(one).splitlines() if line.startswith("InaccessiblePaths=")]
    assert lines[0] == "InaccessiblePaths="  # what the shipped unit hides, too
    assert lines[1 : 1 + len(sockets)] == [f"InaccessiblePaths=-%t/{name}" for name in sockets]
    assert f'InaccessiblePaths="-{home}/.kube"' in lines


def test_what_the_shipped_unit_hides_is_hidden_for_a_remote_that_asks_for_nothing() -> None:
    for unit in ("memd.service", "memd-dream.service"):
        words = [word for line in shipped("systemd", unit).decode().splitlines() for word in line.split()]
        assert {f"-%t/{name}" for name in ALL} <= {word.removeprefix("InaccessiblePaths=") for word in words}


@pytest.mark.parametrize("rule", ["insteadOf", "pushInsteadOf"])
def test_an_address_that_git_rewrites_opens_what_it_really_needs(home: Path, rule: str) -> None:
    (home / ".gitconfig").write_text(f'[url "git@git.example.org:"]\n{rule} = https://git.example.org/\n')
    join(home, "https://git.example.org/team.git")
    one = places.service(loaded(home), {"HOME": str(home), "PATH": os.environ["PATH"]}, ())
    assert not {".ssh", ".netrc"} & names(one)
    assert one.sockets == ("bus", "systemd/private")


@pytest.mark.parametrize("remote", ["/srv/team.git", "file:///srv/team.git"])
def test_a_repository_on_this_machine_may_be_written(home: Path, remote: str) -> None:
    join(home, remote)
    assert Path("/srv/team.git") in service(home).writable


def test_remotes_of_the_settings_count(home: Path) -> None:
    path = loaded(home).paths.config_file
    path.parent.mkdir(parents=True)
    path.write_text(
        '[team]\nremote = "~/all.git"\n[team.projects]\n"/a" = { remote = "git@h:a.git" }\n"/b" = { remote = "" }\n'
    )
    assert places.remotes(loaded(home)) == (f"{home}/all.git", "git@h:a.git")
    assert home / ".ssh" not in service(home).hidden


def test_git_s_variables_come_along_only_where_memories_are_shared() -> None:
    shell = {
        "SSH_AUTH_SOCK": "/run/user/1000/keyring/ssh", "GIT_SSH_COMMAND": "ssh -i key", "GIT_DIR": "/x",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus", "TZ": "UTC",
    }  # fmt: skip
    assert carried(shell, model=False) == {"TZ": "UTC"}
    assert carried(shell, model=False, shares=True) == {
        "GIT_SSH_COMMAND": "ssh -i key",
        "SSH_AUTH_SOCK": "/run/user/1000/keyring/ssh",
        "TZ": "UTC",
    }


@pytest.mark.parametrize(
    "place",
    [
        "/tmp/ssh-XXXX/agent.1",  # noqa: S108 - only a value
        "/home/ana/.ssh/agent/s.xyz.sshd.abc",
        "/private/tmp/com.apple.launchd.abc/Listeners",
    ],
)
def test_an_agent_that_ends_with_its_terminal_does_not(place: str) -> None:
    assert carried({"SSH_AUTH_SOCK": place}, model=False, shares=True) == {}
