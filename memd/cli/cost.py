"""`memd cost`: what asking models has cost, and what may still be spent today."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

import click

from memd.agent import backends
from memd.cli.here import Here, here
from memd.cli.output import Command, json_option, print_json, print_table
from memd.cli.runs import ledger_if_there
from memd.cli.within import within_option
from memd.cli.words import iso, shown
from memd.clock import SystemClock
from memd.ledger.spend import Circuit, Day, Spent
from memd.settings import Spending

_NOTHING = Day(dollars=0.0, passes=0, requests=0)


def _since(_context: click.Context, _parameter: click.Parameter, value: str) -> date:
    """Read a local date, or how many days back."""
    if found := re.fullmatch(r"(\d{1,5})d", value):
        return SystemClock().now().date() - timedelta(days=int(found[1]))
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter("give a date (2026-03-05) or a number of days (30d)") from error


def since_option(*, default: str, help: str) -> Callable[[Command], Command]:  # noqa: A002 - click's word
    """Give a command its `--since`: a local date, or days back."""

    def add(command: Command) -> Command:
        return click.option("--since", default=default, callback=_since, help=help)(command)

    return add


@click.command()
@since_option(default="30d", help="A date, or days back: 7d.  [default: 30d]")
@within_option
@json_option
def cost(*, since: date, directory: str | None, as_json: bool) -> None:
    """Show what asking models has cost, by day, project and model. The caps of a day are for all projects together."""
    around = here()
    spent, today, circuit = _read(around, since)
    if directory is not None:
        root = str(around.memory_dir(directory).root)
        spent = tuple(row for row in spent if row.project == root)
    if as_json:
        _print_json(spent, today, circuit, around.settings.caps)
        return
    if spent:
        print_table(
            ["day", "project", "for", "model", "passes", "requests", "tokens in", "cached", "out", "dollars"],
            [*map(_row, spent), _total(spent)],
        )
    else:
        click.echo(f"nothing was spent since {since}")
    _print_state(around, today, circuit)


def _read(around: Here, since: date) -> tuple[tuple[Spent, ...], Day, Circuit]:
    clock = SystemClock()
    with ledger_if_there(around) as ledger:
        if ledger is None:
            return (), _NOTHING, Circuit()
        return (
            ledger.spent_since(since.isoformat()),
            ledger.spent_on(clock.now().date().isoformat()),
            ledger.circuit(),
        )


def _row(spent: Spent) -> tuple[str, ...]:
    whole = spent.input + spent.cache_write + spent.cache_read
    return (
        spent.day,
        shown(spent.project),
        spent.kind,
        shown(spent.model),
        *(f"{count:,}" for count in (spent.passes, spent.requests, whole, spent.cache_read, spent.output)),
        f"{spent.dollars:.4f}" + (" and more" if spent.unpriced else ""),
    )


def _total(spent: Iterable[Spent]) -> tuple[str, ...]:
    rows = tuple(spent)
    return _row(
        Spent(
            day="all",
            project="",
            kind="",
            model="",
            passes=sum(row.passes for row in rows),
            requests=sum(row.requests for row in rows),
            input=sum(row.input for row in rows),
            cache_read=sum(row.cache_read for row in rows),
            cache_write=sum(row.cache_write for row in rows),
            output=sum(row.output for row in rows),
            dollars=sum(row.dollars for row in rows),
            unpriced=sum(row.unpriced for row in rows),
        )
    )


def _print_state(around: Here, today: Day, circuit: Circuit) -> None:
    caps, settings = around.settings.caps, around.settings
    click.echo(
        f"today ${today.dollars:.2f} of ${caps.day_dollars:.2f}, {today.passes} of {caps.day_passes} passes,"
        f" {today.requests} of {caps.day_requests} requests"
    )
    chosen = backends.choose(settings, around.environ, settings.models.extract)
    if chosen.account is None:
        click.echo(f"the {chosen.backend.name} backend costs nothing", err=True)
    elif circuit.is_open(chosen.account, SystemClock().now().timestamp()):
        until = f" until {iso(circuit.until)}" if circuit.until else " until the credentials or the settings change"
        click.echo(f"the model is not asked{until}: {circuit.reason}", err=True)


def _print_json(spent: tuple[Spent, ...], today: Day, circuit: Circuit, caps: Spending) -> None:
    rows: list[dict[str, Any]] = [asdict(row) for row in spent]
    print_json(
        {
            "spent": rows,
            "today": asdict(today),
            "caps": asdict(caps),
            "circuit": {"reason": circuit.reason, "until": iso(circuit.until), "failures": circuit.failures},
        }
    )
