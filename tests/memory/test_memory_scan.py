"""The topic files of a directory, and the manifest of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.memory import topic
from memd.memory.scan import TopicHeader, manifest, scan
from memd.memory.topic import TopicType

DAY = 86_400.0


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    directory = tmp_path / "memory"
    directory.mkdir()
    return directory


def put(memory: Path, path: str, data: bytes | None = None, *, mtime: float = 0.0) -> Path:
    file = memory / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(topic.render(file.stem, f"about {file.stem}", TopicType.USER, "x") if data is None else data)
    os.utime(file, (mtime, mtime))
    return file


def paths(memory: Path, *, team: bool = False) -> list[str]:
    return [header.path for header in scan(memory, team=team)]


def test_a_header_says_what_the_file_and_the_file_system_say(memory: Path) -> None:
    data = b"---\nname: n\ndescription: d\ntype: feedback\npinned: true\n---\nbody\n"
    put(memory, "a.md", data, mtime=5.0)
    assert scan(memory) == (
        TopicHeader(
            path="a.md", name="n", description="d", type=TopicType.FEEDBACK, mtime=5.0, size=len(data), pinned=True
        ),
    )


def test_newest_first_then_by_name(memory: Path) -> None:
    for path, mtime in (("b.md", 1.0), ("a.md", 1.0), ("new.md", 3.0), ("old.md", 0.5)):
        put(memory, path, mtime=mtime)
    assert paths(memory) == ["new.md", "a.md", "b.md", "old.md"]


def test_only_topics_two_levels_deep_are_listed(memory: Path) -> None:
    for path in ("a.md", "sub/b.md", "MEMORY.md", "logs/c.md", "logs/2026/04/2026-04-01.md", "a/b/deep.md"):
        put(memory, path)
    for path in (".hidden.md", ".dir/x.md", "notes.txt", ".consolidate-lock", "team/t.md", "team/MEMORY.md"):
        put(memory, path)
    assert paths(memory) == ["a.md", "sub/b.md"]


def test_team_memory_only_when_asked_for(memory: Path) -> None:
    for path in ("a.md", "team/t.md", "team/sub/u.md", "team/MEMORY.md", "team/a/b/c.md", "a/b/deep.md", "x/MEMORY.md"):
        put(memory, path)
    assert paths(memory) == ["a.md", "x/MEMORY.md"]
    assert paths(memory, team=True) == ["a.md", "team/sub/u.md", "team/t.md", "x/MEMORY.md"]


def test_links_and_special_files_are_not_topics(memory: Path, tmp_path: Path) -> None:
    secret = put(tmp_path, "outside/secret.md")
    (memory / "soft.md").symlink_to(secret)
    (memory / "sub").symlink_to(secret.parent)
    os.link(secret, memory / "hard.md")
    os.mkfifo(memory / "pipe.md")
    (memory / "directory.md").mkdir()
    assert scan(memory) == ()


def test_a_missing_directory_has_none(tmp_path: Path) -> None:
    assert scan(tmp_path / "none") == ()


@pytest.mark.parametrize(
    ("data", "name", "problem"),
    [
        (b"", "a", "no-frontmatter"),
        (b"# Notes\n", "a", "no-frontmatter"),
        (b"---\nname: Use X: not Y\ndescription: d\ntype: user\n---\nx", "Use X: not Y", "header-not-yaml"),
        (b"\xff\xfe", "a", "not-utf8"),
        (b"---\nname: n\ndescription: d\ntype: user\n", "n", "header-not-closed"),
        (b"---\nname: n\ndescription: d\ntype: user\n---\n", "n", "no-body"),
    ],
)
def test_files_that_cannot_be_parsed_are_listed_with_their_problem(
    memory: Path, data: bytes, name: str, problem: str
) -> None:
    put(memory, "a.md", data)
    (header,) = scan(memory)
    assert (header.name, header.problems[0]) == (name, problem)


def test_only_the_first_30_lines_are_read_and_judged(memory: Path) -> None:
    long_header = b"---\nname: n\ndescription: d\ntype: user\nevidence:\n" + b"- quote\n" * 40 + b"pinned: true\n---\nx"
    put(memory, "header.md", long_header)
    put(memory, "body.md", b"---\nname: n\ndescription: d\ntype: user\n---\n" + b"\n" * 50 + b"late \xff")
    put(memory, "huge.md", b"---\nname: n\ndescription: d\ntype: user\n---\n" + "字".encode() * 1_000_000)
    for header in scan(memory):
        assert header == TopicHeader(
            path=header.path, name="n", description="d", type=TopicType.USER, mtime=0.0, size=header.size
        )


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_listed(memory: Path) -> None:
    put(memory, "a.md").chmod(0)
    assert scan(memory)[0].problems == ("unreadable",)


def test_scanning_touches_nothing(memory: Path) -> None:
    put(memory, "a.md", mtime=7.0)
    before = [(path, path.stat().st_mtime_ns) for path in (memory, memory / "a.md")]
    scan(memory)
    assert [(path, path.stat().st_mtime_ns) for path in (memory, memory / "a.md")] == before


def test_the_manifest_is_a_line_a_topic() -> None:
    headers = [
        TopicHeader(path="a.md", name="a", description="first\nline", type=TopicType.USER, mtime=0.0),
        TopicHeader(path="sub/b.md", name="b", description="", type=None, mtime=2 * DAY),
    ]
    assert manifest(headers, now=3 * DAY) == (
        "[unknown] sub/b.md (yesterday): (no description)\n[user] a.md (3 days ago): first line"
    )


def test_the_manifest_holds_the_newest_200() -> None:
    headers = [
        TopicHeader(path=f"{n}.md", name="x", description="d", type=TopicType.USER, mtime=float(n)) for n in range(250)
    ]
    lines = manifest(headers, now=0.0).splitlines()
    assert len(lines) == 200
    assert lines[0].startswith("[user] 249.md")
    assert lines[-1].startswith("[user] 50.md")
    assert manifest((), now=0.0) == ""
