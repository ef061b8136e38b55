"""What the real Claude Code CLI leaves on disk: the facts that reading its transcripts rests on.

Deep tests, for a release of the CLI that memd is to work with:

    npm install --prefix /tmp/claude-cli @anthropic-ai/claude-code@2.1.332
    MEMD_TEST_CLAUDE_CLI=/tmp/claude-cli/node_modules/.bin/claude pytest -m deep tests/fakes
"""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from tests.fakes import claude_cli
from tests.fakes.anthropic_server import Failure, Hang, in_turn, serving, text, tool_use
from tests.fakes.claude_cli import blocks, entries

CLI = claude_cli.installed()
RULE = "From now on always run `make lint` before you commit, CI is slow"

pytestmark = [pytest.mark.deep, pytest.mark.skipif(CLI is None, reason=claude_cli.NEEDED)]


@pytest.fixture
def cli() -> Path:
    assert CLI is not None
    return CLI


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "some_project").mkdir()
    return tmp_path / "some_project"


def written(home: Path, session: str) -> Path:
    path = claude_cli.transcript(home, session)
    assert path is not None
    return path


def prompts(path: Path) -> list[object]:
    return [e["message"]["content"] for e in entries(path) if e["type"] == "user" and "toolUseResult" not in e]


def test_a_conversation_is_written_down_and_its_memory_directory_made(cli: Path, home: Path, project: Path) -> None:
    with serving(in_turn([text("Noted.")])) as server:
        done = claude_cli.run(cli, home, project, RULE, server=server)
    path = written(home, done.session)
    assert (done.code, done.answer) == (0, "Noted.")
    assert (prompts(path), [b["text"] for b in blocks(path, "text")]) == ([RULE], ["Noted."])
    assert list((path.parent / "memory").iterdir()) == []
    assert not list((home / ".claude" / "sessions").glob("*.json"))  # no live session is on record any more


def test_the_agent_may_write_memory_without_a_rule(cli: Path, home: Path, project: Path) -> None:
    with serving(in_turn([text("Hello.")])) as server:
        memory = written(home, claude_cli.run(cli, home, project, "Hi", server=server).session).parent / "memory"
    target = memory / "feedback_lint.md"
    page = "---\nname: lint\ndescription: make lint first\ntype: feedback\n---\nRun make lint.\n"
    write = tool_use("Write", {"file_path": str(target), "content": page})
    outside = tool_use("Write", {"file_path": str(project / "x.md"), "content": page}, call_id="toolu_02")
    with serving(in_turn([write], [outside], [text("Saved.")])) as server:
        done = claude_cli.run(cli, home, project, RULE, server=server)
    results = blocks(written(home, done.session), "tool_result")
    assert [bool(result.get("is_error")) for result in results] == [False, True]
    assert list(project.iterdir()) == []
    assert f"originSessionId: {done.session}" in target.read_text()


def test_a_kill_in_mid_tool_leaves_a_call_without_a_result(cli: Path, home: Path, project: Path) -> None:
    session = str(uuid4())
    endless = tool_use("Bash", {"command": "tail -f /dev/null"})
    with (
        serving(in_turn([endless])) as server,
        claude_cli.start(cli, home, project, RULE, *claude_cli.waiting(session), server=server) as running,
    ):
        path = claude_cli.wait_for_tool(running, home, session, "tail")
        running.kill()
        assert [orphan.is_running() for orphan in running.orphans if orphan.name() == "tail"] == [True]
    assert not any(orphan.is_running() for orphan in running.orphans)
    assert [call["id"] for call in blocks(path, "tool_use")] == [endless["id"]]
    assert blocks(path, "tool_result") == []
    live = json.loads((home / ".claude" / "sessions" / f"{running.process.pid}.json").read_text())
    assert (live["sessionId"], live["status"]) == (session, "busy")  # stale: the process is gone


def test_a_kill_in_mid_stream_leaves_the_question_alone(cli: Path, home: Path, project: Path) -> None:
    session = str(uuid4())
    with (
        serving(lambda _: Hang()) as server,
        claude_cli.start(cli, home, project, RULE, "--session-id", session, server=server) as running,
    ):
        server.wait_for(lambda requests: any(r.body.get("tools") for r in requests), timeout=30)
        claude_cli.wait_until(lambda: claude_cli.transcript(home, session), timeout=30, what="a transcript")
        running.kill()
    path = written(home, session)
    assert prompts(path) == [RULE]
    assert [e for e in entries(path) if e["type"] == "assistant"] == []


def test_a_failed_request_is_told_in_the_assistants_name(cli: Path, home: Path, project: Path) -> None:
    with serving(lambda _: Failure(status=400, kind="invalid_request_error")) as server:
        done = claude_cli.run(cli, home, project, RULE, server=server)
    told = [e for e in entries(written(home, done.session)) if e["type"] == "assistant"]
    assert done.code == 1
    assert [(e["isApiErrorMessage"], e["message"]["model"]) for e in told] == [(True, "<synthetic>")]


def test_a_fork_copies_the_old_entries_under_their_old_uuids(cli: Path, home: Path, project: Path) -> None:
    with serving(in_turn([text("Noted.")], [text("Fine.")])) as server:
        first = claude_cli.run(cli, home, project, RULE, server=server)
        fork = claude_cli.run(
            cli, home, project, "And now?", "--resume", first.session, "--fork-session", server=server
        )
    old, new = (entries(written(home, session)) for session in (first.session, fork.session))
    copied = [entry["uuid"] for entry in old if "uuid" in entry]
    assert fork.session != first.session
    assert [entry["uuid"] for entry in new if "uuid" in entry][: len(copied)] == copied
    assert {entry["sessionId"] for entry in new if "uuid" in entry} == {fork.session}
    assert prompts(written(home, fork.session)) == [RULE, "And now?"]
