"""memd as a systemd user service."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from memd.agent import keys
from memd.errors import MemdError
from memd.service import tool
from memd.service.entry import shipped
from memd.service.service import Service, State
from memd.service.unit import drop_in

UNIT = "memd.service"
DREAM = "memd-dream.service"  # a night by hand: never enabled, never started by itself
WANTED = Path("default.target.wants", UNIT)  # the link that `enable` makes
DROP_IN = Path(f"{UNIT}.d", "10-install.conf")
DREAM_DROP_IN = Path(f"{DREAM}.d", DROP_IN.name)
_QUICK = 20.0  # seconds for a question
_SLOW = 240.0  # seconds until a service has started or ended; its own limits are shorter
_LINGER = (
    "the service runs while you are logged in; `loginctl enable-linger` lets it go on afterwards, and work at night"
)
_BY_HAND = "`memd run` works without one: in a terminal, a container's entry point or a supervisor of yours"


class Systemd:
    """The user's own systemd, asked through `systemctl --user`."""

    name = "systemd"

    def __init__(self, environ: Mapping[str, str], home: Path) -> None:
        """`home` is the one whose conversations are watched; the manager may have another one."""
        self.environ: Mapping[str, str] = with_runtime(environ, home)
        self._home = home
        self._tool = tool.found("systemctl", environ)

    def trouble(self) -> str | None:
        """Why not, with what to do."""
        if self._tool is None:
            return f"there is no systemd here (no systemctl). {_BY_HAND}"
        said = self._ask("show", "--property=UnitPath", "--value")
        if said.code != 0:
            return (
                f"no systemd user manager answers ({said.err.splitlines()[-1] if said.err else 'no reason given'}). "
                f"Log in as yourself (not with su or sudo), or set XDG_RUNTIME_DIR=/run/user/{os.getuid()}. {_BY_HAND}"
            )
        return None if self._directory() else "the systemd user manager reads units from no directory of yours"

    def files(self, service: Service) -> dict[Path, bytes]:
        """The shipped units as they are, each with a drop-in of what is this person's own."""
        directory = self._directory()
        if directory is None:
            raise MemdError(self.trouble())
        return {
            directory / UNIT: shipped("systemd", UNIT),
            directory / DROP_IN: drop_in(service).encode(),
            directory / DREAM: shipped("systemd", DREAM),
            directory / DREAM_DROP_IN: drop_in(service, "dream", "--all").encode(),
        }

    def own(self) -> tuple[Path, ...]:
        """The units, their drop-ins and what enables one, wherever an earlier call put them."""
        places = dict.fromkeys((*self._searched(), self._home / ".config" / "systemd" / "user"))
        names = (WANTED, DROP_IN, UNIT, DREAM_DROP_IN, DREAM)
        return tuple(place / name for place in places for name in names if (place / name).is_file())

    def steps(self) -> tuple[str, ...]:
        """As a person would type it."""
        return ("systemctl --user daemon-reload", f"systemctl --user enable {UNIT}", f"systemctl --user restart {UNIT}")

    def start(self) -> None:
        """`restart` returns once the daemon has said that it is ready."""
        self._must("daemon-reload")
        self._must("enable", UNIT)
        self._ask("reset-failed", UNIT)
        said = self._ask("restart", UNIT, seconds=_SLOW)
        if said.code != 0:
            raise MemdError(
                f"the service did not start: {said.err.splitlines()[0] if said.err else self.state().detail}",
                hint="`memd logs` shows why; `memd uninstall` takes it away again",
            )

    def stop(self) -> None:
        """Also in the middle of a pass: the daemon ends its workers, else systemd ends all of them."""
        if not self.own() and not self.state().running:
            return
        self._ask("stop", DREAM, seconds=_SLOW)
        said = self._ask("disable", "--now", UNIT, seconds=_SLOW)
        if said.code != 0 and self.state().running:
            raise MemdError(f"the service did not stop: {said.err}", hint=f"systemctl --user kill {UNIT}")

    def taken_out(self) -> None:
        """Read the units anew."""
        self._ask("daemon-reload", seconds=_SLOW)
        self._ask("reset-failed", UNIT)

    def state(self) -> State:
        """What `systemctl show` says of it."""
        names = ("LoadState", "ActiveState", "SubState", "MainPID", "UnitFileState", "NRestarts", "Result")
        said = self._ask("show", UNIT, *(f"--property={name}" for name in names))
        known = dict(line.split("=", 1) for line in said.out.splitlines() if "=" in line)
        pid = int(known.get("MainPID") or 0)
        return State(
            installed=bool(self.own()),
            enabled=known.get("UnitFileState") == "enabled",
            running=known.get("ActiveState") in {"active", "reloading"},
            pid=pid or None,
            detail=_told(known) if said.code == 0 else f"systemd does not say: {said.err}",
            restarts=int(known.get("NRestarts") or 0),
        )

    def credentials(self) -> dict[str, str]:
        """Where systemd keeps what a drop-in of the person's own hands over by LoadCredential=."""
        runtime = self.environ.get("XDG_RUNTIME_DIR")
        return {keys.DIRECTORY: f"{runtime}/credentials/{UNIT}"} if runtime else {}

    def log(self, lines: int, *, follow: bool) -> tuple[str, ...] | None:
        """The journal, memd's own lines as they were written."""
        program = tool.found("journalctl", self.environ)
        if program is None:
            return None
        return (
            program,
            "--user",
            f"--unit={UNIT}",
            "--output=cat",
            f"--lines={lines}",
            *(["--follow"] if follow else ()),
        )

    def advice(self) -> tuple[str, ...]:
        """About lingering."""
        return () if lingers(self.environ) else (_LINGER,)

    def _directory(self) -> Path | None:
        """Where this person's units go: below this home where the manager looks there, else below its own."""
        searched = self._searched()
        wanted = [self._base() / "systemd" / "user", self._home / ".config" / "systemd" / "user"]
        return next((path for path in wanted if path in searched), searched[0] if searched else None)

    def _base(self) -> Path:
        value = self.environ.get("XDG_CONFIG_HOME", "")
        return Path(value) if value.startswith("/") else self._home / ".config"

    def _searched(self) -> tuple[Path, ...]:
        """The directories of its search path that are for persistent units of a person."""
        said = self._ask("show", "--property=UnitPath", "--value") if self._tool else None
        paths = [] if said is None or said.code != 0 else _unit_path(said.out)
        system = ("/etc/", "/usr/", "/lib/", "/run/", "/var/")
        mine = [path for path in paths if path.endswith("/systemd/user") and not path.startswith(system)]
        return tuple(Path(path) for path in mine if "/.local/share/" not in path)

    def _must(self, *words: str) -> None:
        said = self._ask(*words, seconds=_SLOW)
        if said.code != 0:
            raise MemdError(f"systemctl --user {' '.join(words)}: {said.err}", hint=_BY_HAND)

    def _ask(self, *words: str, seconds: float = _QUICK) -> tool.Said:
        if self._tool is None:
            return tool.Said(code=-1, out="", err="there is no systemctl")
        return tool.run((self._tool, "--user", "--no-pager", "--quiet", *words), self.environ, seconds=seconds)


