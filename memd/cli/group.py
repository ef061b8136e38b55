"""A command that has commands: how they are listed, and what is said of one that there is not.

And one that takes a text, which need not be quoted.
"""

from __future__ import annotations

import difflib
import re
from typing import Any

import click

_NEAR = 0.7  # of 1
_FEW = 8  # commands that are all named where none is near
_WHOLE = 1000  # characters of a summary: none is cut, a long one goes on in the next line

_SET = re.compile(r"--[a-z-]+=")  # an option with its value


class Spoken(click.Command):
    """A command with a text: words that begin with a dash, in quotes, are words and no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put such words where click takes them as they are; of others, tell how that is done."""
        takes = {name for one in self.params if not getattr(one, "is_flag", True) for name in one.opts}
        spoken = [
            at
            for at, one in enumerate(args)
            if one.startswith("-") and " " in one and not _SET.match(one) and not (at and args[at - 1] in takes)
        ]
        if spoken and "--" not in args:
            args = [*(one for at, one in enumerate(args) if at not in spoken), "--", *(args[at] for at in spoken)]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            said = f"{error.message} A text that begins so goes behind two dashes: memd {ctx.info_name} -- TEXT"
            raise click.NoSuchOption(error.option_name, said, error.possibilities, ctx) from error


class Group(click.Group):
    """As click has it, but that summaries stay whole and the command that was meant is named."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their first sentences."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, one.get_short_help_str(_WHOLE)) for name, one in found if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: ANN401 - click's own
        """Find the command that a command line names."""
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-")) and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command {name!r}{self._meant(ctx, name)}")
        return super().resolve_command(ctx, args)

    def _meant(self, ctx: click.Context, name: str) -> str:
        names = self.list_commands(ctx)
        begun = [one for one in names if one.startswith(name.lower())]
        if near := begun or difflib.get_close_matches(name.lower(), names, cutoff=_NEAR):
            return f": did you mean {' or '.join(near)}?"
        return f": it is one of {', '.join(names)}" if len(names) <= _FEW else ""
