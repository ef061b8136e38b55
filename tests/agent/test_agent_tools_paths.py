"""Paths that lead astray, given to every tool; and directories that are swapped while a tool works on them."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.agent import sandbox
from memd.agent.tools import ToolResult
from memd.agent.tools.arguments import DeniedError
from memd.agent.tools.roots import Roots
from tests.fakes.agent_tools import TOPIC, Bench, bench, everything

MARKER = "marker-7731"
# {R}: the directory that holds project, memory and outside; {W}: the workspace's own directory.
ASTRAY = """
/etc/passwd /etc/shadow /proc/self/environ /proc/self/mem /proc/1/environ /proc/self/fd/0
/proc/self/cwd/outside/private.md /dev/zero /dev/stdin /dev/tty /dev/mem /sys/kernel / // /. /.. . .. ../
../.. ./.. ~ ~/x ~root/x $HOME/x ../outside/private.md ../../outside/private.md
memory/../../outside/private.md memory/.. project/.. project/../outside project/../outside/private.md
project/src/../../outside/private.md project/./../outside/private.md project/a/../../b {R}/outside/private.md
{R}/outside {R} {R}/project/../outside/private.md {R}/state {R}/memory/live.md {R}/projectx/private.md
{W}/../private.md {W} {W}/bullets.mdx {W}/memory/../x.md {W}/memoryx/x.md project/link.md
project/link-directory/private.md project/link-directory memory/link.md memory/link-directory/private.md
memory/link-directory/new.md project/link-chain.md project/link-loop.md memory/link-loop.md
project/link-root/etc/passwd project/link-to-memory project/link-up/outside/private.md project/hard.md
memory/hard.md project/pipe.md memory/pipe.md project/socket.md memory/socket.md project/src memory/sub
project/.env project/.ENV project/.git/config project/.git project/sub/.git/config project/id_rsa
project/server.pem project/.npmrc project/.claude/settings.json project/src/.env project/credentials.json
project/huge.bin project/binary.bin memory/.hidden.md memory/.git/config transcript.md/x bullets.md/x
bullets.md/../x.md transcript.md/../private.md project/src/app.py/x memory/a.md/x memory//../x.md
．．/outside/private.md project/．．/outside/private.md memory/‥/private.md project／..／outside project/．env
project/.ｅｎｖ memory/x.md/ file:///etc/passwd \\\\server\\share C:\\x.md con.md memory/con memory/a:b.md
memory/*.md project/{src,.env} memory/team/x.md memory/logs/x.md memory/LOGS/x.md
memory/.memd-0000000000000000.tmp memory/MEMORY.md/x -rf --help -
"""
ODD = {
    "nul": "project/src/app.py\0.md",
    "nul-first": "\0",
    "newline": "memory/a\nb.md",
    "escape": "memory/\x1b[2Jx.md",
    "surrogate": "memory/\ud800.md",
    "bidi": "memory/\u202edm.x",
    "zero-width": "project/.\u200benv",
    "joined-dots": "project/.\u2060./outside/private.md",
    "empty": "",
    "spaces": "   ",
    "trailing-space": "memory/x.md ",
    "trailing-dot": "memory/x.md.",
    "long-name": "memory/" + "x" * 300 + ".md",
    "long-path": "memory/" + "x/" * 400 + "y.md",
    "deep": "project/" + "d/" * 40 + "x",
    "very-long": "a" * 100_000,
    "slashes": "/" * 900,
    "dots": "./" * 400 + "x.md",
}
PATHS = {**{path: path for path in ASTRAY.split()}, **ODD}
CLOSED = (
    ".env",
    ".git/config",
    "sub/.git/config",
    "id_rsa",
    "server.pem",
    ".npmrc",
    ".claude/settings.json",
    "src/.env",
    "credentials.json",
)
NEW = re.compile(r"(?:[a-z0-9][a-z0-9_-]{0,63}/)?[a-z0-9][a-z0-9_-]{0,63}\.md")

swaps = pytest.mark.skipif(sys.platform != "linux", reason="exchanges names at once, as Linux can")


@pytest.fixture(scope="module")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A project and a workspace full of traps, and something private beside them."""
    root = tmp_path_factory.mktemp("maze")
    private = f"{MARKER}\n"
    project = dict.fromkeys(CLOSED, private)
    with bench(
        root,
        project=project | {"src/app.py": "print('hello')\n"},
        memory={"a.md": TOPIC.format(name="a", body="hello"), "sub/b.md": TOPIC.format(name="b", body="hello")},
        confined=sandbox.available() is None,
    ) as made:
        for place in ("outside", "projectx"):
            (root / place).mkdir()
            (root / place / "private.md").write_text(private)
        (root / "memory" / "live.md").write_text(private)  # written after the workspace was made
        _set_traps(made)
        yield made


def _set_traps(made: Bench) -> None:
    outside = made.root / "outside"
    for place in (made.project, made.workspace.memory):
        (place / "link.md").symlink_to(outside / "private.md")
        (place / "link-directory").symlink_to(outside)
        (place / "link-loop.md").symlink_to("link-loop.md")
        os.link(outside / "private.md", place / "hard.md")
        os.mkfifo(place / "pipe.md")
        os.mknod(place / "socket.md", 0o140600)
    (made.project / "link-chain.md").symlink_to("link.md")
    (made.project / "link-root").symlink_to("/")
    (made.project / "link-up").symlink_to("..")
    (made.project / "link-to-memory").symlink_to(made.workspace.memory)
    (made.workspace.memory / ".hidden.md").write_text(MARKER)
    (made.project / "binary.bin").write_bytes(f"{MARKER}\0".encode())
    with (made.project / "huge.bin").open("wb") as file:
        file.write(f"{MARKER}\n".encode())
        file.truncate(10 << 30)


@pytest.mark.parametrize("path", PATHS.values(), ids=[ascii(path)[1:-1][:60] for path in PATHS])
def test_no_path_leads_out(maze: Bench, path: str) -> None:
    path = path.replace("{R}", str(maze.root)).replace("{W}", str(maze.workspace.memory.parent))
    before = everything(maze.root, but=maze.workspace.memory.parent)

    results = list(_all_tools(maze, path))

    assert [result.text for result in results if MARKER in result.text or "root:x:" in result.text] == []
    assert everything(maze.root, but=maze.workspace.memory.parent) == before
    assert all(NEW.fullmatch(name) for name in _written(maze))


def test_searches_of_all_pass_the_traps_by(maze: Bench) -> None:
    assert MARKER not in maze.said("Grep", pattern=".", output_mode="content")
    assert maze.said("Grep", pattern="hello").split("\n") == [
        "memory/a.md",
        "memory/sub/b.md",
        "project/src/app.py",
        "transcript.md",
    ]
    assert "private" not in maze.said("Glob", pattern="**/*")


