"""What is no file, or not the same file any more, in the place of a transcript."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.transcripts import reading, tail
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.lines import CHUNK, MAX_LINE, lines
from memd.transcripts.model import Cursor, Problems
from memd.transcripts.reading import Scan, View
from tests.fakes.claude_lines import TURN, add, answer, packed, prompt, read, sample, text, write

GIGA = 1024**3  # bytes
NOBODY = 65534  # a user id
MORE = (prompt("h2", "after"), answer("a2", "m2", text("so it is")))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a main transcript would stand."""
    directory = tmp_path / "projects" / "-home-dev-repo"
    directory.mkdir(parents=True)
    return directory / "abc.jsonl"


def _socket(path: Path) -> None:
    """By a short name: the whole path may be longer than an address can be."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as ears:
            ears.bind(path.name)
    finally:
        os.chdir(before)


def _linked_pipe(path: Path) -> None:
    os.mkfifo(path.with_suffix(".pipe"))
    path.symlink_to(path.with_suffix(".pipe"))


def _below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_bytes(b"")


OBJECTS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: path,
    "a directory": lambda path: path.mkdir(),
    "a full directory": lambda path: (path / "abc.jsonl").mkdir(parents=True),
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a link to a transcript": lambda path: path.symlink_to(sample("headless_hello")),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to a directory": lambda path: path.symlink_to(path.parent),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to a pipe": _linked_pipe,
    "a file instead of its directory": _below_a_file,
    "nothing instead of its directory": lambda path: path.parent.rmdir(),
}


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_what_is_no_file_is_no_transcript(tmp_path: Path, place: Path, make: Callable[[Path], object]) -> None:
    make(place)
    claude = ClaudeCode(tmp_path)
    assert [*claude.discover(), *claude.survey()] == []
    assert claude.recognise(place) is None
    for look in (claude.tail, lambda path: claude.read(path, Cursor())):
        with pytest.raises(OSError, match=r".+"):
            look(place)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/", "/x\0y", "/p/" + "n" * 300 + ".jsonl", "/p" * 3000])
def test_a_path_that_leads_to_no_file_is_an_error_of_the_system(path: str) -> None:
    claude = ClaudeCode(Path("/nowhere"))
    assert claude.recognise(Path(path)) is None
    for look in (claude.tail, lambda one: claude.read(one, Cursor())):
        with pytest.raises(OSError, match=r".+"):
            look(Path(path))


def test_a_nul_in_an_events_path_is_no_transcript(tmp_path: Path, place: Path) -> None:
    write(place, *TURN)
    claude = ClaudeCode(tmp_path)
    assert claude.recognise(place.with_name("a\0b.jsonl")) is None
    assert claude.recognise(Path(f"{place.parent}\0") / place.name) is None


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes no such names")
def test_a_name_that_is_no_text_is_no_transcript(tmp_path: Path, place: Path) -> None:
    """Nothing could write it down: not the ledger, not a log."""
    write(place, *TURN)
    odd = [os.fsencode(place.parent) + b"/\xff.jsonl", os.fsencode(place.parent.parent) + b"/\xfe/x.jsonl"]
    for path in odd:
        named = Path(os.fsdecode(path))
        named.parent.mkdir(exist_ok=True)
        shutil.copyfile(place, named)
    claude = ClaudeCode(tmp_path)
    assert [path for path, _, _ in claude.survey()] == [str(place)]
    assert claude.recognise(Path(os.fsdecode(odd[0]))) is None


READER = """
import os, sys
from pathlib import Path
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import Cursor
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
claude = ClaudeCode(Path(sys.argv[1]))
place = Path(sys.argv[1], "projects", "-p", "abc.jsonl")
print(len(list(claude.survey())), claude.recognise(place))
for look in (claude.tail, lambda path: claude.read(path, Cursor())):
    try:
        look(place)
    except OSError as error:
        print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("closed", "seen"),
    [("projects", 0), ("projects/-p", 0), ("projects/-p/abc.jsonl", 1)],
    ids=["root", "project", "file"],
)
def test_what_one_may_not_read_is_left_out(closed: str, seen: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        write(_parents(home / "projects" / "-p" / "abc.jsonl"), *TURN)
        home.chmod(0o755)
        (home / closed).chmod(0)
        command = [sys.executable, "-c", READER, directory, str(NOBODY)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (home / closed).chmod(0o700)
    assert done.stdout.split("\n")[:3] == [f"{seen} None", "PermissionError", "PermissionError"]


def _parents(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    return path


def test_a_sweep_between_two_looks_into_the_projects(tmp_path: Path, place: Path) -> None:
    write(place, *TURN)
    for number in range(5):
        shutil.copytree(place.parent, place.parent.with_name(f"-{number}"))
    found = ClaudeCode(tmp_path).survey()
    next(found)
    shutil.rmtree(tmp_path / "projects")
    assert len(list(found)) <= 5


@contextmanager
def sparse(path: Path, size: int) -> Iterator[Path]:
    """A turn, a hole in the file, and another turn."""
    write(path, *TURN)
    with path.open("r+b") as file:
        file.truncate(len(packed(*TURN)) + size)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + packed(*MORE))
    yield path
    path.unlink()


@pytest.mark.parametrize(
    "size",
    [GIGA // 8, pytest.param(4 * GIGA, marks=[pytest.mark.deep, pytest.mark.timeout(300)])],
    ids=["128 MB", "4 GB"],
)
def test_a_hole_in_a_file_costs_no_memory(path: Path, size: int) -> None:
    with sparse(path, size):
        tracemalloc.start()
        whole = read(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        end = ClaudeCode(path.parent).tail(path)
    assert peak <= MAX_LINE + 4 * 1024 * 1024
    assert [message.uuid for message in whole.messages] == ["h1", "a1", "h2", "a2"]
    assert whole.problems == Problems(oversize_lines=1)
    assert (end.turn, end.size) == (whole.turn, whole.end.offset)


def test_the_end_of_4_gb_is_read_without_the_rest(path: Path) -> None:
    """A session goes on at its cursor however long it has become: the hole alone would take seconds."""
    with sparse(path, 4 * GIGA):
        with tail.opened(path) as fd:
            end = tail.cursor_at(fd, path.stat().st_size, "a2")
        add(path, packed(prompt("h3", "and on")))
        later = read(path, end)
    assert ([message.text for message in later.messages], later.restarted) == (["and on"], False)
    assert later.end.offset > 4 * GIGA


def test_deleted_when_it_is_open(path: Path) -> None:
    write(path, *TURN)
    with tail.opened(path) as fd:
        path.unlink()
        whole = reading.read(fd, Cursor(), name="abc")
    assert [message.uuid for message in whole.messages] == ["h1", "a1"]


def test_replaced_when_it_is_open(path: Path) -> None:
    write(path, *TURN)
    with tail.opened(path) as fd:
        write(path.with_suffix(".new"), *MORE).replace(path)
        whole = reading.read(fd, Cursor(), name="abc")
    assert [message.uuid for message in whole.messages] == ["h1", "a1"]
    again = read(path, whole.end)
    assert ([message.uuid for message in again.messages], again.restarted) == (["h2", "a2"], True)


@pytest.mark.parametrize("left", [0, 1, 500, CHUNK - 1, CHUNK, CHUNK + 1])
def test_cut_when_half_of_it_is_read(path: Path, left: int) -> None:
    """Its size was asked for when it was still whole."""
    rows = [packed(prompt(f"h{number}", "word " * 1000)) for number in range(120)]
    path.write_bytes(b"".join(rows))
    size = path.stat().st_size
    with tail.opened(path) as fd:
        os.truncate(path, left)
        scan = Scan(view=View(), complete=0)
        scan.take_all(fd, 0, size)
        assert scan.view.end == left // len(rows[0]) * len(rows[0]) or scan.view.end <= left
        assert len(scan.messages) == b"".join(rows)[:left].count(b"\n")
        assert tail.cursor_at(fd, scan.view.end, None).offset <= left


def test_overwritten_when_half_of_it_is_read(path: Path) -> None:
    """What was read is no longer there, and the next reading finds that out."""
    rows = b"".join(packed(prompt(f"h{number}", "word " * 1000)) for number in range(120))
    path.write_bytes(rows)
    with tail.opened(path) as fd:
        found = lines(fd, 0, len(rows))
        next(found)
        path.write_bytes(rows.replace(b"word", b"WORD"))
        assert all(stop <= len(rows) for _, stop in found)
        end = tail.cursor_at(fd, len(rows), None)
    path.write_bytes(rows)
    assert read(path, end).restarted


VANDAL = """
import os, random, sys
path, data, chance = sys.argv[1], sys.stdin.buffer.read(), random.Random(int(sys.argv[2]))
print(flush=True)
while True:
    match chance.randrange(6):
        case 0: open(path, "wb").write(data[:chance.randrange(len(data))])
        case 1: open(path, "ab").write(data[chance.randrange(len(data)):])
        case 2: os.path.exists(path) and os.truncate(path, chance.randrange(len(data)))
        case 3: open(path + ".new", "wb").write(data); os.replace(path + ".new", path)
        case 4: os.path.exists(path) and os.unlink(path)
        case 5: open(path, "r+b" if os.path.exists(path) else "wb").write(b"\\0" * chance.randrange(9000))
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_process_that_does_all_of_it_while_one_reads(tmp_path: Path, seed: int) -> None:
    path, claude = tmp_path / "abc.jsonl", ClaudeCode(tmp_path)
    data, cursors, reads = sample("headless_par").read_bytes() * 4, [Cursor()], 0
    with tempfile.TemporaryFile() as said:
        said.write(data)
        said.seek(0)
        command = [sys.executable, "-c", VANDAL, str(path), str(seed)]
        with subprocess.Popen(command, stdin=said, stdout=subprocess.PIPE) as vandal:
            assert vandal.stdout is not None
            vandal.stdout.readline()
            chance = random.Random(seed)  # noqa: S311 - no secrets are made with it
            while reads < 150:
                try:
                    now = claude.read(path, chance.choice(cursors[-4:]))
                    claude.tail(path)
                except FileNotFoundError:
                    continue
                reads += 1
                cursors += [now.end, now.complete]
                assert now.complete.offset <= now.end.offset
                assert now.complete_count <= len(now.messages)
            vandal.kill()