def with_runtime(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """The environment with the way to the user manager, which `env -i`, cron and ssh commands lack.

    Only for the home that the system knows for this user: whoever sets another one means to keep to that.
    """
    found = dict(environ)
    usual = Path(f"/run/user/{os.getuid()}")
    try:
        own = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return found
    if not found.get("XDG_RUNTIME_DIR") and home.resolve() == own.resolve() and usual.is_dir():
        found["XDG_RUNTIME_DIR"] = str(usual)
    return found


def lingers(environ: Mapping[str, str]) -> bool:
    """Whether the user's services outlive the login."""
    program = tool.found("loginctl", environ)
    if program is None:
        return False
    said = tool.run((program, "show-user", str(os.getuid()), "--property=Linger", "--value"), environ, seconds=_QUICK)
    return said.out.strip() == "yes"


def _unit_path(text: str) -> list[str]:
    """The directories in systemd's answer, which quotes no blanks: a new one begins with ` /`."""
    return [part if part.startswith("/") else f"/{part}" for part in text.strip().split(" /")]


def _told(known: Mapping[str, str]) -> str:
    if known.get("LoadState") in {"not-found", None}:
        return "not installed"
    result = known.get("Result", "success")
    return f"{known.get('ActiveState')} ({known.get('SubState')})" + ("" if result == "success" else f", {result}")
