"""Secrets in a project's files, whichever way one asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.agent import sandbox
from tests.fakes.agent_tools import bench
from tests.fakes.secret_corpus import Planted, planted

SEED = 41
PIECE = 10  # characters of a secret that must not be seen together
CASES = planted(SEED)
FILES = 12  # that one command reads


def pieces(case: Planted) -> list[str]:
    value = case.value.rpartition("/")[2] if "://" in case.value else case.value  # of an address, its secret end
    size = min(PIECE, len(value))
    return [value[at : at + size] for at in range(len(value) - size + 1)]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_no_tool_tells_a_secret(tmp_path: Path, case: Planted) -> None:
    text = f"harmless before\n\n{case.text}\n\nharmless after\n"
    with bench(tmp_path, project={"notes.txt": text}, memory={"a.md": text}, transcript=text) as made:
        said = [
            made.run("Read", file_path=path, offset=offset, limit=limit).text
            for path in ("project/notes.txt", "memory/a.md", "transcript.md")
            for offset, limit in ((1, 100), (3, 1))
        ]
        said += [
            made.run("Grep", pattern=pattern, output_mode="content").text
            for pattern in (".", "harmless", r"\w{20}", r"[^\s]+$", case.value[:4].replace("[", "."))
        ]

    assert [answer for answer in said if any(piece in answer for piece in pieces(case))] == []
    assert "harmless before" in said[0]


@pytest.mark.skipif(sandbox.available() is not None, reason="no sandbox here")
def test_no_command_tells_a_secret(tmp_path: Path) -> None:
    commands = ("cat {}", "head -c 60 {}", "tail -c 60 {}", "tail -n +3 {}", "grep -o '.\\{12\\}' {}", "grep -on . {}")
    names = [f"{number}.txt" for number in range(len(CASES))]
    project = {name: f"before\n{case.text}\nafter\n" for name, case in zip(names, CASES, strict=True)}
    with bench(tmp_path, project=project, confined=True) as made:
        for first in range(0, len(CASES), FILES):
            asked = " ".join(f"project/{name}" for name in names[first : first + FILES])
            for command in commands:
                said = made.said("Bash", command=command.replace("{}", asked))
                told = [case.name for case in CASES[first : first + FILES] if any(one in said for one in pieces(case))]
                assert told == [], command
            assert made.said("Bash", command=f"cat {asked}").count("before\n") == len(asked.split())


def test_a_name_that_holds_a_secret_is_redacted(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    with bench(tmp_path, project={f"src/{token}.txt": "x\n"}) as made:
        assert token not in made.said("Glob", pattern="*.txt")
        assert token not in made.said("Grep", pattern="x")
        assert token not in made.denied("Read", file_path=f"project/{token}")
