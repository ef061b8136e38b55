"""How memd is started from nowhere."""

from __future__ import annotations

import plistlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memd.service import entry


def test_the_script_beside_this_python_is_taken(tmp_path: Path) -> None:
    script = tmp_path / "memd"
    script.write_text("#!/bin/sh\n", "utf-8")
    assert entry.command(str(tmp_path / "python")) == (str(tmp_path / "python"), "-P", "-m", "memd.cli.main")
    script.chmod(0o755)
    assert entry.command(str(tmp_path / "python")) == (str(script),)


def test_it_starts_with_nothing_in_the_environment_and_a_stranger_in_the_directory(tmp_path: Path) -> None:
    (tmp_path / "memd").mkdir()
    (tmp_path / "memd" / "__init__.py").write_text("raise SystemExit('read from the working directory')", "utf-8")
    for command in (entry.command(), (sys.executable, "-P", "-m", "memd.cli.main")):
        done = subprocess.run([*command, "--version"], env={}, cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.startswith(b"memd")


@pytest.mark.parametrize(
    ("place", "lasts"),
    [
        ("/home/me/.local/share/pipx/venvs/memd/bin/python", True),
        ("/home/me/.local/share/uv/tools/memd/bin/python", True),
        ("/home/me/my project/.venv/bin/python", True),
        ("/home/me/.cache/uv/archive-v0/x1/bin/python", False),
        ("/home/me/.cache/uv/environments-v2/x1/bin/python", False),
        ("/home/me/.local/share/pipx/.cache/ab12/bin/python", False),
        ("/home/me/.local/pipx/.cache/ab12/bin/python", False),
        ("/data/uv-cache/uv/archive-v0/x1/bin/python", False),
    ],
)
def test_an_environment_that_does_not_last_is_known(place: str, lasts: bool) -> None:  # noqa: FBT001 - a table's column
    assert (entry.thrown_away({"HOME": "/home/me"}, place) is None) is lasts


def test_the_shipped_files_are_found() -> None:
    assert b"[Service]" in entry.shipped("systemd", "memd.service")
    assert plistlib.loads(entry.shipped("launchd", "dev.memd.plist"))["Label"] == "dev.memd"
    assert "backend" in tomllib.loads(entry.shipped("config", "memd.toml").decode())
