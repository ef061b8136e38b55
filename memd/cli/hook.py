"""`memd hook EVENT`: what agents run by another way, for those that call commands by name."""

from __future__ import annotations

import click

from memd import hook as client


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("event", nargs=-1)
def hook(event: tuple[str, ...]) -> int:
    """Hand EVENT, whose particulars are on standard input, to the daemon, and print its answer. Always succeeds."""
    for one in event[:1]:
        client.main(one)
    return 0
