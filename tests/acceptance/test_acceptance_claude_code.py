"""The real Claude Code CLI talks to a scripted API on loopback while the real `memd run` watches its home.

By hand, with Node and npm at hand:

    npm install --prefix /tmp/claude-cli @anthropic-ai/claude-code@2.1.332
    MEMD_TEST_CLAUDE_CLI=/tmp/claude-cli/node_modules/.bin/claude pytest -m deep tests/acceptance

Name the version: a plain install under an older Node silently takes an older CLI. Everything happens in a temporary
home; the only peer is the server of this process.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from tests.fakes import claude_cli
from tests.fakes.anthropic_server import Json, in_turn, serving, text, tool_use
from tests.fakes.beside_claude import SOON, STALLED, Beside, repository
from tests.fakes.claude_cli import wait_until

CLI = claude_cli.installed()
RULE = "from now on always run `make lint` before you commit, CI is slow"

pytestmark = [
    pytest.mark.deep,
    pytest.mark.timeout(180),
    pytest.mark.skipif(CLI is None, reason=claude_cli.NEEDED),
]


class Memd(Beside):
    """memd in a home of its own."""

    __slots__ = ()

    def runs(self, session: str) -> list[dict[str, Any]]:
        """What memd says it did about one conversation, newest first."""
        told = self.memd("history", "--json")
        assert told.returncode == 0, told.stderr
        return [run for run in json.loads(told.stdout)["runs"] if session in json.dumps(run)]

    def outcomes(self, session: str) -> list[str | None]:
        """How those runs ended; None for one that goes on."""
        return [run["outcome"] for run in self.runs(session)]

    def wait_for_run(self, session: str) -> dict[str, Any]:
        """Wait until memd is through with a conversation for the first time."""
        wait_until(lambda: any(self.outcomes(session)), timeout=SOON, what=f"a run for {session}")
        return self.runs(session)[-1]

    def topics(self) -> dict[str, str]:
        """The topic files, once the index names them, which is the last thing that is written."""
        index = self.index()
        return {p.name: p.read_text("utf-8") for p in self.memory.glob("*.md") if f"({p.name})" in index}

    def index(self) -> str:
        """MEMORY.md, empty where there is none."""
        path = self.memory / "MEMORY.md"
        return path.read_text("utf-8") if path.exists() else ""

    def catch_up(self) -> None:
        """Do all that is left to do, with every conversation taken as ended."""
        done = self.memd("run", "--once")
        assert done.returncode == 0, done.stderr


@pytest.fixture
def cli() -> Path:
    assert CLI is not None
    return CLI


@pytest.fixture
def memd(home: Path, tmp_path: Path) -> Memd:
    project = repository(tmp_path.resolve() / "some_project")
    (project / "src").mkdir()
    (project / "README.md").write_text("# Some project\n")
    return Memd(home=home, project=project)


@contextmanager
def watching(memd: Memd) -> Iterator[None]:
    """Run the daemon; on the way out it has to leave no process and to have logged nobody's words."""
    with memd.daemon() as (process, log):
        yield
        workers = psutil.Process(process.pid).children(recursive=True)
    assert not psutil.wait_procs(workers, timeout=2)[1]
    assert "make lint" not in log.read_text("utf-8")


def say(cli: Path, memd: Memd, prompt: str, *args: str, answer: str = "Will do.") -> tuple[str, Json]:
    """Hold a conversation of one question and one answer; return its id and the request that was made."""
    with serving(in_turn([text(answer)])) as server:
        done = claude_cli.run(cli, memd.home, memd.project, prompt, *args, server=server)
    assert (done.code, done.answer) == (0, answer), done.stderr
    return done.session, server.conversation()[0]


def write(path: Path, content: str, call_id: str) -> Json:
    return tool_use("Write", {"file_path": str(path), "content": content}, call_id=call_id)


