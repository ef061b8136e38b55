"""A model's dream looks into the conversations: a few messages, cleaned, in the class of whoever said them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import re2

from memd.agent import anthropic_api, conversations, packing
from memd.agent.anthropic_api import AnthropicApi
from memd.agent.backend import Task
from memd.agent.conversations import Conversations
from memd.agent.loop import Tools
from memd.agent.model_service import Service
from memd.agent.tools import Toolbox
from memd.dream import run as dreams
from memd.ledger import JobRequest, Outcome, Run, Session
from memd.memory.quotes import EvidenceClass, Speaker, Utterance
from tests.dream.conftest import Bed
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import Json, in_turn, serving, text, tool_use
from tests.fakes.shop import Scripted

SAID = "Ship the crates with Kuehne since March, the old carrier lost two of them"
ANSWER = "The loading bay closes at 16:00 on Fridays"
PAGE = "Carriers are booked at https://carriers.example/book"
KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def talk(
    bed: Bed, name: str, *records: Json, outcome: str = "saved", reason: str | None = None, dealt: bool = True
) -> Path:
    """A conversation of the project, and what a pass made of it."""
    path = bed.home / ".claude" / "projects" / "shop" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines.write(path, *records)
    key = f"claude-code:{name}"
    stat = path.stat()
    session = Session(key=key, agent="claude-code", session_id=name, path=str(path), root=str(bed.project),
                      size=stat.st_size, mtime_ns=stat.st_mtime_ns)  # fmt: skip
    bed.ledger.note_session(session)
    if dealt:
        bed.ledger.enqueue(JobRequest(session_key=key, watermark=stat.st_size))
        job = bed.ledger.claim(lease=60.0)
        assert job is not None
        run = Run(id=bed.ledger.start_run(session_key=key), session_key=key, root=str(bed.project), outcome=outcome,
                  reason=reason)  # fmt: skip
        uuids = [str(record["uuid"]) for record in records]
        bed.ledger.commit_pass(job, cursor="{}", uuids=uuids, run=run, settled=stat.st_size)
    return path


def plain_toolbox(task: Task, until: float) -> Tools:
    """The tools of a task, without a sandbox: looking for one takes a second."""
    assert task.dream is not None
    assert task.dream.conversations is not None
    found = Toolbox(workspace=task.workspace, project=task.project, transcript_text="", deadline=until, confined=False)
    found.let_search(task.dream.conversations)
    return found


def dreamt(bed: Bed, *turns: tuple[Json, ...]) -> tuple[Run, list[str]]:
    """A model's dream, and what its tools answered."""
    with serving(in_turn(*turns, (text("Done."),))) as server:
        service = Service(model="claude-sonnet-5-5", base_url=server.url, environ={})
        house = replace(
            bed.house, backend=AnthropicApi(service, plain_toolbox), account="someone", budget=packing.BUDGET
        )
        done = dreams.run(bed.job(), bed.place, house)
        bodies = [request.body for request in server.requests]
    answers = [
        str(block["content"])
        for message in bodies[-1]["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    return done, answers


def search(pattern: str, **more: object) -> Json:
    return tool_use("GrepConversations", {"pattern": pattern, **more}, call_id="toolu_s")


def memory(quote: str, kind: str = "project") -> Json:
    data = (
        f"---\nname: crates\ndescription: {quote}\ntype: {kind}\nevidence:\n  - {json.dumps(quote)}\n---\n{quote}.\n\n"
        "**Why:** not stated\n\n**How to apply:** not stated\n"
    )
    return tool_use("Write", {"file_path": f"memory/{kind}_crates.md", "content": data}, call_id="toolu_w")


@pytest.fixture
def talked(bed: Bed) -> Bed:
    """A project in which a person, an agent and a tool said something."""
    bed.topic("feedback_csv.md", "Export reports as CSV files", days=20)
    bed.note("crates: see what was said about Kuehne", kind="project", source="session one, human")
    talk(
        bed,
        "one",
        lines.prompt("u1", f"{SAID}. The key is {KEY}. <private>Do not tell Bob.</private>"),
        lines.line("a1", "assistant", message={"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}),
    )
    return bed


def test_a_quote_from_a_person_there_counts_as_theirs(talked: Bed) -> None:
    done, answers = dreamt(talked, (search("kuehne", **{"-i": True}),), (memory(SAID),))
    assert done.outcome == Outcome.SAVED
    assert SAID in answers[0]
    assert KEY not in answers[0]
    assert "Bob" not in answers[0]
    [quote] = talked.record(done).run.quotes["project_crates.md"]
    assert (quote.evidence, quote.uuid) == (EvidenceClass.HUMAN, "u1")


def test_the_same_quote_without_a_look_is_nobody_s(talked: Bed) -> None:
    done, _ = dreamt(talked, (memory(SAID),))
    assert [held.path for held in talked.record(done).run.held] == ["project_crates.md"]
    assert "project_crates.md" not in talked.files()


def test_an_agent_s_words_from_there_are_an_agent_s(talked: Bed) -> None:
    done, answers = dreamt(talked, (search("loading bay"),), (memory(ANSWER), memory(ANSWER, "feedback")))
    assert '"assistant":' in answers[0]
    run = talked.record(done).run
    assert {quote.evidence for quote in run.quotes["project_crates.md"]} == {EvidenceClass.AGENT}
    assert [held.path for held in run.held] == ["feedback_crates.md"]
    assert "feedback_crates.md" not in talked.files()


@pytest.mark.parametrize(
    "how",
    [{"outcome": "skipped", "reason": "memory_off"}, {"outcome": "skipped", "reason": "off_the_record"},
     {"outcome": "failed"}, {"dealt": False}],
    ids=["memory off", "off the record", "failed", "no pass"],
)  # fmt: skip
def test_what_no_pass_was_to_read_no_dream_does(talked: Bed, how: dict[str, object]) -> None:
    talk(talked, "two", lines.prompt("u2", "Kuehne wants the invoices by fax"), **how)  # type: ignore[arg-type]
    _, answers = dreamt(talked, (search("Kuehne"),))
    assert SAID in answers[0]
    assert "fax" not in answers[0]


def test_what_came_after_the_last_pass_is_not_shown(talked: Bed) -> None:
    path = talk(talked, "two", lines.prompt("u2", "Kuehne picks up at noon"))
    lines.add(path, lines.packed(lines.prompt("u3", "Kuehne wants the invoices by fax")))
    _, answers = dreamt(talked, (search("Kuehne"),))
    assert "noon" in answers[0]
    assert "fax" not in answers[0]


def test_a_conversation_that_is_gone_or_of_another_project_is_passed_over(talked: Bed) -> None:
    talk(talked, "two", lines.prompt("u2", "Kuehne picks up at noon")).unlink()
    path = talk(talked, "three", lines.prompt("u4", "Kuehne wants the invoices by fax"), dealt=False)
    talked.ledger.note_session(
        Session(key="claude-code:four", agent="claude-code", session_id="four", path=str(path), root="/elsewhere")
    )
    _, answers = dreamt(talked, (search("Kuehne"),))
    assert answers[0].count("Kuehne") == 1


def test_nothing_there_can_be_read_as_a_whole(talked: Bed) -> None:
    _, answers = dreamt(
        talked,
        (
            tool_use("Read", {"file_path": str(talked.home / ".claude/projects/shop/one.jsonl")}, call_id="toolu_r"),
            tool_use("Grep", {"pattern": "Kuehne", "path": str(talked.home / ".claude/projects")}, call_id="toolu_g"),
        ),
    )
    assert all(SAID not in answer for answer in answers)
    assert len(answers) == 2


def utterances(count: int, size: int = 10) -> list[Utterance]:
    return [
        Utterance(speaker=Speaker.HUMAN, text=f"{'x' * size} needle {n} {'y' * size}", uuid=str(n))
        for n in range(count)
    ]


def test_a_search_shows_few_and_all_of_them_together_not_many() -> None:
    said = Conversations(lambda: iter([utterances(500, 5_000)]))
    found = said.search(re2.compile(b"needle"), most=9_999, is_over=lambda: False)
    assert len(found.lines) == conversations.MOST
    assert found.rest == "there are more; narrow the search"
    assert all(len(line) < conversations.CHARACTERS + 100 for line in found.lines)
    assert all("needle" in line for line in found.lines)
    for _ in range(20):
        found = said.search(re2.compile(b"needle"), most=20, is_over=lambda: False)
    assert (found.lines, found.rest) == ((), "no more is shown in this pass")
    assert len(said.shown) == conversations.MOST  # the same ones, each time


def test_conversations_are_read_one_by_one_and_only_as_far_as_a_search_comes() -> None:
    read: list[int] = []

    def each() -> Iterator[list[Utterance]]:
        for number in range(3):
            read.append(number)
            yield utterances(15)

    said = Conversations(each)
    assert read == []
    assert len(said.search(re2.compile(b"needle"), most=5, is_over=lambda: False).lines) == 5
    assert read == [0]
    late = said.search(re2.compile(b"none of them"), most=5, is_over=lambda: True)
    assert late.rest.startswith("the time for one call is over")
    assert said.search(re2.compile(b"none of them"), most=5, is_over=lambda: False).lines == ()
    assert read == [0, 1, 2]


def test_the_search_is_among_a_dream_s_tools_and_not_among_a_pass_s(talked: Bed) -> None:
    backend = Scripted()
    dreams.run(talked.job(), talked.place, replace(talked.house, backend=backend, account="someone"))
    [task] = backend.tasks
    of_dream, of_pass = (anthropic_api.toolbox(one, 0.0).definitions() for one in (task, replace(task, dream=None)))
    assert {one["name"] for one in of_dream} - {one["name"] for one in of_pass} == {"GrepConversations"}


@pytest.mark.parametrize("reason", ["off_the_record", "memory_off"])
def test_what_was_to_be_left_alone_is_not_found_in_a_fork_of_it_either(talked: Bed, reason: str) -> None:
    words = "The merger with Zanzibar Shipping is in May"
    talk(talked, "two", lines.prompt("u2", words), outcome="skipped", reason=reason)
    talk(talked, "fork", lines.prompt("u2", words), lines.prompt("u3", "Zanzibar is an island"), outcome="nothing")
    _, answers = dreamt(talked, (search("Zanzibar"),))
    assert "an island" in answers[0]
    assert "merger" not in answers[0]
