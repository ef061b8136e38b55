"""`memd mcp`: a project's memory for agents that speak the Model Context Protocol, over standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from memd import distribution
from memd.cli.here import here
from memd.cli.output import project_option
from memd.errors import UsageError


@click.command()
@project_option
def mcp(*, directory: str) -> None:
    """Serve the memory of a project to an agent, until its standard input ends."""
    try:
        from memd.cli.mcp_server import Desk, server  # noqa: PLC0415 - 63 MB, for this command alone
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in {"mcp", "pydantic"}:
            raise
        hint = distribution.with_extra("mcp", distribution.installed())
        raise UsageError("this needs the package `mcp`", hint=hint) from error
    here()  # a setting that is wrong is told to whoever starts this
    server(Desk(project=str(Path(directory).absolute()))).run("stdio")
