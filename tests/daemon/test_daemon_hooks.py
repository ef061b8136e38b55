"""Hooks against a real daemon: hints, answers, and payloads of every kind."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memd import config, hook
from memd.daemon.control import ask
from memd.daemon.requests import Request, Verb
from memd.ledger import Ledger
from memd.memory import topic
from memd.memory.topic import TopicType
from tests.daemon.conftest import DaemonProcess, talk, until

Start = Callable[..., DaemonProcess]

SLOW = {"MEMD_EXTRACT_QUIET": "1h", "MEMD_EXTRACT_STALLED": "1h"}


def fire(event: str, **said: Any) -> bytes:  # noqa: ANN401 - any field of an event
    """What a hook prints."""
    command = [sys.executable, "-I", "-S", "-E", str(Path(hook.__file__)), event]
    done = subprocess.run(command, input=json.dumps(said).encode(), capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def raw(data: bytes) -> bytes:
    """What the daemon answers to these bytes."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(str(config.find_paths(os.environ).control))
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        with line.makefile("rb") as answer:
            return answer.read()


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Path:
    """A project with a memory."""
    path = tmp_path.resolve() / "shop"
    path.mkdir()
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(path))
    memory = home / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    rule = "never deploy on a Friday"
    (memory / "deploys.md").write_bytes(topic.render("deploys", rule, TopicType.FEEDBACK, rule))
    return path


def test_the_end_of_a_session_makes_its_conversation_due(start: Start, root: Path, shop: Path) -> None:
    daemon = start(**SLOW).ready()
    talk(root, "a", "human", "done")
    assert fire("SessionEnd", session_id="a", cwd=str(shop), reason="other") == b""
    until(lambda: daemon.noted("claimed"))
    assert [one["reason"] for one in daemon.logged("extraction_queued")] == ["session_end"]


@pytest.mark.parametrize("prompt", ["please remember that we lint", "记住：先跑 lint"])
def test_a_wish_in_a_prompt_makes_its_turn_due_when_it_completes(
    start: Start, root: Path, shop: Path, prompt: str
) -> None:
    daemon = start(**SLOW).ready()
    path = talk(root, "a", "human", "done")
    fire("UserPromptSubmit", session_id="a", cwd=str(shop), prompt=prompt, transcript_path=str(path))
    until(lambda: ask(config.find_paths(os.environ).control, Request(verb=Verb.STATUS))["tracked"])
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("claimed"))
    assert [one["reason"] for one in daemon.logged("extraction_queued")] == ["remember"]


def test_a_prompt_is_answered_with_what_bears_on_it_once_and_after_a_restart_too(
    start: Start, shop: Path, ledger: Callable[[], Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_REMOTE", "0")
    daemon = start(**SLOW).ready()
    answer = until(lambda: fire("UserPromptSubmit", session_id="a", cwd=str(shop), prompt="may I deploy today?"))
    output = json.loads(answer)["hookSpecificOutput"]
    assert output["hookEventName"] == "UserPromptSubmit"
    assert "never deploy on a Friday" in output["additionalContext"]
    until(lambda: ledger().told("claude-code:a").surfaced)
    assert ledger().told("claude-code:a").variables == {"CLAUDE_CODE_REMOTE": "0"}
    daemon.stop()
    start(**SLOW).ready()
    until(lambda: fire("UserPromptSubmit", session_id="b", cwd=str(shop), prompt="may I deploy today?"))
    assert fire("UserPromptSubmit", session_id="a", cwd=str(shop), prompt="may I deploy today?") == b""


NO_EVENTS = {
    "bare": b"hook",
    "half": b"hook \n",
    "no number": b"hook Stop x\n{}",
    "negative": b"hook Stop -1\n{}",
    "cut": b"hook Stop 9\nA=1",
    "bytes": b"hook Stop 0\n\xff{",
    "deep": b"hook SessionStart 0\n" + b"[" * 100_000,
    "long": b"hook UserPromptSubmit 0\n" + b"x" * 2_000_000,
    "huge": b"hook Stop 99999999999999999999\n" + b"x" * 90_000,
    "letters": "hook Stöp 0\n{}".encode(),
    "elsewhere": b'hook Stop 0\n{"session_id": "a", "transcript_path": "/etc/passwd"}',
    "long id": b'hook SessionEnd 4\n=\0\0\0{"session_id": "' + b"a" * 9999 + b'"}',
}


def test_what_is_no_event_is_answered_with_nothing_and_harms_nobody(start: Start) -> None:
    daemon = start().ready()
    for name, data in NO_EVENTS.items():
        with suppress(ConnectionError):  # the daemon has heard enough
            assert raw(data) == b"", name
        assert ask(config.find_paths(os.environ).control, Request(verb=Verb.STATUS))["pid"] == daemon.process.pid, name
    assert daemon.stop() == 0


def test_a_crowd_of_hooks_at_once_gets_answers_or_nothing_and_the_daemon_goes_on(start: Start, shop: Path) -> None:
    daemon = start(**SLOW).ready()
    until(lambda: fire("UserPromptSubmit", session_id="ready", cwd=str(shop), prompt="may I deploy today?"))

    def ask_one(number: int) -> bytes:
        said = {"session_id": f"s{number}", "cwd": str(shop), "prompt": "may I deploy today?"}
        return raw(b"hook UserPromptSubmit 0\n" + json.dumps(said).encode())

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(ask_one, range(96)))
    assert all(not one or b"Friday" in one for one in answers)
    assert any(answers)
    assert daemon.logged("hook_failed") == []
    assert ask(config.find_paths(os.environ).control, Request(verb=Verb.STATUS))["ok"]


def test_what_a_hook_no_longer_waits_for_does_not_count_as_told(start: Start, shop: Path) -> None:
    start(**SLOW).ready()
    said = json.dumps({"session_id": "a", "cwd": str(shop), "prompt": "may I deploy today?"}).encode()
    for _ in range(3):
        assert raw(b"hook UserPromptSubmit 0 %d\n%b" % (time.monotonic() * 1000 - 50, said)) == b""
    assert until(lambda: b"Friday" in raw(b"hook UserPromptSubmit 0 %d\n%b" % (time.monotonic() * 1000 + 200, said)))
    said = said.replace(b'"a"', b'"b"')
    assert until(lambda: b"Friday" in raw(b"hook UserPromptSubmit 0 1\n" + said))  # of another clock


def test_a_daemon_that_answered_ends_without_a_word_about_what_it_held_open(start: Start, shop: Path) -> None:
    daemon = start(**SLOW).ready()
    until(lambda: fire("UserPromptSubmit", session_id="a", cwd=str(shop), prompt="may I deploy today?"))
    assert daemon.stop() == 0
    assert "Traceback" not in daemon.log_path.read_text("utf-8")
