"""memd as a launchd agent."""

from __future__ import annotations

import os
import plistlib
import re
import time
from collections.abc import Mapping
from pathlib import Path

from memd.errors import MemdError
from memd.service import tool
from memd.service.entry import shipped
from memd.service.environment import LABEL
from memd.service.service import Service, State

_PLIST = f"{LABEL}.plist"
_QUICK, _SLOW = 20.0, 60.0  # seconds
_UNDERWAY = frozenset({36})  # EINPROGRESS: launchd is at it
_NOT_YET = frozenset({5, 37})  # EIO and EALREADY: what `bootstrap` says while an agent of that name is still there
_SETTLING, _LOOK = 15.0, 0.2  # seconds that this may take; between two tries
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Launchd:
    """The agents of the user who is logged in, asked through `launchctl`."""

    name = "launchd"

    def __init__(self, environ: Mapping[str, str], home: Path) -> None:
        """`home` is where its agents and logs are."""
        self.environ: Mapping[str, str] = environ
        self._home = home
        self._tool = tool.found("launchctl", environ)

    @property
    def log_file(self) -> Path:
        """Where the daemon's stderr goes."""
        return self._home / "Library" / "Logs" / "memd.log"

    def trouble(self) -> str | None:
        """Why not, with what to do."""
        if self._tool is None:
            return "there is no launchd here (no launchctl). `memd run` works without it"
        said = self._ask("print", self._domain)
        if said.code != 0:
            return f"launchd has no session for you ({said.err}): log in at the screen, then try again"
        return None

    def files(self, service: Service) -> dict[Path, bytes]:
        """The shipped agent with this person's program, home and log. Credentials stay in a file that it names."""
        agent = plistlib.loads(shipped("launchd", _PLIST))
        agent["ProgramArguments"] = [*service.command, "run", "--environment", str(service.environment_file)]
        agent["EnvironmentVariables"] = {"HOME": str(service.home), "PATH": _PATH}
        agent["WorkingDirectory"] = str(service.home)
        agent["StandardErrorPath"] = str(self.log_file)
        return {self._path: plistlib.dumps(agent, sort_keys=False)}

    def own(self) -> tuple[Path, ...]:
        """The agent's file."""
        return (self._path,) if self._path.is_file() else ()

    def steps(self) -> tuple[str, ...]:
        """As a person would type it."""
        return (f"launchctl bootout {self._target}", f"launchctl bootstrap {self._domain} {self._path}")

    def start(self) -> None:
        """An agent that is loaded is taken out first: launchd reads its file only then."""
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        self._out()
        self._ask("enable", self._target)
        began = time.monotonic()
        while (said := self._ask("bootstrap", self._domain, str(self._path), seconds=_SLOW)).code in _NOT_YET:
            if time.monotonic() - began > _SETTLING:
                break
            time.sleep(_LOOK)
        if said.code != 0:
            raise MemdError(f"the agent did not start: {said.err}", hint=f"launchctl print {self._target} tells more")

    def stop(self) -> None:
        """`bootout` ends it and all it started."""
        said = self._out()
        if said.code != 0 and self.state().running:
            raise MemdError(f"the agent did not stop: {said.err}", hint=f"launchctl bootout {self._target}")

    def _out(self) -> tool.Said:
        """Unload it. `bootout` returns before that is done, and until then nothing can take its place."""
        said = self._ask("bootout", self._target, seconds=_SLOW)
        began = time.monotonic()
        while said.code in {0, *_UNDERWAY} and self._ask("print", self._target).code == 0:
            if time.monotonic() - began > _SLOW:
                break
            time.sleep(_LOOK)
        return said

    def taken_out(self) -> None:
        """Nothing is left of an agent that was taken out, but its log."""
        self.log_file.unlink(missing_ok=True)

    def state(self) -> State:
        """What `launchctl print` says of it."""
        said = self._ask("print", self._target)
        pid = re.search(r"^\s*pid = (\d+)", said.out, re.MULTILINE)
        state = re.search(r"^\s*state = (.+)$", said.out, re.MULTILINE)
        return State(
            installed=bool(self.own()),
            enabled=said.code == 0,
            running=pid is not None,
            pid=int(pid[1]) if pid else None,
            detail=state[1] if state else "not loaded",
        )

    def credentials(self) -> dict[str, str]:
        """Launchd has no such thing."""
        return {}

    def log(self, lines: int, *, follow: bool) -> tuple[str, ...] | None:
        """The end of its file."""
        if not self.log_file.exists():
            return None
        return ("/usr/bin/tail", "-n", str(lines), *(["-F"] if follow else ()), str(self.log_file))

    def advice(self) -> tuple[str, ...]:
        """About logging out."""
        return ("The agent runs while you are logged in; launchd has no agents for people who are not.",)

    @property
    def _path(self) -> Path:
        return self._home / "Library" / "LaunchAgents" / _PLIST

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    @property
    def _target(self) -> str:
        return f"{self._domain}/{LABEL}"

    def _ask(self, *words: str, seconds: float = _QUICK) -> tool.Said:
        if self._tool is None:
            return tool.Said(code=-1, out="", err="there is no launchctl")
        return tool.run((self._tool, *words), self.environ, seconds=seconds)
