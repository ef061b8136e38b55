"""`memd mcp`, driven by a real client over its standard input and output."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client

from memd import config
from memd.memory import membership
from tests.cli.conftest import Memd

pytestmark = pytest.mark.timeout(180)  # a server that takes its time to load, and a process a change


@asynccontextmanager
async def connected(memd: Memd) -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memd.cli.main", "mcp", "--project", str(memd.project)],
        env=dict(os.environ),
        cwd=str(memd.project),
    )
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


def beside(memd: Memd) -> Client:
    """Likewise a client, of a server in this process: loading one is most of what it costs."""
    from memd.cli.mcp_server import Desk, server  # noqa: PLC0415 - every run of the tests would load it

    return Client(server(Desk(project=str(memd.project))))


async def asked(session: ClientSession | Client, tool: str, **arguments: object) -> tuple[str, bool]:
    """What a tool says, and whether that is a complaint."""
    result: Any = await session.call_tool(tool, arguments)
    return "\n".join(block.text for block in result.content), bool(result.is_error)


def add(memd: Memd, name: str, body: str, days: float = 0, kind: str = "feedback") -> None:
    memd.memory.mkdir(parents=True, exist_ok=True)
    path = memd.memory / f"{name}.md"
    path.write_text(f"---\nname: {name}\ndescription: {body[:40]}\ntype: {kind}\n---\n{body}\n")
    then = path.stat().st_mtime - days * 86_400
    os.utime(path, (then, then))


def share(memd: Memd) -> None:
    """From here on the project shares its memory."""
    one = membership.planned(
        config.load(os.environ).paths, root=memd.project, memory_dir=memd.memory, remote="/srv/team.git", branch="memd"
    )
    membership.note(one, datetime(2026, 3, 1, tzinfo=UTC))


def test_an_agent_has_tools_for_a_projects_memory(memd: Memd) -> None:
    add(memd, "deploys", "Never deploy on a Friday.", days=9)

    async def talk() -> None:
        async with connected(memd) as session:
            tools = {tool.name for tool in (await session.list_tools()).tools}
            assert tools == {"recall", "remember", "forget", "log", "list"}
            found, _ = await asked(session, "recall", query="may I deploy?")
            assert "Never deploy on a Friday." in found
            assert "9 days old" in found
            assert found.startswith("<memd-memory>")
            assert (await asked(session, "recall", query="monads"))[0] == "No memory bears on that."
            listed, _ = await asked(session, "list")
            assert "[feedback] deploys.md (9 days ago)" in listed

    anyio.run(talk)


def test_what_an_agent_saves_is_an_agents_and_may_have_to_wait_for_a_person(memd: Memd) -> None:
    async def talk() -> None:
        async with beside(memd) as session:
            said, failed = await asked(
                session, "remember", text="The staging database moves to eu-west-1 in May.", kind="project"
            )
            assert not failed, said
            assert "saved" in said
            alone, failed = await asked(session, "remember", text="The merge freeze begins on 2026-03-05.", team=True)
            assert failed
            assert "memd team init" in alone
            share(memd)
            ours, _ = await asked(session, "remember", text="The freeze begins in May.", kind="project", team=True)
            assert "saved: team/project_" in ours
            held, failed = await asked(session, "remember", text="Never use tabs in this code base.", kind="feedback")
            assert not failed, held
            assert "held for review" in held
            told = "the database is at postgres://app:s3cr3tPassw0rd@db.internal/shop"
            refused, failed = await asked(session, "log", text=told)
            assert failed
            assert "secret" in refused
            topic = next(memd.memory.glob("project_*.md")).name
            assert not (await asked(session, "forget", memory=topic))[1]
            assert (await asked(session, "forget", memory="--purge"))[1]
            add(memd, "pinned", "Deploys need two people.\n", kind="feedback\npinned: true")
            refused, failed = await asked(session, "forget", memory="pinned.md")
            assert failed
            assert "is pinned" in refused

    anyio.run(talk)
    assert not list(memd.memory.glob("*_*.md"))
    logs = [log.read_text("utf-8") for log in memd.memory.glob("logs/*/*/*.md")]  # two, where midnight has come between
    assert all("assistant" in log for log in logs)
    assert logs
    assert len(memd.inside("review", "list", "--json").json["held"]) == 1
    forgotten = next(run["id"] for run in memd.inside("history", "--json").json["runs"] if run["kind"] == "forget")
    assert memd.inside("undo", str(forgotten), "--yes").code == 0
    assert next(memd.memory.glob("project_*.md")).name in (memd.memory / "MEMORY.md").read_text("utf-8")


def test_index_and_memories_are_resources(memd: Memd) -> None:
    add(memd, "deploys", "Never deploy on a Friday.")
    (memd.memory / "MEMORY.md").write_text("- [Deploys](deploys.md) — Fridays\n")

    async def talk() -> None:
        async with beside(memd) as session:
            listed = await session.list_resources()
            assert [str(one.uri) for one in listed.resources] == ["memd://index"]
            templates: Any = await session.list_resource_templates()
            assert [one.uri_template for one in templates.resource_templates] == ["memd://topics/{name}"]
            index: Any = await session.read_resource("memd://index")
            assert "- [Deploys](deploys.md) — Fridays" in index.contents[0].text
            page: Any = await session.read_resource("memd://topics/deploys.md")
            assert "Never deploy" in page.contents[0].text
            for bad in ("nothing.md", "..%2F..%2Fx.md", "%2Fetc%2Fpasswd.md"):
                with pytest.raises(Exception, match=r".+"):
                    await session.read_resource(f"memd://topics/{bad}")

    anyio.run(talk)


def test_where_memory_is_off_the_tools_say_so(memd: Memd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMD_DISABLE", "1")

    async def talk() -> None:
        async with beside(memd) as session:
            for tool, arguments in (("list", {}), ("recall", {"query": "x"}), ("log", {"text": "x"})):
                said, failed = await asked(session, tool, **arguments)
                assert failed
                assert "memory is off" in said

    anyio.run(talk)
