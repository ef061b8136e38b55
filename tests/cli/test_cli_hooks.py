"""`memd install` and `memd uninstall` on the settings of an agent."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from memd.cli.hook_settings import EVENTS
from tests.cli.conftest import Memd, Near

GIVEN = b'{\r\n\t"theme" : "dark",\r\n\t"env": {"KEY": "\xc3\xa9"}\r\n}'


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def settings(memd: Memd) -> Path:
    return memd.home / ".claude" / "settings.json"


@pytest.fixture
def given(memd: Memd) -> Path:
    path = settings(memd)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(GIVEN)
    path.chmod(0o640)
    return path


def commands(path: Path) -> dict[str, str]:
    """What an agent runs at each event."""
    hooks = json.loads(path.read_text("utf-8-sig"))["hooks"]
    return {event: groups[-1]["hooks"][-1]["command"] for event, groups in hooks.items()}


def test_hooks_go_in_are_shown_first_and_come_out_to_the_byte(memd: Memd, given: Path) -> None:
    looked = memd("install", "--hooks", "claude-code", "--dry-run")
    assert looked.code == 0
    assert looked.out.splitlines()[:2] == [f"{given}; every other byte of it stays:", "  + hooks.SessionStart"]
    assert all(len(line) < 120 or "/" in line for line in looked.out.splitlines())
    assert looked.out.count("exec ") == 1
    assert given.read_bytes() == GIVEN
    done = memd("install", "--hooks", "claude-code", "--no-service", "--yes")
    assert done.code == 0, done.err
    assert "warning" not in done.err
    assert done.out.startswith(looked.out)
    assert commands(given).keys() == set(EVENTS)
    assert stat.S_IMODE(given.stat().st_mode) == 0o640
    [backup] = memd.state.glob("hooks/*/settings.json.before")
    assert backup.read_bytes() == GIVEN
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    after = given.read_bytes()
    assert "already" in memd.inside("install", "--hooks", "claude-code", "--yes").out
    assert given.read_bytes() == after
    looked = memd.inside("uninstall", "--hooks", "claude-code", "--dry-run")
    assert looked.out.splitlines()[1:7] == [f"  - hooks.{event}" for event in EVENTS]
    assert given.read_bytes() == after
    assert memd.inside("uninstall", "--hooks", "claude-code", "--yes").code == 0
    assert given.read_bytes() == GIVEN
    assert not list(memd.state.glob("hooks/*"))
    assert "nothing was changed" in memd.inside("uninstall", "--hooks", "claude-code", "--yes").out


def test_hooks_of_a_memd_elsewhere_are_brought_up_to_date(memd: Memd, given: Path) -> None:
    memd.inside("install", "--hooks", "claude-code", "--yes")
    here = given.read_bytes()
    given.write_bytes(here.replace(b"/hook.py Stop", b"/old/hook.py Stop"))
    looked = memd.inside("install", "--hooks", "claude-code", "--dry-run")
    assert [line for line in looked.out.splitlines() if "hooks." in line] == ["  ~ hooks.Stop"]
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert given.read_bytes() == here


ODD = {
    "nothing": b"{}",
    "no end of line": b'{"a": 1}',
    "one line": b'{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}\n',
    "tabs": b'{\n\t"a": 1\n}\n',
    "crlf": b'{\r\n  "a": [1,\r\n 2]\r\n}\r\n',
    "mark": b'\xef\xbb\xbf{\n  "a": 1\n}\n',
    "twice": b'{"a": 1, "a": 2, "hooks": {}, "hooks": {"Stop": [], "Stop": [{"hooks": []}]}}',
    "others": b'{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}',
    "empty lists": b'{\n  "hooks": {\n    "Stop": [\n    ],\n    "SessionEnd": []\n  }\n}',
    "escapes": b'{"\\u00e9\\/": "\\ud83d\\ude00", "n": 1e400, "big": 123456789012345678901234567890}',
    "blank lines": b'\n\n {\n\n "a" : 1 ,\n\n "b":2\n\n}\n\n\n',
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_settings_of_every_kind_are_as_they_were_afterwards(memd: Memd, given: Path, data: bytes) -> None:
    given.write_bytes(data)
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert commands(given).keys() >= set(EVENTS)
    after = given.read_bytes()
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert given.read_bytes() == after
    assert memd.inside("uninstall", "--hooks", "claude-code", "--yes").code == 0
    assert given.read_bytes() == data


def test_settings_that_only_may_be_read_are_written_all_the_same_with_their_mode(memd: Memd, given: Path) -> None:
    given.chmod(0o400)
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert stat.S_IMODE(given.stat().st_mode) == 0o400
    assert memd.inside("uninstall", "--hooks", "claude-code", "--yes").code == 0
    assert (given.read_bytes(), stat.S_IMODE(given.stat().st_mode)) == (GIVEN, 0o400)


def test_it_asks_and_without_somebody_to_ask_does_nothing(memd: Memd, given: Path) -> None:
    answer = memd("install", "--hooks", "claude-code")
    assert answer.code == 2
    assert "--yes" in answer.err
    assert given.read_bytes() == GIVEN


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_what_is_to_be_done_has_to_be_said(memd: Memd, command: str) -> None:
    answer = memd.inside(command, "--no-service", "--yes")
    assert answer.code == 2
    assert "--hooks" in answer.err
    assert memd.inside(command, "--hooks", "nobody").code == 2
    assert not settings(memd).exists()


def test_where_there_was_no_file_there_is_none_afterwards(memd: Memd) -> None:
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert commands(settings(memd)).keys() == set(EVENTS)
    assert memd.inside("uninstall", "--hooks", "claude-code", "--yes").code == 0
    assert not settings(memd).exists()


def test_what_a_person_added_to_it_stays(memd: Memd) -> None:
    memd.inside("install", "--hooks", "claude-code", "--yes")
    path = settings(memd)
    data = json.loads(path.read_text("utf-8")) | {"theme": "light"}
    path.write_text(json.dumps(data), "utf-8")
    assert memd.inside("uninstall", "--hooks", "claude-code", "--yes").code == 0
    assert json.loads(path.read_text("utf-8")) == {"theme": "light"}


def test_the_agents_own_directory_is_where_it_says(memd: Memd, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = memd.home / "Zoë's files"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(elsewhere))
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert (elsewhere / "settings.json").is_file()
    assert not settings(memd).exists()


def test_settings_kept_elsewhere_stay_a_link(memd: Memd) -> None:
    real = memd.home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(GIVEN)
    settings(memd).parent.mkdir(exist_ok=True)
    settings(memd).symlink_to(real)
    assert memd.inside("install", "--hooks", "claude-code", "--yes").code == 0
    assert settings(memd).is_symlink()
    assert commands(real).keys() == set(EVENTS)
    assert memd.inside("uninstall", "--hooks", "claude-code", "--yes").code == 0
    assert real.read_bytes() == GIVEN


@pytest.mark.parametrize(
    "data",
    [b"{oops", b"[]", b'{"a": "\xff"}', b'{\n  // mine\n  "a": 1\n}', b'{"a": 1,}', b""],
    ids=["broken", "list", "bytes", "comment", "comma", "empty"],
)
def test_settings_that_cannot_be_read_are_left_alone(memd: Memd, given: Path, data: bytes) -> None:
    given.write_bytes(data)
    for command in ("install", "uninstall"):
        answer = memd.inside(command, "--hooks", "claude-code", "--yes")
        assert answer.code == 7
        assert "correct the file" in answer.err
    assert given.read_bytes() == data


def test_what_an_agent_runs_is_harmless_once_memd_or_its_python_is_gone(
    memd: Memd, given: Path, tmp_path: Path
) -> None:
    memd.inside("install", "--hooks", "claude-code", "--yes")
    command = commands(given)["Stop"]
    python = command.split()[2]
    script = command.split(" -r ")[1].split()[0]
    copy = tmp_path / "hook.py"
    shutil.copy(script, copy)
    for gone in (command, command.replace(script, str(copy) + "x"), command.replace(python, "/nowhere/python")):
        done = subprocess.run(["/bin/sh", "-c", gone], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hook_by_name_always_succeeds(memd: Memd) -> None:
    for arguments in (["hook"], ["hook", "Stop"], ["hook", "--odd", "x"], ["hook", "UserPromptSubmit", "more"]):
        answer = memd(*arguments, said=b'{"session_id": "a"}')
        assert (answer.code, answer.out, answer.err) == (0, "", "")
