"""Whether anybody wants memory of this conversation at all."""

from __future__ import annotations

from memd.extract.gate import Skip
from memd.extract.house import House
from memd.extract.window import Window
from memd.ledger.nouns import OFF
from memd.memory import claude_settings, enabled


def off(new: Window, house: House) -> Skip | None:
    """Return why not, or None."""
    if new.reading.own:
        return Skip.OWN_SESSION
    if new.session.state == OFF:
        return Skip.OFF_THE_RECORD
    if enabled.excluded(new.place.root, house.settings.projects.exclude, home=house.paths.home):
        return Skip.EXCLUDED
    scopes = claude_settings.scopes(
        new.place.root, environ=new.variables.environ, home=house.paths.home, managed=claude_settings.managed_file()
    )
    answer = enabled.enabled(
        environ=new.variables.environ,
        settings_say=claude_settings.enabled(scopes),
        memory_section=new.variables.section,
    )
    return None if answer.on else Skip.MEMORY_OFF
