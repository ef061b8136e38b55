"""Every file call of a pass failing, one at a time: old or new, the job again in the queue, a later pass succeeds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd import worker
from memd.extract.house import House
from memd.ledger import open_ledger
from tests.deep import small_house
from tests.fakes import transaction as example
from tests.fakes.clock import FakeClock

pytestmark = [pytest.mark.deep, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("failing_calls.c")


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler and LD_PRELOAD")
    library = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def sweep(shim: Path, *arguments: str) -> dict[str, Any]:
    with example.quick_directory() as directory:
        command = [sys.executable, str(SOURCE.with_suffix(".py")), str(directory), *arguments]
        environ = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    print(arguments, done.stdout)  # noqa: T201 - the figures of the run, with -s
    found: dict[str, Any] = json.loads(done.stdout)
    return found


CALLS = [
    *(("write", error) for error in ("ENOSPC", "EIO")),
    ("write", "EIO", "short"),
    *(("fsync", error) for error in ("ENOSPC", "EIO")),
    *((kind, error) for kind in ("rename", "mkdir", "create") for error in ("ENOSPC", "EIO", "EACCES")),
    *(("unlink", error) for error in ("EIO", "EACCES")),
    *((kind, "EMFILE") for kind in ("open", "create")),
    ("open", "EIO"),
]


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_call_that_fails_once_costs_time_and_nothing_else(shim: Path, call: tuple[str, ...]) -> None:
    found = sweep(shim, *call)
    assert found["failed"] >= 5
    assert found["wrong"] == []
    assert {state.split(" ")[0].strip("[(',") for state in found["states"]} <= {"queued", "]"}


def test_a_file_that_may_not_be_read_is_left_alone(shim: Path) -> None:
    """Refused reading is a state of the file, not a moment's failure: it is left out, nothing is torn or doubled."""
    found = sweep(shim, "open", "EACCES")
    assert found["failed"] >= 50
    said = [line for one in found["wrong"] for line in one["wrong"]]
    assert [line for line in said if not line.endswith(": 0 times") and not line.startswith("files: ")] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 3 MB, with the home in it."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("mounting needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = [shutil.which("mount") or "mount", "-t", "tmpfs", "-o", "size=3m", "memd-test", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield disk
    finally:
        subprocess.run([shutil.which("umount") or "umount", str(disk)], check=True)


@pytest.mark.parametrize("left", [0, 1, 2, 3, 5, 8, 13, 21])
def test_a_full_disk(small_disk: Path, left: int) -> None:
    """With `left` pages free when the pass begins; then there is room again."""
    done_home, home = small_disk.parent / "done", small_disk / "home"
    small_house.lay_out(done_home)
    with small_house.opened(done_home) as house:
        small_house.enqueue(house, done_home)
        work_all(house)
        done = small_house.contents(done_home)
    small_house.lay_out(home)
    clock = FakeClock()
    with small_house.opened(home, clock) as house:
        small_house.enqueue(house, home)
        job = house.ledger.claim(lease=60.0)
        assert job is not None
        filler = fill(small_disk, left)
        try:
            worker.work(job, house)
            raised = None
        except Exception as error:  # noqa: BLE001 - the ledger itself may have no room
            raised = type(error).__name__
        assert small_house.torn(small_house.contents(home), done) == []
        filler.unlink()
    print(left, raised)  # noqa: T201 - with -s
    with small_house.opened(home, clock) as house:
        for _ in range(2):  # a job whose worker could not even put it back rests before it is taken again
            clock.advance(3600)
            worker.recover(house)
            work_all(house)
        assert small_house.problems(home, house.ledger, done) == []
    with open_ledger(house.paths.ledger, clock) as ledger:
        assert ledger.jobs() == ()


def work_all(house: House) -> None:
    while (job := house.ledger.claim(lease=60.0)) is not None:
        worker.work(job, house)


def fill(disk: Path, left: int) -> Path:
    """Take all pages but some."""
    filler = disk / "filler"
    found = os.statvfs(disk)
    with filler.open("wb") as file:
        file.write(b"\0" * (found.f_bavail - left) * found.f_frsize)
    return filler
