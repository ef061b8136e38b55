"""`memd team`: memories that a team shares through a git repository."""

from __future__ import annotations

import click

from memd.cli.group import Group
from memd.cli.team_joining import init
from memd.cli.team_leaving import leave
from memd.cli.team_log import log
from memd.cli.team_sharing import share, unshare
from memd.cli.team_status import status
from memd.cli.team_turn import sync


@click.group(cls=Group)
def team() -> None:
    """Share the memories in a project's team/ directory through a git repository."""


for _command in (init, status, sync, share, unshare, log, leave):
    team.add_command(_command)
