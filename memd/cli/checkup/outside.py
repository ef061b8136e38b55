"""What leaves the machine, what memd is told by settings and variables, and what agents tell it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from memd.agent import backends, keys, model_service
from memd.cli import disclosure, hook_settings, hooks
from memd.cli.checkup.examined import Examined
from memd.cli.checkup.finding import Finding, fail, ok, warn
from memd.cli.words import shown
from memd.memory import claude_settings
from memd.service import environment

_SHORT = 14  # days; a machine that is off for a holiday comes back to nothing
_USUAL = 30
_RETENTION = "cleanupPeriodDays"


def settings(of: Examined) -> Iterator[Finding]:
    """Whether they can be read, and whether anything was meant as one and is none."""
    if of.broken_settings is not None:
        yield fail("settings", str(of.broken_settings), of.broken_settings.hint)
    else:
        file = of.here.paths.config_file
        yield ok("settings", shown(str(file)) if file.exists() else f"defaults ({shown(str(file))} is not there)")
    for warning in of.here.loaded.warnings:
        yield warn("variables", warning, "`memd config show` lists every setting")


def backend(of: Examined) -> Iterator[Finding]:
    """Who proposes memories, whether that can work, and what leaves the machine for it."""
    chosen = backends.choose(of.settings, of.environ, of.settings.models.extract)
    name, has = chosen.backend.name, environment.has_credentials(of.environ)
    own_keys = of.settings.models.provider == "anthropic" and of.settings.models.base_url is None
    if chosen.where is None:
        hint = "; `claude` is installed, and memd does not spend its subscription" if shutil.which("claude") else ""
        yield ok("backend", f"{name}: rules on this machine{hint}")
    elif trouble := model_service.key_trouble(of.settings, of.environ):
        yield fail("backend", f"{name}, but {shown(trouble)}", keys.CORRECT)
    elif own_keys and not has:
        yield fail(
            "backend", f"{name}, but there are no credentials", "set ANTHROPIC_API_KEY, then `memd install` again"
        )
    else:
        yield ok(
            "backend", f"{name}, {shown(of.settings.models.extract)}; credentials {'present' if has else 'not needed'}"
        )
    if (
        of.service.installed
        and of.settings.backend == "auto"
        and environment.has_credentials(of.here.environ)
        and not has
    ):
        yield warn(
            "backend", "this shell has credentials that the service has not", "`memd install --backend anthropic`"
        )
    yield ok("leaves the machine", disclosure.leaves(of.settings, of.environ))


def agents(of: Examined) -> Iterator[Finding]:
    """Whether the hooks are in and up to date, and how long transcripts stay."""
    said = hooks.standing(of.here)
    if said is None:
        yield ok(
            "hooks", "none: memd finds out by itself when a conversation is over (`memd install --hooks claude-code`)"
        )
    elif said:
        yield ok("hooks", f"in, for {', '.join(hook_settings.EVENTS)}")
    else:
        yield warn(
            "hooks", "in, but they start another memd than this one", "`memd install --hooks claude-code --no-service`"
        )
    yield from _retention(of)


def _retention(of: Examined) -> Iterator[Finding]:
    """An agent deletes old transcripts; what memd has not seen by then is lost."""
    home, environ = of.here.paths.home, of.environ
    scopes = claude_settings.scopes(of.place.root, environ=environ, home=home, managed=claude_settings.managed_file())
    for problem in claude_settings.problems(scopes):
        yield warn("agent's settings", shown(problem))
    days = next((scope.values[_RETENTION] for scope in scopes if _RETENTION in scope.values), _USUAL)
    if isinstance(days, int | float) and days < _SHORT:
        yield warn(
            "retention", f"transcripts are deleted after {days} days ({_RETENTION})", "memd has to run within these"
        )
    else:
        yield ok("retention", f"agents keep transcripts for {days} days ({_RETENTION}), which is long enough for memd")
