"""A component of a path swapped between a directory and a link out, as fast as a process can."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from memd import files
from memd.errors import UnsafePathError
from memd.memory import log, scan, store
from memd.memory.log import Bullet
from memd.memory.workspace import Change
from tests.deep.hostile import SONG, canary, leaks
from tests.fakes import transaction as example

pytestmark = [
    pytest.mark.deep,
    pytest.mark.timeout(120),
    pytest.mark.skipif(sys.platform != "linux", reason="exchanges two names as only Linux can"),
]

SECONDS = 20.0
SWAPPER = """
import ctypes, os, sys
here, there = (name.encode() for name in sys.argv[1:])
swap = ctypes.CDLL(None).renameat2
while True:
    if swap(-100, here, -100, there, 2):  # RENAME_EXCHANGE: at no moment is there nothing
        os.write(2, b"cannot swap\\n")
"""


@pytest.fixture
def swapped(tmp_path: Path) -> Path:
    """A memory directory whose `sub` (and whose file `swap.md`) are links to the canary's half of the time."""
    memory = tmp_path / "memory"
    (memory / "sub").mkdir(parents=True)
    (memory / "sub" / "secret.md").write_bytes(b"mine")
    (memory / "swap.md").write_bytes(b"mine")
    (tmp_path / "dirlink").symlink_to(tmp_path / "canary")
    (tmp_path / "filelink").symlink_to(tmp_path / "canary" / "secret.md")
    return memory


def swapper(memory: Path, name: str, link: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SWAPPER, str(memory / name), str(memory.parent / link)])


def test_twenty_seconds_of_swapping_get_nothing_in_or_out(tmp_path: Path, swapped: Path) -> None:
    outside = canary(tmp_path)
    before = outside.state()
    tried: Counter[str] = Counter()
    with swapper(swapped, "sub", "dirlink") as first, swapper(swapped, "swap.md", "filelink") as second:
        try:
            with files.open_directory(swapped) as opened:
                attack(opened, tried)
        finally:
            first.kill()
            second.kill()
    print(dict(tried), sum(tried.values()))  # noqa: T201 - the figures, with -s
    assert outside.state() == before
    assert leaks(swapped) == []
    assert min(tried[kind] for kind in ("read", "refused")) > 100
    assert tried["escaped"] == 0


def attack(opened: int, tried: Counter[str]) -> None:
    """Read, write, append, remove and list at the swapped places until the time is over."""
    end = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < end:
        number += 1
        rel = ("sub/secret.md", "swap.md", "sub/new.md")[number % 3]
        tried["tries"] += 1
        try:
            data = files.read_regular(opened, rel)
            tried["escaped" if data and SONG in data else "absent" if data is None else "read"] += 1
            if number % 7 == 0:
                files.write_atomic(opened, rel, b"mine %d" % number)
            if number % 11 == 0:
                files.append_whole(opened, "sub/log.md", b"mine\n")
            if number % 13 == 0:
                files.remove(opened, "sub/new.md")
            if number % 17 == 0:
                tried["escaped"] += "sub/inner.md" in files.list_files(opened, levels=3)
        except UnsafePathError:
            tried["refused"] += 1
        except FileNotFoundError:
            tried["absent"] += 1


def test_whole_transactions_under_swapping(tmp_path: Path, swapped: Path) -> None:
    outside = canary(tmp_path)
    before = outside.state()
    done = 0
    with swapper(swapped, "sub", "dirlink") as first:
        try:
            end = time.monotonic() + SECONDS / 2
            while time.monotonic() < end:
                done += 1
                path = f"sub/user_{done % 5}.md"
                change = Change(path=path, before=None, after=example.topic_file("new", f"new {done}"))
                with suppress(UnsafePathError, OSError):
                    store.apply(swapped, (change,), run=example.NOTE, history=tmp_path / "history")
                with suppress(UnsafePathError, OSError):
                    store.recover(tmp_path / "history", lambda _: None)
                assert not any(header.path == "sub/inner.md" for header in scan.scan(swapped))
                with suppress(UnsafePathError, OSError):
                    log.append(swapped, [Bullet(type="note", text="x")], example.NOW)
        finally:
            first.kill()
    print(done)  # noqa: T201 - the figure, with -s
    assert done > 50
    assert outside.state() == before
    assert leaks(swapped, tmp_path / "history") == []
    assert os.path.lexists(outside.root / "secret.md")
