"""`memd doctor`: whether all is well, line by line, and one verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import click

from memd.cli.checkup import daemon, machine, memories, outside, service, teams
from memd.cli.checkup.examined import Examined, examine
from memd.cli.checkup.finding import Finding, Level, looked, verdict
from memd.cli.output import json_option, print_json, project_option
from memd.cli.words import valid

_Check = Callable[[Examined], Iterable[Finding]]
_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("daemon", daemon.running),
    ("service", service.installed),
    ("confinement", service.held),
    ("ledger", daemon.ledger),
    ("settings", outside.settings),
    ("background", daemon.background),
    ("backend", outside.backend),
    ("hooks", outside.agents),
    ("sandbox", machine.confinement),
    ("disk", machine.disk),
    ("permissions", machine.permissions),
    ("project", memories.here),
    ("memories", memories.topics),
    ("review", memories.review),
    ("team memory", teams.shared),
)
_COLORS = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
_SAID = {
    Level.OK: "all is well",
    Level.WARN: "memd works; see the lines above that say WARN",
    Level.FAIL: "memd does not do its work as it should; see the lines above that say FAIL",
}
_NOT_YET = "memd is not set up yet, and nothing is broken: {} starts it"


@click.command()
@project_option
@json_option
def doctor(*, directory: str, as_json: bool) -> int:
    """Check the daemon, its service, what leaves the machine, and this person's memories. Exit code 1: something fails.

    What could not be checked is never called OK. Nothing is changed, and no credential is shown.
    """
    examined = examine(os.environ, directory)
    findings = [one for name, check in _CHECKS for one in looked(name, lambda check=check: check(examined))]  # type: ignore[misc]
    said = verdict(findings)
    if as_json:
        told = {"verdict": said.value, "ok": said is not Level.FAIL, "set_up": not examined.is_new}
        print_json({**told, "checks": [_described(one) for one in findings]})
    else:
        is_to_come = examined.is_new and said is not Level.FAIL
        _print(findings, said, _not_yet(examined) if is_to_come else _SAID[said])
    return 1 if said is Level.FAIL else 0


def _not_yet(examined: Examined) -> str:
    return _NOT_YET.format("`memd run`" if examined.manager.trouble() else "`memd install`")


def _print(findings: Iterable[Finding], said: Level, sentence: str) -> None:
    for one in findings:
        click.echo(f"{_colored(one.level)} {one.name:<19}{valid(one.text)}")
        if one.hint:
            click.echo(f"{'':<24}{valid(one.hint)}")
    click.echo(f"\n{_colored(said)} {sentence}")


def _colored(level: Level) -> str:
    word = f"{level.value:<4}"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return word if plain else click.style(word, fg=_COLORS[level], bold=level is not Level.OK)


def _described(one: Finding) -> dict[str, str | None]:
    return {"name": one.name, "level": one.level.value, "text": valid(one.text), "hint": one.hint}
