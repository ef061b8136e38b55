"""The thread that answers hooks: whoever gave up waiting was shown nothing."""

from __future__ import annotations

import asyncio
import io
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memd import logs
from memd.clock import SystemClock
from memd.daemon.hook_thread import Question, Thread
from memd.memory import location, topic
from memd.memory.topic import TopicType


@contextmanager
def at_work() -> Iterator[Thread]:
    thread = Thread(os.environ, SystemClock(), logs.configure(io.StringIO(), json=True))
    try:
        yield thread
    finally:
        thread.stop()


def prompt(project: Path, session: str) -> Question:
    """What a session asks, with half a minute for the answer."""
    said = {"session_id": session, "cwd": str(project), "prompt": "may I deploy?"}
    return Question(
        event="UserPromptSubmit",
        said=json.dumps(said).encode(),
        variables={},
        answer=asyncio.get_running_loop().create_future(),
        until=time.monotonic() + 30,
    )


def remembers(home: Path, project: Path) -> None:
    memory = home / ".claude" / "projects" / location.slug(str(project)) / "memory"
    memory.mkdir(parents=True)
    project.mkdir()
    rule = topic.render("deploys", "Never deploy on a Friday", TopicType.FEEDBACK, "Never deploy on a Friday.")
    (memory / "deploys.md").write_bytes(rule)


def test_what_a_hook_gave_up_waiting_for_was_not_shown(home: Path, tmp_path: Path) -> None:
    project = tmp_path.resolve() / "shop"
    remembers(home, project)

    async def asked() -> list[bytes]:
        with at_work() as thread:
            given_up = prompt(project, "impatient")
            given_up.answer.cancel()
            thread.ask(given_up)
            answers = []
            for session in ("another", "impatient", "impatient"):  # the first is answered when the one before is over
                question = prompt(project, session)
                thread.ask(question)
                answers.append(await question.answer)
            return answers

    another, again, once = asyncio.run(asked())
    assert b"Friday" in another
    assert b"Friday" in again
    assert once == b""
