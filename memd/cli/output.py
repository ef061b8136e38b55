"""How commands print: Markdown-plain text for people, one JSON document for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

import click

SCHEMA_VERSION = 1
_GAP, _NEXT = 3, 2  # characters between two columns of a table, and between what stands on a line otherwise
_PROSE = 20  # characters that a column of prose gets at least
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


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, prose: Collection[str] = ()) -> None:
    """Print rows under headings: fitted to the window on a terminal, in a pipe a line a row with tabs between cells.

    A word is never broken in two, since it may be a name that somebody copies; but for those of the `prose` columns.
    """
    if not sys.stdout.isatty():
        click.echo("\n".join("\t".join(row) for row in (columns, *rows)))
        return
    _draw(columns, list(rows), prose)


def _draw(columns: Sequence[str], rows: Sequence[Sequence[str]], prose: Collection[str]) -> None:
    from rich import box  # noqa: PLC0415 - it takes longer to import than most commands take
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console(highlight=False, markup=False)  # rich itself honours NO_COLOR and TERM=dumb
    cells = {column: [column, *(row[at] for row in rows)] for at, column in enumerate(columns)}
    widths = _widths(cells, console.width - _GAP * (len(columns) - 1), prose)
    if widths is None:
        click.echo("\n".join(_under_each_other(columns, rows, console.width)).rstrip())
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="fold", width=width)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _widths(cells: Mapping[str, Sequence[str]], room: int, prose: Collection[str]) -> list[int] | None:
    """How wide each column is to be, so that no name is broken; None: that cannot be, side by side."""
    from rich.cells import cell_len  # noqa: PLC0415 - as above

    widths = [
        max(_PROSE * (name in prose), *map(_unbroken, said if name not in prose else [name]))
        for name, said in cells.items()
    ]
    full = [max(map(cell_len, said)) for said in cells.values()]
    widths = [min(pair) for pair in zip(widths, full, strict=True)]
    left = room - sum(widths)
    for at in sorted(range(len(widths)), key=lambda at: full[at] - widths[at]):
        more = max(0, min(left, full[at] - widths[at]))
        widths[at] += more
        left -= more
    return widths if left >= 0 else None


def _unbroken(cell: str) -> int:
    """The width of the longest word of a cell, in characters; in scripts without spaces a word may be broken."""
    from rich.cells import cell_len  # noqa: PLC0415 - as above

    return max((len(word) for word in cell.split() if cell_len(word) == len(word)), default=2)


def _under_each_other(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Rows whose cells do not fit side by side: the last one below the others, or each in a line of its own."""
    table = (columns[:-1], *(row[:-1] for row in rows))
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    if sum(widths) + _NEXT * len(widths) <= width:
        for cells, last in zip(table, (columns[-1], *(row[-1] for row in rows)), strict=True):
            yield (" " * _NEXT).join(f"{cell:<{size}}" for cell, size in zip(cells, widths, strict=True)).rstrip()
            yield from _wrapped("    ", last, width)
        return
    indent = max(map(len, columns)) + _NEXT
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            yield from _wrapped(f"{column:<{indent}}", cell, width)
        yield ""


def _wrapped(start: str, text: str, width: int) -> Iterator[str]:
    """A text after its label in lines, broken between words alone; nothing where there is no text."""
    from rich.cells import cell_len, chop_cells  # noqa: PLC0415 - as above

    line, room = start, max(2, width - len(start))
    parts = ([word] if cell_len(word) == len(word) else chop_cells(word, room) for word in text.split())
    for word in chain.from_iterable(parts):
        if len(line) > len(start) and cell_len(line) + cell_len(word) > width:
            yield line.rstrip()
            line = " " * len(start)
        line += f"{word} "
    if text:
        yield line.rstrip()
