"""Commands as they are read: which are plain, and what is made of them. What they may not do is in the attacks."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent import sandbox
from memd.agent.tools import commands
from memd.agent.tools.arguments import DeniedError
from tests.fakes.agent_tools import TOPIC, Bench, bench

PROJECT = {"src/app.py": "import os\nprint('hello')\n", "src/b c.txt": "one\ntwo\nthree\n", "README.md": "# Hello\n"}
needs_sandbox = pytest.mark.skipif(sandbox.available() is not None, reason="no sandbox here")
FIND = ("(", "-name", ".git", "-prune", ")", "-o")


@pytest.mark.parametrize(
    ("command", "options", "paths", "expression"),
    [
        ("ls", (), (), ()),
        ("ls -la src 'b c'", ("-l", "-a"), ("src", "b c"), ()),
        ("head -5 a", ("-n", "5"), ("a",), ()),
        ("head -qn5 a b", ("-q", "-n", "5"), ("a", "b"), ()),
        ("tail -n +2 a", ("-n", "+2"), ("a",), ()),
        ("grep -in 'a|b' x", ("-i", "-n", "-e", "a|b"), ("x",), ()),
        ("grep -e -v x", ("-e", "-v"), ("x",), ()),
        ("grep x -- -v", ("-e", "x"), ("-v",), ()),
        ('grep "it\'s" a', ("-e", "it's"), ("a",), ()),
        ("grep -C2 '' a", ("-C", "2", "-e", ""), ("a",), ()),
        ("stat -c '%n %s' a", ("-c", "%n %s"), ("a",), ()),
        ("find", (), (), (*FIND, "-print")),
        ("find a -name '*.py'", (), ("a",), (*FIND, "(", "-name", "*.py", ")", "-print")),
        ("find a b -type f -maxdepth 2", (), ("a", "b"), ("-maxdepth", "2", *FIND, "(", "-type", "f", ")", "-print")),
        ("find ! -empty", (), (), (*FIND, "(", "!", "-empty", ")", "-print")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_plain_command_is_understood(
    command: str, options: tuple[str, ...], paths: tuple[str, ...], expression: tuple[str, ...]
) -> None:
    parsed = commands.parse(command)

    assert (parsed.options, parsed.paths, parsed.expression) == (options, paths, expression)


@pytest.mark.parametrize(
    ("command", "taught"),
    [
        ("git status", "ls, cat, head"),
        ("cat a | head", "No pipes"),
        ("ls *.py", "quote a pattern"),
        ("grep -r x project", "Grep and Glob search"),
        ("find . -exec id '{}' '+'", "-maxdepth"),
        ("head -n x a", "Not a value"),
        ("find -maxdepth", "Not a value"),
        ("cat", "needs a file"),
        ("cat 'a", "not closed"),
        ("ls\npwd", "Line breaks"),
        ('cat "$HOME/a"', "double quotes"),
        ('cat "`id`"', "double quotes"),
        ('cat "a\\b"', "double quotes"),
    ],
)
def test_what_is_not_plain_is_told_what_is(command: str, taught: str) -> None:
    with pytest.raises(DeniedError, match=taught):
        commands.parse(command)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=8), max_size=6))
def test_words_are_those_of_a_shell_or_refused(words: list[str]) -> None:
    line = shlex.join(words)
    if "'\"'\"'" in line:  # how shlex writes a quote
        assert commands.split(line) == words
        return
    try:
        assert commands.split(line) == words
    except DeniedError:
        assert any(not char.isascii() for char in line)


@given(st.text(alphabet="abcghlst -'\"/.*?;|&$`<>(){}\\\n!#~=x0", max_size=40))
def test_whatever_is_accepted_holds_no_syntax_of_a_shell(command: str) -> None:
    try:
        ours = commands.split(command)
    except DeniedError:
        return
    assert ours == shlex.split(command, comments=False)


@given(st.sampled_from(sorted(commands.GRAMMARS)), st.text(max_size=30), st.text(max_size=10))
def test_only_listed_flags_come_through(program: str, flags: str, operand: str) -> None:
    try:
        parsed = commands.parse(f"{program} -{flags} {operand}")
    except DeniedError:
        return
    grammar = commands.GRAMMARS[program]
    left = iter(parsed.options)
    for option in left:
        assert option[0] == "-"
        assert option[1:] in {*grammar.alone, *grammar.valued}
        if option[1:] in grammar.valued:
            next(left)


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path, project=PROJECT, memory={"a.md": TOPIC.format(name="a", body="hello")}, confined=True) as made:
        yield made


@needs_sandbox
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ls", "a.md"),
        ("ls project/src", "app.py\nb c.txt"),
        ("ls -1 '{project}/src'", "app.py\nb c.txt"),
        ("cat README.md", "# Hello"),
        ("cat project/README.md a.md", "# Hello\n---\nname: a\ndescription: a description\ntype: feedback\n---\nhello"),
        ("head -n 1 'project/src/b c.txt'", "one"),
        ("tail -1 'project/src/b c.txt'", "three"),
        ("wc -l 'project/src/b c.txt' project/README.md", "3 project/src/b c.txt\n 1 project/README.md\n 4 total"),
        ("grep -n hello project/src/app.py memory/a.md", "project/src/app.py:2:print('hello')\nmemory/a.md:6:hello"),
        ("grep nothing project/src/app.py", "(no output)\n[exit status 1]"),
        ("grep -c . transcript.md", "2"),
        ("find project -name '*.md'", "project/README.md"),
        ("find project -type f -not -name '*.py' -size -2", "project/src/b c.txt\nproject/README.md"),
        ("stat -c '%n %s' project/README.md", "project/README.md 8"),
    ],
    ids=lambda value: value[:40],
)
def test_a_plain_command_is_run(tools: Bench, command: str, said: str) -> None:
    ran = tools.said("Bash", command=command.format(project=tools.project))

    assert sorted(ran.split("\n")) == sorted(said.split("\n"))


@needs_sandbox
@pytest.mark.parametrize("command", ["cat nothing.md", "ls project/nothing", "cat project/src", "ls transcript.md"])
def test_what_is_not_there_is_said(tools: Bench, command: str) -> None:
    assert "You can read" in (said := tools.denied("Bash", command=command)) or "Bash runs" in said or "Glob" in said


@needs_sandbox
def test_hidden_things_are_not_listed_by_find(tools: Bench) -> None:
    (tools.project / ".git").mkdir()
    (tools.project / ".git" / "config").touch()
    (tools.project / ".env").touch()

    assert "." not in tools.said("Bash", command="find project -type d").replace("project/src", "")
    assert ".env" not in tools.said("Bash", command="find project")
