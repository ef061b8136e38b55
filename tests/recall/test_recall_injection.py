"""What a session is told at its events, over real files and a real ledger."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd import config
from memd.agent import injected
from memd.clock import SystemClock
from memd.ledger import Ledger, Run, Session, open_ledger
from memd.ledger.nouns import OFF
from memd.memory import history as history_of
from memd.memory import store, topic
from memd.memory.journal import RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from memd.recall import payload, sessions
from memd.recall.injection import Injector
from memd.recall.payload import Call, Event
from tests.recall.conftest import told

SAMPLES = Path(__file__).parents[1] / "samples" / "claude-code"
Tell = Callable[..., str]


def ledger() -> Any:  # noqa: ANN401 - a context manager
    return open_ledger(config.find_paths(os.environ).ledger, SystemClock())


def add(memory: Path, name: str, body: str, *, days: float = 0, kind: TopicType = TopicType.FEEDBACK) -> Path:
    path = memory / f"{name}.md"
    path.write_bytes(topic.render(name, body.splitlines()[0][:80], kind, body))
    then = time.time() - days * 86_400
    os.utime(path, (then, then))
    return path


def asks(injector: Injector, project: Path, prompt: str, **more: object) -> str:
    return told(injector, project, "UserPromptSubmit", prompt=prompt, **more)  # type: ignore[arg-type]


def test_a_memory_is_shown_once_a_session_with_its_age(injector: Injector, project: Path, memory: Path) -> None:
    path = add(memory, "deploys", "Never deploy on a Friday.", days=12)
    text = asks(injector, project, "may I deploy?")
    assert f"## {path}\n" in text
    assert "Never deploy on a Friday." in text
    assert "12 days old" in text
    assert asks(injector, project, "may I deploy?") == ""
    assert "Friday" in asks(injector, project, "may I deploy?", session="s2")


def test_evidence_leaves_out_what_was_shown(injector: Injector, project: Path, memory: Path) -> None:
    add(memory, "deploys", "Never deploy </memd-memory> on a Friday. <MEMD-memory>", days=12)
    text = asks(injector, project, "may I deploy?")
    assert "Friday" in text
    assert injected.removed(f"before {text} after").split() == ["before", "after"]


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_a_new_context_may_be_shown_everything_again(
    injector: Injector, project: Path, memory: Path, source: str
) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    assert asks(injector, project, "deploy")
    told(injector, project, "SessionStart", source="resume")
    assert not asks(injector, project, "deploy")
    told(injector, project, "SessionStart", source=source)
    assert asks(injector, project, "deploy")
    told(injector, project, "PreCompact", trigger="auto")
    assert asks(injector, project, "deploy")


def test_what_was_shown_is_known_to_the_next_daemon(
    injectors: Callable[[], Injector], project: Path, memory: Path
) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    first = injectors()
    assert asks(first, project, "deploy")
    first.prepare()
    assert not asks(injectors(), project, "deploy")


def test_the_next_daemon_is_ready_for_the_sessions_of_this_one(
    injectors: Callable[[], Injector], project: Path, memory: Path
) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    first = injectors()
    asks(first, project, "deploy")
    first.prepare()
    indexes = config.find_paths(os.environ).recall
    with ledger() as opened:
        opened.note_session(
            Session(key="claude-code:s1", agent="claude-code", session_id="s1", path="/t", cwd=str(project))
        )
    shutil.rmtree(indexes)
    second = injectors()
    second.foresee()
    while second.prepare():
        pass
    assert len(list(indexes.iterdir())) == 1
    assert asks(second, project, "deploy", session="s2")


def test_a_session_gets_so_much_and_no_more(injector: Injector, project: Path, memory: Path) -> None:
    for number in range(20):
        add(memory, f"rule-{number}", f"deploy {number}\n" + "deploy words\n" * 400)
        add(memory, f"other-{number}", "something else")
    prompt = "may we deploy the words to wherever they go"
    total = 0
    for _ in range(25):
        text = asks(injector, project, prompt)
        assert len(text) < 10_000  # what Claude Code takes at once
        total += len(text.encode())
    assert sessions.MOST * 0.8 < total < sessions.MOST * 1.2
    assert asks(injector, project, prompt) == ""


def test_it_is_read_at_that_moment(injector: Injector, project: Path, memory: Path) -> None:
    path = add(memory, "deploys", "Never deploy on a Friday.")
    asks(injector, project, "deploy", session="s0")
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Friday", b"Monday"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "Monday" in asks(injector, project, "deploy")


def test_tool_calls_bring_up_what_they_share_enough_with(injector: Injector, project: Path, memory: Path) -> None:
    add(memory, "canary", "kubectl deployments go to the canary first")
    add(memory, "kubectl", "kubectl contexts are named after clusters", kind=TopicType.REFERENCE)

    def calls(command: str, agent: str | None = None) -> str:
        said = {"command": command}
        return told(injector, project, "PostToolUse", tool_name="Bash", tool_input=said, agent_id=agent)

    assert calls("ls kubectl") == ""  # one word is not enough
    assert calls("sudo kubectl apply deployments --context x", "a1") == ""  # a sub-agent's context is another
    text = calls("sudo FOO=1 /usr/bin/kubectl get deployments contexts named clusters")
    assert "canary first" in text
    assert "named after" not in text  # how to use what is in use
    assert calls("kubectl deployments canary") == ""


def test_what_the_agent_read_or_wrote_itself_needs_no_showing(injector: Injector, project: Path, memory: Path) -> None:
    path = add(memory, "deploys", "Never deploy on a Friday.")
    told(injector, project, "PostToolUse", tool_name="Read", tool_input={"file_path": str(path)})
    assert asks(injector, project, "deploy") == ""


@pytest.mark.parametrize("prompt", ["", "/compact deploy", "<task-notification>deploy</task-notification>", "monads"])
def test_nothing_is_shown_for_nothing(injector: Injector, project: Path, memory: Path, prompt: str) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    assert asks(injector, project, prompt) == ""


@pytest.mark.parametrize(
    "variables",
    [{"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, {"MEMD_DISABLE": "yes"}, {"CLAUDE_CODE_SIMPLE": "1"}],
    ids=["off", "memd", "bare"],
)
def test_a_session_without_memory_is_told_nothing(
    injector: Injector, project: Path, memory: Path, variables: dict[str, str]
) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    assert asks(injector, project, "deploy", variables=variables) == ""
    injector.prepare()
    with ledger() as opened:
        assert opened.told("claude-code:s1").variables == variables


def test_where_work_is_paused_or_the_project_is_excluded_nothing_is_told(
    injectors: Callable[[], Injector], project: Path, memory: Path, home: Path
) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    injector = injectors()
    with ledger() as opened:
        opened.pause()
    assert asks(injector, project, "deploy") == ""
    with ledger() as opened:
        opened.resume()
    file = home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[projects]\nexclude = ["{project}"]\n')
    assert asks(injector, project, "deploy") == ""  # noticed without a restart
    file.write_text("[projects]\nexclude = [3\n")
    assert asks(injector, project, "deploy") == ""  # half a file: as before
    file.unlink()
    assert asks(injector, project, "deploy")


def test_a_session_off_the_record_is_told_nothing(injector: Injector, project: Path, memory: Path) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    with ledger() as opened:
        opened.note_session(Session(key="claude-code:s1", agent="claude-code", session_id="s1", path="/t"))
        opened.set_state("claude-code:s1", OFF)
    assert asks(injector, project, "deploy") == ""
    with ledger() as opened:
        opened.set_state("claude-code:s1", "tracked")
    assert asks(injector, project, "deploy")


def test_another_projects_memory_is_never_shown(injector: Injector, project: Path, memory: Path) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    with ledger() as opened:
        assert opened.owner(memory.parent.name, "/somebody/else")
    assert asks(injector, project, "deploy") == ""


def test_an_override_of_the_session_is_followed(
    injector: Injector, project: Path, memory: Path, tmp_path: Path
) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    other = tmp_path / "other"
    other.mkdir()
    add(other, "deploys", "Deploy whenever you like.")
    text = asks(injector, project, "deploy", variables={"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": str(other)})
    assert "whenever" in text
    assert "Friday" not in text


def saved(opened: Ledger, memory: Path, *files: str, kind: str = "extract") -> int:
    number = opened.start_run(kind, memory_dir=str(memory))
    opened.end_run(Run(id=number, kind=kind, memory_dir=str(memory), outcome="saved", files=files))
    return number


def test_a_session_begins_with_the_news(injector: Injector, project: Path, memory: Path) -> None:
    assert told(injector, project, "SessionStart", source="startup") == ""
    add(memory, "deploys", "Never deploy on a Friday.")
    add(memory, "lint", "Lint first.")
    with ledger() as opened:
        saved(opened, memory, "deploys.md", "MEMORY.md")
        saved(opened, memory / "other", "lint.md")
        saved(opened, memory, "by-hand.md", kind="remember")
        number = saved(opened, memory, "lint.md", "gone.md", "logs/2026/04/2026-04-01.md", "MEMORY.md")
    text = told(injector, project, "SessionStart", source="startup", session="s2")
    assert "memd learned 2 things since " in text
    assert f"lint.md, deploys.md · memd undo {number} (the latest run; memd history shows the others)" in text
    assert told(injector, project, "SessionStart", source="startup", session="s3") == ""


def test_what_was_taken_back_is_no_news(injector: Injector, project: Path, memory: Path) -> None:
    history = config.find_paths(os.environ).history
    kept, gone = (Change(path=name, before=None, after=b"Lint.") for name in ("kept.md", "gone.md"))
    with ledger() as opened:
        for change in (kept, gone):
            number = saved(opened, memory, change.path)
            store.apply(memory, (change,), bullets=(), run=note("extract", id=number), history=history)
        back = saved(opened, memory, "gone.md", kind="undo")
    history_of.undo(number, history=history, now=datetime.now(UTC), undo_id=back)
    (memory / "gone.md").write_text("by hand, and by the same name")
    text = told(injector, project, "SessionStart", source="startup")
    assert "memd learned 1 thing: kept.md" in text


def note(kind: str, **more: Any) -> RunNote:  # noqa: ANN401 - any field
    return RunNote(kind=kind, started=datetime.now(UTC), **more)


def test_the_news_are_for_the_person_too(injector: Injector, project: Path, memory: Path) -> None:
    add(memory, "lint", "Lint first.")
    with ledger() as opened:
        number = saved(opened, memory, "lint.md")
    said = json.dumps({"session_id": "a", "cwd": str(project), "source": "startup"}).encode()
    answer = json.loads(injector.answer("SessionStart", said, {}, time.monotonic() + 30))
    assert answer["systemMessage"] == f"memd learned 1 thing: lint.md · memd undo {number}"


def test_in_log_mode_a_session_is_told_what_its_agent_does_not_know(
    monkeypatch: pytest.MonkeyPatch, injectors: Callable[[], Injector], project: Path, memory: Path
) -> None:
    monkeypatch.setenv("MEMD_EXTRACT_MODE", "log")
    (memory / "MEMORY.md").write_text("- [Deploys](deploys.md) — Fridays\n")
    text = told(injectors(), project, "SessionStart", source="startup")
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in text
    assert "Fridays" not in text  # the agent loads the index itself
    assert len(text) < 10_000


def test_what_comes_too_late_is_not_counted_as_shown(injector: Injector, project: Path, memory: Path) -> None:
    add(memory, "deploys", "Never deploy on a Friday.")
    said = json.dumps({"session_id": "s1", "cwd": str(project), "prompt": "deploy"}).encode()
    with pytest.raises(TimeoutError):
        injector.answer("UserPromptSubmit", said, {}, time.monotonic() - 1)
    assert not injector.prepare()
    assert asks(injector, project, "deploy")


def test_a_choice_of_a_model_that_was_told_too_late_is_told_again(
    injector: Injector, project: Path, memory: Path
) -> None:
    chosen = add(memory, "canary", "The canary goes first.")
    injector.advised(
        sessions.key_of(Call(event=Event.PROMPT, session_id="s1", cwd=str(project), variables={})), [str(chosen)]
    )
    assert "canary goes first" in asks(injector, project, "thanks")
    assert injector.shown is not None
    injector.take_back(injector.shown)
    assert "canary goes first" in asks(injector, project, "thanks")
    assert asks(injector, project, "thanks") == ""


def test_every_payload_of_a_real_agent_is_understood() -> None:
    found = []
    for file in sorted(SAMPLES.glob("*/hooks_payloads.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            said = json.loads(line)
            call = payload.parse(said["event"], json.dumps(said["stdin"]).encode(), {})
            known = said["event"] in set(Event)
            assert (call is not None) == known
            if call is not None:
                assert call.session_id == said["stdin"]["session_id"]
                found.append(call.event)
    assert set(found) == set(Event)


@pytest.mark.parametrize(
    "said",
    [b"", b"[]", b"{}", b'{"session_id": 1}', b'{"session_id": ""}', b'{"session_id": "a", "cwd": "here"}',
     b'{"session_id": "a", "cwd": "/\\u0000"}', b'{"session_id": "a\\nb", "cwd": "/"}', b"\xff" * 9, b"[" * 100_000,
     b'{"session_id": "a", "cwd": "/", "tool_input": ' + b"[" * 900 + b"]" * 900 + b"}x",
     b'{"session_id": "' + b"a" * 9999 + b'", "cwd": "/"}', b'{"session_id": "\\ud800", "cwd": "/"}'],
    ids=["nothing", "list", "empty", "number", "no-id", "relative", "nul", "lines", "bytes", "deep", "nested", "long",
         "half"],
)  # fmt: skip
def test_what_is_no_event_is_told_nothing(injector: Injector, said: bytes) -> None:
    assert injector.answer("UserPromptSubmit", said, {}, time.monotonic() + 30) == b""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from([*Event, "Other", ""]),
    st.binary(max_size=40)
    | st.fixed_dictionaries(
        {"session_id": st.text(min_size=1, max_size=5), "cwd": st.just("/") | st.text(max_size=5)},
        optional={
            "prompt": st.text() | st.none(),
            "tool_name": st.text() | st.integers(),
            "tool_input": st.recursive(st.none() | st.text(), st.lists) | st.dictionaries(st.text(), st.text()),
            "transcript_path": st.text() | st.none(),
            "agent_id": st.text() | st.none(),
        },
    ).map(lambda value: json.dumps(value).encode()),
)
def test_any_bytes_are_an_event_or_nothing(event: str, said: bytes) -> None:
    call = payload.parse(event, said, {})
    assert call is None or (call.cwd.startswith("/") and call.session_id)


def test_programs_that_commands_start_count_as_tools() -> None:
    call = Call(event=Event.TOOL_USED, session_id="a", cwd="/", tool="Bash", arguments={"command": "A=1 sudo git push"})
    assert list(payload.tools(call)) == ["Bash", "git"]
    assert list(payload.tools(replace(call, arguments={"command": "$(x) git"}))) == ["Bash"]
    assert list(payload.tools(replace(call, tool="Read"))) == ["Read"]
