"""The header cache: the same answer as without it, from fewer reads; and never more than a convenience."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory import header_cache, topic
from memd.memory.scan import scan
from memd.memory.topic import TopicType

LONG_AGO = 1_000_000_000  # seconds since the epoch
NAMES = ("a.md", "b.md", "sub/c.md", "sub/d.md", "team/e.md", "MEMORY.md", "notes.txt")


def data(description: str) -> bytes:
    return topic.render("n", description, TopicType.USER, "x")


def put(memory: Path, path: str, description: str, *, mtime: int = LONG_AGO) -> Path:
    file = memory / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data(description))
    os.utime(file, (mtime, mtime))
    return file


def settled(cache: Path) -> None:
    """Let the cache look as if it had been written well after every file there is."""
    later = time.time_ns() + 10**9
    for file in cache.iterdir():
        os.utime(file, ns=(later, later))


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    directory = tmp_path / "memory"
    directory.mkdir()
    return directory


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "state" / "headers"


def opened(memory: Path, cache: Path) -> set[str]:
    """The files that a scan with the cache would read."""
    topics = [path for path in memory.rglob("*.md") if path.is_file()]
    kept = header_cache.load(cache, memory, team=False)
    stamps = {
        path.relative_to(memory).as_posix(): (found.st_mtime_ns, found.st_ctime_ns, found.st_size)
        for path in topics
        for found in (path.stat(),)
    }
    return set(stamps) - {header.path for header in kept.still_right(stamps)}


def test_a_second_scan_opens_nothing_and_says_the_same(memory: Path, cache: Path) -> None:
    put(memory, "a.md", "first")
    put(memory, "sub/b.md", "second", mtime=LONG_AGO + 5)
    first = scan(memory, cache=cache)
    settled(cache)
    assert opened(memory, cache) == set()
    assert scan(memory, cache=cache) == first == scan(memory)
    assert [header.path for header in first] == ["sub/b.md", "a.md"]


@pytest.mark.parametrize("keep_mtime", [False, True])
def test_a_file_that_changed_is_read_again(memory: Path, cache: Path, *, keep_mtime: bool) -> None:
    put(memory, "a.md", "first")
    put(memory, "b.md", "other")
    scan(memory, cache=cache)
    settled(cache)
    # Same size; with `keep_mtime` only the change time tells.
    put(memory, "a.md", "after", mtime=LONG_AGO if keep_mtime else LONG_AGO + 1)
    assert opened(memory, cache) == {"a.md"}
    assert {header.description for header in scan(memory, cache=cache)} == {"after", "other"}


def test_what_came_and_went_is_noticed(memory: Path, cache: Path) -> None:
    put(memory, "a.md", "first")
    put(memory, "b.md", "second")
    scan(memory, cache=cache)
    (memory / "a.md").unlink()
    put(memory, "c.md", "third", mtime=LONG_AGO + 9)
    (memory / "b.md").rename(memory / "d.md")
    assert [header.path for header in scan(memory, cache=cache)] == ["c.md", "d.md"]
    assert scan(memory, cache=cache) == scan(memory)


def test_a_file_as_young_as_the_cache_is_not_believed(memory: Path, cache: Path) -> None:
    """Within one tick of the file system's clock it can have changed again."""
    file = put(memory, "a.md", "first")
    scan(memory, cache=cache)
    at = file.stat().st_ctime_ns
    for kept_at, read in ((at, {"a.md"}), (at + 10**9, set())):
        (stored,) = cache.iterdir()
        os.utime(stored, ns=(kept_at, kept_at))
        assert opened(memory, cache) == read


def test_the_same_rows_become_certain_once_they_are_confirmed(memory: Path, cache: Path) -> None:
    put(memory, "a.md", "first")
    scan(memory, cache=cache)
    (stored,) = cache.iterdir()
    os.utime(stored, (LONG_AGO, LONG_AGO))
    scan(memory, cache=cache)
    assert stored.stat().st_mtime > LONG_AGO


def break_nothing(_: Path) -> None:
    """Leave it as it is."""


