"""The options that every command has: `--project`, `--dry-run` and `--yes`."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from memd.cli.main import COMMANDS
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.ledger.spend import Spent
from tests.cli.conftest import Memd
from tests.fakes.claude_lines import SESSION
from tests.fakes.talk import RULE, converse

# Those that write nothing, are started by programs, or are for themselves.
_READ = re.compile(
    r"(run|status|doctor|logs|list|show|recall|prompt|history|diff|why|cost|hook|mcp|completion|demo)"
    r"|review (list|show)|config \w+|project (list|show)|team (log|status)"
)
# Those that are about this machine, or get their project as an argument.
_OF_NO_PROJECT = re.compile(r"(run|install|uninstall|hook|completion|demo)|config \w+|project \w+")


def leaves(name: str, command: click.Command) -> Iterator[tuple[str, frozenset[str]]]:
    """Every command with its options."""
    if isinstance(command, click.Group):
        for verb, below in command.commands.items():
            yield from leaves(f"{name} {verb}", below)
    else:
        yield name, frozenset(option for parameter in command.params for option in parameter.opts)


def every() -> Iterator[tuple[str, frozenset[str]]]:
    for name, place in COMMANDS.items():
        module, _, attribute = place.partition(":")
        yield from leaves(name, getattr(importlib.import_module(module), attribute))


def test_every_command_has_the_options_that_all_have() -> None:
    lacking = {name: {"--dry-run", "--yes"} - options for name, options in every() if not _READ.fullmatch(name)}
    assert {name: options for name, options in lacking.items() if options} == {}
    assert [
        name for name, options in every() if "--project" not in options and not _OF_NO_PROJECT.fullmatch(name)
    ] == []


def test_a_dry_run_of_pause_resume_off_and_export_changes_nothing(memd: Memd, tmp_path: Path) -> None:
    converse(memd.memory, memd.project)
    memd.remember("tabs", "Never use tabs")
    assert "would be paused" in memd.inside("pause", "--dry-run", "--yes").out
    assert not memd.state.exists()
    memd.inside("pause", "--yes", "--project", ".")
    assert "would be resumed" in memd.inside("resume", "--dry-run").out
    assert memd.inside("status", "--json").json["daemon"]["paused"]
    memd.inside("resume", "--yes")
    target = tmp_path / "out.tar.gz"
    assert memd.inside("export", str(target), "--dry-run").err == "1 file of 1 project\n"
    assert not target.exists()
    assert "would be off the record" in memd.inside("off", SESSION, "--dry-run").out
    assert memd.inside("extract", "--last", "--json").json["outcome"] == "saved"


@pytest.fixture
def two(memd: Memd) -> Memd:
    """The shop, with a run and a conversation, and beside it another project that has neither."""
    (memd.home / "other").mkdir()
    memd.save("feedback_tabs.md", "Never use tabs")
    converse(memd.memory, memd.project, RULE)
    day = datetime.now(UTC).date().isoformat()
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.spend(Spent(day=day, project=str(memd.project), kind="extract", model="m", dollars=0.25))
    return memd


@pytest.mark.parametrize("command", ["diff 1", "undo 1 --yes", f"off {SESSION}"])
def test_what_a_number_or_an_id_names_is_looked_for_in_one_project(two: Memd, command: str) -> None:
    elsewhere = two.inside(*command.split(), "--project", str(two.home / "other"))
    assert elsewhere.code == 2
    assert f"is not of {two.home / 'other'} but of {two.project}" in elsewhere.err
    assert two.inside(*command.split(), "--project", str(two.project)).code == 0


def test_cost_and_backfill_can_be_of_one_project(two: Memd) -> None:
    other = ("--project", str(two.home / "other"))
    assert len(two.inside("cost", "--json", "--project", ".").json["spent"]) == 1
    assert two.inside("cost", "--json", *other).json["spent"] == []
    converse(two.memory, two.project, RULE, mtime=SystemClock().now().timestamp() - 86400)
    assert "no conversation left" in two.inside("backfill", "--dry-run", *other).out
    assert two.inside("backfill", "--dry-run", "--project", ".").out.startswith("1 conversation older than memd")
