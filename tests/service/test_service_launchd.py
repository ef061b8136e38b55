"""The launchd agent: a valid property list of keys that Apple documents (launchd.plist(5)), and its life."""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.service import entry, environment
from memd.service.launchd import Launchd
from memd.service.service import Service
from tests.fakes import user_manager

DOCUMENTED = {
    "Label": str, "ProgramArguments": list, "EnvironmentVariables": dict, "RunAtLoad": bool, "KeepAlive": dict,
    "ThrottleInterval": int, "ProcessType": str, "LowPriorityIO": bool, "Nice": int, "Umask": int,
    "StandardErrorPath": str, "WorkingDirectory": str, "ExitTimeOut": int,
}  # fmt: skip


@pytest.fixture
def launchd(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Launchd]:
    user_manager.place(tmp_path / "bin", "launchctl", home)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    yield Launchd(os.environ, home)
    user_manager.end_all(tmp_path)


def service(home: Path) -> Service:
    return Service(
        command=(sys.executable, "-P", "-m", "memd.cli.main"),
        home=home,
        environment_file=home / "service.env",
        temporary=home / "tmp",
        writable=(),
        hidden=(),
    )


def test_the_agent_is_a_property_list_of_documented_keys(launchd: Launchd, home: Path) -> None:
    ((path, data),) = launchd.files(service(home)).items()
    assert path == home / "Library" / "LaunchAgents" / "dev.memd.plist"
    for agent in (plistlib.loads(data), plistlib.loads(entry.shipped("launchd", "dev.memd.plist"))):
        assert agent.keys() <= DOCUMENTED.keys()
        assert {key: DOCUMENTED[key] for key in agent} == {key: type(value) for key, value in agent.items()}
        assert agent["ProcessType"] in {"Background", "Standard", "Adaptive", "Interactive"}
        assert agent["KeepAlive"] == {"SuccessfulExit": False}
        assert agent["Umask"] == 0o077
        assert agent["ExitTimeOut"] > 20  # seconds until SIGKILL; workers are given theirs first
        assert all(isinstance(value, str) for value in agent["EnvironmentVariables"].values())
        assert agent["EnvironmentVariables"].keys() == {"HOME", "PATH"}


@pytest.mark.timeout(240)  # many processes, one after the other
def test_its_life(launchd: Launchd, home: Path) -> None:
    (home / ".claude" / "projects").mkdir(parents=True)
    (home / "service.env").write_text(environment.spelled({"MEMD_EXTRACT_QUIET": "77s"}), "utf-8")
    assert launchd.trouble() is None
    assert not launchd.state().installed
    for path, data in launchd.files(service(home)).items():
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    launchd.start()
    assert launchd.state().running
    command = launchd.log(10, follow=False)
    assert command is not None
    assert command[-1] == str(launchd.log_file)
    assert b'"quiet": 77.0' in launchd.log_file.read_bytes()
    first = launchd.state().pid
    launchd.start()  # an agent that is loaded already, and takes its time to go
    assert launchd.state().running
    assert launchd.state().pid != first
    launchd.stop()
    assert not launchd.state().running
    for path in launchd.own():
        path.unlink()
    launchd.taken_out()
    assert not launchd.log_file.exists()


def test_wrong_settings_do_not_make_launchd_start_it_for_ever(home: Path) -> None:
    """KeepAlive starts an agent anew after every exit code but 0, a few seconds later, however often."""
    environ = {"HOME": str(home), "MEMD_EXTRACT_QUIET": "a while", "XPC_SERVICE_NAME": environment.LABEL}
    command = [sys.executable, "-m", "memd.cli.main", "run"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, "must be a duration" in done.stderr) == (0, True)
    done = subprocess.run(
        command, env={**environ, "XPC_SERVICE_NAME": "0"}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "must be a duration" in done.stderr) == (2, True)


def test_without_launchd_it_says_so(home: Path) -> None:
    assert "memd run" in (Launchd({"PATH": "/nowhere"}, home).trouble() or "")
