"""Which files are main conversations, and where they are looked for."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memd.transcripts.claude_code import ClaudeCode, config_dir
from memd.transcripts.model import Cursor, ToolCall, TranscriptFile
from tests.fakes.claude_lines import SAMPLES, packed, prompt, sample

SUBAGENT = SAMPLES / "2.1.332" / "subagents" / "agent-ac085f7dab3cdc349.jsonl"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "projects" / "-home-dev-repo"
    directory.mkdir(parents=True)
    return directory


def placed(source: Path, *parts: str | Path) -> Path:
    target = Path(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target


def transcript(path: Path) -> TranscriptFile:
    return TranscriptFile(agent="claude-code", session_id=path.stem, path=path)


def test_main_files_are_found_and_recognised(tmp_path: Path, project: Path) -> None:
    claude = ClaudeCode(tmp_path)
    path = placed(sample("headless_sub"), project, "abc.jsonl")
    other = placed(sample("headless_mem"), project.parent, "-home-dev-other", "def.jsonl")
    found = sorted(claude.discover(), key=lambda file: file.session_id)
    assert found == [transcript(path), transcript(other)]
    shapes = [(str(one), one.stat().st_size, one.stat().st_mtime_ns) for one in (path, other)]
    assert sorted(claude.survey()) == sorted(shapes)
    assert [claude.recognise(path), claude.recognise(other)] == found


def test_everything_else_is_left_out(tmp_path: Path, project: Path) -> None:
    claude = ClaudeCode(tmp_path)
    main = sample("headless_hello")
    others = [
        placed(SUBAGENT, project, "abc", "subagents", SUBAGENT.name),
        placed(SUBAGENT, project, SUBAGENT.name),
        placed(main, project, "abc", "tool-results", "x.jsonl"),
        placed(main, project, "memory", "x.jsonl"),
        placed(main, project, "notes.txt"),
        placed(main, project, ".hidden.jsonl"),
        placed(main, project, ".jsonl"),
        placed(main, project.parent, "stray.jsonl"),
        placed(main, tmp_path, "elsewhere", "slug", "abc.jsonl"),
    ]
    assert [*claude.discover(), *claude.survey()] == []
    assert [claude.recognise(path) for path in others] == [None] * len(others)


def test_a_subagents_file_in_a_main_files_place_is_known_by_its_content(tmp_path: Path, project: Path) -> None:
    path = placed(SUBAGENT, project, "abc.jsonl")
    claude = ClaudeCode(tmp_path)
    assert claude.recognise(path) is None
    assert claude.read(path, Cursor()).messages == ()


def test_a_new_file_without_a_whole_line_is_recognised(tmp_path: Path, project: Path) -> None:
    path = project / "abc.jsonl"
    path.write_bytes(packed(prompt("u", "hello"))[:-1])
    assert ClaudeCode(tmp_path).recognise(path) == transcript(path)


def test_links_pipes_and_directories_are_no_transcripts(tmp_path: Path, project: Path) -> None:
    claude = ClaudeCode(tmp_path)
    link, pipe, directory, gone = (project / f"{name}.jsonl" for name in ("link", "pipe", "dir", "gone"))
    link.symlink_to(sample("headless_hello"))
    os.mkfifo(pipe)
    directory.mkdir()
    assert list(claude.discover()) == []
    for path in (link, pipe, directory, gone):
        assert claude.recognise(path) is None
        with pytest.raises(OSError, match=r".+"):
            claude.read(path, Cursor())
        with pytest.raises(OSError, match=r".+"):
            claude.tail(path)


def test_a_linked_project_directory_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere"
    path = placed(sample("headless_hello"), real, "abc.jsonl")
    projects = tmp_path / "projects"
    projects.mkdir()
    (projects / "-linked").symlink_to(real)
    (projects / "-dangling").symlink_to(tmp_path / "nowhere")
    claude = ClaudeCode(tmp_path)
    linked = projects / "-linked" / "abc.jsonl"
    assert list(claude.discover()) == [transcript(linked)]
    assert claude.recognise(linked) == transcript(linked)
    assert claude.recognise(path) is None


def test_an_event_may_name_the_root_by_its_real_path(tmp_path: Path, project: Path) -> None:
    path = placed(sample("headless_hello"), project, "abc.jsonl")
    alias = tmp_path / "alias"
    alias.symlink_to(tmp_path, target_is_directory=True)
    assert ClaudeCode(alias).recognise(path) == transcript(path)


def test_without_projects_there_is_nothing(tmp_path: Path) -> None:
    claude = ClaudeCode(tmp_path)
    assert claude.roots() == (tmp_path / "projects",)
    assert list(claude.discover()) == []


def test_the_configuration_directory() -> None:
    assert config_dir({}, Path("/home/dev")) == Path("/home/dev/.claude")
    assert config_dir({"CLAUDE_CONFIG_DIR": ""}, Path("/home/dev")) == Path("/home/dev/.claude")
    assert config_dir({"CLAUDE_CONFIG_DIR": "/x"}, Path("/home/dev")) == Path("/x")


@pytest.mark.parametrize(
    ("name", "arguments", "cwd", "expected"),
    [
        ("Write", {"file_path": "/m/a.md"}, "/r", "/m/a.md"),
        ("Edit", {"file_path": "/m/../n/./a.md"}, None, "/n/a.md"),
        ("MultiEdit", {"file_path": "sub/../a.md"}, "/r", "/r/a.md"),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, "/r", "/r/n.ipynb"),
        ("Write", {"file_path": "../../../../a.md"}, "/r", "/a.md"),
        ("Write", {"file_path": "//m//a.md"}, None, "/m/a.md"),
        ("Write", {"file_path": "a.md"}, None, None),
        ("Write", {"file_path": "a.md"}, "not/absolute", None),
        ("Write", {"file_path": ""}, "/r", None),
        ("Write", {"file_path": "/a\0b"}, "/r", None),
        ("Write", {"file_path": 7}, "/r", None),
        ("Write", {"notebook_path": "/m/a.md"}, "/r", None),
        ("Read", {"file_path": "/m/a.md"}, "/r", None),
        ("Bash", {"": "/m/a.md"}, "/r", None),
    ],
)
def test_the_path_a_call_wrote(name: str, arguments: dict[str, object], cwd: str | None, expected: str | None) -> None:
    call = ToolCall(id="t", name=name, input=arguments)
    assert ClaudeCode(Path("/x")).written_path(call, cwd) == expected
