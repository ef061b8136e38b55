"""Where a session's memory is, and whether it has any; the settings as they are at that moment."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from memd import config
from memd.config import Loaded
from memd.errors import ConfigError
from memd.ledger import Ledger
from memd.ledger.nouns import OFF
from memd.memory import claude_settings, enabled, location, owners, session_env
from memd.memory.location import MemoryDir
from memd.recall.payload import Call
from memd.recall.sessions import key_of

_BELIEVED = 20.0  # seconds that a place is
_AT_HAND = 200  # places


class Current:
    """The settings, read again when their file changes; while they are wrong, the last good ones hold."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Raises ConfigError where they are wrong from the start."""
        self.environ = environ
        self._loaded = config.load(environ)
        self._stamp = self._seen()

    def loaded(self) -> Loaded:
        """Settings and places."""
        if (stamp := self._seen()) != self._stamp:
            self._stamp = stamp
            try:
                self._loaded = config.load(self.environ)
            except ConfigError:  # the daemon says so when it is told to read them
                return self._loaded
        return self._loaded

    def _seen(self) -> tuple[int, int] | None:
        try:
            found = config.find_paths(self.environ).config_file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


class Places:
    """Where the memories of sessions are, each believed for a while."""

    def __init__(self, environ: Mapping[str, str], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._environ = environ
        self._monotonic = monotonic
        self._known: dict[object, tuple[float, MemoryDir | None]] = {}

    def of(self, call: Call, loaded: Loaded, ledger: Ledger) -> MemoryDir | None:
        """The memory of a session; None where it has none, is off the record or paused, or where another's lies."""
        if ledger.paused_at() is not None or ledger.state(key_of(call)) == OFF:
            return None
        key = (call.cwd, tuple(sorted(call.variables.items())), id(loaded))
        until, place = self._known.get(key, (-math.inf, None))
        if self._monotonic() >= until:
            place = _place(call, self._environ, loaded)
            if len(self._known) >= _AT_HAND:
                self._known.clear()
            self._known[key] = self._monotonic() + _BELIEVED, place
        if place is None or not place.rule.startswith("base:"):
            return place
        owner = owners.of(ledger, loaded.paths.history, place.slug)
        return place if owner in {None, str(place.root)} else None


def _place(call: Call, environ: Mapping[str, str], loaded: Loaded) -> MemoryDir | None:
    """The memory of a session by its directory and variables; None where it is off."""
    paths, projects = loaded.paths, loaded.settings.projects
    session = session_env.of_session(environ, forwarded=call.variables)
    place = location.of_session(
        Path(call.cwd), session, home=paths.home, base=loaded.settings.memory.base, worktrees=projects.worktrees
    )
    scopes = claude_settings.scopes(
        place.root, environ=session.environ, home=paths.home, managed=claude_settings.managed_file()
    )
    is_excluded = enabled.excluded(place.root, projects.exclude, home=paths.home)
    answer = enabled.enabled(
        environ=session.environ,
        settings_say=claude_settings.enabled(scopes),
        disabled_by="excluded" if is_excluded else None,
    )
    return place if answer.on else None
