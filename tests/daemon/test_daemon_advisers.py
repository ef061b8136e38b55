"""A model that looks for memories beside the hooks: a real daemon, the real SDK, a scripted service on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from memd import config
from memd.clock import SystemClock
from memd.daemon.control import ask
from memd.daemon.requests import Request, Verb
from memd.ledger import Ledger
from memd.memory import topic
from memd.memory.topic import TopicType
from tests.daemon.conftest import DaemonProcess, until
from tests.daemon.test_daemon_hooks import fire
from tests.fakes.anthropic_server import Failure, Hang, Script, Server, serving, tool_use

Start = Callable[..., DaemonProcess]
Advised = Callable[..., tuple[Server, DaemonProcess]]

MEMORIES = {"canary": "the canary goes first, for an hour", "fridays": "never on a Friday", "tone": "short answers"}
KEY = "sk-ant-api03-" + "k1" * 40
PROMPT = f"what about Friday, how do releases go out? my key is {KEY} <private>not for you</private>"

pytestmark = pytest.mark.timeout(180)  # each asks a model by a process that takes its time to load


@pytest.fixture(autouse=True)
def memory(home: Path, tmp_path: Path) -> Path:
    """Of the project `shop`."""
    shop = tmp_path.resolve() / "shop"
    shop.mkdir()
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(shop))
    directory = home / ".claude" / "projects" / slug / "memory"
    directory.mkdir(parents=True)
    for name, said in MEMORIES.items():
        (directory / f"{name}.md").write_bytes(topic.render(name, said, TopicType.FEEDBACK, said))
    return directory


@pytest.fixture
def advised(start: Start) -> Iterator[Advised]:
    """Starts a daemon that may ask a scripted model."""
    with ExitStack() as stack:

        def begin(script: Script, **variables: str) -> tuple[Server, DaemonProcess]:
            server = stack.enter_context(serving(script))
            model = {"MEMD_BACKEND": "anthropic", "ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": server.url}
            slow = {"MEMD_EXTRACT_QUIET": "1h", "MEMD_EXTRACT_STALLED": "1h"}
            daemon = start(**({"MEMD_RECALL_HOOK_MODEL": "true"} | model | slow | variables)).ready()
            return server, daemon

        yield begin


@pytest.fixture
def shop(tmp_path: Path) -> str:
    return str(tmp_path.resolve() / "shop")


def says(shop: str, prompt: str, session: str = "a") -> str:
    """What a session is told at a prompt."""
    return told(fire("UserPromptSubmit", session_id=session, cwd=shop, prompt=prompt))


def fresh() -> str:
    """Another session: one that was answered too late does not hear it again."""
    return os.urandom(4).hex()


def begun(shop: str) -> tuple[str, str]:
    """A session that was told something in time at its first prompt, and what: on a busy machine not each is."""

    def attempt() -> tuple[str, str] | None:
        session = fresh()
        text = says(shop, PROMPT, session)
        return (session, text) if text else None

    session, text = until(attempt)
    return session, text


def advice(shop: str) -> tuple[str, str, str]:
    """Such a session, what it was told first, and what it was told at a later event."""
    for _ in range(3):
        session, first = begun(shop)
        ends = time.monotonic() + 20
        while time.monotonic() < ends:
            second = told(fire("PostToolUse", session_id=session, cwd=shop, tool_name="Read", tool_input={}))
            if second:
                return session, first, second
            time.sleep(0.1)
    raise AssertionError("no session was told of a choice in time")


def told(answer: bytes) -> str:
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def choosing(*names: str) -> Script:
    return lambda _request: [tool_use("choose", {"files": list(names)})]


def test_what_the_model_chose_comes_with_the_next_event_and_once(
    advised: Advised, shop: str, ledger: Callable[[], Ledger]
) -> None:
    server, daemon = advised(choosing("canary.md", "invented.md", "fridays.md"))
    session, first, second = advice(shop)
    assert "never on a Friday" in first  # what the words bring up waits for nobody
    assert "canary" not in first
    assert "the canary goes first" in second
    assert "Friday" not in second
    assert says(shop, "canary release on Friday", session) == ""
    [request, *_] = server.conversation()
    said = json.dumps(request["messages"])
    assert "how do releases go out?" in said
    assert KEY not in said
    assert "not for you" not in said
    assert "fridays.md" not in said  # the session has it already
    spent = ledger().spent_on(SystemClock().now().date().isoformat())
    assert spent.passes == 0
    assert spent.dollars > 0
    log = daemon.log_path.read_text("utf-8")
    assert "releases" not in log
    assert "hook_failed" not in log


def test_the_daemon_itself_loads_nothing_of_the_model() -> None:
    heavy = "{'anthropic', 'httpx', 'memd.recall.model', 'memd.agent.offline'}"
    code = f"import sys, memd.daemon.hooks, memd.recall.injection; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("prompt", "variables"),
    [
        ("how do releases go out?", {"MEMD_RECALL_HOOK_MODEL": "false"}),
        ("how do releases go out?", {"MEMD_BACKEND": "offline"}),
        ("go on", {}),
        ("how do releases go out?", {"MEMD_CAPS_DAY_DOLLARS": "0"}),
        ("/releases go out", {}),
    ],
    ids=["off", "offline", "nothing", "spent", "command"],
)
def test_nobody_is_asked(advised: Advised, shop: str, prompt: str, variables: dict[str, str]) -> None:
    server, daemon = advised(choosing("canary.md"), **variables)
    for _ in range(3):
        says(shop, prompt)
    assert ask(config.find_paths(os.environ).control, Request(verb=Verb.STATUS))["ok"]
    assert psutil.Process(daemon.process.pid).children() == []
    assert server.requests == ()


def test_a_key_that_is_refused_is_tried_once(advised: Advised, shop: str, ledger: Callable[[], Ledger]) -> None:
    server, daemon = advised(lambda _request: Failure(status=401, kind="authentication_error"))
    begun(shop)
    until(lambda: ledger().circuit("circuit:recall").reason)
    until(lambda: not psutil.Process(daemon.process.pid).children())  # two may have been asking at once
    asked = len(server.conversation())
    assert until(lambda: says(shop, "and the canary for releases, how about that", session=fresh()))
    until(lambda: not psutil.Process(daemon.process.pid).children())
    assert len(server.conversation()) == asked


@pytest.mark.deep
def test_a_memory_that_is_gone_by_then_is_not_told(advised: Advised, memory: Path, shop: str) -> None:
    server, _ = advised(choosing("canary.md", "tone.md"))
    begun(shop)
    server.wait_for(bool, timeout=60)
    (memory / "canary.md").unlink()
    assert "short answers" in (second := advice(shop)[2])
    assert "canary" not in second


def test_a_service_that_hangs_holds_up_neither_hooks_nor_the_daemons_end(advised: Advised, shop: str) -> None:
    server, daemon = advised(lambda _request: Hang())
    begun(shop)
    server.wait_for(bool, timeout=60)
    for number in range(6):  # more than are asked about at once
        says(shop, "how do we go about the canary for releases", session=f"s{number}")
    assert until(lambda: says(shop, "what about Friday, the others", session=fresh()))
    children = psutil.Process(daemon.process.pid).children(recursive=True)
    assert 1 <= len(children) <= 2
    assert ask(config.find_paths(os.environ).control, Request(verb=Verb.STATUS))["ok"]
    assert daemon.stop() == 0
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]


def test_an_adviser_does_not_outlive_a_killed_daemon(advised: Advised, shop: str) -> None:
    server, daemon = advised(lambda _request: Hang())
    begun(shop)
    server.wait_for(bool, timeout=60)
    children = psutil.Process(daemon.process.pid).children()
    daemon.process.kill()
    assert children
    gone, left = psutil.wait_procs(children, timeout=20)
    assert (len(gone), left) == (len(children), [])
