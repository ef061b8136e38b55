"""The tools and resources of `memd mcp`. Needs the extra of that name, and takes its time to load."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from memd import __version__
from memd.cli import by_hand, named
from memd.cli.here import Here, here
from memd.cli.ranking import ranking
from memd.cli.words import valid
from memd.clock import SystemClock
from memd.errors import MemdError
from memd.memory import age, authors, layout, scan
from memd.memory.layout import INDEX
from memd.memory.location import MemoryDir
from memd.recall import find, shown, wording

_SECONDS = 30.0  # for a question
_PATIENCE = 60.0  # seconds for a change
_ABOUT = """\
What is remembered about this project from earlier conversations. Ask `recall` before work that somebody may have said
something about; what it returns are notes that may be out of date. What is saved here is marked as said by an agent:
notes on the project and on where things are go live at once, all else waits until a person has looked at it."""

Kind = Literal["user", "feedback", "project", "reference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the tools do; each call reads the settings anew."""

    project: str

    def recall(self, query: str, recent_tools: list[str]) -> str:
        """Find memories by a question."""
        around, place = self._place()
        memory = place.path
        with ranking(around, place.root, recent_tools) as how:
            found = find.find_relevant_memories(
                query, memory, recent_tools=recent_tools, deadline=find.within(_SECONDS), how=how
            )
        now = SystemClock().now().timestamp()
        texts = ((one.path, shown.text(one.path, memory, now, around.paths)) for one in found)
        good = [(path, valid(text)) for path, text in texts if text is not None]
        return wording.marked(wording.memories(good)) if good else "No memory bears on that."

    def list(self) -> str:
        """Name all memories."""
        around, place = self._place()
        headers = scan.scan(place.path, team=True, cache=around.paths.headers)
        told = valid(scan.manifest(headers, SystemClock().now().timestamp(), limit=len(headers)))
        return wording.marked(told) if told else "There are no memories yet."

    def read(self, name: str) -> str:
        """One file, with a note where it is old."""
        around, place = self._place()
        path = named.below(name, place.path)
        data, mtime = named.read(place.path, path)
        author = authors.of(around.paths, place.path).get(path)
        told = authors.told(author) if layout.is_shared(path) else None
        written = authors.written(author, mtime)
        note = None if path == INDEX else age.freshness_note(written, SystemClock().now().timestamp())
        parts = (told, data.decode("utf-8", "replace").strip(), note)
        return wording.marked("\n\n".join(part for part in parts if part))

    def change(self, *arguments: str, said: str) -> str:
        """Run a command of memd as an agent's. Raises MemdError with what it complains of."""
        command, *options = arguments
        done = subprocess.run(
            [
                sys.executable,
                "-P",
                "-m",
                "memd.cli.main",
                command,
                *options,
                "--project",
                self.project,
                "--yes",
                "--",
                said,
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_as_agent(os.environ),
            timeout=_PATIENCE,
            check=False,
        )
        out, complaint = (text.decode("utf-8", "replace").strip() for text in (done.stdout, done.stderr))
        if done.returncode:
            raise MemdError(complaint or out)
        return out

    def _place(self) -> tuple[Here, MemoryDir]:
        around = here()
        place = around.memory_dir(self.project)
        by_hand.require_on(around, place)
        return around, place


def _as_agent(environ: Mapping[str, str]) -> dict[str, str]:
    """The same environment in which words are an agent's, whoever started the server."""
    return {**environ, "CLAUDECODE": "1"}


def server(desk: Desk) -> MCPServer[Any]:
    """A server with the tools and resources of one project."""
    made: MCPServer[Any] = MCPServer("memd", instructions=_ABOUT, version=__version__, log_level="ERROR")
    _add_questions(made, desk)
    _add_changes(made, desk)
    _add_resources(made, desk)
    return made


def _told(work: Callable[[], str]) -> str:
    """What an agent is told, or complained to."""
    try:
        return work()
    except (MemdError, OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(str(error)) from error


def _add_questions(made: MCPServer[Any], desk: Desk) -> None:
    @made.tool(description="Find the memories of this project that bear on a question or task; at most five.")
    def recall(
        query: Annotated[str, Field(description="What is asked or to be done, in its own words.")],
        recent_tools: Annotated[
            list[str] | None, Field(description="Tools in use, about whose usage nothing needs to be told.")
        ] = None,
    ) -> str:
        return _told(lambda: desk.recall(query, recent_tools or []))

    @made.tool(name="list", description="List the memories of this project: kind, file, age, description.")
    def list_memories() -> str:
        return _told(desk.list)


def _add_changes(made: MCPServer[Any], desk: Desk) -> None:
    @made.tool(description="Save something that will matter in later conversations about this project.")
    def remember(
        text: Annotated[str, Field(description="One fact or rule, with its reason where one was given.")],
        kind: Annotated[Kind | None, Field(description="What kind of memory it is.")] = None,
        team: Annotated[
            bool | None, Field(description="Share it with all who work on the project: what goes on, or where to look.")
        ] = None,
    ) -> str:
        options = (*(("--type", kind) if kind else ()), *(("--team",) if team else ()))
        return _told(lambda: desk.change("remember", *options, said=text))

    @made.tool(description="Delete a memory, which is not learnt anew, named by its file or by words that stand in it.")
    def forget(memory: Annotated[str, Field(description="The file, or words of it.")]) -> str:
        return _told(lambda: desk.change("forget", said=memory))

    @made.tool(description="Add a line to today's log of this project: what was noticed but may not be worth a memory.")
    def log(text: str) -> str:
        return _told(lambda: desk.change("log", said=text))


def _add_resources(made: MCPServer[Any], desk: Desk) -> None:
    @made.resource("memd://index", name="index", mime_type="text/markdown", description="The index, MEMORY.md.")
    def read_index() -> str:
        return _told(lambda: desk.read(INDEX))

    @made.resource(
        "memd://topics/{name}", name="topic", mime_type="text/markdown", description="One memory, by its file name."
    )
    def read_topic(name: str) -> str:
        return _told(lambda: desk.read(name))
