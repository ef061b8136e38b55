"""What the tools do when they are used well, and how they teach when they are not."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.agent.tools import Toolbox
from memd.memory import workspace
from memd.memory.workspace import Change
from tests.fakes.agent_tools import TOPIC, Bench, bench

PROJECT = {
    "README.md": "# Project\nHello there\n",
    "src/app.py": "import os\n\n\ndef main():\n    return 'Hello'\n",
    "src/deep/er/util.ts": "export const hello = 1;\n",
    "node_modules/x/index.js": "hello\n",
    ".github/workflows/ci.yml": "on: push # hello\n",
    ".env": "HELLO=1\n",
}
SOURCES = ("src/app.py", "src/deep/er/util.ts")
MEMORY = {"MEMORY.md": "- [A](a.md) — hello\n", "a.md": TOPIC.format(name="a", body="Say hello.\nSay hello.")}


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path, project=PROJECT, memory=MEMORY) as made:
        yield made


def test_definitions_are_the_same_bytes_each_time_and_sorted(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with bench(tmp_path / "a", confined=True) as one:
        first = json.dumps(one.tools.definitions())
        again = json.dumps(one.tools.definitions())
    (tmp_path / "b").mkdir()
    with bench(tmp_path / "b", confined=True) as other:
        elsewhere = json.dumps(other.tools.definitions())

    assert first == again == elsewhere
    assert [tool["name"] for tool in json.loads(first)] == ["Bash", "Edit", "Glob", "Grep", "Read", "Write"]
    for tool in json.loads(first):
        assert tool.keys() == {"name", "description", "input_schema"}
        assert set(tool["input_schema"]["required"]) <= tool["input_schema"]["properties"].keys()


def test_without_a_sandbox_there_is_no_bash(tools: Bench) -> None:
    assert [tool["name"] for tool in tools.tools.definitions()] == ["Edit", "Glob", "Grep", "Read", "Write"]
    assert "There is no such tool" in tools.denied("Bash", command="ls")


@pytest.mark.parametrize("path", ["a.md", "memory/a.md", "./memory//a.md"])
def test_read_numbers_the_lines(tools: Bench, path: str) -> None:
    assert tools.said("Read", file_path=path).split("\n")[5:] == ["6\tSay hello.", "7\tSay hello."]


@pytest.mark.parametrize("path", ["project/src/app.py", "src/app.py", "{project}/src/app.py"])
def test_read_knows_the_project_by_several_names(tools: Bench, path: str) -> None:
    assert tools.said("Read", file_path=path.format(project=tools.project)).startswith("1\timport os")


def test_read_takes_a_part(tools: Bench) -> None:
    said = tools.said("Read", file_path="src/app.py", offset=4, limit="1")

    assert said == "4\tdef main():\n[1 more lines; ask for them with `offset`]"


def test_read_says_where_a_file_ends(tools: Bench) -> None:
    assert "has 5 lines" in tools.denied("Read", file_path="src/app.py", offset=100)


def test_read_shows_the_conversation(tools: Bench) -> None:
    assert tools.said("Read", file_path="transcript.md") == "1\tUser: hello\n2\tAssistant: hi"


def test_grep_looks_everywhere_but_at_what_is_closed(tools: Bench) -> None:
    said = tools.said("Grep", pattern="hello", _i=True)

    assert said.split("\n") == [
        "memory/MEMORY.md",
        "memory/a.md",
        "project/README.md",
        "project/.github/workflows/ci.yml",
        "project/src/app.py",
        "project/src/deep/er/util.ts",
        "transcript.md",
    ]


def test_grep_shows_lines_and_counts(tools: Bench) -> None:
    lines = tools.said("Grep", pattern="^Say|Hello", output_mode="content", path="memory")
    counts = tools.said("Grep", pattern="hello", output_mode="count", path="memory")
    first = tools.said("Grep", pattern="Say", output_mode="content", head_limit=1)

    assert lines == "memory/a.md:6:Say hello.\nmemory/a.md:7:Say hello."
    assert counts == "memory/MEMORY.md:1\nmemory/a.md:2"
    assert first == "memory/a.md:6:Say hello.\n[there are more; narrow the search]"


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("*.ts", ["project/src/deep/er/util.ts"]),
        ("src/**/*.{py,ts}", ["project/src/app.py", "project/src/deep/er/util.ts"]),
        ("project/src/*.py", ["project/src/app.py"]),
        ("src/[!b]pp.py", ["project/src/app.py"]),
        ("**/er/*", ["project/src/deep/er/util.ts"]),
        ("a?.md", []),
        ("project/**/*", [f"project/{path}" for path in ("README.md", ".github/workflows/ci.yml", *SOURCES)]),
        ("{", []),
    ],
)
def test_glob_finds_by_name(tools: Bench, glob: str, found: list[str]) -> None:
    assert tools.said("Glob", pattern=glob) == ("\n".join(found) or "Nothing found.")


@pytest.mark.parametrize("pattern", ["(", "(?=x)", r"(a)\1", "a{1001}", "(a{900}){900}", "((a{99}){99}){99}"])
def test_a_pattern_that_is_none_is_told_so(tools: Bench, pattern: str) -> None:
    assert "pattern" in tools.denied("Grep", pattern=pattern).lower()


def test_write_and_edit_make_the_difference(tools: Bench) -> None:
    tools.said("Write", file_path="memory/new.md", content="new\n")
    tools.said("Edit", file_path="a.md", old_string="Say hello.", new_string="Wave.", replace_all=True)
    tools.said("Write", file_path="bullets.md", content="- [project] a bullet\n")

    before = MEMORY["a.md"]
    assert workspace.difference(tools.workspace) == (
        Change(path="a.md", before=before.encode(), after=before.replace("Say hello.", "Wave.").encode()),
        Change(path="new.md", before=None, after=b"new\n"),
    )
    assert workspace.proposed_bullets(tools.workspace) == (("project", "a bullet"),)


def test_the_index_is_not_written_and_nothing_is_wrong(tools: Bench) -> None:
    assert "memd rebuilds" in tools.said("Write", file_path="MEMORY.md", content="mine")
    assert workspace.difference(tools.workspace) == ()


@pytest.mark.parametrize(
    ("arguments", "taught"),
    [
        ({"file_path": "memory/Bad Name.md", "content": "x"}, "lower-case"),
        ({"file_path": "memory/a/b/c.md", "content": "x"}, "not deeper"),
        ({"file_path": "memory/logs/a.md", "content": "x"}, "bullets.md"),
        ({"file_path": "project/src/app.py", "content": "x"}, "You can write"),
        ({"file_path": "transcript.md", "content": "x"}, "You can write"),
        ({"file_path": "memory", "content": "x"}, "You can write"),
        ({"file_path": "memory/x.md", "content": " \n"}, "empty"),
        ({"file_path": "memory/x.md", "content": "é" * 20_000}, "32768 bytes"),
        ({"file_path": "memory/x.md", "content": "x" * 100_000}, "longer"),
        ({"file_path": "memory/x.md", "content": "key: AKIA" + "Q3EGRPZV5TWNK2LD"}, "secret"),
        ({"file_path": "memory/x.md"}, "`content`"),
        ({"file_path": 7, "content": "x"}, "text"),
        ({"file_path": "memory/x\ud800.md", "content": "x"}, "characters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "write",
)
def test_a_write_that_is_denied_teaches_and_changes_nothing(
    tools: Bench, arguments: dict[str, object], taught: str
) -> None:
    assert taught in tools.denied("Write", **arguments)
    assert workspace.difference(tools.workspace) == ()


@pytest.mark.parametrize(
    ("old", "new", "taught"),
    [
        ("nowhere", "x", "does not stand"),
        ("", "x", "does not stand"),
        ("Say hello.", "x", "2 times"),
        ("Say hello.\nSay", "x" * 40_000, "32768"),
    ],
    ids=["absent", "empty", "twice", "large"],
)
def test_an_edit_that_is_denied_teaches(tools: Bench, old: str, new: str, taught: str) -> None:
    assert taught in tools.denied("Edit", file_path="a.md", old_string=old, new_string=new)
    assert workspace.difference(tools.workspace) == ()


def test_an_edit_cannot_grow_without_end(tools: Bench) -> None:
    tools.said("Write", file_path="many.md", content="a" * 30_000)

    denial = tools.denied("Edit", file_path="many.md", old_string="a", new_string="b" * 60_000, replace_all=True)

    assert "32768" in denial


def test_what_is_pinned_stays(tmp_path: Path) -> None:
    pinned = TOPIC.format(name="p", body="Stay.").replace("type:", "pinned: true\ntype:")
    with bench(tmp_path, memory={"p.md": pinned}) as made:
        assert "pinned" in made.denied("Edit", file_path="p.md", old_string="Stay", new_string="Go")
        assert "pinned" in made.denied("Write", file_path="p.md", content="Go")
        assert workspace.difference(made.workspace) == ()


def test_results_are_cut(tmp_path: Path) -> None:
    project = {"long.txt": "x" * 5_000 + "\n" + "y\n" * 5_000, **{f"many/{n}.txt": "needle\n" for n in range(300)}}
    with bench(tmp_path, project=project) as made:
        read = made.said("Read", file_path="project/long.txt")
        grep = made.said("Grep", pattern="needle")
        lines = made.said("Grep", pattern="y", output_mode="content", head_limit=100_000)

    assert len(read) < 32_000
    assert read.split("\n")[0] == f"1\t{'x' * 5_000}"
    assert "more lines; ask for them with `offset`" in read
    assert len(grep.split("\n")) == 251
    assert len(lines.split("\n")) == 251


def test_long_lines_are_shown_where_something_was_found(tmp_path: Path) -> None:
    line = "é" * 20_000 + "needle" + "ü" * 20_000
    with bench(tmp_path, transcript=f"first\n{line}\nlast") as made:
        found = made.said("Grep", pattern="needle", path="transcript.md", output_mode="content")
        read = made.said("Read", file_path="transcript.md", offset=2, limit=1)

    assert found.startswith("transcript.md:2:[…] é")
    assert "éneedleü" in found
    assert len(found) < 2_100
    assert read == f"2\t{'é' * 9_998} [line cut]\n[1 more lines; ask for them with `offset`]"


def test_a_result_has_an_end(tmp_path: Path) -> None:
    with bench(tmp_path, project={"wide.txt": f"{'x' * 9_000}\n" * 20}) as made:
        said = made.said("Read", file_path="project/wide.txt")

    assert len(said) < 32_000
    assert said.endswith("[17 more lines; ask for them with `offset`]")


def test_after_the_deadline_nothing_is_done(tmp_path: Path) -> None:
    now = [100.0]
    with workspace.make(tmp_path / "memory", tmp_path / "state") as work:
        tools = Toolbox(
            workspace=work, project=None, transcript_text=None, deadline=101.0, confined=False, clock=lambda: now[0]
        )
        before = tools.run("Write", {"file_path": "a.md", "content": "x"})
        now[0] = 102.0
        after = tools.run("Write", {"file_path": "b.md", "content": "x"})

        assert (before.is_error, after.is_error) == (False, True)
        assert "time" in after.text
        assert [change.path for change in workspace.difference(work)] == ["a.md"]


def test_a_search_ends_with_its_time(tmp_path: Path) -> None:
    project = {f"{n}.txt": "x\n" for n in range(50)}
    with bench(tmp_path, project=project) as made:
        ticks = iter(range(1000))
        tools = Toolbox(
            workspace=made.workspace,
            project=made.project,
            transcript_text=None,
            deadline=1e9,
            confined=False,
            clock=lambda: next(ticks) * 4.0,
        )

        assert "the time for one call is over" in tools.run("Grep", {"pattern": "nothing"}).text


@pytest.mark.parametrize("place", ["", "..", "../.."])
def test_a_home_is_no_project(tmp_path: Path, home: Path, place: str) -> None:
    (home / "notes.txt").write_text("private")
    with bench(tmp_path) as made:
        tools = Toolbox(
            workspace=made.workspace,
            project=(home / place).resolve(),
            transcript_text=None,
            deadline=time.monotonic() + 60,
            confined=False,
        )

        assert "no project" in tools.run("Read", {"file_path": "project/notes.txt"}).text
        assert "private" not in tools.run("Grep", {"pattern": "private", "output_mode": "content"}).text


def test_without_project_and_conversation_there_is_memory(tmp_path: Path) -> None:
    with bench(tmp_path, memory=MEMORY) as made:
        tools = Toolbox(
            workspace=made.workspace, project=None, transcript_text=None, deadline=time.monotonic() + 60, confined=False
        )

        assert tools.run("Glob", {"pattern": "*"}).text == "memory/MEMORY.md\nmemory/a.md"
        assert tools.run("Read", {"file_path": "transcript.md"}).is_error
        assert tools.run("Read", {"file_path": "project/x"}).is_error
