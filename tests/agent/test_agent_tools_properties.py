"""Whatever a model sends, of whatever type: an answer, and nothing outside the workspace has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memd.agent import sandbox
from memd.memory import secrets, workspace
from tests.fakes.agent_tools import TOPIC, Bench, bench, everything

KEYS = (
    "file_path",
    "path",
    "pattern",
    "glob",
    "content",
    "old_string",
    "new_string",
    "command",
    "offset",
    "limit",
    "head_limit",
    "output_mode",
    "replace_all",
    "-i",
)
PLACES = (
    "memory",
    "project",
    "transcript.md",
    "bullets.md",
    "a.md",
    "memory/a.md",
    "memory/n.md",
    "src/app.py",
    "../x",
    "/etc/passwd",
    "",
    ".",
    "project/.env",
    "hello",
    "content",
    "ls",
    "cat a.md",
    "find project -name '*'",
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(PLACES)
    | st.sampled_from([2**70, -1, 0, 1e308, "9" * 5000, "\0", "\ud800", "a" * 70_000])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = (
    JSON
    | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), JSON, max_size=6)
    | st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, SCALARS))
)
TOOLS = ("Read", "Grep", "Glob", "Write", "Edit", "Bash", "Nope", "", "read", "\ud800")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(
        tmp_path_factory.mktemp("properties"),
        project={"src/app.py": "hello\n", ".env": "marker-7731\n"},
        memory={"a.md": TOPIC.format(name="a", body="hello content")},
        confined=sandbox.available() is None,
    ) as tools:
        yield tools


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(TOOLS), arguments=ARGUMENTS)
@example(name="Write", arguments={"file_path": "memory/x.md", "content": "x" * 32_769})
@example(name="Read", arguments={"file_path": "a.md", "offset": "9" * 5000})
def test_whatever_is_asked_is_answered_and_stays_inside(made: Bench, name: str, arguments: object) -> None:
    scratch = made.workspace.memory.parent
    before = everything(made.root, but=scratch)

    result = made.tools.run(name, arguments)

    assert result.text
    assert len(result.text) <= 33_000
    assert "marker-7731" not in result.text
    assert not secrets.find(result.text)
    json.dumps(result.text).encode()
    assert everything(made.root, but=scratch) == before
    assert workspace.problems(made.workspace) == ()
    assert {path.name for path in scratch.iterdir()} <= {"memory", "bullets.md"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pattern=st.text(alphabet="abc(){}[]*+?|\\.^$1239,-:<>=!PsSwdDbB", max_size=30),
    mode=st.sampled_from(["files_with_matches", "content", "count"]),
)
def test_any_pattern_is_searched_for_or_refused(made: Bench, pattern: str, mode: str) -> None:
    assert made.run("Grep", pattern=pattern, output_mode=mode).text
    assert made.run("Glob", pattern=pattern).text
    assert made.run("Grep", pattern="x", glob=pattern).text


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=12), old=st.text(max_size=12), new=st.text(max_size=12), every=st.booleans())
def test_an_edit_is_the_replacement_or_nothing(
    tmp_path_factory: pytest.TempPathFactory, *, text: str, old: str, new: str, every: bool
) -> None:
    with bench(tmp_path_factory.mktemp("edit")) as tools:
        path: Path = tools.workspace.memory / "e.md"
        path.write_bytes(text.encode(errors="replace"))
        kept = path.read_bytes().decode()

        result = tools.run("Edit", file_path="e.md", old_string=old, new_string=new, replace_all=every)

        assert path.read_bytes().decode() == (kept if result.is_error else kept.replace(old, new))
        assert result.is_error or every or kept.count(old) == 1
