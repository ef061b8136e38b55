"""Whether a team's memory may be synced at all: it is a project's, and memory can be off there."""

from __future__ import annotations

from collections.abc import Mapping

from memd.config import Paths, Settings
from memd.memory import claude_settings, enabled
from memd.memory.enabled import Enabled
from memd.memory.membership import Membership


def switch(one: Membership, paths: Paths, settings: Settings, environ: Mapping[str, str]) -> Enabled:
    """Whether memory is on there, and why: a project that memd stays out of is synced with nobody."""
    is_excluded = enabled.excluded(one.project, settings.projects.exclude, home=paths.home)
    scopes = claude_settings.scopes(
        one.project, environ=environ, home=paths.home, managed=claude_settings.managed_file()
    )
    return enabled.enabled(
        environ=environ,
        settings_say=claude_settings.enabled(scopes),
        disabled_by="excluded" if is_excluded else None,
    )
