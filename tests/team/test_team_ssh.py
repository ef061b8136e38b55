"""ssh in the service: the same settings, in copies that it takes. A real ssh is asked what it makes of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memd.team import credentials, ssh
from memd.team.git import Repository
from tests.fakes.git_remote import bare

SSH = shutil.which("ssh")
needs_ssh = pytest.mark.skipif(SSH is None, reason="there is no ssh here")


def settled(home: Path) -> Path:
    """A person's settings, and the system's, which are returned."""
    own, system = home / ".ssh", home / "etc"
    (own / "conf.d").mkdir(parents=True)
    (system / "ssh_config.d").mkdir(parents=True)
    (own / "config").write_text(
        "include conf.d/*.conf conf.d/none\nHost shop\n  Port 2201\n  Include ~/.ssh/shop\n"
        "Host *\n  ControlMaster auto\n  ControlPath ~/.ssh/cm-%C\n"
    )
    (own / "conf.d" / "a.conf").write_text("Host shop\n  HostName git.example.org\n")
    (own / "shop").write_text("User git\nHost other\n  User nobody\n")
    (system / "ssh_config").write_text(
        f"Include {system}/ssh_config.d/*.conf\nHost *\n  HashKnownHosts yes\n  User all\n"
    )
    (system / "ssh_config.d" / "x.conf").write_text("Host *\n  ConnectTimeout 7\n")
    for path in (*own.rglob("*"), own):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return system / "ssh_config"


def asked(settings: Path, host: str) -> dict[str, str]:
    """What ssh makes of them for a host."""
    done = subprocess.run(
        [SSH or "", "-G", "-F", str(settings), host], capture_output=True, text=True, check=True, timeout=20
    )
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


@needs_ssh
def test_the_copies_say_the_same_but_that_no_connection_is_shared(home: Path, tmp_path: Path) -> None:
    system = settled(home)
    scratch = tmp_path / "with a blank"
    scratch.mkdir()
    known = asked(ssh.copied(home, scratch, system), "shop")
    wanted = {
        "hostname": "git.example.org",
        "port": "2201",
        "user": "git",
        "hashknownhosts": "yes",
        "connecttimeout": "7",
    }
    assert wanted.items() <= known.items()
    assert known["controlmaster"] == "false"
    assert known["controlpath"].startswith(("~/.ssh/cm-", "/"))  # one that is open is used
    assert asked(ssh.copied(home, scratch, system), "other")["user"] == "all"  # what Host shop includes is for it alone


def test_settings_of_somebody_else_are_left_to_ssh(home: Path, tmp_path: Path) -> None:
    system = settled(home)
    (home / ".ssh" / "conf.d" / "a.conf").chmod(0o666)
    main = ssh.copied(home, tmp_path, system).read_text()
    own = Path(main.splitlines()[1].split('"')[1])
    assert f'Include "{home}/.ssh/conf.d/a.conf"' in own.read_text()
    assert own.stat().st_mode & 0o777 == 0o600


def test_settings_that_include_themselves_end(home: Path, tmp_path: Path) -> None:
    system = settled(home)
    (home / ".ssh" / "config").write_text("Include ~/.ssh/config\n")
    ssh.copied(home, tmp_path, system)
    assert len(list(tmp_path.iterdir())) < 30


def test_where_there_are_no_settings_there_is_nothing_to_copy(home: Path, tmp_path: Path) -> None:
    assert ssh.copied(home, tmp_path, home / "none").read_text().count("\n") == 1 + 2


@pytest.mark.parametrize(
    ("by_hand", "by_git", "begins"),
    [
        ({}, None, "ssh -F "),
        ({"GIT_SSH_COMMAND": "/usr/bin/ssh -i key"}, "plink", "/usr/bin/ssh -i key -F "),
        ({"GIT_SSH": "/opt/a b/ssh"}, None, "'/opt/a b/ssh' -F "),
        ({"GIT_SSH": "/usr/bin/plink"}, "ssh -v", "ssh -v -F "),
        ({}, "ssh -F own", None),
        ({}, "plink -batch", None),
        ({"GIT_SSH_COMMAND": "ssh 'torn"}, None, None),
    ],
)
def test_the_person_s_own_command_stays(
    home: Path, by_hand: dict[str, str], by_git: str | None, begins: str | None
) -> None:
    (home / ".gitconfig").write_text(f'[core]\nsshCommand = "{by_git}"\n' if by_git else "")
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], **by_hand}
    with ssh.prepared(Repository(path=bare(home / "own.git"), environ=environ)) as ready:
        said = ready.environ.get("GIT_SSH_COMMAND")
        if begins is None:
            assert said == by_hand.get("GIT_SSH_COMMAND")
        else:
            assert said is not None
            assert said.startswith(begins)
            place = Path(said.rpartition(" -F ")[2].strip("'"))
            assert place.is_file()
    assert begins is None or not place.exists()


def test_what_a_killed_process_left_is_taken_away(tmp_path: Path) -> None:
    for name in ("memd-ssh-old", "memd-ssh-new", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "0").touch()
    now = (tmp_path / "other").stat().st_mtime
    os.utime(tmp_path / "memd-ssh-old", (now - 3700, now - 3700))
    ssh.sweep(tmp_path, now)
    assert {path.name for path in tmp_path.iterdir()} == {"memd-ssh-new", "other"}


def test_by_hand_nothing_is_changed(home: Path) -> None:
    assert not credentials.is_confined(home)
