"""What memd keeps of a text that it did not take because of a secret: who and why, never the value."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.extract import run as passes
from memd.memory import archive, history, store, topic
from memd.memory.archive import Kept, Project
from memd.memory.decision import Dropped, Held, Reason
from memd.memory.journal import RunNote
from memd.memory.quotes import EvidenceClass, Quote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from tests.cli.conftest import AT, Memd, inside, memd
from tests.extract.conftest import World, world
from tests.fakes import claude_lines as lines
from tests.fakes.secret_corpus import Planted, planted, tokens
from tests.fakes.secret_first_look import secrets_first_look
from tests.fakes.secret_search import search
from tests.fakes.secret_sentences import sentences

__all__ = ["inside", "memd", "world"]

TOKEN = tokens(random.Random(4))["github-token"]  # noqa: S311 - invented values
NAME = "sq" + "p_" + random.Random(5).randbytes(20).hex()  # noqa: S311 - a token that may be a file's name
CORPUS = (*planted(12), *secrets_first_look(12), *sentences(12), Planted(name="name", text=NAME, value=NAME))
SOME = CORPUS[::5]


def a_topic(text: str, description: str = "the staging run") -> bytes:
    return topic.render("run", description, TopicType.FEEDBACK, topic.body(text))


def kept(memd: Memd) -> list[tuple[str, str]]:
    return search((memd.memory, memd.state), (*CORPUS, Planted(name="token", text=TOKEN, value=TOKEN)))


def hold(memd: Memd, held: Held, *dropped: Dropped) -> None:
    note = RunNote(kind="extract", started=AT, project=str(memd.project), held=(held,), dropped=dropped)
    store.apply(memd.memory, [], run=note, history=memd.history)


HELD = Held(
    path="feedback_run.md",
    reason=Reason.LOW_CLASS,
    change=Change(path="feedback_run.md", before=None, after=a_topic(f"Run it with {TOKEN} on staging.")),
    quotes=(Quote(text=f"take {TOKEN}", evidence=EvidenceClass.OUTSIDE, uuid="t1"),),
    detail=f"not in {TOKEN}",
)


def test_a_held_text_is_kept_without_its_secret(memd: Memd) -> None:
    hold(memd, HELD, Dropped(path=f"feedback_{TOKEN}.md", reason=Reason.BAD_NAME))
    assert kept(memd) == []
    record = history.load(1, history=memd.history).run
    assert record.held[0].change.after == a_topic("Run it with [secret:github-token] on staging.")
    assert record.held[0].quotes[0].text == "take [secret:github-token]"
    assert record.dropped[0].path == "feedback_[secret:github-token].md"
    shown = memd.inside("review", "show", "1.1")
    assert "Run it with [secret:github-token] on staging." in shown.out
    assert TOKEN not in shown.out + shown.err


def test_what_is_accepted_is_the_text_without_the_secret(memd: Memd) -> None:
    hold(memd, HELD)
    assert memd.inside("review", "accept", "1.1").code == 0
    assert b"[secret:github-token]" in (memd.memory / "feedback_run.md").read_bytes()
    assert kept(memd) == []


def test_what_changes_a_file_with_a_secret_is_not_accepted(memd: Memd) -> None:
    """The live file is a person's and has the token; what is kept of it in the record has not."""
    before, after = a_topic(f"Run it with {TOKEN}."), a_topic(f"Run it with {TOKEN}.\n\nOn staging, too.")
    memd.memory.mkdir(parents=True)
    (memd.memory / HELD.path).write_bytes(before)
    hold(memd, Held(path=HELD.path, reason=Reason.LOW_CLASS, change=Change(path=HELD.path, before=before, after=after)))
    answer = memd.inside("review", "accept", "1.1")
    assert (answer.code != 0, "1.1 cannot be accepted" in answer.err) == (True, True)
    assert (memd.memory / HELD.path).read_bytes() == before
    assert search((memd.state,), (Planted(name="token", text=TOKEN, value=TOKEN),)) == []


