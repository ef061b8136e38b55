"""The entry point: finds the command's module, runs it, and turns errors into a line and an exit code."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import click

from memd import __version__
from memd.cli.group import Group
from memd.errors import MemdError

# A command's module is imported only when that command runs, so that each starts fast.
COMMANDS = {
    "run": "memd.cli.run:run",
    "extract": "memd.cli.extract:extract",
    "status": "memd.cli.status:status",
    "doctor": "memd.cli.doctor:doctor",
    "logs": "memd.cli.logs:logs",
    "list": "memd.cli.memories:list_memories",
    "show": "memd.cli.memories:show",
    "dream": "memd.cli.dream:dream",
    "recall": "memd.cli.recall:recall",
    "prompt": "memd.cli.prompt:prompt",
    "remember": "memd.cli.remember:remember_text",
    "edit": "memd.cli.edit:edit",
    "forget": "memd.cli.forget:forget",
    "pin": "memd.cli.pin:pin",
    "unpin": "memd.cli.pin:unpin",
    "log": "memd.cli.memories:log",
    "history": "memd.cli.history:history",
    "diff": "memd.cli.why:diff",
    "undo": "memd.cli.history:undo",
    "why": "memd.cli.why:why",
    "review": "memd.cli.review:review",
    "export": "memd.cli.archive:export",
    "import": "memd.cli.archive:import_archive",
    "pause": "memd.cli.pausing:pause",
    "resume": "memd.cli.pausing:resume",
    "off": "memd.cli.off:off",
    "cost": "memd.cli.cost:cost",
    "backfill": "memd.cli.backfill:backfill",
    "config": "memd.cli.config:config",
    "project": "memd.cli.projects:project",
    "team": "memd.cli.team:team",
    "install": "memd.cli.install:install",
    "uninstall": "memd.cli.install:uninstall",
    "hook": "memd.cli.hook:hook",
    "mcp": "memd.cli.mcp:mcp",
    "completion": "memd.cli.completion:completion",
    "demo": "memd.cli.demo:demo",
}


class LazyGroup(Group):
    """A group whose commands are named by `module:attribute`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name the commands in the order of a day's use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import the command's module."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)  # noqa: S101 - the table above is wrong otherwise
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memd")
def memd() -> None:
    """Give coding agents a long-term memory, in Markdown files that stay yours."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit with its code (0 ok, 1 failed, 2 usage, then as in `memd.errors`)."""
    if arguments is None:
        _speak_utf8()
        signal.signal(signal.SIGTERM, _end)
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show 中文 gets \u4e2d
    try:
        if asked := os.environ.get("_MEMD_COMPLETE"):
            sys.exit(_complete(asked))
        # Not click's own `main`: that answers a closed pipe by itself, and with exit code 1.
        with memd.make_context("memd", list(sys.argv[1:] if arguments is None else arguments)) as context:
            result = memd.invoke(context)
        sys.stdout.flush()
        code = result if isinstance(result, int) else 0
    except KeyboardInterrupt:
        code = 130
    except Exception as error:  # noqa: BLE001 - the boundary: no traceback reaches a person
        code = _report(error)
    sys.exit(code)


def _end(_number: int, _frame: FrameType | None) -> None:
    """Whoever is asked to end leaves nothing behind: what a command has under way clears up after itself."""
    sys.exit(128 + signal.SIGTERM)


def _complete(asked: str) -> int:
    from memd.cli import completion  # noqa: PLC0415 - for shells alone

    return completion.answer(memd, asked)


def _speak_utf8() -> None:
    """Begin anew where Python would take names for anything but UTF-8 (LC_ALL=C with PYTHONUTF8=0).

    A home called é would be another one then, with a memory directory of another name.
    """
    if sys.getfilesystemencoding() != "utf-8":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - this very program


def _open_what_is_closed() -> None:
    """Whoever started us may have closed a standard stream (`>&-`); what is written there goes nowhere then.

    The descriptors too: the first file opened would get a free number below 3, and workers inherit that one.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - likewise


def _report(error: Exception) -> int:
    """Tell a person what failed, and return the exit code."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case click.Abort():
            return 130
        case click.ClickException():
            error.show()
            return error.exit_code
        case MemdError():
            return _say(str(error), error.hint, error.exit_code)
        case BrokenPipeError():
            return _hang_up()
        case FileNotFoundError() if error.filename is None and _is_nowhere():
            return _say("the current directory is gone", "`cd` into one that is there", 1)
        case OSError():
            return _say(f"{error.filename or 'system'}: {error.strerror or error}", None, 1)
        case _:
            return _say(f"unexpected {type(error).__name__}: {error}", "this is a defect in memd; please report it", 1)


def _is_nowhere() -> bool:
    """Whether the directory that memd was started in was deleted."""
    try:
        return not Path.cwd().exists()
    except FileNotFoundError:
        return True


def _say(message: str, hint: str | None, code: int) -> int:
    click.echo(f"memd: {message}" + (f"\n  {hint}" if hint else ""), err=True)
    return code


def _hang_up() -> int:
    """Whoever read our output went away; keep the interpreter from complaining when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    main()