def state_of(memory: Path) -> dict[str, tuple[bytes, int]]:
    """Every Markdown file below a memory directory but the logs: its bytes and its mtime."""
    files = (path for path in memory.rglob("*.md") if "logs" not in path.parts)
    return {str(path.relative_to(memory)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def work_tree(project: Path) -> list[str]:
    return sorted(str(path.relative_to(project)) for path in project.rglob("*") if ".git" not in path.parts)


def test_a_stated_rule_is_remembered_once_and_met_again(cli: Path, memd: Memd) -> None:
    with watching(memd):
        told, _ = say(cli, memd, RULE)
        assert memd.wait_for_run(told)["outcome"] == "saved"
        [(name, page)] = memd.topics().items()
        assert "make lint" in page
        assert "CI is slow" in page
        assert [line for line in memd.index().splitlines() if f"]({name})" in line and len(line) <= 150]
        remembered = state_of(memd.memory)

        fork, _ = say(cli, memd, "What is 2 + 2?", "--resume", told, "--fork-session", answer="4")
        assert fork != told
        memd.wait_for_run(fork)
        resumed, _ = say(cli, memd, "And 3 + 3?", "--resume", told, answer="6")
        assert resumed == told
        wait_until(lambda: len(memd.runs(told)) == 2, timeout=SOON, what="a second run")

        _, later = say(cli, memd, "Hello again", answer="Hello.")
        carried = json.dumps(later["messages"])
        assert [line for line in memd.index().splitlines() if json.dumps(line)[1:-1] not in carried] == []
    memd.catch_up()
    assert state_of(memd.memory) == remembered
    assert memd.outcomes(fork).count("saved") == 0
    assert memd.outcomes(told) == ["nothing", "saved"]
    assert work_tree(memd.project) == ["README.md", "src"]


def test_a_fork_that_goes_on_yields_only_what_is_new(cli: Path, memd: Memd) -> None:
    with watching(memd):
        told, _ = say(cli, memd, RULE)
        memd.wait_for_run(told)
        [name] = memd.topics()
        new = "from now on never force-push to shared branches, others lose their work"
        fork, _ = say(cli, memd, new, "--resume", told, "--fork-session")
        assert memd.wait_for_run(fork)["outcome"] == "saved"
    memd.catch_up()
    others = [page for topic, page in memd.topics().items() if topic != name]
    assert ["force-push" in page and "make lint" not in page for page in others] == [True]
    assert memd.outcomes(told) == ["saved"]
    assert memd.outcomes(fork) == ["saved"]


def test_memd_stays_out_where_the_agent_wrote_memory_itself(cli: Path, memd: Memd) -> None:
    page = "---\nname: lint\ndescription: make lint before a commit\ntype: feedback\n---\nRun `make lint`.\n"
    calls = (
        [write(memd.memory / "feedback_lint.md", page, "toolu_01")],
        [write(memd.memory / "MEMORY.md", "- [Lint](feedback_lint.md) — before a commit\n", "toolu_02")],
    )
    with watching(memd), serving(in_turn(*calls, [text("Saved.")])) as server:
        done = claude_cli.run(cli, memd.home, memd.project, RULE, server=server)
        assert done.answer == "Saved."
        by_agent = state_of(memd.memory)
        assert by_agent.keys() == {"feedback_lint.md", "MEMORY.md"}
        run = memd.wait_for_run(done.session)
        assert (run["outcome"], run["reason"]) == ("skipped", "agent_wrote_memory")
    memd.catch_up()
    assert len(memd.runs(done.session)) == 1  # the cursor moved: nothing is left to look at
    assert state_of(memd.memory) == by_agent


def test_a_session_killed_in_mid_tool_is_extracted_once_it_has_stalled(cli: Path, memd: Memd) -> None:
    session = str(uuid4())
    endless = tool_use("Bash", {"command": "tail -f /dev/null"})
    with watching(memd):
        with (
            serving(in_turn([endless])) as server,
            claude_cli.start(
                cli, memd.home, memd.project / "src", RULE, *claude_cli.waiting(session), server=server
            ) as running,
        ):
            transcript = claude_cli.wait_for_tool(running, memd.home, session, "tail")
            wait_until(lambda: age(transcript) > 1.5 * STALLED, timeout=SOON, what="a long wait for the tool")
            assert memd.outcomes(session) == []  # its process lives: a pending tool call is no end
            running.kill()
            assert memd.wait_for_run(session)["outcome"] == "saved"
        [page] = memd.topics().values()
        assert "make lint" in page
        remembered = state_of(memd.memory)
        say(cli, memd, "What is 2 + 2?", "--resume", session, answer="4")
        wait_until(lambda: len(memd.runs(session)) > 1, timeout=SOON, what="a run after the resume")
    memd.catch_up()
    assert memd.outcomes(session).count("saved") == 1
    assert state_of(memd.memory) == remembered


def age(path: Path) -> float:
    """Seconds since a file was last written."""
    return time.time() - path.stat().st_mtime
