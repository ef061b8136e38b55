"""What the service gets of a shell's variables, and the file they stand in."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memd.service import environment
from memd.service.environment import carried, parse, spelled

KEY = "sk-ant-api03-not-a-key"
SHELL = {
    "PATH": "/home/me/.nvm/bin:/usr/bin", "HOME": "/home/me", "LD_PRELOAD": "/x.so", "PS1": "$ ", "MEMD_CHILD": "1",
    "PYTHONPATH": "/home/me/src", "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "https://gateway.example",
    "https_proxy": "http://me:secret@proxy:3128", "NO_PROXY": "localhost", "SSL_CERT_FILE": "/etc/ca.pem",
    "MEMD_EXTRACT_QUIET": "1m", "XDG_STATE_HOME": "/data/state", "CLAUDE_CONFIG_DIR": "/data/claude",
    "AWS_SECRET_ACCESS_KEY": "x", "MEMD_FAILPOINT": "store:kill", "MEMD_DISABLE": "1",
}  # fmt: skip
PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1).filter(str.isprintable)


def test_nothing_of_a_login_shell_comes_along() -> None:
    assert carried(SHELL, model=False) == {
        "CLAUDE_CONFIG_DIR": "/data/claude",
        "MEMD_EXTRACT_QUIET": "1m",
        "NO_PROXY": "localhost",
        "SSL_CERT_FILE": "/etc/ca.pem",
        "XDG_STATE_HOME": "/data/state",
        "https_proxy": "http://me:secret@proxy:3128",
    }


def test_credentials_come_along_only_for_a_model_and_only_its_own() -> None:
    own = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "https://gateway.example"}
    assert carried(SHELL, model=True).items() - carried(SHELL, model=False).items() == own.items()
    assert "AWS_SECRET_ACCESS_KEY" in carried(SHELL, model=True, provider="bedrock")


def test_what_may_hold_a_password_is_never_shown() -> None:
    assert [name for name in carried(SHELL, model=True) if environment.is_secret(name)] == [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "https_proxy",
    ]


@given(value=PLAIN)
def test_a_value_comes_back_as_it_was(value: str) -> None:
    assert parse(spelled({"MEMD_X": value})) == {"MEMD_X": value}


@given(value=st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1))
def test_a_shell_reads_the_same(value: str) -> None:
    line = spelled({"MEMD_X": value}).splitlines()[-1]
    script = f'{line}\nprintf %s "$MEMD_X"'
    assert subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True).stdout.decode() == value


def test_a_value_of_two_lines_cannot_add_a_variable() -> None:
    assert carried({"MEMD_X": "a\nLD_PRELOAD=/x.so", "TZ": "UTC"}, model=False) == {"TZ": "UTC"}


def test_what_a_person_wrote_into_the_file_is_understood(tmp_path: Path) -> None:
    file = tmp_path / "service.env"
    file.write_text("# mine\nHTTPS_PROXY=http://proxy:1\nMEMD_BACKEND='offline'\nnonsense\n", "utf-8")
    assert parse(file.read_text("utf-8")) == {"HTTPS_PROXY": "http://proxy:1", "MEMD_BACKEND": "offline"}