def cut(file: Path) -> None:
    """Half of it."""
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip(file: Path) -> None:
    """One letter of a description."""
    file.write_bytes(file.read_bytes().replace(b"first", b"worst"))


def empty(file: Path) -> None:
    """Nothing in it."""
    file.write_bytes(b"")


def link(file: Path) -> None:
    """A link to a copy of it."""
    copy = file.with_name("copy")
    file.rename(copy)
    file.symlink_to(copy)


def other(file: Path) -> None:
    """That of another directory, under this one's name."""
    memory = file.parent.parent / "other"
    put(memory, "a.md", "wrong")
    scan(memory, cache=file.parent)
    (new,) = set(file.parent.iterdir()) - {file}
    new.replace(file)


def newer(file: Path) -> None:
    """What a memd of another version would write: the number follows the checksum and the mark of an array."""
    payload = bytearray(file.read_bytes()[4:])
    payload[1] += 1
    file.write_bytes(crc32(payload).to_bytes(4, "big") + payload)


@pytest.mark.parametrize("damage", [break_nothing, cut, flip, empty, link, other, newer])
def test_a_cache_that_cannot_be_used_is_made_anew(memory: Path, cache: Path, damage: Callable[[Path], None]) -> None:
    put(memory, "a.md", "first")
    scan(memory, cache=cache)
    settled(cache)
    (file,) = cache.iterdir()
    damage(file)
    assert (opened(memory, cache) == set()) is (damage is break_nothing)
    assert [header.description for header in scan(memory, cache=cache)] == ["first"]


def test_that_nothing_can_be_kept_is_no_failure(memory: Path, tmp_path: Path) -> None:
    put(memory, "a.md", "first")
    (tmp_path / "file").touch()
    assert [header.path for header in scan(memory, cache=tmp_path / "file")] == ["a.md"]


def test_names_that_are_no_text_are_listed_all_the_same(memory: Path, cache: Path) -> None:
    (memory / os.fsdecode(b"\xff.md")).write_bytes(data("odd"))
    put(memory, "a.md", "plain")
    for _ in range(2):
        assert {header.problems for header in scan(memory, cache=cache)} == {(), ("unreadable",)}


def test_private_and_shared_scans_keep_apart(memory: Path, cache: Path) -> None:
    put(memory, "a.md", "mine")
    put(memory, "team/b.md", "ours")
    for _ in range(2):
        assert [header.path for header in scan(memory, cache=cache)] == ["a.md"]
        assert [header.path for header in scan(memory, team=True, cache=cache)] == ["a.md", "team/b.md"]
        settled(cache)


def test_the_cache_is_for_its_owner_alone(memory: Path, cache: Path) -> None:
    scan(memory, cache=cache)
    put(memory, "a.md", "mine")
    scan(memory, cache=cache)
    (file,) = cache.iterdir()
    assert (file.stat().st_mode & 0o777, cache.stat().st_mode & 0o777) == (0o600, 0o700)


EDITS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["put", "delete", "scan"]), st.text("ab", max_size=2)),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(edits=EDITS)
def test_whatever_happens_in_between_the_answer_is_that_of_a_scan_without_it(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, str]]
) -> None:
    memory, cache = tmp_path_factory.mktemp("memory"), tmp_path_factory.mktemp("cache")
    for path, what, text in edits:
        if what == "put":
            put(memory, path, text)
        elif what == "delete":
            (memory / path).unlink(missing_ok=True)
        else:
            assert scan(memory, cache=cache) == scan(memory)
    assert scan(memory, cache=cache) == scan(memory)


def test_a_name_that_is_not_text_is_scanned_and_not_kept(tmp_path: Path) -> None:
    memory, cache = tmp_path / "memory", tmp_path / "headers"
    put(memory, "a.md", "plain")
    (memory / os.fsdecode(b"caf\xe9.md")).write_bytes(data("odd"))
    for _ in range(2):
        assert [header.description for header in scan(memory, cache=cache)] == ["", "plain"]
