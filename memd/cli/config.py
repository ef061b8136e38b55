"""`memd config`: what is set, where it came from, and whether it is right."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import click

from memd import config as settings
from memd.agent import model_service
from memd.cli.group import Group
from memd.cli.output import json_option, print_json, print_table
from memd.settings import Price, Settings
from memd.team_rules import TeamRule


@click.group(cls=Group)
def config() -> None:
    """Show and check the settings."""


@config.command()
@json_option
def path(*, as_json: bool) -> None:
    """Print where the settings file is, or would be."""
    file = settings.find_paths(os.environ).config_file
    if as_json:
        print_json({"path": str(file), "exists": file.exists()})
    else:
        click.echo(file)


@config.command()
@json_option
def show(*, as_json: bool) -> None:
    """Print every setting with its value and where that came from."""
    loaded = settings.load(os.environ)
    rows: list[dict[str, Any]] = [
        {"key": key, "value": _plain(value), "source": loaded.sources[key], **_became(key, loaded.settings)}
        for key, value in settings.flat(loaded.settings).items()
    ]
    if as_json:
        print_json({"settings": rows})
    else:
        print_table(["setting", "value", "from"], [(row["key"], _spelled(row), row["source"]) for row in rows])


@config.command()
@json_option
def validate(*, as_json: bool) -> None:
    """Check the settings file and the MEMD_* variables; exit 2 where one is wrong."""
    loaded = settings.load(os.environ)
    if as_json:
        print_json({"ok": True, "warnings": list(loaded.warnings)})
        return
    for warning in loaded.warnings:
        click.echo(f"warning: {warning}", err=True)
    click.echo(
        f"{loaded.paths.config_file}: " + ("ok" if loaded.paths.config_file.exists() else "not there; defaults apply")
    )


def _became(key: str, found: Settings) -> dict[str, str]:
    """What `auto` comes to, with this shell's variables."""
    if key != "backend" or found.backend != "auto":
        return {}
    return {"in_force": "anthropic" if model_service.asks_a_model(found, os.environ) else "offline"}


def _plain(value: object) -> object:
    """Make what JSON can hold of a value."""
    if isinstance(value, tuple):
        return [_plain(member) for member in value]
    return asdict(value) if isinstance(value, Price | TeamRule) else value


def _spelled(row: dict[str, Any]) -> str:
    """Spell a value as a person reads it: durations carry their unit, money its sign."""
    match row["value"]:
        case None | []:
            return "-"
        case bool(is_on):
            return str(is_on).lower()
        case float(amount) if row["key"].endswith("_dollars"):
            return f"${amount:.2f}"
        case float(seconds):
            return settings.spelled(seconds)
        case list(members):
            return ", ".join(map(_name, members))
    return str(row["value"]) + (f" (here: {row['in_force']})" if "in_force" in row else "")


def _name(member: object) -> str:
    return str(member.get("model") or member.get("glob")) if isinstance(member, dict) else str(member)
