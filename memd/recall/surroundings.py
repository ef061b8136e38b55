"""Where a session's memory is, and whether it has any; the settings as they are at that moment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memd import config
from memd.config import Loaded
from memd.errors import ConfigError
from memd.ledger import Ledger
from memd.memory import claude_settings, enabled, location, session_env
from memd.memory.location import MemoryDir
from memd.recall.payload import Call


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


def memory_of(call: Call, environ: Mapping[str, str], loaded: Loaded, ledger: Ledger) -> MemoryDir | None:
    """The memory of a session; None where it has none, or where another project's lies."""
    paths, projects = loaded.paths, loaded.settings.projects
    session = session_env.of_session(environ, forwarded=call.variables)
    place = location.of_session(
        Path(call.cwd), session, home=paths.home, base=loaded.settings.memory.base, worktrees=projects.worktrees
    )
    if place.rule.startswith("base:") and ledger.owner_of(place.slug) not in {None, str(place.root)}:
        return None
    scopes = claude_settings.scopes(
        place.root, environ=session.environ, home=paths.home, managed=claude_settings.managed_file()
    )
    is_excluded = enabled.excluded(place.root, projects.exclude, home=paths.home)
    answer = enabled.enabled(
        environ=session.environ,
        settings_say=claude_settings.enabled(scopes),
        disabled_by="excluded" if is_excluded else "paused" if ledger.paused_at() is not None else None,
    )
    return place if answer.on else None