def test_the_record_names_rule_and_line_and_not_the_value(world: World) -> None:
    said = "remember this for the staging run"
    world.write(lines.prompt("h1", said), lines.answer("a1", "m1", lines.text("Noted.")))

    def propose(task: Task) -> None:
        data = topic.render("run", said, TopicType.FEEDBACK, f"{said}\n\n{TOKEN}", evidence=(said,))
        (task.workspace.memory / "feedback_run.md").write_bytes(data)
        named = topic.render("run", said, TopicType.FEEDBACK, topic.body(said), evidence=(said,))
        (task.workspace.memory / f"{NAME}.md").write_bytes(named)
        task.workspace.bullets.write_text("- [project] the nightly build is slow\n")

    world.backend.script = propose
    passes.run(world.job(), world.house)
    record = next(history.runs(world.house.paths.history))
    line = next(found for found in record.run.dropped if found.path == "feedback_run.md")
    assert line.reason is Reason.SECRET
    assert line.detail.startswith("github-token in line ")
    assert {found.path for found in record.run.dropped} == {"feedback_run.md", "[secret:sonar-token].md"}
    trees = (world.memory, world.house.paths.state)
    assert search(trees, (*CORPUS, Planted(name="token", text=TOKEN, value=TOKEN))) == []


@pytest.mark.parametrize("command", [("remember",), ("log",)], ids=["remember", "log"])
def test_nothing_of_a_secret_that_a_person_types_is_kept(memd: Memd, command: tuple[str, ...]) -> None:
    said = [memd.inside(*command, "--", one.text) for one in SOME if one.name != "name"]
    assert {answer.code for answer in said} == {said[0].code} != {0}
    assert all("this looks like a secret" in answer.err for answer in said)
    assert [one.name for one, answer in zip(SOME, said, strict=False) if one.value in answer.out + answer.err] == []
    assert kept(memd) == []


def test_nothing_of_a_secret_in_an_archive_comes_in(memd: Memd, tmp_path: Path) -> None:
    topics = {f"feedback_{i}.md": a_topic(f"Do it like this:\n\n{one.text}") for i, one in enumerate(CORPUS)}
    described = {f"user_{i}.md": a_topic("Do it.", " ".join(one.text.split())) for i, one in enumerate(CORPUS)}
    bullets = "".join(f"- 12:00 [project] {line}\n" for one in CORPUS for line in one.text.splitlines())
    index = "".join(f"- {line}\n" for one in CORPUS for line in one.text.splitlines())
    came = {
        **topics,
        **described,
        f"{NAME}.md": a_topic("Do it."),
        "MEMORY.md": index.encode(),
        "logs/2026/04/2026-04-01.md": bullets.encode(),
        f"logs/2026/04/2026-04-{NAME}.md": b"- 12:00 [project] nothing\n",
        "project_fine.md": topic.render("fine", "The proxy is new", TopicType.PROJECT, "The proxy is new."),
    }
    packed = io.BytesIO()
    files = {path: Kept(data=data, mtime=1.0) for path, data in came.items()}
    archive.write([Project(name="x", root="/x", files=files)], packed)
    source = tmp_path / "came.tar.gz"
    source.write_bytes(packed.getvalue())
    answer = memd.inside("import", str(source), "--yes")
    assert answer.code == 0, answer.err
    assert sorted(path.name for path in memd.memory.glob("*.md")) == ["MEMORY.md", "project_fine.md"]
    assert kept(memd) == []


def test_a_draft_that_was_refused_is_kept_without_the_secret(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    editor = memd.home / "editor.py"
    editor.write_text(f"import sys\nwith open(sys.argv[1], 'a') as file:\n    file.write('More. ' + {TOKEN!r})\n")
    answer = memd.inside("edit", "feedback_a.md", environ={"VISUAL": f"{sys.executable} {editor}"})
    assert (answer.code != 0, "it holds a secret (github-token in line " in answer.err) == (True, True)
    assert kept(memd) == []
    assert [b"More. [secret:github-token]" in path.read_bytes() for path in memd.state.rglob("drafts/*/*")] == [True]