def _all_tools(maze: Bench, path: str) -> Iterator[ToolResult]:
    yield maze.run("Read", file_path=path)
    yield maze.run("Grep", pattern=".", path=path, output_mode="content")
    yield maze.run("Glob", pattern="**/*", path=path)
    yield maze.run("Glob", pattern=path)
    yield maze.run("Grep", pattern=MARKER, glob=path, output_mode="count")
    yield maze.run("Write", file_path=path, content="written")
    yield maze.run("Edit", file_path=path, old_string=MARKER, new_string="edited", replace_all=True)
    for program in ("cat", "ls -la"):
        yield maze.run("Bash", command=f"{program} '{path}'")


def _written(maze: Bench) -> set[str]:
    """The files that the tools made in the workspace; they are taken away again."""
    found = set()
    for path in maze.workspace.memory.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1 and path.read_text() == "written":
            found.add(path.relative_to(maze.workspace.memory).as_posix())
            path.unlink()
    maze.workspace.bullets.unlink(missing_ok=True)
    return found


@contextmanager
def _swapping(place: Path, other: Path) -> Iterator[None]:
    """`place` is by turns itself and a link to `other`, as fast as it goes, and never missing."""
    stop = threading.Event()
    link = place.with_name("link-aside")
    link.symlink_to(other)

    def swap() -> None:
        while not stop.is_set():
            _exchange(place, link)
            _exchange(link, place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        link.unlink()


def _exchange(one: Path, other: Path) -> None:
    at_once = ctypes.CDLL(None, use_errno=True).renameat2
    here, exchange = -100, 2
    assert at_once(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0, os.strerror(ctypes.get_errno())


@swaps
@pytest.mark.parametrize("what", ["directory", "file"])
def test_a_swap_wins_no_race_for_reading(tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "app.py").write_text(MARKER)
    with bench(tmp_path, project={"src/app.py": "hello\n"}) as made:
        pair = {
            "directory": (made.project / "src", outside),
            "file": (made.project / "src" / "app.py", outside / "app.py"),
        }[what]
        with _swapping(*pair):
            results = [
                made.run(name, **arguments)
                for _ in range(200)
                for name, arguments in (
                    ("Read", {"file_path": "project/src/app.py"}),
                    ("Grep", {"pattern": ".", "path": "project", "output_mode": "content"}),
                )
            ]

    assert not any(MARKER in result.text for result in results)
    assert any("hello" in result.text for result in results)


@swaps
def test_a_swap_wins_no_race_for_writing(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    topic = {"sub/b.md": TOPIC.format(name="b", body="hello")}
    with bench(tmp_path, memory=topic) as made, _swapping(made.workspace.memory / "sub", outside):
        results = [made.run("Write", file_path=f"memory/sub/n{n}.md", content="x") for n in range(200)]

    assert list(outside.iterdir()) == []
    assert any(not result.is_error for result in results)


@swaps
@pytest.mark.skipif(sandbox.available() is not None, reason="no sandbox here")
def test_a_swap_wins_no_race_for_a_command(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / MARKER).touch()
    project = {"src/app.py": "hello\n"}
    with bench(tmp_path, project=project, confined=True) as made, _swapping(made.project / "src", outside):
        results = [made.run("Bash", command=f"{program} project/src") for _ in range(12) for program in ("ls", "find")]

    assert not any(MARKER in result.text for result in results)


@pytest.mark.skipif(not Path("/proc/sys/kernel/ostype").exists(), reason="no /proc")
def test_what_is_mounted_below_a_root_is_not_read(tmp_path: Path) -> None:
    """The kernel's own files stand for any mount; what lies there looks like a regular file."""
    with bench(tmp_path) as made:
        roots = Roots(workspace=made.workspace, project=Path("/"), transcript=None)

        with pytest.raises(DeniedError, match="file system"):
            roots.clean(roots.locate("project/proc/sys/kernel/ostype"))
        with pytest.raises(DeniedError, match="file system"), roots.directory(roots.locate("project/proc/sys")):
            pass
