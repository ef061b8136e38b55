"""How commands print: Markdown-plain text for people, one JSON document for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

SCHEMA_VERSION = 1
_NO_RUN = 2**63  # SQLite counts no further

Command = TypeVar("Command", bound=Callable[..., Any])


class _RunNumber(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 only
    name = "run"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not (text.isascii() and text.isdecimal() and 0 < int(text) < _NO_RUN):
            self.fail(f"{text!r} is not a run's number, as `memd history` shows it", param, ctx)
        return int(text)


RUN_NUMBER = _RunNumber()


def json_option(command: Command) -> Command:
    """Give a reading command its `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")(command)


def project_option(command: Command) -> Command:
    """Give a command its `--project`."""
    return click.option(
        "--project",
        "directory",
        type=click.Path(exists=True, file_okay=False),
        default=".",
        help="The project's directory (default: this one).",
    )(command)


def yes_option(command: Command) -> Command:
    """Give a writing command that never asks its `--yes`, which does nothing."""
    return click.option(
        "--yes",
        is_flag=True,
        hidden=True,
        expose_value=False,
        help="Accepted as everywhere; there is no question here.",
    )(command)


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document for programs; its shape changes only together with `schema_version`."""
    click.echo(json.dumps({"schema_version": SCHEMA_VERSION, **document}, ensure_ascii=False, indent=2))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings: fitted to the window on a terminal, in a pipe a line a row with tabs between cells."""
    if not sys.stdout.isatty():
        click.echo("\n".join("\t".join(row) for row in (columns, *rows)))
        return
    _draw(columns, rows)


def _draw(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich import box  # noqa: PLC0415 - it takes longer to import than most commands take
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False).print(table)  # rich itself honours NO_COLOR and TERM=dumb
