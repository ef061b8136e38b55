"""`memd completion`: what a shell needs to complete memd's command lines."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from memd.errors import MemdError

_VARIABLE = "_MEMD_COMPLETE"  # in which a shell asks
_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print a script for SHELL to read at its start.

    \b
    bash:  memd completion bash > ~/.local/share/bash-completion/completions/memd
    zsh:   memd completion zsh > "${fpath[1]}/_memd"
    fish:  memd completion fish > ~/.config/fish/completions/memd.fish
    """  # noqa: D301 - \b is click's own mark for lines that are to stay as they are
    kind = get_completion_class(shell)
    if kind is None:
        raise MemdError(f"no completion is known for {shell}")
    program = click.get_current_context().find_root().command
    click.echo(kind(program, {}, "memd", _VARIABLE).source())


def answer(program: click.Command, asked: str) -> int:
    """Complete a command line of `program` that a shell asks about by its variables; click's own protocol."""
    from click.shell_completion import shell_complete  # noqa: PLC0415 - the only place

    return shell_complete(program, {}, "memd", _VARIABLE, asked)
