"""Secrets that a backend writes down: refused, and their values in no file below the memory or the state directory."""

from __future__ import annotations

import pytest

from memd.agent.backend import Task
from memd.extract import run as passes
from memd.memory import topic
from memd.memory.topic import TopicType
from tests.extract.conftest import World, world
from tests.fakes import claude_lines as lines
from tests.fakes.secret_corpus import Planted, planted
from tests.fakes.secret_first_look import secrets_first_look
from tests.fakes.secret_search import search
from tests.fakes.secret_sentences import sentences

__all__ = ["world"]

CORPUS = (*planted(11), *secrets_first_look(11), *sentences(11))


def found(world: World) -> list[tuple[str, str]]:
    """What memd kept of the corpus: memory, logs, history, ledger, scratch; the transcript is not memd's."""
    return search((world.memory, world.house.paths.state), CORPUS)


def writes(task: Task, one: Planted, number: int, how: str) -> None:
    """Put a secret where a memory can hold it."""
    said = f"remember this for the staging run: {one.text}"
    if how == "bullet":
        with task.workspace.bullets.open("a", encoding="utf-8") as file:
            file.write("".join(f"- [project] {line}\n" for line in said.splitlines()))
        return
    description = said if how == "description" else "the staging run"
    body = topic.body("the staging run") if how == "description" else topic.body(said)
    evidence = (said,) if how == "evidence" else ("remember this for the staging run",)
    if how == "evidence":
        body = topic.body("remember this for the staging run")
    data = topic.render("run", description, TopicType.FEEDBACK, body, evidence=evidence)
    (task.workspace.memory / f"feedback_{how}_{number}.md").write_bytes(data)


@pytest.mark.parametrize("how", ["body", "description", "evidence", "bullet"])
def test_no_secret_that_a_backend_writes_is_kept_anywhere(world: World, how: str) -> None:
    said = "remember this for the staging run. the nightly build is slow"
    world.write(lines.prompt("h1", said), lines.answer("a1", "m1", lines.text("Noted.")))

    def propose(task: Task) -> None:
        for number, one in enumerate(CORPUS):
            writes(task, one, number, how)
        task.workspace.bullets.touch()
        with task.workspace.bullets.open("a", encoding="utf-8") as file:
            file.write("- [project] the nightly build is slow\n")

    world.backend.script = propose
    done = passes.run(world.job(), world.house)
    assert found(world) == []
    assert not [name for name in done.files if name.startswith("feedback_")]
    log = "".join(text for name, text in world.files().items() if name.startswith("logs/"))
    assert "the nightly build is slow" in log or how == "bullet"  # at most 100 bullets are taken
    assert len(CORPUS) > 250


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.deep)])  # each is weighed by all that was said
def test_no_secret_that_a_person_pastes_reaches_the_backend_or_a_file(world: World, every: int) -> None:
    pasted = CORPUS[::every]
    world.write(
        *(lines.prompt(f"h{number}", f"remember this: {one.text}") for number, one in enumerate(pasted)),
        lines.answer("a1", "m1", lines.text("Noted.")),
    )

    def propose(task: Task) -> None:
        for number, said in enumerate(task.new):
            data = topic.render("r", said.text[:80], TopicType.FEEDBACK, topic.body(said.text), evidence=(said.text,))
            (task.workspace.memory / f"feedback_{number}.md").write_bytes(data)

    world.backend.script = propose
    passes.run(world.job(), world.house)
    given = "\n".join(said.text for said in world.backend.tasks[0].new)
    assert [one.name for one in pasted if one.value in given] == []
    assert len(world.backend.tasks[0].new) >= len(pasted)
    assert found(world) == []
