"""A service manager for tests: answers as `systemctl --user` and `launchctl` do, and runs the real daemon.

    user_manager.py systemctl|launchctl ARGUMENTS...

It keeps what it knows in $XDG_RUNTIME_DIR/manager.json, reads units from $MANAGER_HOME/.config/systemd/user (that is
its HOME, which need not be the caller's), and starts what their ExecStart= says with nothing else in the environment.
"""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

UNIT = "memd.service"
_PATIENCE = 30.0  # seconds


def place(directory: Path, name: str, home: Path) -> None:
    """Put a tool of that name into a directory; `home` is the manager's own."""
    directory.mkdir(exist_ok=True)
    tool = directory / name
    words = shlex.join([sys.executable, str(Path(__file__).resolve()), name])
    tool.write_text(f'#!/bin/sh\nMANAGER_HOME={shlex.quote(str(home))} exec {words} "$@"\n', "utf-8")
    tool.chmod(0o755)


def end_all(runtime: Path) -> None:
    """End what a test has left running."""
    if (runtime / "manager.json").exists():
        _end(json.loads((runtime / "manager.json").read_text("utf-8")).get("pid"))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _state() -> Path:
    return Path(os.environ["XDG_RUNTIME_DIR"], "manager.json")


def _known() -> dict[str, Any]:
    return json.loads(_state().read_text("utf-8")) if _state().exists() else {}


def _keep(known: dict[str, Any]) -> None:
    _state().write_text(json.dumps(known), "utf-8")


def _alive(pid: int | None) -> bool:
    if not pid:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _end(pid: int | None) -> None:
    began = time.monotonic()
    while _alive(pid):
        assert pid is not None
        os.kill(pid, signal.SIGKILL if time.monotonic() - began > _PATIENCE else signal.SIGTERM)
        time.sleep(0.02)


def started(log: Path, environ: dict[str, str], *command: str) -> subprocess.Popen[bytes]:
    """A daemon that has said that it is ready, or has ended."""
    command = command or (sys.executable, "-m", "memd.cli.main", "run")
    with log.open("ab") as stream:
        size = stream.tell()
        process = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
        )
    began = time.monotonic()
    while b"daemon_ready" not in log.read_bytes()[size:] and process.poll() is None:
        assert time.monotonic() - began < _PATIENCE, log.read_text("utf-8")
        time.sleep(0.05)
    return process


def _launch(command: list[str], environ: dict[str, str], log: Path) -> int:
    bare = {"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], **environ}
    process = started(log, bare, *command)
    return 0 if process.poll() is not None else process.pid


def _units() -> Path:
    return Path(os.environ["MANAGER_HOME"], ".config", "systemd", "user")


def _lines() -> list[tuple[str, str]]:
    files = [_units() / UNIT, *sorted((_units() / f"{UNIT}.d").glob("*.conf"))]
    text = "\n".join(file.read_text("utf-8") for file in files)
    return [(key, value) for key, _, value in (line.partition("=") for line in text.splitlines())]


def _words(value: str) -> list[str]:
    return [word.replace("%%", "%") for word in shlex.split(value)]


def _start() -> int:
    if not (_units() / UNIT).exists():
        sys.stderr.write(f"Failed to restart {UNIT}: Unit {UNIT} not found.\n")
        return 5
    lines = _lines()
    environ = dict(word.split("=", 1) for key, value in lines if key == "Environment" for word in _words(value))
    for key, value in lines:
        if key == "EnvironmentFile":
            said = Path(value.lstrip("-").replace("%%", "%")).read_text("utf-8")
            environ |= dict(
                word.split("=", 1) for line in said.splitlines() for word in shlex.split(line, comments=True)
            )
    command = [word.replace("$$", "$") for word in _words([value for key, value in lines if key == "ExecStart"][-1])]
    known = _known()
    _end(known.get("pid"))
    pid = _launch(command, environ, _state().with_name("journal"))
    _keep(known | {"pid": pid})
    return 0 if pid else 1


def systemctl(words: list[str]) -> int:
    """What memd asks of `systemctl --user`."""
    asked = [word for word in words if word not in {"--user", "--no-pager", "--quiet"}]
    known = _known()
    match asked:
        case ["show", "--property=UnitPath", "--value"]:
            _say(f"/etc/systemd/user {_units()} /usr/lib/systemd/user")
        case ["show", "memd.service", *_]:
            runs, there = _alive(known.get("pid")), (_units() / UNIT).exists()
            _say(f"LoadState={'loaded' if there else 'not-found'}\nActiveState={'active' if runs else 'inactive'}")
            _say(f"SubState={'running' if runs else 'dead'}\nMainPID={known['pid'] if runs else 0}\nNRestarts=0")
            _say(f"UnitFileState={'enabled' if known.get('enabled') else 'disabled'}\nResult=success")
        case ["enable", "memd.service"]:
            _keep(known | {"enabled": True})
        case ["disable", "--now", "memd.service"]:
            _end(known.get("pid"))
            _keep({})
        case ["restart", "memd.service"]:
            return _start()
        case ["daemon-reload"] | ["reset-failed", "memd.service"] | ["stop", "memd-dream.service"]:
            pass
        case _:
            sys.stderr.write(f"unknown: {asked}\n")
            return 1
    return 0


def launchctl(words: list[str]) -> int:
    """What memd asks of `launchctl`. As there, an agent that was booted out is still known for a while (`leaving`)."""
    known = _known()
    leaving = known.get("leaving", 0)
    match words:
        case ["print", target] if target.endswith("dev.memd"):
            if leaving:
                _keep(known | {"leaving": leaving - 1})
                _say(f"{target} = {{\n\tstate = SIGTERMed\n}}")
                return 0
            if not _alive(known.get("pid")):
                return 113
            _say(f"{target} = {{\n\tstate = running\n\tpid = {known['pid']}\n}}")
        case ["print", _] | ["enable", _]:
            pass
        case ["bootout", _]:
            _end(known.get("pid"))
            _keep({"leaving": 3} if known.get("pid") else {})
            return 0 if known.get("pid") else 3
        case ["bootstrap", _, path]:
            if leaving or _alive(known.get("pid")):
                _keep(known | {"leaving": max(0, leaving - 1)})
                sys.stderr.write("Bootstrap failed: 5: Input/output error\n")
                return 5
            agent = plistlib.loads(Path(path).read_bytes())
            log = Path(agent["StandardErrorPath"])
            pid = _launch(agent["ProgramArguments"], agent["EnvironmentVariables"], log)
            _keep({"pid": pid})
            return 0 if pid else 78
        case _:
            return 64
    return 0


if __name__ == "__main__":
    sys.exit({"systemctl": systemctl, "launchctl": launchctl}[sys.argv[1]](sys.argv[2:]))
