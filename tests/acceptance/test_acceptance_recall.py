"""What memd remembers reaches the requests of the real Claude Code CLI, by hooks that `memd install` put in.

By hand, as in `test_acceptance_claude_code`: in a temporary home, with a scripted server on loopback.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes import claude_cli
from tests.fakes.anthropic_server import Json, in_turn, serving, text, tool_use
from tests.fakes.beside_claude import SOON, Beside, repository
from tests.fakes.claude_cli import wait_until

CLI = claude_cli.installed()
MOCKS = "Integration tests run against the real Postgres; mocks of the repository hid a broken migration."
CANARY = "Deployments with kubectl go to the canary first, and wait there for an hour."
QUESTION = "May I mock the repository layer in the integration tests?"
RULE = "from now on always run `make lint` before you commit, CI is slow"
DAY = 86_400
BASH = ("--allowedTools", "Bash")

pytestmark = [
    pytest.mark.deep,
    pytest.mark.timeout(240),
    pytest.mark.skipif(CLI is None, reason=claude_cli.NEEDED),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Beside):
    """Such a home with memd's hooks in it."""

    cli: Path

    def remember(self, name: str, body: str, *, days: float) -> None:
        """A memory of that age."""
        self.memory.mkdir(parents=True, exist_ok=True)
        path = self.memory / name
        path.write_text(f"---\nname: {path.stem}\ndescription: {body}\ntype: feedback\n---\n{body}\n", "utf-8")
        os.utime(path, (time.time() - days * DAY,) * 2)

    def say(self, prompt: str, *answers: list[Json], options: tuple[str, ...] = ()) -> tuple[str, tuple[Json, ...]]:
        """Hold a conversation; its id and its requests."""
        with serving(in_turn(*(answers or ([text("Well.")],)))) as server:
            done = claude_cli.run(self.cli, self.home, self.project, prompt, *options, server=server)
        assert done.code == 0, done.stderr
        return done.session, server.conversation()

    def until_told(self, hold: Callable[[], tuple[Json, ...]]) -> tuple[Json, ...]:
        """Hold sessions until one was told something in time: on a busy machine hooks go without an answer."""
        for _ in range(5):
            if "<memd-memory>" in carried((requests := hold())[-1]):
                return requests
        raise AssertionError("no session was told anything")


@pytest.fixture
def place(home: Path, tmp_path: Path) -> Place:
    assert CLI is not None
    project = repository(tmp_path.resolve() / "some project")
    made = Place(home=home, project=project, cli=CLI)
    done = made.memd("install", "--hooks", "claude-code", "--yes")
    assert done.returncode == 0, done.stderr
    return made


@contextmanager
def watching(place: Place, **variables: str) -> Iterator[None]:
    """Run the daemon, until its hooks answer."""
    with place.daemon(**variables) as (_, log):
        yield
        text = log.read_text("utf-8")
        assert "hook_failed" not in text, text
        assert "Postgres" not in text


def carried(request: Json) -> str:
    """All that a request tells the model but for its system prompt and tools."""
    return json.dumps(request["messages"], ensure_ascii=False)


def test_a_recalled_memory_with_its_age_reaches_the_model_once_a_session(place: Place) -> None:
    place.remember("feedback_no_mocks.md", MOCKS, days=40)
    place.remember("feedback_canary.md", CANARY, days=1)
    with watching(place):
        session = ""

        def ask() -> tuple[Json, ...]:
            nonlocal session
            session, requests = place.say(QUESTION)
            return requests

        [request] = place.until_told(ask)
        assert "hook additional context: <memd-memory>" in carried(request)
        assert f"## {place.memory}/feedback_no_mocks.md" in carried(request)
        assert MOCKS in carried(request)
        assert "This memory is 40 days old." in carried(request)
        assert f"## {place.memory}/feedback_canary.md" not in carried(request)  # the index may name it
        [again] = place.say(QUESTION, options=("--resume", session))[1]
        assert carried(again).count("hook additional context: <memd-memory>") == 1
        assert carried(again).count("This memory is 40 days old.") == 1
    transcript = claude_cli.transcript(place.home, session)
    assert transcript is not None
    told = place.memd("extract", str(transcript), "--dry-run", "--again")
    assert "Postgres" not in told.stdout  # what memd said is nothing that anybody said


def test_a_tool_call_brings_up_what_bears_on_it(place: Place) -> None:
    place.remember("feedback_canary.md", CANARY, days=3)
    call = tool_use("Bash", {"command": "echo kubectl canary deployments", "description": "Show it"})
    with watching(place):
        first, second = place.until_told(lambda: place.say("Proceed.", [call], [text("Done.")], options=BASH)[1])
    assert f"## {place.memory}/feedback_canary.md" not in carried(first)
    assert f"## {place.memory}/feedback_canary.md" in carried(second)
    assert "PostToolUse:Bash hook additional context: <memd-memory>" in carried(second)
    assert "This memory is 3 days old." in carried(second)


def test_what_a_model_chose_arrives_with_the_next_hook(place: Place) -> None:
    place.remember("feedback_canary.md", CANARY, days=3)
    call = tool_use("Bash", {"command": "sleep 12", "description": "Give the model time"})
    with serving(lambda _request: [tool_use("choose", {"files": ["feedback_canary.md"]})]) as model:
        service = {"MEMD_BACKEND": "anthropic", "ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": model.url}
        waits = {"MEMD_EXTRACT_QUIET": "1h", "MEMD_EXTRACT_STALLED": "1h", "MEMD_RECALL_HOOK_MODEL": "true"}
        with watching(place, **service, **waits):
            ask = "How does a new version reach our customers?"
            first, second = place.until_told(lambda: place.say(ask, [call], [text("Done.")], options=BASH)[1])
    assert "<memd-memory>" not in carried(first)  # no word of it stands in the memory
    assert "PostToolUse:Bash hook additional context: <memd-memory>" in carried(second)
    assert CANARY in carried(second)
    assert ask in carried(model.conversation()[0])


def test_a_session_begins_with_what_was_learned_since_the_last_one(place: Place) -> None:
    with watching(place):
        place.say("Hello there, how are you?")
        place.say(RULE)
        wait_until(lambda: list(place.memory.glob("feedback_*.md")), timeout=SOON, what="a saved rule")
        wait_until(lambda: '"saved"' in place.memd("history", "--json").stdout, timeout=SOON, what="a run that ended")
        number = json.loads(place.memd("history", "--json").stdout)["runs"][0]["id"]
        [name] = [path.name for path in place.memory.glob("feedback_*.md")]
        [request] = place.say("Hello again")[1]
        assert "memd learned 1 thing since " in carried(request)
        assert f"{name} · memd undo {number}" in carried(request)
        [later] = place.say("And again")[1]
        assert "memd learned" not in carried(later)


def test_without_a_daemon_and_after_uninstalling_sessions_are_as_ever(place: Place) -> None:
    place.remember("feedback_no_mocks.md", MOCKS, days=40)
    [request] = place.say(QUESTION)[1]
    assert "memd-memory" not in carried(request)
    settings = place.home / ".claude" / "settings.json"
    with watching(place):
        assert place.memd("uninstall", "--hooks", "claude-code", "--yes").returncode == 0
        [request] = place.say(QUESTION)[1]
    assert "memd-memory" not in carried(request)
    assert not settings.exists() or "memd" not in settings.read_text("utf-8")
