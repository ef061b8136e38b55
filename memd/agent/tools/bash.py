"""Bash: a plain command, run in the sandbox on what the agent may see.

A program that reads gets the cleaned text itself, so that no flag of it can cut a secret into unknown pieces; one that
lists gets directories in which it can see names and open nothing.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack

from memd import files
from memd.agent import evidence, permissions, sandbox
from memd.agent.sandbox import Command, Directory, Outcome, Text
from memd.agent.tools import arguments, commands, limits
from memd.agent.tools.arguments import DeniedError, Parameter, Tool, Values
from memd.agent.tools.commands import RULE, Parsed
from memd.agent.tools.roots import Place, Root, Roots, require_readable

BASH = Tool(
    name="Bash",
    what=RULE,
    parameters=(Parameter(name="command", what="The command.", required=True, longest=limits.COMMAND_CHARACTERS),),
)


def bash(roots: Roots, values: Values, seconds: float) -> str:
    """What the command says, on both of its outputs."""
    parsed = commands.parse(arguments.text(values, "command"))
    if len(parsed.paths) > limits.COMMAND_FILES:
        raise DeniedError(f"At most {limits.COMMAND_FILES} paths a command.")
    places = [roots.locate(path) for path in parsed.paths]
    outcome = _reading(roots, parsed, places, seconds) if parsed.reads else _listing(roots, parsed, places, seconds)
    return _told(outcome, parsed)


def _reading(roots: Roots, parsed: Parsed, places: list[Place], seconds: float) -> Outcome:
    texts = tuple(Text(name=place.shown, data=_text(roots, place)) for place in places)
    words = (*parsed.options, "--", *range(len(texts)))
    return sandbox.run(
        Command(program=parsed.program, arguments=words, texts=texts), seconds=seconds, most=limits.COMMAND_BYTES
    )


def _text(roots: Roots, place: Place) -> bytes:
    text = roots.clean(place)
    return (f"{text}\n" if text else "").encode()


def _listing(roots: Roots, parsed: Parsed, places: list[Place], seconds: float) -> Outcome:
    with ExitStack() as stack:
        named: list[str] = []
        listed: list[Directory] = []
        for place in places or [Place(root=Root.MEMORY)]:
            path = roots.anchor(place) / place.rel
            named.append(str(path))
            if _is_directory(roots, place):
                descriptor = stack.enter_context(roots.directory(place))
                listed.append(Directory(path=path, descriptor=descriptor))
        before = () if parsed.program == "find" else (*parsed.options, "--")
        command = Command(program=parsed.program, arguments=(*before, *named, *parsed.expression), listed=tuple(listed))
        outcome = sandbox.run(command, seconds=seconds, most=limits.COMMAND_BYTES)
    return Outcome(output=_under_names(roots, outcome.output), code=outcome.code, stopped=outcome.stopped)


def _is_directory(roots: Roots, place: Place) -> bool:
    """Whether it is one. DeniedError where it is neither that nor a regular file, or lies behind a link."""
    if place.root not in {Root.MEMORY, Root.PROJECT}:
        raise DeniedError(f"{place.shown} is a single file; Read shows it. {RULE}")
    if not place.parts:
        return True
    require_readable(place)
    with roots.directory(Place(root=place.root, parts=place.parts[:-1])) as parent:
        try:
            mode = os.stat(place.parts[-1], dir_fd=parent, follow_symlinks=False).st_mode
        except OSError as error:
            raise DeniedError(f"There is no {files.printable(place.shown)}. {RULE}") from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise DeniedError(f"{files.printable(place.shown)} is a link or a special file. {RULE}")
    return stat.S_ISDIR(mode)


def _under_names(roots: Roots, output: bytes) -> bytes:
    """Paths as the agent knows them."""
    for path, name in ((roots.workspace.memory, Root.MEMORY), (roots.project, Root.PROJECT)):
        if path is not None:
            output = output.replace(os.fsencode(path), name.value.encode())
    return output


def _told(outcome: Outcome, parsed: Parsed) -> str:
    lines = evidence.tidy(outcome.output.decode(errors="replace")).split("\n")
    if parsed.program == "find":
        lines = [line for line in lines if permissions.unreadable(line.split("/")) is None]
    said = limits.shortened(lines, "ask for less") if any(lines) else "(no output)"
    if outcome.stopped:
        return f"{said}\n[stopped: the limit of {outcome.stopped} was reached]"
    return said if outcome.code == 0 else f"{said}\n[exit status {outcome.code}]"
