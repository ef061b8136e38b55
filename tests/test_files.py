"""The one way to touch files: what it refuses, and that nothing is ever half there."""

from __future__ import annotations

import errno
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd import files
from memd.errors import LockedError, UnsafePathError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


@pytest.fixture
def anchor(tmp_path: Path) -> Path:
    """A memory directory with everything in it that an attacker could leave there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"secret")
    memory = tmp_path / "memory"
    (memory / "sub").mkdir(parents=True)
    (memory / "plain.md").write_bytes(b"plain")
    (memory / "sub" / "inner.md").write_bytes(b"inner")
    (memory / "link.md").symlink_to(outside / "secret.md")
    (memory / "relative.md").symlink_to("plain.md")
    (memory / "dangling.md").symlink_to("nowhere")
    (memory / "loop.md").symlink_to("loop.md")
    (memory / "linked").symlink_to(outside)
    (memory / "sub" / "up").symlink_to("..")
    os.link(outside / "secret.md", memory / "hard.md")
    os.mkfifo(memory / "pipe.md")
    return memory


@pytest.fixture
def opened(anchor: Path) -> Iterator[int]:
    with files.open_directory(anchor) as descriptor:
        yield descriptor


SHAPES = (
    "",
    "/",
    "//",
    ".",
    "..",
    "./plain.md",
    "../outside/secret.md",
    "sub/../plain.md",
    "sub/../../outside/secret.md",
    "sub//inner.md",
    "sub/",
    "/etc/passwd",
    "//etc/passwd",
    "plain.md/",
    "a\0b.md",
    "\0",
    "sub/\0",
    "\ud800.md",
    "x" * 256,
    "é" * 128,
    "sub/" + "y" * 300 + "/z.md",
    "../" * 40 + "etc/passwd",
    "sub/./inner.md",
    "plain.md/..",
    "..\0",
)
OBSTACLES = (
    "link.md",
    "relative.md",
    "dangling.md",
    "loop.md",
    "linked/secret.md",
    "linked/new.md",
    "sub/up/plain.md",
    "sub/up/../plain.md",
    "hard.md",
    "pipe.md",
    "sub",
    "plain.md/x.md",
    "pipe.md/x.md",
    "link.md/x.md",
)
CALLS: dict[str, Callable[[int, str], object]] = {
    "read_regular": files.read_regular,
    "write_atomic": lambda fd, rel: files.write_atomic(fd, rel, b"mine"),
    "append_whole": lambda fd, rel: files.append_whole(fd, rel, b"mine\n"),
    "remove": files.remove,
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("rel", SHAPES + OBSTACLES)
def test_refuses_every_way_out(opened: int, anchor: Path, call: str, rel: str) -> None:
    outside = anchor.parent / "outside"
    with pytest.raises(UnsafePathError):
        CALLS[call](opened, rel)
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    assert (outside / "secret.md").read_bytes() == b"secret"
    assert (anchor / "plain.md").read_bytes() == b"plain"


@LINUX
def test_refuses_devices_and_sockets(tmp_path: Path) -> None:
    with files.open_directory(Path("/dev")) as devices, pytest.raises(UnsafePathError):
        files.read_regular(devices, "zero")
    with socket.socket(socket.AF_UNIX) as server, files.open_directory(tmp_path) as directory:
        server.bind(f"/proc/self/fd/{directory}/socket.md")
        for call in CALLS.values():
            with pytest.raises(UnsafePathError):
                call(directory, "socket.md")


def test_the_anchor_may_be_reached_through_links(anchor: Path, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(anchor.parent)
    with files.open_directory(tmp_path / "home" / "memory") as directory:
        assert files.read_regular(directory, "plain.md") == b"plain"


def test_the_anchor_is_absolute_and_a_directory(anchor: Path) -> None:
    with pytest.raises(UnsafePathError), files.open_directory(Path("memory")):
        pass
    with pytest.raises(NotADirectoryError), files.open_directory(anchor / "plain.md"):
        pass
    with pytest.raises(FileNotFoundError), files.open_directory(anchor / "none"):
        pass


def test_a_directory_swapped_for_a_link_meanwhile_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_bytes(b"outside")
    memory = tmp_path / "memory"
    (memory / "real").mkdir(parents=True)
    (memory / "real" / "a.md").write_bytes(b"inside")
    (memory / "trap").symlink_to(tmp_path / "outside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (memory / "real").rename(memory / "sub")
            (memory / "sub").rename(memory / "real")
            (memory / "trap").rename(memory / "sub")
            (memory / "sub").rename(memory / "trap")

    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        with files.open_directory(memory) as directory:
            for _ in range(3000):
                try:
                    seen.add(files.read_regular(directory, "sub/a.md"))
                except UnsafePathError:
                    seen.add(b"refused")
    finally:
        stop.set()
        thread.join()
    assert seen <= {b"inside", b"refused", None}


def test_reads_up_to_its_limit(opened: int) -> None:
    assert files.read_regular(opened, "plain.md", limit=5) == b"plain"
    with pytest.raises(UnsafePathError, match="more than 4 bytes"):
        files.read_regular(opened, "plain.md", limit=4)
    assert files.read_regular(opened, "absent.md") is None
    assert files.read_regular(opened, "absent/absent.md") is None


def test_new_files_and_directories_are_for_the_owner_alone(opened: int, anchor: Path) -> None:
    assert files.write_atomic(opened, "new/deep/a.md", b"x")
    files.append_whole(opened, "logs/a.md", b"x")
    modes = {path: stat.S_IMODE((anchor / path).stat().st_mode) for path in ("new", "new/deep", "logs")}
    assert modes == {"new": 0o700, "new/deep": 0o700, "logs": 0o700}
    for path in ("new/deep/a.md", "logs/a.md"):
        assert stat.S_IMODE((anchor / path).stat().st_mode) == 0o600


def test_an_existing_file_keeps_its_mode(opened: int, anchor: Path) -> None:
    (anchor / "plain.md").chmod(0o640)
    assert files.write_atomic(opened, "plain.md", b"other")
    assert stat.S_IMODE((anchor / "plain.md").stat().st_mode) == 0o640
    assert (anchor / "plain.md").read_bytes() == b"other"


def test_the_same_bytes_are_no_write(opened: int, anchor: Path) -> None:
    os.utime(anchor / "plain.md", (1, 1))
    before = (anchor / "plain.md").stat()
    assert not files.write_atomic(opened, "plain.md", b"plain")
    after = (anchor / "plain.md").stat()
    assert (after.st_ino, after.st_mtime, after.st_ctime) == (before.st_ino, before.st_mtime, before.st_ctime)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blocks=st.lists(st.binary(min_size=1, max_size=40), max_size=6), torn=st.binary(max_size=10))
def test_appends_are_whole_lines_whatever_stood_there(tmp_path: Path, blocks: list[bytes], torn: bytes) -> None:
    log = tmp_path / "log.md"
    log.write_bytes(torn)
    with files.open_directory(tmp_path) as directory:
        for block in blocks:
            files.append_whole(directory, "log.md", block)
    mended = torn + b"\n" if blocks and torn and not torn.endswith(b"\n") else torn
    assert log.read_bytes() == mended + b"".join(block if block.endswith(b"\n") else block + b"\n" for block in blocks)


def test_many_appenders_never_mix_their_lines(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memd import files\n"
        "with files.open_directory(Path(sys.argv[1])) as d:\n"
        "    for n in range(40): files.append_whole(d, 'logs/log.md', (sys.argv[2] * 200 + '\\n').encode() * 3)"
    )
    letters = "abcd"
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), letter]) for letter in letters]
    assert [process.wait() for process in started] == [0] * len(letters)
    lines = (tmp_path / "logs" / "log.md").read_bytes().splitlines()
    assert len(lines) == len(letters) * 120
    assert {bytes(line) for line in lines} == {letter.encode() * 200 for letter in letters}


def test_a_full_disk_in_the_middle_of_an_append_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "log.md").write_bytes(b"old\n")
    result = _limited(tmp_path, "files.append_whole(d, 'log.md', b'x' * 5000)")
    assert result == "EFBIG"
    assert (tmp_path / "log.md").read_bytes() == b"old\n"


def test_a_full_disk_in_the_middle_of_a_write_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"old\n")
    result = _limited(tmp_path, "files.write_atomic(d, 'a.md', b'x' * 5000)")
    assert result == "EFBIG"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.md": b"old\n"}


def _limited(directory: Path, call: str) -> str:
    """What a call raises in a process whose files may have 1,000 bytes: a short write, then an error."""
    code = (
        "import errno, resource, sys; from pathlib import Path; from memd import files\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "with files.open_directory(Path(sys.argv[1])) as d:\n"
        f"    try: {call}\n"
        "    except OSError as error: print(errno.errorcode[error.errno])"
    )

    done = subprocess.run([sys.executable, "-c", code, str(directory)], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_removes_a_file_once(opened: int, anchor: Path) -> None:
    assert files.remove(opened, "plain.md")
    assert not files.remove(opened, "plain.md")
    assert not files.remove(opened, "absent/plain.md")
    assert not (anchor / "plain.md").exists()


def test_lists_regular_files_alone(opened: int, anchor: Path) -> None:
    (anchor / "sub" / "deep").mkdir()
    (anchor / "sub" / "deep" / "c.md").touch()
    assert files.list_files(opened) == ("plain.md", "sub/inner.md")
    assert files.list_files(opened, levels=3) == ("plain.md", "sub/deep/c.md", "sub/inner.md")
    odd = {entry.path: entry.what for entry in files.walk(opened) if not entry.regular}
    assert odd == {
        "link.md": "symbolic link",
        "relative.md": "symbolic link",
        "dangling.md": "symbolic link",
        "loop.md": "symbolic link",
        "linked": "symbolic link",
        "sub/up": "symbolic link",
        "sub/deep": "directory too deep",
        "hard.md": "hard link",
        "pipe.md": "special file",
    }


def test_the_lock_keeps_others_out_and_ends_with_its_holder(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memd import files\n"
        "with files.open_directory(Path(sys.argv[1])) as d, files.locked(d):\n"
        "    print('locked', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    with holder, files.open_directory(tmp_path) as directory:
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(LockedError), files.locked(directory, timeout=0.05):
            pass
        holder.kill()
        with files.locked(directory, timeout=10):
            pass


def test_the_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    with files.open_directory(tmp_path) as first, files.open_directory(tmp_path) as second:
        with pytest.raises(RuntimeError), files.locked(first):
            raise RuntimeError
        with files.locked(second, timeout=0):
            pass


def test_what_a_killed_writer_left_is_cleaned_and_nothing_else(tmp_path: Path) -> None:
    _run_with(tmp_path, "files.wrote_temporary:kill", "files.write_atomic(d, 'sub/a.md', b'new')")
    (tmp_path / ".memd-mine.tmp").touch()
    assert len(list((tmp_path / "sub").iterdir())) == 1
    with files.open_directory(tmp_path) as directory:
        files.clean_temporaries(directory)
    assert list((tmp_path / "sub").iterdir()) == []
    assert (tmp_path / ".memd-mine.tmp").exists()


WRITES = tuple(
    name for name in files.FAILPOINTS if name.startswith("files.") and "append" not in name and "remove" not in name
)


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("action", ["kill", "error=ENOSPC", "error=EIO", "error=EMFILE", "error=EACCES"])
def test_a_write_that_breaks_off_leaves_the_old_file_or_the_new(tmp_path: Path, name: str, action: str) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    _run_with(
        tmp_path, f"{name}:{action}", "files.write_atomic(d, 'a.md', b'new'); files.write_atomic(d, 'n/b.md', b'b')"
    )
    assert (tmp_path / "a.md").read_bytes() in {b"old", b"new"}
    assert not (tmp_path / "n" / "b.md").exists() or (tmp_path / "n" / "b.md").read_bytes() == b"b"
    if action != "kill":
        assert [path for path in tmp_path.rglob("*") if files.TEMPORARY.fullmatch(path.name)] == []


def test_failpoints_count_and_are_off_without_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMD_FAILPOINT", raising=False)
    files.failpoint("test.one")
    monkeypatch.setenv("MEMD_FAILPOINT", "test.one@3:error=EDQUOT")
    files.failpoint("test.one")
    files.failpoint("test.other")
    files.failpoint("test.one")
    with pytest.raises(OSError, match=re.escape(os.strerror(errno.EDQUOT))):
        files.failpoint("test.one")
    files.failpoint("test.one")
    assert list(tmp_path.iterdir()) == []


def test_every_failpoint_in_the_rooms_of_the_door_is_listed() -> None:
    package = Path(files.__file__).parent
    sources = [package / "files.py", package / "opener.py", *sorted((package / "memory").glob("*.py"))]
    used = {name for source in sources for name in re.findall(r'failpoint\("([\w.]+)"\)', source.read_text())}
    assert used <= set(files.FAILPOINTS)
    assert {name for name in files.FAILPOINTS if name.startswith(("files.", "store."))} == used


def test_private_directory_leaves_what_exists_alone(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "open").chmod(0o755)
    files.private_directory(tmp_path / "open" / "a" / "b")
    found = [stat.S_IMODE((tmp_path / path).stat().st_mode) for path in ("open", "open/a", "open/a/b")]
    assert found == [0o755, 0o700, 0o700]
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        files.private_directory(tmp_path / "file" / "a")


def _run_with(directory: Path, failpoint: str, call: str) -> int:
    code = (
        "import sys; from pathlib import Path; from memd import files\n"
        "with files.open_directory(Path(sys.argv[1])) as d:\n"
        f"    {call}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(directory)],
        check=False,
        capture_output=True,
        env={**os.environ, "MEMD_FAILPOINT": failpoint},
    )
    assert done.returncode != 0, "the failpoint was never reached"
    return done.returncode
