"""What the ledger keeps for `[history] keep` and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.daemon.clearing import clear
from memd.ledger import JobRequest, Ledger, Run, Session, open_ledger
from memd.ledger.nouns import DREAM, OFF
from memd.ledger.spend import Spent
from tests.fakes.clock import FakeClock

DAY = 86400.0
NAMES = ("there.jsonl", "gone.jsonl", "back.jsonl", "off.jsonl", "queued.jsonl")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ledger(tmp_path: Path, clock: FakeClock) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3", clock) as opened:
        yield opened


def noted(ledger: Ledger, path: Path, *, state: str = "tracked") -> str:
    """A conversation whose transcript is there."""
    path.parent.mkdir(exist_ok=True)
    path.touch()
    ledger.note_session(Session(key=path.stem, agent="a", session_id=path.stem, path=str(path), state=state))
    return path.stem


def days_pass(ledger: Ledger, clock: FakeClock, tmp_path: Path, days: int) -> None:
    """Clear once a day, as the daemon does, with three days to keep things."""
    for _ in range(days):
        clock.advance(DAY)
        clear(ledger, tmp_path / "history", 3 * DAY)


def keys(ledger: Ledger) -> set[str]:
    return {one.key for one in ledger.sessions()}


def test_a_conversation_is_forgotten_when_its_file_has_been_gone_for_so_long(
    ledger: Ledger, clock: FakeClock, tmp_path: Path
) -> None:
    there, gone, back, off, queued = (tmp_path / "p" / name for name in NAMES)
    other = tmp_path / "q" / "other.jsonl"
    for path in (there, gone, back, queued, other):
        noted(ledger, path)
    noted(ledger, off, state=OFF)
    ledger.enqueue(JobRequest(session_key="queued"))
    for path in (gone, back, off, queued):
        path.unlink()
    days_pass(ledger, clock, tmp_path, 3)
    back.touch()
    days_pass(ledger, clock, tmp_path, 1)
    assert keys(ledger) == {"there", "gone", "back", "off", "queued", "other"}
    back.unlink()
    days_pass(ledger, clock, tmp_path, 1)
    assert keys(ledger) == {"there", "back", "off", "queued", "other"}
    there.unlink()
    there.parent.rmdir()
    days_pass(ledger, clock, tmp_path, 5)
    assert keys(ledger) == {"off", "queued", "other"}


@pytest.mark.parametrize("is_mount_point", [False, True], ids=["away", "empty"])
def test_what_a_disk_took_with_it_is_not_gone(
    ledger: Ledger, clock: FakeClock, tmp_path: Path, *, is_mount_point: bool
) -> None:
    root = tmp_path / "config" / "projects"
    root.mkdir(parents=True)
    noted(ledger, root / "p" / "one.jsonl")
    memory = root / "p" / "memory"
    memory.mkdir()
    dreamt(ledger, memory)
    root.rename(tmp_path / "unmounted")
    if is_mount_point:
        root.mkdir()
    days_pass(ledger, clock, tmp_path, 9)
    assert keys(ledger) == {"one"}
    assert [one.memory_dir for one in ledger.all_dreamt()] == [str(memory)]


def test_what_cannot_be_seen_is_not_gone(ledger: Ledger, clock: FakeClock, tmp_path: Path) -> None:
    name = "x" * 300  # longer than a file's name may be: the system gives no answer
    ledger.note_session(Session(key="k", agent="a", session_id="k", path=f"{tmp_path}/{name}/k.jsonl"))
    days_pass(ledger, clock, tmp_path, 9)
    assert keys(ledger) == {"k"}


def test_what_was_spent_is_forgotten_and_who_owns_a_slug_is_not(
    ledger: Ledger, clock: FakeClock, tmp_path: Path
) -> None:
    ledger.owner("-p", "/p")
    for day in ("2026-03-28", "2026-04-01"):
        ledger.spend(Spent(day=day, project="/p", kind="extract", model="m", dollars=1.0))
    days_pass(ledger, clock, tmp_path, 1)
    assert [one.day for one in ledger.spent_since("2000-01-01")] == ["2026-04-01"]
    days_pass(ledger, clock, tmp_path, 4)
    assert ledger.spent_since("2000-01-01") == ()
    assert ledger.owner_of("-p") == "/p"


def dreamt(ledger: Ledger, place: Path) -> None:
    job = ledger.claim(lease=60.0, only=ledger.enqueue(JobRequest(kind=DREAM, memory_dir=str(place))))
    assert job is not None
    run = Run(id=ledger.start_run(DREAM), memory_dir=str(place), outcome="nothing")
    ledger.commit_dream(job, ledger.dreamt(str(place)), run)


def test_the_dreams_of_a_directory_that_is_gone_are_forgotten(ledger: Ledger, clock: FakeClock, tmp_path: Path) -> None:
    there, gone = tmp_path / "there", tmp_path / "gone"
    there.mkdir()
    (there / "MEMORY.md").touch()
    for place in (there, gone):
        dreamt(ledger, place)
    days_pass(ledger, clock, tmp_path, 3)
    assert len(ledger.all_dreamt()) == 2
    days_pass(ledger, clock, tmp_path, 1)
    assert [one.memory_dir for one in ledger.all_dreamt()] == [str(there)]
